// Owns making skills for tests without files. Not part of the product's build.

import { NO_REQUIREMENTS, NO_TRIGGERS, type Skill, type SkillManifest } from "../src/model/skill.ts";
import type { Match, Reason } from "../src/model/turn.ts";

export function skillOf(name: string, manifest: Partial<SkillManifest> = {}): Skill {
  const description = manifest.description ?? `Does what ${name} is for.`;
  return {
    name,
    displayName: manifest.declaredName ?? name.slice(name.lastIndexOf("/") + 1),
    manifest: {
      description,
      brief: "",
      frames: [],
      triggers: NO_TRIGGERS,
      tags: [],
      tools: [],
      allowedTools: [],
      requires: NO_REQUIREMENTS,
      toolsets: [],
      scripts: [],
      seeAlso: [],
      knowledge: [],
      paths: [],
      always: false,
      defaultEnabled: true,
      userOnly: false,
      userInvocable: true,
      metadata: {},
      unknown: {},
      ...manifest,
    },
    source: "project/.agents",
    path: `/home/ada/skills/${name}/SKILL.md`,
    directory: `/home/ada/skills/${name}`,
    digest: "0".repeat(64),
  };
}

export function matchOf(name: string, options: { via?: string; reasons?: readonly Reason[] } = {}): Match {
  const { via, reasons = [{ signal: "trigger", value: 0.6, note: name }] } = options;
  return { name, score: 0.6, evidence: 0.6, boosts: 0, reasons, ...(via === undefined ? {} : { via }) };
}

/** A library of `count` skills with names and descriptions of usual length. */
export function manySkills(count: number): Skill[] {
  return Array.from({ length: count }, (_, index) =>
    skillOf(`team/skill-${index}`, {
      description: `Helps with the task number ${index}. Use it when the user asks for that task or for one like it.`,
      brief: `Helps with the task number ${index}.`,
    }),
  );
}
