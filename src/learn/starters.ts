// Starters are skills that a host brings along: written once, updated while nobody has changed them, left alone after.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SkillName } from "../model/name.ts";
import { SKILL_FILE, sha256Of, skillFileOf } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import { learnedName } from "./checks.ts";
import type { Drafts } from "./drafts.ts";
import type { SkillPlaces } from "./places.ts";
import type { VersionRecord } from "./version-store.ts";
import type { SkillVersions } from "./versions.ts";

export interface Starter {
  readonly name: SkillName;
  /** Another version is another text; only an unchanged starter is updated. */
  readonly version: string;
  /** A whole SKILL.md, or the procedure alone. */
  readonly content: string;
  readonly description?: string | undefined;
}

/** A part of the host that brings starters, for example guides to its tools. */
export interface StarterProvider {
  readonly id: string;
  skills(): readonly Starter[] | Promise<readonly Starter[]>;
}

/** What was done with a starter, or why nothing was done. */
export type StarterFate = "seed" | "follow" | "current" | "edited" | "deleted" | "taken";

/** Guides to the tools that Repertoire itself offers. */
const BUNDLED = ["skills-and-rules", "memory-systems", "mcp-tool-guide"] as const;

/**
 * The starters of this package, read from its folder of skills. The bundled source serves the same files, so they need
 * to be saved only if the configuration leaves that source out.
 */
export function bundledStarters(folder: string): StarterProvider {
  return {
    id: "repertoire",
    skills: () =>
      BUNDLED.map((name) => {
        const path = join(folder, name, SKILL_FILE);
        const content = readFileSync(path, "utf8");
        return { name, content, version: parseSkill(content, path).skill?.manifest.version ?? "1" };
      }),
  };
}

/** Writes the starter if it is new, or updates it if it is unchanged. Only within `SkillVersions.exclusive`. */
export async function seedStarter(
  starter: Starter,
  provider: StarterProvider,
  parts: { readonly drafts: Drafts; readonly versions: SkillVersions; readonly places: SkillPlaces },
): Promise<StarterFate> {
  const { drafts, versions, places } = parts;
  const place = places.home(learnedName(starter.name));
  const main = skillFileOf(versions.onDisk(place));
  const history = await versions.history(place);
  const isNew = history.length === 0 && !main && !drafts.library.skills.has(place.name);
  const fate = isNew ? "seed" : fateOf(starter, history, main && sha256Of(main.bytes));
  if (fate !== "seed" && fate !== "follow") return fate;
  const author = `starter:${provider.id}`;
  const managed = { provenance: "starter", "starter-version": starter.version };
  const { change } = await drafts.save({ ...starter, author, managed });
  if (change) {
    const reason = `starter ${starter.version}`;
    await versions.apply([{ ...change, data: { starter: starter.version } }], { author, reason });
  }
  return fate;
}

/** What becomes of a starter whose name is in use or has a history, newest version first. */
function fateOf(
  starter: Starter,
  history: readonly VersionRecord[],
  onDisk: string | undefined,
): StarterFate {
  const [head] = history;
  if (head === undefined || !history.some(isSeeding)) return "taken";
  if (onDisk === undefined) return "deleted";
  if (!isSeeding(head) || head.digest !== onDisk) return "edited";
  return head.data?.starter === starter.version ? "current" : "follow";
}

function isSeeding(version: VersionRecord): boolean {
  return version.author.startsWith("starter:");
}
