// Builds the result of a script's run: its code, its output, and a sentence that says what to do next.

import type { Isolation } from "./isolation.ts";
import type { Ended } from "./process.ts";

export type ScriptErrorCode =
  | "not-found"
  | "not-declared"
  | "not-consented"
  | "args-too-large"
  | "timeout"
  | "output-truncated"
  | "no-sandbox"
  | "execution-failed";

export interface ScriptResult {
  readonly ok: boolean;
  readonly code?: ScriptErrorCode;
  /** Null if the script did not end by itself. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly isolation: Isolation;
  readonly durationMs: number;
  /** One sentence for a person or a model: what happened and what to do next. */
  readonly message: string;
}

/** A result for a script that was not run. */
export function refusal(code: ScriptErrorCode, message: string): ScriptResult {
  const nothing = { exitCode: null, stdout: "", stderr: "", truncated: false, durationMs: 0 };
  return { ok: false, code, ...nothing, isolation: "none", message };
}

interface RunFacts {
  readonly script: string;
  readonly isolation: Isolation;
  readonly durationMs: number;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly processes: number;
}

/** The result of a script that was run. */
export function report(ended: Ended, facts: RunFacts): ScriptResult {
  const { exitCode, stdout, stderr, truncated } = ended;
  const { isolation, durationMs } = facts;
  const run = { exitCode, stdout, stderr, truncated, isolation, durationMs };
  const problem = problemOf(ended, facts);
  if (!problem) return { ok: true, ...run, message: `${facts.script} succeeded.` };
  return { ok: false, ...run, ...problem };
}

function problemOf(ended: Ended, facts: RunFacts): Pick<ScriptResult, "code" | "message"> | undefined {
  const { script, timeoutMs, outputBytes, processes } = facts;
  const cut = `Only the first ${outputBytes} bytes are kept; print less, or write a file.`;
  switch (ended.how) {
    case "timeout":
      return {
        code: "timeout",
        message: `${script} was stopped after ${timeoutMs / 1000} s, with everything that it started.`,
      };
    case "flood":
      return { code: "output-truncated", message: `${script} was stopped: it printed too much. ${cut}` };
    case "aborted":
      return { code: "execution-failed", message: `${script} was stopped by the caller.` };
    case "stopped":
      return {
        code: "execution-failed",
        message: `${script} was stopped: it started more than ${processes} processes.`,
      };
    case "not-started":
      return { code: "execution-failed", message: `${script} could not be started: ${ended.error}.` };
    case "exit":
      if (ended.exitCode !== 0) return { code: "execution-failed", message: failure(script, ended) };
      if (!ended.truncated) return undefined;
      return { code: "output-truncated", message: `${script} succeeded but printed too much. ${cut}` };
  }
}

function failure(script: string, { exitCode, stderr }: Ended): string {
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const code = exitCode === null ? "was killed" : `ended with exit code ${exitCode}`;
  return `${script} ${code}${last === "" ? "." : `: ${last}`}`;
}
