// Fits a ranked list of skills into a limit: as many entries as fit, or all at the level that fits, and counts the rest.

import type { Skill } from "../model/skill.ts";
import type { ShownLevel } from "../model/turn.ts";
import { type Cost, fits, NO_COST, plus, shareOf, textCost } from "./budget.ts";
import { DESCRIBED_PART } from "./limits.ts";

/** A skill's entry as text, and how much of the skill it shows. */
export interface Entry {
  readonly text: string;
  readonly level: ShownLevel;
}

export interface Shown {
  readonly name: string;
  readonly level: ShownLevel;
}

export interface Rendered {
  readonly text: string;
  /** How many characters at its beginning do not depend on the turn. */
  readonly stableChars?: number | undefined;
  readonly shown: readonly Shown[];
}

export const NOTHING: Rendered = { text: "", shown: [] };

interface Layout {
  readonly head: string;
  readonly tail?: string;
  /** The text if `left` skills are not among the entries; `none` if there are no entries. */
  readonly notice: (left: number, none: boolean) => string;
  readonly limit: Cost;
}

interface PackRequest extends Layout {
  readonly skills: readonly Skill[];
  readonly entry: (skill: Skill) => Entry;
  /** How many of the first entries are shown regardless of their cost. */
  readonly atLeast?: number;
}

/** As many entries as fit, in order, then a notice about the rest. If no entry fits, the text is only the notice. */
export function pack(request: PackRequest): Rendered {
  const { skills, entry, head, tail = "", notice, limit, atLeast = 0 } = request;
  if (skills.length === 0) return NOTHING;
  const frame = plus(textCost(head), textCost(tail));
  const entries: Entry[] = [];
  const costs: Cost[] = [];
  let total = frame;
  for (const skill of skills) {
    const next = entry(skill);
    const cost = textCost(next.text);
    if (entries.length >= atLeast && !fits(plus(total, cost), limit)) break;
    entries.push(next);
    costs.push(cost);
    total = plus(total, cost);
  }
  let count = entries.length;
  while (count < skills.length && count > atLeast) {
    if (fits(plus(total, textCost(notice(skills.length - count, false))), limit)) break;
    count -= 1;
    const dropped = costs[count] ?? NO_COST;
    total = { units: total.units - dropped.units, chars: total.chars - dropped.chars };
  }
  if (count === 0) return { text: notice(skills.length, true), shown: [] };
  return assemble(request, entries.slice(0, count));
}

interface ShrinkRequest extends Layout {
  readonly skills: readonly Skill[];
  readonly entry: (skill: Skill, level: "full" | "short" | "name") => Entry;
  /** How many of the first entries are shown in full regardless of their cost. */
  readonly atLeast?: number;
}

/**
 * Every skill at the richest level that fits. The last entries shrink first, from full to short to name; if not all
 * names fit, the last skills are only counted.
 */
export function shrink({ atLeast = 0, entry: entryAt, ...layout }: ShrinkRequest): Rendered {
  const { skills } = layout;
  const pinned = new Set(skills.slice(0, atLeast));
  const entry: ShrinkRequest["entry"] = (skill, level) => entryAt(skill, pinned.has(skill) ? "full" : level);
  const request = { ...layout, entry, atLeast };
  const names = pack({ ...request, entry: (skill) => entry(skill, "name") });
  if (skills.length === 0) return names;
  if (names.shown.length < skills.length) return describeHead(request);
  return enrich(request, "short", "full") ?? enrich(request, "name", "short") ?? names;
}

/** If some skills are only counted anyway, a few descriptions at the head help more than a few more names. */
function describeHead(request: ShrinkRequest): Rendered {
  const { skills, entry, limit } = request;
  const share = shareOf(limit, DESCRIBED_PART);
  const described = new Map<Skill, Entry>();
  let total = NO_COST;
  for (const skill of skills) {
    const short = entry(skill, "short");
    total = plus(total, textCost(short.text));
    if (!fits(total, share)) break;
    described.set(skill, short);
  }
  return pack({ ...request, entry: (skill) => described.get(skill) ?? entry(skill, "name") });
}

/** As many of the first entries at `rich` as fit, the others at `plain`; undefined if not all fit at `plain`. */
function enrich(
  request: ShrinkRequest,
  plain: "short" | "name",
  rich: "full" | "short",
): Rendered | undefined {
  const { skills, entry, head, tail = "", limit } = request;
  const entries = skills.map((skill) => entry(skill, plain));
  let total = entries.reduce(
    (sum, { text }) => plus(sum, textCost(text)),
    plus(textCost(head), textCost(tail)),
  );
  if (!fits(total, limit)) return undefined;
  for (const [index, skill] of skills.entries()) {
    const before = textCost(entries[index]!.text);
    const better = entry(skill, rich);
    const after = textCost(better.text);
    const next = {
      units: total.units - before.units + after.units,
      chars: total.chars - before.chars + after.chars,
    };
    if (!fits(next, limit)) break;
    entries[index] = better;
    total = next;
  }
  return assemble(request, entries);
}

function assemble(request: Layout & { skills: readonly Skill[] }, entries: readonly Entry[]): Rendered {
  const { skills, head, tail = "", notice } = request;
  const left = skills.length - entries.length;
  const text =
    head + entries.map((entry) => entry.text).join("") + tail + (left > 0 ? notice(left, false) : "");
  const shown = entries.map((entry, index) => ({ name: skills[index]!.name, level: entry.level }));
  return { text: text.trimEnd(), shown };
}
