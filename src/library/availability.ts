// Checks whether a skill's requirements are met on this machine right now. The answer may change between two turns, so a
// checker is made for one operation only.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Requirements } from "../model/skill.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Says why a skill cannot be used now, or undefined when it can. */
type AvailabilityCheck = (skill: { manifest: { requires: Requirements } }) => string | undefined;

/** A check for one operation: each program is looked for once, however many skills need it. */
export function availabilityCheck(env: Environment): AvailabilityCheck {
  const found = new Map<string, boolean>();
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  const hasProgram = (program: string): boolean => {
    let known = found.get(program);
    if (known === undefined) {
      known = isProgramName(program) && folders.some((folder) => isExecutable(join(folder, program), env));
      found.set(program, known);
    }
    return known;
  };
  return ({ manifest }) => missingRequirement(manifest.requires, env, hasProgram);
}

function missingRequirement(
  requires: Requirements,
  env: Environment,
  hasProgram: (program: string) => boolean,
): string | undefined {
  const missing: string[] = [];
  for (const name of requires.env) if (!env[name]) missing.push(`environment variable ${name} is not set`);
  for (const program of requires.bins)
    if (!hasProgram(program)) missing.push(`program ${program} is not on the PATH`);
  if (requires.anyBins.length > 0 && !requires.anyBins.some(hasProgram)) {
    missing.push(`none of the programs ${requires.anyBins.join(", ")} is on the PATH`);
  }
  return missing.length > 0 ? missing.join("; ") : undefined;
}

/** No file system has longer names, and the system refuses to look for one. */
const LONGEST_NAME = 255;

/** A requirement names a program, never a path: otherwise a skill could probe the disk. */
function isProgramName(program: string): boolean {
  return program !== "" && Buffer.byteLength(program) <= LONGEST_NAME && !/[/\\\0]/.test(program);
}

function isExecutable(path: string, env: Environment): boolean {
  const endings = process.platform === "win32" ? (env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""];
  return endings.some((ending) => {
    if (!statSync(path + ending, { throwIfNoEntry: false })?.isFile()) return false;
    try {
      accessSync(path + ending, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
