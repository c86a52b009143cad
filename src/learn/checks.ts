// Owns what a change of a learned skill must pass before it is worked out: who may, on which text, with which files.

import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { isSkillFile, type PackageFile, sha256Of } from "../package/package.ts";
import { metadataOf, type SkillText } from "../parse/parse.ts";

/** Refuses a support file that would land outside the skill's folder, or make a sub-skill. */
export function checkSupportPath(path: string): void {
  const segments = path.split("/");
  const isSafe =
    !/[\\\0]/.test(path) &&
    segments.every(
      (segment) => segment !== "" && segment !== "." && segment !== ".." && segment !== ".git",
    ) &&
    !isSkillFile(segments.at(-1)!);
  if (isSafe) return;
  throw new RepertoireError(
    "file-path",
    `${JSON.stringify(path)} cannot be a file of the skill. Use a path below its folder, such as references/notes.md. Nothing was changed.`,
    path,
  );
}

export function metadataIn(lesson: SkillText | undefined): Readonly<Record<string, unknown>> {
  return (lesson?.front.metadata ?? {}) as Record<string, unknown>;
}

export function isPinned(lesson: SkillText): boolean {
  return metadataOf(metadataIn(lesson), "pinned") === "true";
}

/** A person may change everything; agents nothing that is pinned; a dream, besides, only what agents made. */
export function checkPermission(author: string, name: SkillName, lesson: SkillText | undefined): void {
  if (author === "person" || lesson === undefined) return;
  if (isPinned(lesson)) {
    throw new RepertoireError(
      "skill-pinned",
      `"${name}" is pinned, so only a person changes it. Ask them, or let them run repertoire unpin ${name}.`,
      name,
    );
  }
  const provenance = metadataOf(metadataIn(lesson), "provenance") ?? "person";
  if (/^dream\b/.test(author) && provenance !== "agent") {
    throw new RepertoireError(
      "skill-protected",
      `"${name}" was made by a ${provenance === "person" ? "person" : `provider (${provenance})`}; a dream changes only what agents saved.`,
      name,
    );
  }
}

export function checkDigest(
  wanted: string | undefined,
  name: SkillName,
  main: PackageFile | undefined,
): void {
  const found = main && sha256Of(main.bytes);
  if (wanted === undefined || wanted === found) return;
  throw new RepertoireError(
    "skill-changed",
    `"${name}" has changed since it was read (now ${found?.slice(0, 12) ?? "gone"}). Read it again, then save. Nothing was changed.`,
    found,
  );
}
