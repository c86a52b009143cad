// Owns the step from found files to skills: reads what changed, reuses what did not, settles each skill's identity.
// Does not parse (the parser is passed in) and does not decide precedence (`library.ts`).

import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { messageOf } from "../model/errors.ts";
import { lastSegment, type NameResult, toSkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import type { Source } from "../model/source.ts";

/** A SKILL.md file as the scan reports it. */
export interface FoundFile {
  readonly source: Source;
  readonly relativePath: string;
  readonly directory: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
}

/** What was read from one file. Valid as long as size, time and inode of the file are the same. */
export interface FileRecord {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly digest: string;
  /** Absent when the file yields no skill. */
  readonly manifest?: SkillManifest;
  readonly diagnostics: readonly Diagnostic[];
}

/** The parser's front door, as far as the catalog uses it: the body is not kept. */
export type ParseFile = (
  bytes: Uint8Array,
  path: string,
  options: { readonly requireDescription: boolean; readonly requireName: boolean },
) => {
  readonly skill: { readonly manifest: SkillManifest } | undefined;
  readonly diagnostics: readonly Diagnostic[];
};

export interface Catalog {
  /** In order of discovery. */
  readonly skills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
  readonly records: ReadonlyMap<string, FileRecord>;
  /** How many files were read; 0 means that nothing changed. */
  readonly read: number;
}

/** Larger files are not read at all: no instruction text is that long, and a prompt could not hold it. */
export const MAX_SKILL_BYTES = 256 * 1024;

/** Whether these files would build this very catalog again: the same places, none of them touched. */
export function isUnchanged(files: readonly FoundFile[], catalog: Catalog): boolean {
  if (files.length !== catalog.records.size) return false;
  return files.every((file) => {
    const record = catalog.records.get(file.path);
    return record !== undefined && isCurrent(record, file);
  });
}

/** Builds the catalog; a file whose record is still valid is not opened. */
export function buildCatalog(
  files: readonly FoundFile[],
  known: {
    readonly records: ReadonlyMap<string, FileRecord>;
    readonly parse: ParseFile;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Catalog {
  const skills: Skill[] = [];
  const diagnostics: Diagnostic[] = [];
  const records = new Map<string, FileRecord>();
  let read = 0;
  for (const [index, file] of files.entries()) {
    let record = known.records.get(file.path);
    if (!record || !isCurrent(record, file)) {
      record = readRecord(file, known.parse);
      read++;
      known.onProgress?.(index + 1, files.length);
    }
    records.set(file.path, record);
    for (const finding of record.diagnostics) diagnostics.push(finding);
    const skill = record.manifest && identify(file, record, record.manifest, diagnostics);
    if (skill) skills.push(skill);
  }
  return { skills, diagnostics, records, read };
}

function isCurrent(record: FileRecord, file: FoundFile): boolean {
  return record.size === file.size && record.mtimeMs === file.mtimeMs && record.inode === file.inode;
}

function readRecord(file: FoundFile, parse: ParseFile): FileRecord {
  const { path, size, mtimeMs, inode } = file;
  const place = { path, size, mtimeMs, inode };
  if (size > MAX_SKILL_BYTES) return { ...place, digest: "", diagnostics: [tooLarge(path, size)] };
  try {
    const bytes = readSkillFile(path);
    const digest = hash("sha256", bytes);
    const { requireDescription, requireName } = file.source;
    const { skill, diagnostics } = parse(bytes, path, { requireDescription, requireName });
    return { ...place, digest, diagnostics, ...(skill && { manifest: skill.manifest }) };
  } catch (thrown) {
    return { ...place, digest: "", diagnostics: [unreadable(path, thrown)] };
  }
}

/** Reads a regular file of bounded size. Opened without blocking, so that a FIFO swapped in cannot hang us. */
export function readSkillFile(path: string): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error("not a regular file");
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, MAX_SKILL_BYTES));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(file, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

function identify(
  file: FoundFile,
  record: FileRecord,
  manifest: SkillManifest,
  diagnostics: Diagnostic[],
): Skill | undefined {
  const isRoot = file.relativePath === "";
  const spelling = isRoot ? (manifest.declaredName ?? basename(file.directory)) : file.relativePath;
  const result = toSkillName(isRoot ? spelling.replaceAll("/", "-") : spelling);
  if (!result.ok) {
    diagnostics.push(badName(file, result));
    return undefined;
  }
  const segment = lastSegment(result.name);
  return {
    name: result.name,
    displayName: manifest.declaredName ?? segment,
    manifest,
    source: file.source.id,
    path: file.path,
    directory: file.directory,
    digest: record.digest,
  };
}

function badName({ path, relativePath }: FoundFile, refusal: NameResult & { ok: false }): Diagnostic {
  // The root of a source has its name from the front matter.
  const [what, fix] =
    relativePath === "" ? ["name", "Change `name:` in the front matter"] : ["folder", "Rename the folder"];
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
    message: `The file has ${Math.ceil(size / 1024)} KB; more than ${MAX_SKILL_BYTES / 1024} KB is not read.`,
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
