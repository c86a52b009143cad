// Writes the section of a prompt in one of the styles, within a budget, and lists exactly which skills it shows.

import { type NamedTools, namedTools } from "../model/agent-tool-alias.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Budget, Match, NearSkill, Section, ShownLevel, Style } from "../model/turn.ts";
import { estimateTokens } from "../text/estimate.ts";
import { type Cost, limitOf } from "./budget.ts";
import type { Shown } from "./fit.ts";
import { select } from "./select.ts";
import { adaptive } from "./styles/adaptive.ts";
import { cards } from "./styles/cards.ts";
import { catalog } from "./styles/catalog.ts";
import { indexStyle } from "./styles/index-style.ts";
import { onDemand } from "./styles/on-demand.ts";
import type { RenderStyle, ToolLine } from "./styles/style.ts";
import { tiers } from "./styles/tiers.ts";

export interface DiscloseRequest {
  readonly style: Style;
  /** The visible and available skills, in the same order at every turn: those that are always shown, then the most important. */
  readonly skills: readonly Skill[];
  /** How many visible skills are not among `skills`, and are mentioned by their number; none by default. */
  readonly counted?: number | undefined;
  readonly matches: readonly Match[];
  /** Matches of earlier turns that stay in the prompt, most relevant first. */
  readonly kept?: readonly Match[] | undefined;
  /** Skills that came close, for a model to choose from. */
  readonly near?: readonly NearSkill[] | undefined;
  /** The style's default budget if not given. */
  readonly budget?: Budget | undefined;
  /** Characters that the host takes at most, whatever the budget. */
  readonly hostChars?: number | undefined;
  /** The Markdown below the front matter; undefined if nobody has agreed to show it. */
  readonly bodyOf: (skill: Skill) => string | undefined;
  /** Matches that earlier sections of this session have shown. A catalog entry alone does not count. */
  readonly seen?: ReadonlySet<SkillName> | undefined;
  /** The tools that a skill brought to the task; undefined if they are not loaded. */
  readonly toolsOf?: ((skill: Skill) => readonly ToolLine[] | undefined) | undefined;
  /** The tools that the text may name; the default ones unless given. */
  readonly tools?: NamedTools | undefined;
  /** Whether the section has its standing part, such as a list of all skills; true by default. */
  readonly standing?: boolean | undefined;
  /** Whether the user only asks which skills there are (see `asksForList`). */
  readonly asksForList?: boolean | undefined;
}

const STYLE_TABLE: Readonly<Record<Style, RenderStyle>> = {
  adaptive,
  cards,
  index: indexStyle,
  tiers,
  "on-demand": onDemand,
  catalog,
};

/** The levels at which a skill can be shown, richest first. */
const LEVELS: readonly ShownLevel[] = ["body", "card", "full", "short", "name"];

/** Writes the section of one turn. */
export function disclose(request: DiscloseRequest): Section {
  const { style, skills, counted = 0, bodyOf, standing = true, asksForList = false } = request;
  const {
    text,
    stableChars = 0,
    shown,
  } = STYLE_TABLE[style]({
    selection: select(request),
    counted,
    limit: sectionLimit(request),
    bodyOf,
    toolsOf: request.toolsOf ?? (() => undefined),
    tools: request.tools ?? namedTools(),
    standing: standing || asksForList,
    asksForList,
  });
  const once = richest(shown);
  return {
    text,
    style,
    tokens: estimateTokens(text),
    chars: text.length,
    stableChars,
    shown: once,
    omitted: skills.length + counted - once.length,
  };
}

function sectionLimit({ style, budget, hostChars = Infinity }: DiscloseRequest): Cost {
  const { units, chars } = limitOf(style, budget);
  return { units, chars: Math.min(chars, hostChars) };
}

/** Lists a skill that is in the text twice once, at its richest level. */
function richest(shown: readonly Shown[]): Shown[] {
  const levels = new Map<SkillName, ShownLevel>();
  for (const { name, level } of shown) {
    const known = levels.get(name);
    if (known === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(known)) levels.set(name, level);
  }
  return [...levels].map(([name, level]) => ({ name, level }));
}
