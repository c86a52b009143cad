// Follows the shared library: brings the mirrors up to date at every change, and by itself again after the database was away.

import { messageOf } from "../model/errors.ts";
import type { Mirror, MirrorChanges } from "./mirror.ts";
import type { SharedLibrary, Subscription } from "./shared-library.ts";

const FOLLOWING = {
  /** How often a subscription is tried, and changes are looked for although it works. */
  checkMs: 15_000,
  /** How often changes are looked for without a subscription that works, as behind a pool in transaction mode. */
  pollMs: 400,
  /** The first pause after a failure; it doubles. */
  leastPauseMs: 100,
  mostPauseMs: 5_000,
} as const;

type FollowingNumbers = { readonly [key in keyof typeof FOLLOWING]: number };

/** How the following goes, for metrics and `doctor`. */
export interface FollowerState {
  /** Whether the last question to the database was answered. */
  readonly isConnected: boolean;
  /** Whether news come by themselves; otherwise changes are looked for every so often. */
  readonly isSubscribed: boolean;
  /** The last change that the node has. */
  readonly seq: number;
  /** Skills that were brought up to date. */
  readonly applied: number;
  /** How often the database was away. */
  readonly failures: number;
  /** When the node last had all that the database had, in milliseconds; 0 for never. */
  readonly currentAt: number;
  readonly problem?: string | undefined;
}

interface FollowerNeeds {
  readonly library: SharedLibrary;
  /** Fails as long as the database was never reached. */
  readonly mirrors: () => Promise<readonly Mirror[]>;
  /** Called after skills have changed on disk, before the next changes are read. */
  readonly onChanges: (changes: MirrorChanges) => Promise<void> | void;
  /** Called when the database answers again after it was away. */
  readonly onReturn?: (() => Promise<void>) | undefined;
  readonly onProblem: (problem: string) => void;
  readonly now: () => number;
  readonly numbers?: Partial<FollowingNumbers> | undefined;
}

export class Follower {
  private readonly needs: FollowerNeeds;
  private readonly numbers: FollowingNumbers;
  private readonly stopping = new AbortController();
  private subscription: Subscription | undefined;
  private isSubscribed = false;
  private triedAt = -Infinity;
  private isConnected = false;
  private seq = 0;
  private applied = 0;
  private failures = 0;
  private currentAt = 0;
  private problem: string | undefined;
  /** Set when there may be something new; a change during the reading sets it again. */
  private hasNews = true;
  private wake: () => void = () => undefined;
  private running: Promise<void> | undefined;
  private isCurrent: () => void = () => undefined;
  /** Settled when the mirrors are first up to date, before anybody is told, or when that has failed. */
  readonly current = new Promise<void>((resolve) => {
    this.isCurrent = resolve;
  });

  constructor(needs: FollowerNeeds) {
    this.needs = needs;
    this.numbers = { ...FOLLOWING, ...needs.numbers };
  }

  get state(): FollowerState {
    const { isConnected, isSubscribed, applied, failures, currentAt, problem } = this;
    return { isConnected, isSubscribed, seq: this.seq, applied, failures, currentAt, problem };
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Looks for changes now. */
  look(): void {
    this.hasNews = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    let pause = this.numbers.leastPauseMs;
    while (!this.stopping.signal.aborted) {
      try {
        await this.subscribed();
        this.hasNews = false;
        await this.bring();
        pause = this.numbers.leastPauseMs;
        if (!this.hasNews) await this.untilNews();
      } catch (error) {
        this.fail(error);
        await this.unsubscribe();
        this.hasNews = true;
        // Spread, so that nodes that lost the same server do not come back in step.
        await this.pause(pause * (0.5 + Math.random()));
        pause = Math.min(pause * 2, this.numbers.mostPauseMs);
      }
    }
    await this.unsubscribe();
  }

  private async bring(): Promise<void> {
    const changes: MirrorChanges[] = [];
    const mirrors = await this.needs.mirrors();
    for (const mirror of mirrors) changes.push(await mirror.catchUp());
    this.seq = Math.max(...mirrors.map(({ seq }) => seq));
    const isBack = !this.isConnected && this.failures > 0;
    this.isConnected = true;
    this.problem = undefined;
    if (isBack) await this.needs.onReturn?.();
    this.currentAt = this.needs.now();
    this.isCurrent();
    const changed = changes.flatMap((each) => each.changed);
    const folders = changes.flatMap((each) => each.folders);
    const kept = changes.flatMap((each) => each.kept);
    this.applied += changed.length;
    if (changed.length + kept.length > 0) await this.needs.onChanges({ changed, folders, kept });
  }

  private async subscribed(): Promise<void> {
    if (this.subscription === undefined) {
      this.subscription = await this.needs.library.subscribe(() => this.look());
      this.triedAt = -Infinity;
    }
    this.tryOut(this.subscription);
  }

  /** Finds out now and then whether news come through, and does not wait for it. */
  private tryOut(subscription: Subscription): void {
    const now = this.needs.now();
    if (now - this.triedAt < this.numbers.checkMs) return;
    this.triedAt = now;
    const settle = (isAlive: boolean) => {
      if (this.subscription !== subscription) return;
      // One that worked once and is silent now is made anew; one that never worked is behind a pool.
      if (this.isSubscribed && !isAlive) void this.unsubscribe().then(() => this.wake());
      this.isSubscribed = isAlive;
    };
    subscription.isAlive().then(settle, () => settle(false));
  }

  private async untilNews(): Promise<void> {
    const { pollMs, checkMs } = this.numbers;
    await this.pause(this.isSubscribed ? checkMs : pollMs);
  }

  private async unsubscribe(): Promise<void> {
    const { subscription } = this;
    this.subscription = undefined;
    this.isSubscribed = false;
    // The connection may be gone already.
    await subscription?.close().catch((error: unknown) => this.fail(error));
  }

  private fail(error: unknown): void {
    this.isCurrent();
    const problem = messageOf(error);
    if (this.isConnected || this.failures === 0) this.failures++;
    this.isConnected = false;
    if (problem !== this.problem && !this.stopping.signal.aborted) this.needs.onProblem(problem);
    this.problem = problem;
  }

  /** Ends early when there is news, or when the following stops. */
  private pause(ms: number): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      timer.unref();
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
