// Owns the answers about the library as programs get them: `--json` of the command line and the HTTP API say the same.
// Does not own how a person reads them.

import type { Prompt } from "../../disclose/disclose.ts";
import type { Repertoire, SkillReport } from "../../engine/engine.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { ListedSkill } from "../../model/skill.ts";

/** What a list shows unless all is asked for. Skills that only the person may invoke stay: they are slash commands. */
export function isManaged({ skill, state }: ListedSkill): boolean {
  return state !== "shadowed" && (state !== "hidden" || skill.manifest.userOnly);
}

export function listAnswer(listed: readonly ListedSkill[], diagnostics: readonly Diagnostic[]) {
  return { skills: listed.map(listedAnswer), diagnostics };
}

function listedAnswer({ skill, state, reason }: ListedSkill) {
  return {
    name: skill.name,
    displayName: skill.displayName,
    description: skill.manifest.description,
    source: skill.source,
    path: skill.path,
    state,
    ...(reason !== undefined && { reason }),
    digest: skill.digest,
  };
}

export function showAnswer({ skill, body, files, subSkills, diagnostics }: SkillReport) {
  const { manifest, ...place } = skill;
  return {
    skill: { ...place, ...manifest, body },
    files,
    subSkills: subSkills.map((child) => child.name),
    diagnostics,
  };
}

export async function checkAnswer(
  engine: Repertoire,
  options: { readonly path?: string | undefined; readonly profile: "lenient" | "strict" },
) {
  const { path, profile } = options;
  const { checked, diagnostics } = await engine.manage.check({ path, profile });
  const count = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((finding) => finding.severity === severity).length;
  return { checked, errors: count("error"), warnings: count("warning"), diagnostics };
}

export async function doctorAnswer(engine: Repertoire) {
  const diagnostics = await engine.manage.findings();
  const sources = (await engine.manage.sources()).filter(({ exists }) => exists);
  const counts = { active: 0, unavailable: 0, disabled: 0, shadowed: 0, hidden: 0 };
  for (const { state } of (await engine.list()).skills) counts[state]++;
  const { files, cacheDir } = engine.config;
  return { node: process.version, config: files, cache: cacheDir ?? null, sources, counts, diagnostics };
}

/** Brings the recall index up to date, and says what that took. */
export async function indexAnswer(engine: Repertoire) {
  const started = performance.now();
  const { skills, changed } = await (await engine.indexing()).refresh();
  return { skills, changed, ms: Math.round(performance.now() - started) };
}

export function promptAnswer({ text, style, tokens, chars, shown, omitted }: Prompt) {
  return { section: text, style, tokens, chars, shown, omitted };
}
