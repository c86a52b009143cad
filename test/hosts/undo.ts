// Compares a home before setup, after it, after the host ran, and after undo.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

type Files = ReadonlyMap<string, string>;

/** The text files of a home that could be settings, without Repertoire's own. */
export function filesIn(home: string): Files {
  const files = new Map<string, string>();
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = relative(home, join(entry.parentPath, entry.name));
    if (!entry.isFile() || path.startsWith(".repertoire") || path.includes("node_modules")) continue;
    if (/\.(?:jsonc?|toml|ya?ml|js)$/.test(path)) files.set(path, readFileSync(join(home, path), "utf8"));
  }
  return files;
}

interface Stages {
  readonly before: Files;
  readonly setUp: Files;
  readonly used: Files;
  readonly undone: Files;
}

/** What undo has done wrong, one line each. Looks only at the files that setup wrote. */
export function isUndone({ before, setUp, used, undone }: Stages): string[] {
  const written = [...setUp.keys()].filter((path) => setUp.get(path) !== before.get(path));
  return written.flatMap((path) => {
    const [was, made, now, left] = [before, setUp, used, undone].map((files) => files.get(path));
    if (now === made) return left === was ? [] : [`${path} is not as it was`];
    const lines = (left ?? "").split("\n");
    const lost = [...(now ?? "").split("\n"), ...(was ?? "").split("\n")].filter(
      (line) => !isOurs(line) && !(made ?? "").includes(line) && !lines.some((one) => sameLine(one, line)),
    );
    const ours = lines.filter(isOurs);
    return [
      ...lost.map((line) => `${path} lost ${line}`),
      ...ours.map((line) => `${path} still has ${line}`),
    ];
  });
}

const isOurs = (line: string) => line.includes("repertoire");

/** A comma comes and goes with the entry behind it. */
const sameLine = (one: string, other: string) => one.replace(/,$/, "") === other.replace(/,$/, "");
