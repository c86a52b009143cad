// Defines what a style is: a function that writes a selection within a limit.

import type { Skill } from "../../model/skill.ts";
import type { Cost } from "../budget.ts";
import type { Rendered } from "../fit.ts";
import type { Selection } from "../select.ts";

export interface StyleRequest {
  readonly selection: Selection;
  readonly limit: Cost;
  /** The Markdown below the front matter; undefined if nobody has agreed to show it. */
  readonly bodyOf: (skill: Skill) => string | undefined;
  /** Whether this is the session's first section. */
  readonly firstTurn: boolean;
  /** Whether the user only asks which skills there are. */
  readonly asksForList: boolean;
}

export type RenderStyle = (request: StyleRequest) => Rendered;
