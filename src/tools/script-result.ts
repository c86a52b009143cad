// Owns what a run of a script is told as: codes, the result's shape, and the sentence that says what to do next.
// Does not own the run.

import type { Ended } from "./process.ts";

export const SCRIPT_ERRORS = [
  "not-found",
  "not-consented",
  "args-too-large",
  "timeout",
  "output-truncated",
  "no-sandbox",
  "execution-failed",
] as const;
export type ScriptErrorCode = (typeof SCRIPT_ERRORS)[number];

/** `none` means that nothing was isolated, or that nothing ran. */
export type Isolation = "bubblewrap" | "none";

export interface ScriptResult {
  readonly ok: boolean;
  readonly code?: ScriptErrorCode;
  /** Null when the script did not come to its own end. */
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

export interface RunFacts {
  readonly script: string;
  readonly isolation: Isolation;
  readonly durationMs: number;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly processes: number;
}

export function report(ended: Ended, facts: RunFacts): ScriptResult {
  const { exitCode, stdout, stderr, truncated } = ended;
  const { isolation, durationMs } = facts;
  const told = { exitCode, stdout, stderr, truncated, isolation, durationMs };
  const verdict = judge(ended, facts);
  if (!verdict) return { ok: true, ...told, message: `${facts.script} ended well.` };
  return { ok: false, ...told, ...verdict };
}

function judge(ended: Ended, facts: RunFacts): Pick<ScriptResult, "code" | "message"> | undefined {
  const { script, timeoutMs, outputBytes, processes } = facts;
  const cut = `Only the first ${outputBytes} bytes are kept; let it print less, or write a file.`;
  switch (ended.how) {
    case "timeout":
      return {
        code: "timeout",
        message: `${script} was stopped after ${timeoutMs / 1000} s, with everything it had started.`,
      };
    case "flood":
      return { code: "output-truncated", message: `${script} was stopped: it did not stop printing. ${cut}` };
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
      return { code: "output-truncated", message: `${script} ended well but printed too much. ${cut}` };
  }
}

function failure(script: string, { exitCode, stderr }: Ended): string {
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  const code = exitCode === null ? "was killed" : `ended with exit code ${exitCode}`;
  return `${script} ${code}${last === "" ? "." : `: ${last}`}`;
}
