// Defines what a style is: a function that writes a selection within a limit.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import type { Skill } from "../../model/skill.ts";
import type { Cost } from "../budget.ts";
import type { Rendered } from "../fit.ts";
import type { Selection } from "../select.ts";

/** A tool as a prompt names it. */
export interface ToolLine {
  readonly name: string;
  readonly description: string;
}

export interface StyleRequest {
  readonly selection: Selection;
  readonly limit: Cost;
  /** The Markdown below the front matter; undefined if nobody has agreed to show it. */
  readonly bodyOf: (skill: Skill) => string | undefined;
  /** The tools that a skill brought to the task; undefined if they are not loaded. */
  readonly toolsOf: (skill: Skill) => readonly ToolLine[] | undefined;
  /** The tools that the text may name. */
  readonly tools: NamedTools;
  /** Whether the section has its standing part: what is the same at every turn, such as a list of all skills. */
  readonly standing: boolean;
  /** Whether the user only asks which skills there are. */
  readonly asksForList: boolean;
  /** How many skills a catalog mentions by their number, besides those of the selection that do not fit. */
  readonly counted: number;
}

export type RenderStyle = (request: StyleRequest) => Rendered;
