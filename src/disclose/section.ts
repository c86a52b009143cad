// Owns the front door of disclosure: one selection, written in one of the styles, within one budget, with an exact
// account of what is in the text. Does not own recall, sessions or reading files.

import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { Budget, Match, Section, ShownLevel, Style } from "../model/turn.ts";
import { estimateTokens } from "../text/estimate.ts";
import { limitOf } from "./budget.ts";
import type { Shown } from "./fit.ts";
import { select } from "./select.ts";
import { adaptive } from "./styles/adaptive.ts";
import { cards } from "./styles/cards.ts";
import { catalog } from "./styles/catalog.ts";
import { indexStyle } from "./styles/index-style.ts";
import { onDemand } from "./styles/on-demand.ts";
import type { RenderStyle } from "./styles/style.ts";
import { tiers } from "./styles/tiers.ts";

export interface DiscloseRequest {
  readonly style: Style;
  /** Visible and available, in an order that is the same from turn to turn, most important first. */
  readonly skills: readonly Skill[];
  readonly matches: readonly Match[];
  /** Without one the style's own holds. */
  readonly budget?: Budget | undefined;
  /** The Markdown below the front matter; an empty text where it cannot be read. */
  readonly readBody: (skill: Skill) => string;
  /** Matches that earlier sections of this session have shown. A catalog entry alone does not count. */
  readonly seen?: ReadonlySet<SkillName>;
  /** The session's first section, so that an index that is sent once is due. True unless said otherwise. */
  readonly firstTurn?: boolean;
  /** The user asks what there is (`asksForList` finds out). */
  readonly asksForList?: boolean;
}

const STYLE_TABLE: Readonly<Record<Style, RenderStyle>> = {
  adaptive,
  cards,
  index: indexStyle,
  tiers,
  "on-demand": onDemand,
  catalog,
};

/** From the most that can be shown of a skill to the least. */
const LEVELS: readonly ShownLevel[] = ["body", "card", "full", "short", "name"];

export function disclose(request: DiscloseRequest): Section {
  const { style, skills, readBody, budget, firstTurn = true, asksForList = false } = request;
  const { text, shown } = STYLE_TABLE[style]({
    selection: select(request),
    limit: limitOf(style, budget),
    readBody,
    firstTurn,
    asksForList,
  });
  const once = richest(shown);
  return {
    text,
    style,
    tokens: estimateTokens(text),
    chars: text.length,
    shown: once,
    omitted: skills.length - once.length,
  };
}

/** A skill that stands in the text twice is accounted for once, with the most that is shown of it. */
function richest(shown: readonly Shown[]): Shown[] {
  const levels = new Map<SkillName, ShownLevel>();
  for (const { name, level } of shown) {
    const known = levels.get(name);
    if (known === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(known)) levels.set(name, level);
  }
  return [...levels].map(([name, level]) => ({ name, level }));
}
