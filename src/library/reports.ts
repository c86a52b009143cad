// What a person is shown of the library outside a turn: one skill, the findings of a check, the sources.

import { existsSync } from "node:fs";
import { checkedSource, discover } from "../discover/discover.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { isRepertoireError } from "../model/errors.ts";
import type { ListedSkill, Skill, SkillState } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { packageFiles, snapshotPackage } from "../package/package.ts";
import type { Profile } from "../parse/parse.ts";
import { type Progress, readCatalog } from "./catalog.ts";
import type { InspectedPackage } from "./inspections.ts";
import { Library } from "./precedence.ts";
import { inSlices } from "./slices.ts";
import type { LibraryView } from "./view.ts";

export interface SkillReport {
  readonly skill: Skill & { readonly state: SkillState; readonly reason?: string | undefined };
  /** Of the whole package, to which consent is bound; absent if it cannot be read. */
  readonly digest?: string | undefined;
  /** The instructions, if they were asked for. */
  readonly body?: string | undefined;
  readonly files: readonly string[];
  /** Direct children. */
  readonly subSkills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
  /** What inspection found in the package; absent if it was not inspected. */
  readonly inspection?: InspectedPackage | undefined;
  /** Messages that a model wrote for it; absent if there are none. */
  readonly messages?: readonly string[] | undefined;
}

/** Whether a list shows the skill unless all are wanted. Skills that only the person may invoke are slash commands. */
export function isManaged({ skill, state }: ListedSkill): boolean {
  return state !== "shadowed" && (state !== "hidden" || skill.manifest.userOnly);
}

/** A listed skill as programs get it, with the digest of its package. */
export function listedSummary({ skill, state, reason }: ListedSkill, digests: ReadonlyMap<Skill, string>) {
  const { name, displayName, manifest, source, path, withheld } = skill;
  const { description } = manifest;
  return {
    ...{ name, displayName, description, source, path, state, reason, withheld },
    digest: digests.get(skill),
  };
}

/** A report about a skill as programs get it. Free text of the front matter comes with the instructions. */
export function skillDetails(report: SkillReport) {
  const { skill, digest, body, files, subSkills, diagnostics, inspection, messages } = report;
  const { manifest, ...place } = skill;
  const { metadata, unknown, ...known } = manifest;
  const free = body === undefined ? {} : { metadata, unknown };
  return {
    skill: { ...place, ...known, ...free, digest, body },
    files,
    subSkills: subSkills.map(({ name }) => name),
    diagnostics,
    inspection,
    messages,
  };
}

export function countStates(listed: readonly ListedSkill[]): Record<SkillState, number> {
  const counts = { active: 0, unavailable: 0, disabled: 0, shadowed: 0, hidden: 0 };
  for (const { state } of listed) counts[state]++;
  return counts;
}

/** The digest of each package, to which consent is bound. A package that cannot be read has none. */
export function packageDigests(skills: readonly Skill[]): Promise<ReadonlyMap<Skill, string>> {
  return inSlices(
    (function* () {
      const digests = new Map<Skill, string>();
      for (const skill of skills) {
        const digest = packageDigest(skill);
        if (digest !== undefined) digests.set(skill, digest);
        yield;
      }
      return digests;
    })(),
  );
}

function packageDigest({ directory }: Skill): string | undefined {
  try {
    return snapshotPackage(directory).digest;
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    return undefined;
  }
}

/** One skill for a person: its state, files, direct children and findings, and its instructions if they are read. */
export function reportSkill(
  view: LibraryView,
  name: string,
  readBody?: (skill: Skill) => string,
): SkillReport {
  const { library } = view;
  const found = library.find(name) ?? view.require(name, "person");
  const { state, reason } = view.list().find(({ skill }) => skill === found)!;
  return {
    skill: { ...found, state, reason },
    digest: packageDigest(found),
    body: readBody?.(found),
    files: packageFiles(found.directory),
    subSkills: library.children(found.name),
    diagnostics: library.diagnostics.filter(({ path }) => path === found.path),
  };
}

/** Reads every skill of these sources, or at this path, as if for the first time, and gives all findings about them. */
export async function checkSkills(
  where: { readonly path: string } | { readonly sources: readonly Source[] },
  options: {
    readonly profile: Profile;
    /** Findings about all skills together. */
    readonly also: (skills: readonly Skill[]) => Promise<readonly Diagnostic[]>;
    readonly onProgress?: Progress | undefined;
  },
): Promise<{ checked: number; errors: number; warnings: number; diagnostics: readonly Diagnostic[] }> {
  const scan = await inSlices(discover("path" in where ? [checkedSource(where.path)] : where.sources));
  const { profile, onProgress } = options;
  const records = await inSlices(readCatalog(scan.files, { known: new Map(), profile, onProgress }));
  const skills = records.flatMap(({ skill }) => skill ?? []);
  const findings = records.flatMap(({ diagnostics }) => diagnostics);
  const also = await options.also(skills);
  const { diagnostics } = new Library(skills, [...scan.diagnostics, ...findings, ...also]);
  const count = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((finding) => finding.severity === severity).length;
  return { checked: scan.files.length, errors: count("error"), warnings: count("warning"), diagnostics };
}

/** A source with the number of its skills, shadowed ones included. */
export interface SourceReport extends Source {
  readonly exists: boolean;
  readonly skills: number;
}

export function reportSources(library: Library, sources: readonly Source[]): SourceReport[] {
  const all = [...library.skills.values(), ...library.shadowed.map(({ skill }) => skill)];
  return sources.map((source) => ({
    ...source,
    exists: existsSync(source.root),
    skills: all.filter((skill) => skill.source === source.id).length,
  }));
}
