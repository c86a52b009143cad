// What a verb of the command line is: one row from which its grammar, its help and its action are made.

import { InvalidArgumentError } from "commander";
import type { OpenOptions, Repertoire } from "../../engine/engine.ts";
import type { Io } from "./io.ts";

export const EXIT = { ok: 0, findings: 1, usage: 2 } as const;

/** What a verb gets to work with. */
export interface Context {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** The engine with the global flags: opened by its first use, and closed when the verb is done. */
  readonly engine: Repertoire;
  /** Opens one more engine with further config values, which the verb closes itself. */
  readonly open: (values?: Readonly<Record<string, unknown>>) => Repertoire;
  /** Every verb of the command line. */
  readonly allVerbs: () => Promise<readonly Verb[]>;
  readonly openOptions: (values?: Readonly<Record<string, unknown>>) => OpenOptions;
}

export interface GlobalFlags {
  readonly dir?: string;
  readonly home?: string;
  readonly agent?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** Reads the value of an option or an argument; `before` are the values of a list so far. */
type ReadValue = (text: string, before: unknown) => unknown;
export type VerbOption = readonly [
  flags: string,
  about: string,
  read?: ReadValue | undefined,
  byDefault?: unknown,
];

export interface Verb {
  /** The name with its arguments. */
  readonly use: string;
  readonly about: string;
  /** What follows `repertoire` in an example. */
  readonly examples?: readonly string[];
  /** Arguments that are described or read; the others are part of `use`. */
  readonly arguments?: readonly (readonly [name: string, about: string, read: ReadValue])[];
  readonly options?: readonly VerbOption[];
  readonly verbs?: readonly Verb[];
  /** Left out of the list of all verbs, because programs call it. */
  readonly isHidden?: true;
  /** The one of `verbs` that is meant when none is named. */
  readonly isDefault?: true;
  /** True if it uses the project's skills: who waits to be asked about the project is asked before. */
  readonly usesProject?: true;
  /** Gets the arguments and the options. Returns the exit code if it is not 0. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most verbs return nothing
  run?(context: Context, ...args: never[]): number | void | Promise<number | void>;
}

/** A heading in the list of all verbs, with what follows `repertoire` in an example. */
export interface HelpGroup {
  readonly title: string;
  readonly example: string;
}

/** The word that a verb is called by. */
export function nameOf({ use }: Verb): string {
  return use.split(" ", 1)[0]!;
}

/** The flags of every verb. */
export const GLOBAL_FLAGS: readonly VerbOption[] = [
  ["--dir <path>", "the project's folder (default: the current one)"],
  ["--home <path>", "the home folder (default: yours)"],
  ["--agent <name>", "see the library as this agent"],
  ["--config <file>", "read this configuration instead of the project's"],
  ["--json", "print JSON"],
];

/** Reads one of these values; any other is a usage error that names them. `accepted` is for completion. */
export function accepting(
  accepted: readonly string[],
): ((text: string) => string) & { readonly accepted: readonly string[] } {
  const read = (text: string) => {
    if (!accepted.includes(text)) throw new InvalidArgumentError(`Accepted: ${accepted.join(", ")}.`);
    return text;
  };
  return Object.assign(read, { accepted });
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `30m`, `4h` or `1d` as milliseconds. */
export function duration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})\s*([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!(ms > 0)) throw new InvalidArgumentError("Accepted: a number with m, h or d, such as 4h.");
  return ms;
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value <= 0)
    throw new InvalidArgumentError("Accepted: a whole number above 0.");
  return value;
}
