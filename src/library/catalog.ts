// The step from found files to records: reads what changed, reuses what did not, gives each skill its name.
// Does not decide precedence (`precedence.ts`).

import { hash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { type FoundFile, POLICY_FILE } from "../discover/discover.ts";
import { withRegularFile } from "../disk/disk.ts";
import type { InspectionCache } from "../inspect/inspect.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import { type NameResult, toSkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import { PACKAGE_LIMITS } from "../package/package.ts";
import { type Profile, parseManifest, parseSkill } from "../parse/parse.ts";
import { displayNameOf, type FileRecord } from "./file-record.ts";
import type { BodySink } from "./reader.ts";

import { hasDangerousWords, isKnownDanger, isNewDanger, withhold } from "./withheld.ts";

export type Progress = (done: number, total: number) => void;

interface CatalogOptions {
  readonly known: ReadonlyMap<string, FileRecord>;
  readonly profile?: Profile | undefined;
  readonly bodies?: BodySink | undefined;
  /** What inspection found in earlier runs. */
  readonly inspections?: InspectionCache | undefined;
  readonly onProgress?: Progress | undefined;
}

/** Whether these files would give the same records again: the same places, none of them touched. */
export function isUnchanged(
  files: readonly FoundFile[],
  known: ReadonlyMap<string, FileRecord>,
  inspections?: InspectionCache,
): boolean {
  return (
    files.length === known.size && files.every((file) => isCurrent(known.get(file.path), file, inspections))
  );
}

/** Makes the records of these files and pauses after each file that was opened; a valid record is taken over. */
export function* readCatalog(
  files: readonly FoundFile[],
  options: CatalogOptions,
): Generator<undefined, FileRecord[]> {
  const records: FileRecord[] = [];
  for (const [index, file] of files.entries()) {
    const record = options.known.get(file.path);
    if (isCurrent(record, file, options.inspections)) {
      records.push(record);
      continue;
    }
    records.push(readRecord(file, options));
    options.onProgress?.(index + 1, files.length);
    yield;
  }
  return records;
}

/** The record of a file that has a record, read again as it is now. */
export function reread(record: FileRecord): FileRecord {
  return readRecord({ ...record, directory: dirname(record.path) }, { known: new Map() });
}

function isCurrent(
  record: FileRecord | undefined,
  file: FoundFile,
  inspections: InspectionCache | undefined,
): record is FileRecord {
  return (
    record !== undefined &&
    record.size === file.size &&
    record.mtimeMs === file.mtimeMs &&
    record.inode === file.inode &&
    record.source === file.source &&
    record.relativePath === file.relativePath &&
    record.policy === file.policy &&
    (record.source.scope === "bundled" || !isNewDanger(record.skill, inspections))
  );
}

function readRecord(file: FoundFile, { bodies, profile, inspections }: CatalogOptions): FileRecord {
  const { source, relativePath, path, size, mtimeMs, inode, policy } = file;
  const place = { source, relativePath, path, size, mtimeMs, inode, policy };
  if (size > PACKAGE_LIMITS.skillFileBytes)
    return { ...place, skill: undefined, diagnostics: [tooLarge(path, size)] };
  try {
    const { requireDescription, requireName } = source;
    const options = { profile, requireDescription, requireName };
    const bytes = readSkillFile(path);
    const whole = bodies?.full === false ? parseSkill(bytes, path, options) : undefined;
    const { skill: parsed, diagnostics } = whole ?? parseManifest(bytes, path, options);
    const named = parsed && identify(file, hash("sha256", bytes), underPolicy(file, parsed.manifest));
    if (named === undefined) return { ...place, skill: undefined, diagnostics };
    if ("code" in named) return { ...place, skill: undefined, diagnostics: [...diagnostics, named] };
    if (whole?.skill) bodies?.add(named, whole.skill.body);
    // What ships with the package was read by whoever made it.
    const isDangerous =
      source.scope !== "bundled" && (hasDangerousWords(named.manifest) || isKnownDanger(named, inspections));
    return { ...place, skill: isDangerous ? withhold(named) : named, diagnostics };
  } catch (thrown) {
    return { ...place, skill: undefined, diagnostics: [unreadable(path, thrown)] };
  }
}

/** The start of a SKILL.md, which is all of it unless it is too large. */
export function readSkillFile(path: string): Uint8Array {
  return withRegularFile(path, { isListed: true }, (file) =>
    file.start(Math.min(file.size, PACKAGE_LIMITS.skillFileBytes)),
  );
}

/** A policy file is a few lines; of a longer one the beginning counts. */
const POLICY_BYTES = 64 * 1024;

/** A skill that its author keeps from being used unasked in one host is only for the person in every host. */
function underPolicy({ directory, policy }: FoundFile, manifest: SkillManifest): SkillManifest {
  if (policy === undefined) return manifest;
  const text = new TextDecoder().decode(
    readSkillFile(join(directory, POLICY_FILE)).subarray(0, POLICY_BYTES),
  );
  const isExplicit = /^[^#\n]*\ballow_implicit_invocation["']?\s*:\s*["']?(?:false|no|off)\b/im.test(text);
  return isExplicit ? { ...manifest, userOnly: true } : manifest;
}

function identify(file: FoundFile, digest: string, manifest: SkillManifest): Skill | Diagnostic {
  const { relativePath, directory, path, source } = file;
  const { declaredName } = manifest;
  const isNamed = relativePath === "" || (source.identity === "name" && declaredName !== undefined);
  const spelling = isNamed ? (declaredName ?? basename(directory)) : relativePath;
  const result = toSkillName(isNamed ? spelling.replaceAll("/", "-") : spelling);
  if (!result.ok) return badName(path, result, isNamed);
  const displayName = displayNameOf(result.name, manifest, source);
  return { name: result.name, displayName, manifest, source: source.id, path, directory, digest };
}

/** `isNamed`: the name is from the front matter. */
function badName(path: string, refusal: NameResult & { ok: false }, isNamed: boolean): Diagnostic {
  const [what, fix] = isNamed
    ? ["name", "Change `name:` in the front matter"]
    : ["folder", "Rename the folder"];
  const why = {
    "name-empty": `The ${what} "${refusal.segment}" has no letter or digit of a skill name (a-z, 0-9).`,
    "name-traversal": `The ${what} "${refusal.segment}" is not a name.`,
    "name-confusable": `The ${what} "${refusal.segment}" uses letters that only look like ASCII ones.`,
    "name-too-long": `The ${what} "${refusal.segment}" is longer than a skill name may be (255 characters a segment).`,
  }[refusal.code];
  return {
    code: refusal.code,
    severity: "warning",
    path,
    message: `${why} The skill is skipped.`,
    fix: `${fix}: lower-case ASCII letters, digits and hyphens.`,
  };
}

function tooLarge(path: string, size: number): Diagnostic {
  return {
    code: "file-too-large",
    severity: "error",
    path,
    message: `The file has ${Math.ceil(size / 1024)} KB; more than ${PACKAGE_LIMITS.skillFileBytes / 1024} KB is not read.`,
    fix: "Move details into files beside SKILL.md and point to them.",
  };
}

function unreadable(path: string, thrown: unknown): Diagnostic {
  return {
    code: "unreadable-file",
    severity: "error",
    path,
    message: `The file cannot be read: ${messageOf(thrown)}.`,
    fix: "Check that it is a regular file and that you may read it.",
  };
}
