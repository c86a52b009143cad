// Counts hostile cases by stage, and what went wrong with them: crashes, hangs, escapes and canaries in an output.

import { isRepertoireError } from "../../src/model/errors.ts";
import { CANARY, TURN_TOKENS } from "./material.ts";

/** Processor time; a case that takes longer is a hang. */
const HANG_MS = 250;
/** The same for a case that returns `JOB`: it reads the whole library and all that happened, in slices between which others are answered. */
const JOB_MS = 1_000;
export const JOB = Symbol("job");

/** Where an output goes decides what it must not contain. */
export type Sink = "terminal" | "model" | "program";

interface Row {
  cases: number;
  crashes: number;
  hangs: number;
  escapes: number;
  canaries: number;
  slowestMs: number;
}

export interface Problem {
  readonly stage: string;
  readonly seed: number;
  readonly what: string;
}

/** What a terminal obeys, or does not show. */
const ACTS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{E0000}-\u{E007F}\p{Cs}]/u;
/** The ends of our own envelopes, each of which belongs to a beginning. */
const ENDS = ["</skill_content>", "</available_skills>"] as const;

export class Ledger {
  readonly problems: Problem[] = [];
  private readonly rows = new Map<string, Row>();

  /**
   * Runs one case. `run` hands every output to `shown`. A refusal with a code is an answer; anything else that is thrown is a
   * crash. A case that seems to hang is run again: the first run may pay for what all share, and others may use the machine.
   */
  async run(
    stage: string,
    seed: number,
    run: (shown: (sink: Sink, output: unknown) => void) => unknown,
  ): Promise<void> {
    const row = this.rowOf(stage);
    row.cases++;
    const outputs: { sink: Sink; text: string }[] = [];
    const shown = (sink: Sink, output: unknown) => {
      outputs.push({ sink, text: typeof output === "string" ? output : (JSON.stringify(output) ?? "") });
    };
    let most = HANG_MS;
    const once = async () => {
      outputs.length = 0;
      const before = process.cpuUsage();
      try {
        if ((await run(shown)) === JOB) most = JOB_MS;
      } catch (thrown) {
        if (isRepertoireError(thrown)) shown("program", thrown.message);
        else {
          row.crashes++;
          this.add(
            stage,
            seed,
            `crash: ${thrown instanceof Error ? thrown.stack?.slice(0, 600) : String(thrown)}`,
          );
        }
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    let ms = await once();
    for (let again = 0; ms > most && again < 5; again++) ms = Math.min(ms, await once());
    row.slowestMs = Math.max(row.slowestMs, ms);
    if (ms > most) {
      row.hangs++;
      this.add(stage, seed, `hang: ${ms.toFixed(0)} ms`);
    }
    for (const { sink, text } of outputs) this.judge(row, { stage, seed }, sink, text);
  }

  /** Counts something that escaped in another way, such as a file outside. */
  escape(stage: string, seed: number, what: string): void {
    this.rowOf(stage).escapes++;
    this.add(stage, seed, `escape: ${what}`);
  }

  get figures(): Row {
    const all = { cases: 0, crashes: 0, hangs: 0, escapes: 0, canaries: 0, slowestMs: 0 };
    for (const row of this.rows.values()) {
      for (const key of ["cases", "crashes", "hangs", "escapes", "canaries"] as const) all[key] += row[key];
      all.slowestMs = Math.max(all.slowestMs, row.slowestMs);
    }
    return all;
  }

  get stages(): readonly string[] {
    return [...this.rows.keys()];
  }

  table(): string {
    const line = (name: string, { cases, crashes, hangs, escapes, canaries, slowestMs }: Row) =>
      [
        name.padEnd(12),
        ...[cases, crashes, hangs, escapes, canaries, Math.round(slowestMs)].map((n) =>
          String(n).padStart(9),
        ),
      ].join("");
    const head = [
      "stage       ",
      ...["cases", "crashes", "hangs", "escapes", "canaries", "slowest"].map((word) => word.padStart(9)),
    ].join("");
    return [head, ...[...this.rows].map(([stage, row]) => line(stage, row)), line("all", this.figures)].join(
      "\n",
    );
  }

  private judge(row: Row, at: { stage: string; seed: number }, sink: Sink, text: string): void {
    for (const [kind, canary] of Object.entries(CANARY)) {
      // A person may look at what is hidden from the model.
      if ((kind === "hidden" && sink !== "model") || !text.includes(canary)) continue;
      row.canaries++;
      this.add(at.stage, at.seed, `canary: ${kind} in ${excerpt(text, canary)}`);
    }
    const acting = sink === "program" ? undefined : ACTS.exec(text)?.[0];
    if (acting !== undefined) {
      row.escapes++;
      this.add(at.stage, at.seed, `escape: ${JSON.stringify(acting)} in ${excerpt(text, acting)}`);
    }
    if (sink !== "model") return;
    const token =
      TURN_TOKENS.find((one) => !ENDS.some((end) => end === one) && text.includes(one)) ??
      ENDS.find((end) => text.split(end).length !== text.split(end.replace("/", "").slice(0, -1)).length);
    if (token === undefined) return;
    row.escapes++;
    this.add(at.stage, at.seed, `escape: ${JSON.stringify(token)} in ${excerpt(text, token)}`);
  }

  private add(stage: string, seed: number, what: string): void {
    this.problems.push({ stage, seed, what });
  }

  private rowOf(stage: string): Row {
    const row = this.rows.get(stage) ?? {
      cases: 0,
      crashes: 0,
      hangs: 0,
      escapes: 0,
      canaries: 0,
      slowestMs: 0,
    };
    this.rows.set(stage, row);
    return row;
  }
}

function excerpt(text: string, around: string): string {
  const at = text.indexOf(around);
  return JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
}
