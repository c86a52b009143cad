// Checks the text of a learned skill before it is saved: against the open spec, and for dangers in the whole package.

import { type Finding, inspectPackage } from "../inspect/inspect.ts";
import { RepertoireError } from "../model/errors.ts";
import type { PackageFile } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";

/** Refuses text that the open spec's validator would refuse. */
export function checkConformance(text: string, path: string): void {
  const { diagnostics } = parseSkill(text, path, { profile: "strict" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  throw new RepertoireError(
    first.code,
    `The skill was not saved: ${errors.map(({ message, fix }) => `${message} ${fix}`).join(" ")}`,
    errors.map(({ code }) => code),
  );
}

/** What in the package is dangerous; fails on a high risk unless a person has said that it is meant. */
export function checkSafety(files: readonly PackageFile[], allowed: boolean): readonly Finding[] {
  const { findings } = inspectPackage(files);
  const high = findings.filter(({ severity }) => severity === "high");
  if (high.length === 0 || allowed) return findings;
  const list = high
    .slice(0, 3)
    .map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`} ${message}`)
    .join(" ");
  throw new RepertoireError(
    "skill-unsafe",
    `The skill was not saved, because it looks dangerous. ${list} ${high[0]!.fix} A person who knows that it is meant can save it with repertoire save --allow-unsafe.`,
    high.map(({ code }) => code),
  );
}
