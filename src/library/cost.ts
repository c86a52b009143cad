// What skills cost a model in tokens: always, as a line of a host's list, and when one is activated.

import { codeOf, isRepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { estimateTokens } from "../text/estimate.ts";
import { inSlices } from "./slices.ts";

/** How hosts list skills by themselves, as others have written about them, for a context of 200,000 tokens at four characters each. */
const HOST_LISTS: Readonly<Record<string, { readonly chars: number; readonly description: number }>> = {
  /** One percent of the context; `skillListingBudgetFraction` and `skillListingMaxDescChars` change it. */
  "Claude Code": { chars: 8_000, description: 1_536 },
  /** Two percent of the context; 8,000 characters if it does not know the context. */
  Codex: { chars: 16_000, description: 1_024 },
};

export interface SkillCost {
  readonly name: SkillName;
  /** Tokens of its name and description. */
  readonly always: number;
  /** Tokens of its instructions. */
  readonly activated: number;
}

export interface LibraryCost {
  readonly skills: readonly SkillCost[];
  /** Tokens of all names and descriptions. */
  readonly always: number;
  /** Tokens of the instructions of a skill in the middle. */
  readonly activated: number;
  /** How many skills a host can list with their descriptions. */
  readonly hosts: readonly { readonly host: string; readonly shown: number; readonly chars: number }[];
}

/** The cost of these skills, which are listed in this order. */
export async function libraryCost(
  skills: readonly Skill[],
  bodyOf: (skill: Skill) => string,
): Promise<LibraryCost> {
  const costs = await inSlices(
    (function* () {
      const found: SkillCost[] = [];
      for (const skill of skills) {
        found.push({
          name: skill.name,
          always: alwaysTokens(skill),
          activated: activatedTokens(skill, bodyOf),
        });
        yield;
      }
      return found;
    })(),
  );
  const middle = costs.map(({ activated }) => activated).sort((a, b) => a - b);
  return {
    skills: costs,
    always: costs.reduce((sum, { always }) => sum + always, 0),
    activated: middle[Math.floor(middle.length / 2)] ?? 0,
    hosts: Object.entries(HOST_LISTS).map(([host, { chars, description }]) => ({
      host,
      chars,
      shown: listedWithin(skills, chars, description),
    })),
  };
}

/** Tokens of a skill's line in a list. */
export function alwaysTokens({ name, manifest }: Skill): number {
  return estimateTokens(`${name}: ${manifest.description}`);
}

function activatedTokens(skill: Skill, bodyOf: (skill: Skill) => string): number {
  try {
    return estimateTokens(bodyOf(skill));
  } catch (thrown) {
    if (!isRepertoireError(thrown) && codeOf(thrown) === "") throw thrown;
    return 0;
  }
}

/** `- name: description` and a line break each. */
const LINE_CHARS = 5;

function listedWithin(skills: readonly Skill[], chars: number, description: number): number {
  let left = chars;
  return skills.filter(({ name, manifest }) => {
    left -= name.length + Math.min(manifest.description.length, description) + LINE_CHARS;
    return left >= 0;
  }).length;
}
