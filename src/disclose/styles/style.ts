// Owns what a style is: a way to write one selection within a limit. Does not own any style.

import type { Skill } from "../../model/skill.ts";
import type { Cost } from "../budget.ts";
import type { Rendered } from "../fit.ts";
import type { Selection } from "../select.ts";

export interface StyleRequest {
  readonly selection: Selection;
  readonly limit: Cost;
  /** The Markdown below the front matter; empty where it cannot be read. */
  readonly readBody: (skill: Skill) => string;
  /** The session's first section: an index that is sent once is due. */
  readonly firstTurn: boolean;
  /** The user asks what there is. */
  readonly asksForList: boolean;
}

export type RenderStyle = (request: StyleRequest) => Rendered;
