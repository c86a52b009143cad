// What every verb of the command line shares: exit codes, what its action gets, and how it uses the engine.

import type { Command } from "commander";
import type { OpenOptions, Repertoire } from "../../engine/engine.ts";
import type { Io } from "./io.ts";

export const EXIT = { ok: 0, findings: 1, usage: 2 } as const;

/** What a verb gets to work with. */
export interface Context {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** The options of the engine: the global flags and further config values. */
  readonly openOptions: (values?: Readonly<Record<string, unknown>>) => OpenOptions;
  /** Opens the engine with the global flags and further config values. */
  readonly open: (values?: Readonly<Record<string, unknown>>) => Repertoire;
}

export interface GlobalFlags {
  readonly dir?: string;
  readonly home?: string;
  readonly agent?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** A verb: adds itself to the program; its action returns the exit code. */
export type Register = (program: Command, action: Action) => void;
export type Action = <A extends unknown[]>(
  work: (context: Context, ...args: A) => number | Promise<number>,
) => (...args: [...A, Record<string, unknown>, Command]) => Promise<void>;

/** Does the work, then waits for what the engine does in the background and closes its store. */
export async function withEngine<T>(
  engine: Repertoire,
  work: (engine: Repertoire) => Promise<T>,
): Promise<T> {
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
