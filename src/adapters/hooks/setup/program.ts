// How a host's configuration starts our program, and whether an entry of a host does.

import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { RepertoireError } from "../../../model/errors.ts";

/** The command as the shell finds it. */
const NAME = "repertoire";

/** The entry of the package, for hosts that cannot find the command. */
const ENTRY = join("dist", "bin.cjs");

interface ProgramSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of this package. */
  readonly root: string;
}

/**
 * The words that start our program: its name if it is on the path, else this Node and the file of this package. Fails if that file
 * is in a cache that is emptied at times.
 */
export function programWords({ env, root }: ProgramSearch): readonly string[] {
  const found = findProgram(NAME, env);
  if (found !== undefined && !isPassing(found) && basename(dirname(found)) !== ".bin") return [NAME];
  if (!isPassing(root)) return [process.execPath, join(root, ENTRY)];
  throw new RepertoireError(
    "setup-not-installed",
    `Repertoire was started from a cache, so a host could not start it later. Install it first: npm install --global ${NAME}`,
    root,
  );
}

/** The first executable of this name on the path. */
export function findProgram(name: string, env: ProgramSearch["env"]): string | undefined {
  const endings = process.platform === "win32" ? [".cmd", ".exe", ".ps1", ""] : [""];
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((end) => join(folder, name + end))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** `npx` runs packages from a cache. (It and npm also put a folder `.bin` on the path, of that one process.) */
function isPassing(path: string): boolean {
  return path.split(sep).includes("_npx");
}

/** One line for a shell. Double quotes mean the same to sh and to cmd. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word}"`)).join(" ");
}

/** Whether these words start our program, wherever it is. */
export function startsUs(words: readonly unknown[]): boolean {
  const [first, second] = words.map((word) => (typeof word === "string" ? word : ""));
  const program = basename(first ?? "").replace(/\.(?:cmd|exe|ps1)$/, "");
  return program === NAME || (second ?? "").endsWith(join(sep, ENTRY));
}

/** Whether a shell line runs our hook for this host. */
export function runsOurHook(line: unknown, host: string): boolean {
  if (typeof line !== "string") return false;
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  const at = words.indexOf("hook");
  return at > 0 && words[at + 1] === host && startsUs(words);
}
