import { describe, expect, it } from "vitest";
import { withCode } from "../../../test/errors.ts";
import { RepertoireError } from "../../model/errors.ts";
import { type Job, JobBoard, type JobControl } from "./jobs.ts";

function board(keptJobs = 10) {
  const changes: string[] = [];
  const notes: string[] = [];
  const jobs = new JobBoard({
    limits: { keptJobs, lastJobsMs: 5_000 },
    onChange: ({ operation, state }: Job) => changes.push(`${operation} ${state}`),
    note: (text) => notes.push(text),
  });
  return { jobs, changes, notes };
}

/** Works step by step until it is told to stop. */
async function endless({ progress }: JobControl): Promise<never> {
  for (let done = 0; ; done++) {
    progress({ done });
    await new Promise((settle) => setImmediate(settle));
  }
}

describe("a job", () => {
  it("returns its result to a request that waits, and keeps it for later requests", async () => {
    const { jobs, changes } = board();
    const { id, state } = jobs.start("index", async () => ({ skills: 3 }));
    expect(state).toBe("running");
    expect(await jobs.wait(id, 5)).toMatchObject({ state: "done", result: { skills: 3 } });
    expect(jobs.get(id).result).toEqual({ skills: 3 });
    expect(jobs.list()[0]).not.toHaveProperty("result");
    expect(changes).toEqual(["index running", "index done"]);
  });

  it("throws the operation's error to a request that waits, and shows it to later requests", async () => {
    const { jobs, notes } = board();
    const mistake = new RepertoireError("plan-unreadable", "No plan.");
    const { id } = jobs.start("dream", () => Promise.reject(mistake));
    await expect(jobs.wait(id, 5)).rejects.toBe(mistake);
    expect(jobs.get(id)).toMatchObject({ state: "failed", error: { code: "plan-unreadable" } });
    const other = jobs.start("dream", () => Promise.reject(new Error("inner")));
    await expect(jobs.wait(other.id, 5)).rejects.toThrow("inner");
    expect(jobs.get(other.id)).toMatchObject({ error: { code: "unexpected" } });
    expect(notes).toEqual(["inner"]);
  });

  it("ends at its next step when it is cancelled; until then the operation cannot start again", async () => {
    const { jobs, changes } = board();
    const { id } = jobs.start("eval", endless);
    expect(() => jobs.start("eval", endless)).toThrow(withCode("job-running", { value: id }));
    expect(jobs.cancel(id).state).toBe("cancelling");
    expect((await jobs.wait(id, 5)).state).toBe("cancelled");
    expect(changes).toEqual(["eval running", "eval cancelling", "eval cancelled"]);
    expect(jobs.cancel(id).state).toBe("cancelled");
  });

  it("is done if it finishes after it was cancelled", async () => {
    const { jobs } = board();
    const { id } = jobs.start("index", async () => "all");
    jobs.cancel(id);
    expect(await jobs.wait(id, 5)).toMatchObject({ state: "done", result: "all" });
  });
});

describe("the board", () => {
  it("forgets the oldest ended jobs", async () => {
    const { jobs } = board(2);
    for (const name of ["a", "b", "c"]) await jobs.wait(jobs.start(name, async () => name).id, 5);
    expect(jobs.list().map(({ operation }) => operation)).toEqual(["c", "b"]);
    expect(() => jobs.get("gone")).toThrow(withCode("job-not-found", { value: "gone" }));
  });

  it("cancels everything when it closes, and waits until it has stopped", async () => {
    const { jobs } = board();
    const ids = ["a", "b"].map((name) => jobs.start(name, endless).id);
    const waiting = jobs.wait(ids[0]!, 60);
    jobs.cancelAll();
    expect((await waiting).state).toMatch(/^cancel/);
    expect((await jobs.wait(ids[0]!, 60)).state).toMatch(/^cancel/);
    await jobs.stopped();
    expect(ids.map((id) => jobs.get(id).state)).toEqual(["cancelled", "cancelled"]);
    expect(jobs.running).toBe(0);
  });
});
