// Owns the disk cache of file records: one file per source, shared by all projects that use the source.
// Never trusted: a cache that is damaged, foreign or of another version is ignored and written anew.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../disk/disk.ts";
import { codeOf } from "../model/errors.ts";
import { NO_REQUIREMENTS, NO_TRIGGERS, type SkillManifest } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import type { FileRecord } from "./catalog.ts";

/** Raise it whenever the parser or the manifest changes what it yields. */
const CACHE_VERSION = 1;

/** The records that were kept for these sources. Anything wrong with a cache file means: no records. */
export function loadRecords(folder: string, sources: readonly Source[]): Map<string, FileRecord> {
  const records = new Map<string, FileRecord>();
  for (const source of sources) {
    for (const record of readCacheFile(cachePath(folder, source))) records.set(record.path, record);
  }
  return records;
}

/** Keeps the records of each source that has any. Fails silently only where the cache cannot be written at all. */
export function saveRecords(folder: string, bySource: ReadonlyMap<Source, readonly FileRecord[]>): void {
  for (const [source, records] of bySource) {
    const payload = Buffer.from(JSON.stringify(records.map(pack)));
    writeIfPossible(cachePath(folder, source), Buffer.concat([Buffer.from(header(payload)), payload]));
  }
}

function cachePath(folder: string, source: Source): string {
  const { root, requireDescription, requireName } = source;
  const key = hash("sha256", `${root}\0${requireDescription}\0${requireName}`).slice(0, 16);
  return join(folder, `skills-${key}.json`);
}

function header(payload: Uint8Array): string {
  return `repertoire-cache ${CACHE_VERSION} ${hash("sha1", payload)}\n`;
}

function readCacheFile(path: string): FileRecord[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
    return [];
  }
  const payload = bytes.subarray(bytes.indexOf("\n") + 1);
  const expected = header(payload);
  if (bytes.toString("latin1", 0, expected.length) !== expected) return [];
  return (JSON.parse(payload.toString()) as PackedRecord[]).map(unpack);
}

/** A record whose manifest has only those fields that say something. */
type PackedRecord = Omit<FileRecord, "manifest"> & { readonly manifest?: Partial<SkillManifest> };

function pack(record: FileRecord): PackedRecord {
  if (!record.manifest) return record as PackedRecord;
  const empty = withDefaults({ description: "", brief: "" });
  const fields = Object.entries(record.manifest).filter(([key, value]) => {
    return JSON.stringify(value) !== JSON.stringify(empty[key as keyof SkillManifest]);
  });
  return { ...record, manifest: Object.fromEntries(fields) };
}

function unpack(packed: PackedRecord): FileRecord {
  const { path, size, mtimeMs, inode, digest, diagnostics, manifest } = packed;
  const record = { path, size, mtimeMs, inode, digest, diagnostics };
  return manifest ? { ...record, manifest: withDefaults(manifest) } : record;
}

/** One literal for all, on purpose: thousands of objects of one shape are several times faster than spread copies. */
function withDefaults(fields: Partial<SkillManifest>): SkillManifest {
  return {
    declaredName: fields.declaredName,
    description: fields.description ?? "",
    brief: fields.brief ?? "",
    summary: fields.summary,
    whenToUse: fields.whenToUse,
    version: fields.version,
    license: fields.license,
    compatibility: fields.compatibility,
    domain: fields.domain,
    frames: fields.frames ?? NONE,
    triggers: fields.triggers ?? NO_TRIGGERS,
    tags: fields.tags ?? NONE,
    tools: fields.tools ?? NONE,
    allowedTools: fields.allowedTools ?? NONE,
    requires: fields.requires ?? NO_REQUIREMENTS,
    toolsets: fields.toolsets ?? NONE,
    scripts: fields.scripts ?? NONE,
    seeAlso: fields.seeAlso ?? NONE,
    knowledge: fields.knowledge ?? NONE,
    paths: fields.paths ?? NONE,
    argumentHint: fields.argumentHint,
    always: fields.always ?? false,
    defaultEnabled: fields.defaultEnabled ?? true,
    userOnly: fields.userOnly ?? false,
    userInvocable: fields.userInvocable ?? true,
    metadata: withoutPrototype(fields.metadata ?? NOTHING),
    unknown: withoutPrototype(fields.unknown ?? NOTHING),
  };
}

const NONE: readonly string[] = [];
const NOTHING: Readonly<Record<string, unknown>> = Object.create(null);

/** Front matter is a stranger's text: `metadata.constructor` must not find a function. */
function withoutPrototype<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPrototype) as T;
  if (typeof value !== "object" || value === null) return value;
  const bare = Object.create(null);
  for (const [key, item] of Object.entries(value)) bare[key] = withoutPrototype(item);
  return bare;
}

function writeIfPossible(path: string, content: Uint8Array): void {
  try {
    writeFileAtomically(path, content, { sync: false });
  } catch (thrown) {
    // A read-only home must not stop anybody from listing skills; everything else is a bug and shows.
    if (codeOf(thrown) === "") throw thrown;
  }
}
