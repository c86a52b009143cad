// What was read from one SKILL.md, and how that is stored: without empty values, and without what follows from its place.

import { sep } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { lastSegment, type SkillName } from "../model/name.ts";
import { NO_REQUIREMENTS, NO_TRIGGERS, type Skill, type SkillManifest } from "../model/skill.ts";
import type { Source } from "../model/source.ts";

/** What was read from one file. Valid as long as its place, size, time and inode are the same. */
export interface FileRecord {
  readonly source: Source;
  readonly relativePath: string;
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  /** Changes with the skill's policy for hosts; undefined if it has none. */
  readonly policy?: string | undefined;
  /** The stamp of the package when it was inspected, which changes with its files; undefined if it never was. */
  readonly inspected?: string | undefined;
  /** Absent when the file yields no skill. */
  readonly skill: Skill | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** A record as it is stored: what follows from its place is left out, and what says nothing. */
export interface PackedRecord {
  /** Number of the source. */
  readonly source: number;
  readonly at: string;
  /** Name of the file unless it is `SKILL.md`. */
  readonly file?: string | undefined;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly policy?: string | undefined;
  readonly inspected?: string | undefined;
  readonly digest?: string | undefined;
  /** Name of the skill unless it is `at`. */
  readonly name?: string | undefined;
  readonly manifest?: Partial<SkillManifest> | undefined;
  readonly withheld?: boolean | undefined;
  readonly diagnostics?: readonly Diagnostic[] | undefined;
}

const USUAL_FILE = "SKILL.md";

export function packRecord(record: FileRecord, sources: readonly Source[]): PackedRecord {
  const {
    source,
    relativePath: at,
    path,
    size,
    mtimeMs,
    inode,
    policy,
    inspected,
    skill,
    diagnostics,
  } = record;
  const file = path.slice(path.lastIndexOf(sep) + 1);
  return {
    source: sources.indexOf(source),
    at,
    file: file === USUAL_FILE ? undefined : file,
    size,
    mtimeMs,
    inode,
    policy,
    inspected,
    digest: skill?.digest,
    name: skill?.name === at ? undefined : skill?.name,
    manifest: skill && packManifest(skill.manifest),
    withheld: skill?.withheld,
    diagnostics: diagnostics.length === 0 ? undefined : diagnostics,
  };
}

export function unpackRecord(packed: PackedRecord, sources: readonly Source[]): FileRecord {
  const { at, file = USUAL_FILE, size, mtimeMs, inode, policy, inspected } = packed;
  const { digest, name = at, manifest } = packed;
  const source = sources[packed.source]!;
  const below = sep === "/" ? at : at.replaceAll("/", sep);
  const directory = at === "" ? source.root : source.root + sep + below;
  const path = directory + sep + file;
  const skill: Skill | undefined = manifest && {
    name,
    displayName: displayNameOf(name, manifest, source),
    manifest: unpackManifest(manifest),
    source: source.id,
    path,
    directory,
    digest: digest ?? "",
    withheld: packed.withheld,
  };
  const diagnostics = packed.diagnostics ?? NO_DIAGNOSTICS;
  return { source, relativePath: at, path, size, mtimeMs, inode, policy, inspected, skill, diagnostics };
}

/** What people call a skill: its declared name. If that is its identity, everybody calls it by that. */
export function displayNameOf(
  name: SkillName,
  { declaredName }: Pick<SkillManifest, "declaredName">,
  { identity }: Source,
): string {
  return identity === "name" ? name : (declaredName ?? lastSegment(name));
}

function packManifest(manifest: SkillManifest): Partial<SkillManifest> {
  const fields = Object.entries(manifest).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[key as keyof SkillManifest]),
  );
  return Object.fromEntries(fields);
}

/** One literal for all, on purpose: thousands of objects of one shape are several times faster than spread copies. */
function unpackManifest(fields: Partial<SkillManifest>): SkillManifest {
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
    metadata: fields.metadata ? withoutPrototype(fields.metadata) : NOTHING,
    unknown: fields.unknown ? withoutPrototype(fields.unknown) : NOTHING,
  };
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = [];
const NONE: readonly string[] = [];
const NOTHING: Readonly<Record<string, unknown>> = Object.create(null);
const EMPTY = unpackManifest({});

/** Front matter is a stranger's text: `metadata.constructor` must not find a function. */
function withoutPrototype<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutPrototype) as T;
  if (typeof value !== "object" || value === null) return value;
  const bare = Object.create(null);
  for (const [key, item] of Object.entries(value)) bare[key] = withoutPrototype(item);
  return bare;
}
