// A skill of any source as it is on disk now: its whole text, its times, and who made it.

import { type Files, unlessMissing } from "../disk/disk.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { sha256Of } from "../package/package.ts";
import { metadataOf } from "../parse/parse.ts";

/** A skill of any source with its text, its times and who made it. */
export interface SkillContent {
  readonly name: SkillName;
  readonly summary: string;
  /** The whole SKILL.md. */
  readonly content: string;
  readonly digest: string;
  readonly path: string;
  readonly source: string;
  readonly learned: boolean;
  readonly pinned: boolean;
  readonly provenance?: string | undefined;
  readonly createdAt?: string | undefined;
  readonly updatedAt?: string | undefined;
  readonly lastUsedAt?: string | undefined;
  readonly seeAlso: readonly string[];
}

export function contentOf(
  skill: Skill,
  known: { readonly files: Files; readonly learned: boolean; readonly lastUsedAt: number },
): SkillContent {
  const { manifest, name, path, source } = skill;
  const { files, learned, lastUsedAt } = known;
  const bytes = skillFile(files, skill);
  const metadata = (key: string) => metadataOf(manifest.metadata, key);
  return {
    name,
    summary: manifest.summary ?? manifest.brief,
    content: bytes.toString("utf8"),
    digest: sha256Of(bytes),
    path,
    source,
    learned,
    pinned: metadata("pinned") === "true",
    provenance: metadata("provenance") ?? (learned ? "person" : undefined),
    createdAt: metadata("created-at"),
    updatedAt: metadata("updated-at"),
    lastUsedAt: lastUsedAt > 0 ? new Date(lastUsedAt).toISOString() : undefined,
    seeAlso: manifest.seeAlso,
  };
}

function skillFile(files: Files, { name, path }: Skill): Buffer {
  const found = unlessMissing(() => files.readFileSync(path), ["ENOENT", "ENOTDIR"]);
  if (found) return found;
  throw new RepertoireError(
    "skill-not-found",
    `"${name}" was deleted a moment ago. repertoire archive --list shows what was deleted.`,
    name,
  );
}
