// Jobs: work that may take longer than a request. One per operation at a time; can be listed, awaited and cancelled.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { RepertoireError } from "../../model/errors.ts";
import { bodyFor } from "./errors.ts";
import type { HttpLimits } from "./limits.ts";

export const JOB_STATES = ["running", "cancelling", "done", "failed", "cancelled"] as const;

interface JobProgress {
  readonly done?: number;
  readonly total?: number;
  readonly note?: string;
}

export interface Job {
  readonly id: string;
  /** The operation that started it. */
  readonly operation: string;
  readonly state: (typeof JOB_STATES)[number];
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly progress?: JobProgress;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** For the work: reports its progress, and stops it: `progress` throws once the job is cancelled. */
export interface JobControl {
  readonly signal: AbortSignal;
  progress(progress: JobProgress): void;
}

interface Running {
  job: Job;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** As it was thrown, for the request that waits. */
  thrown?: unknown;
}

interface JobBoardOptions {
  readonly limits: Pick<HttpLimits, "keptJobs" | "lastJobsMs">;
  readonly onChange: (job: Job) => void;
  readonly note: (text: string) => void;
}

export class JobBoard {
  private readonly options: JobBoardOptions;
  private readonly jobs = new Map<string, Running>();
  private readonly closing = new AbortController();

  constructor(options: JobBoardOptions) {
    this.options = options;
  }

  /** Newest first, without their results. */
  list(): Omit<Job, "result">[] {
    return [...this.jobs.values()].map(({ job: { result: _, ...job } }) => job).reverse();
  }

  get(id: string): Job {
    return this.require(id).job;
  }

  get running(): number {
    return [...this.jobs.values()].filter(({ job }) => isRunning(job)).length;
  }

  start(operation: string, work: (control: JobControl) => Promise<unknown>): Job {
    const other = [...this.jobs.values()].find(({ job }) => job.operation === operation && isRunning(job));
    if (other) {
      const { id } = other.job;
      throw new RepertoireError("job-running", `This is already running: see /api/jobs/${id}.`, id);
    }
    const stop = new AbortController();
    const id = randomUUID();
    const job: Job = { id, operation, state: "running", startedAt: Date.now() };
    // The first step of the work comes after `start` has returned, so that the row is there to be changed.
    const ended = Promise.resolve().then(() => this.run(id, work));
    this.jobs.set(id, { job, stop, ended });
    this.options.onChange(job);
    return job;
  }

  /** Waits for the end of a job, at most that long; throws if the job failed. */
  async wait(id: string, seconds: number): Promise<Job> {
    const running = this.require(id);
    if (seconds > 0 && !this.closing.signal.aborted)
      await within(Promise.race([running.ended, once(this.closing.signal, "abort")]), seconds * 1000);
    if (running.job.state === "failed") throw running.thrown;
    return running.job;
  }

  /** Ends at the work's next stopping point. */
  cancel(id: string): Job {
    const running = this.require(id);
    if (running.job.state === "running") {
      this.change(running, { state: "cancelling" });
      running.stop.abort();
    }
    return running.job;
  }

  /** Cancels everything. Whoever waits for a job is answered with what it is now. */
  cancelAll(): void {
    for (const { job } of this.jobs.values()) if (isRunning(job)) this.cancel(job.id);
    this.closing.abort();
  }

  /** Waits until everything has stopped, or long enough. */
  async stopped(): Promise<void> {
    const left = [...this.jobs.values()].filter(({ job }) => isRunning(job));
    await within(Promise.all(left.map(({ ended }) => ended)), this.options.limits.lastJobsMs);
  }

  private async run(id: string, work: (control: JobControl) => Promise<unknown>): Promise<void> {
    const running = this.jobs.get(id)!;
    const { signal } = running.stop;
    const progress = (made: JobProgress) => {
      if (signal.aborted) throw new RepertoireError("cancelled", "The job was cancelled.", id);
      running.job = { ...running.job, progress: made };
    };
    try {
      const result = await work({ signal, progress });
      this.change(running, { state: "done", endedAt: Date.now(), result });
    } catch (thrown) {
      running.thrown = thrown;
      const state = signal.aborted ? "cancelled" : "failed";
      const { error } = bodyFor(thrown, this.options.note);
      this.change(running, { state, endedAt: Date.now(), ...(state === "failed" && { error }) });
    }
    this.forgetOldest();
  }

  private change(running: Running, change: Partial<Job>): void {
    running.job = { ...running.job, ...change };
    this.options.onChange(running.job);
  }

  private forgetOldest(): void {
    const ended = [...this.jobs.values()].filter(({ job }) => !isRunning(job));
    for (const { job } of ended.slice(0, Math.max(0, ended.length - this.options.limits.keptJobs)))
      this.jobs.delete(job.id);
  }

  private require(id: string): Running {
    const running = this.jobs.get(id);
    if (running) return running;
    throw new RepertoireError("job-not-found", `There is no job "${id}". GET /api/jobs lists them.`, id);
  }
}

function isRunning({ state }: Job): boolean {
  return state === "running" || state === "cancelling";
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((settle) => {
    timer = setTimeout(settle, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
