// Keeps the words of a dangerous skill out of every catalog: finds what is dangerous in them, and puts a notice in their place.

import { statSync } from "node:fs";
import { join } from "node:path";
import { cachedInspection, type InspectionCache, inspectPackage } from "../inspect/inspect.ts";
import { lastSegment } from "../model/name.ts";
import { NO_TRIGGERS, type Skill, type SkillManifest } from "../model/skill.ts";
import { packageFiles, surveyPackage } from "../package/package.ts";
import type { FileRecord } from "./file-record.ts";

/** The description of a skill whose own one is withheld. */
const WITHHELD =
  "[Description withheld: inspection found something dangerous in this skill. Leave it alone unless a person has looked at it.]";

/** Whether the words that a catalog can show are dangerous in themselves. */
export function hasDangerousWords(manifest: SkillManifest): boolean {
  const bytes = Buffer.from(wordsOf(manifest).join("\n\n"));
  return inspectPackage([{ path: "SKILL.md", bytes }]).verdict === "dangerous";
}

/**
 * Whether an earlier run found the package dangerous as it is now. Only a package whose SKILL.md is that of a dangerous one is read
 * for it, so that it costs the others nothing.
 */
export function isKnownDanger(
  { digest, directory }: Skill,
  inspections: InspectionCache | undefined,
): boolean {
  const dangers = inspections?.dangersOf(digest);
  if (dangers === undefined || dangers.size === 0) return false;
  const now = surveyPackage(directory).digest;
  return now === undefined || dangers.has(now);
}

/** As `isKnownDanger`, of a skill whose words are still shown. */
export function isNewDanger(skill: Skill | undefined, inspections: InspectionCache | undefined): boolean {
  return skill !== undefined && !skill.withheld && isKnownDanger(skill, inspections);
}

/** The skill with a notice instead of everything that its author wrote in prose; what decides who may use it stays. */
export function withhold(skill: Skill): Skill {
  const { manifest } = skill;
  return {
    ...skill,
    displayName: lastSegment(skill.name),
    withheld: true,
    manifest: {
      ...manifest,
      declaredName: undefined,
      description: WITHHELD,
      brief: WITHHELD.slice(0, WITHHELD.indexOf(":")).concat("]"),
      summary: undefined,
      whenToUse: undefined,
      license: undefined,
      compatibility: undefined,
      domain: undefined,
      argumentHint: undefined,
      triggers: NO_TRIGGERS,
      tags: [],
      tools: [],
      seeAlso: [],
      always: false,
      metadata: Object.create(null),
      unknown: Object.create(null),
    },
  };
}

function wordsOf(manifest: SkillManifest): string[] {
  const { description, brief, summary, whenToUse, declaredName, domain, argumentHint, triggers } = manifest;
  const short = [
    declaredName,
    domain,
    argumentHint,
    ...manifest.tags,
    ...manifest.tools,
    ...manifest.seeAlso,
  ];
  const words = [description, brief, summary, whenToUse, ...short, ...triggers.keywords, ...triggers.verbs];
  return words.filter((text) => text !== undefined);
}

interface RecordInspection {
  readonly cache?: InspectionCache | undefined;
  readonly readAgain: (record: FileRecord) => FileRecord;
}

/**
 * Inspects the whole package of a record and withholds its words if it is dangerous. Undefined if the package is the one that
 * was inspected before. `readAgain` reads the record of a package whose words were withheld.
 */
export function* inspectedRecord(
  record: FileRecord,
  { cache, readAgain }: RecordInspection,
): Generator<undefined, FileRecord | undefined> {
  const { skill } = record;
  if (skill === undefined) return undefined;
  const inspected = `${cache?.build ?? ""} ${packageStamp(skill.directory)}`;
  if (record.inspected === inspected) return undefined;
  const { verdict } = yield* cachedInspection(surveyPackage(skill.directory), cache);
  const { skill: now = skill } = skill.withheld ? readAgain(record) : record;
  const isWithheld = verdict === "dangerous" && !now.withheld;
  return { ...record, inspected, skill: isWithheld ? withhold(now) : now };
}

function packageStamp(directory: string): string {
  let newest = 0;
  let size = 0;
  const files = packageFiles(directory);
  for (const file of files) {
    const stats = statSync(join(directory, file), { throwIfNoEntry: false });
    newest = Math.max(newest, stats?.mtimeMs ?? 0);
    size += stats?.size ?? 0;
  }
  return `${files.length} ${size} ${newest}`;
}
