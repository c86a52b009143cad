// Computes what a text costs, in estimated tokens and in characters, and whether it fits a budget.

import { RepertoireError } from "../model/errors.ts";
import type { Budget, Style } from "../model/turn.ts";
import { tokenUnits, UNITS_PER_TOKEN } from "../text/estimate.ts";
import { CHARS_PER_TOKEN, DEFAULT_BUDGETS, MATCH_RESERVE } from "./limits.ts";

/** A cost, or a limit on a cost. The cost of joined texts is exactly the sum of their costs. */
export interface Cost {
  readonly units: number;
  readonly chars: number;
}

export const NO_COST: Cost = { units: 0, chars: 0 };

export function textCost(text: string): Cost {
  return { units: tokenUnits(text), chars: text.length };
}

export function plus(a: Cost, b: Cost): Cost {
  return { units: a.units + b.units, chars: a.chars + b.chars };
}

/** The rest of `a` after `b`, at least 0. */
export function minus(a: Cost, b: Cost): Cost {
  return { units: Math.max(0, a.units - b.units), chars: Math.max(0, a.chars - b.chars) };
}

export function fits(cost: Cost, limit: Cost): boolean {
  return cost.units <= limit.units && cost.chars <= limit.chars;
}

/** An equal share of a limit. */
export function shareOf(limit: Cost, parts: number): Cost {
  return { units: Math.floor(limit.units / parts), chars: Math.floor(limit.chars / parts) };
}

/** About how many tokens a limit allows. */
export function tokensIn({ units, chars }: Cost): number {
  return Math.min(units / UNITS_PER_TOKEN, chars / CHARS_PER_TOKEN);
}

/** The budget that holds: the style's default if the given one has neither tokens nor characters. */
export function budgetOf(style: Style, budget: Budget = {}): Budget {
  return budget.tokens === undefined && budget.chars === undefined ? DEFAULT_BUDGETS[style] : budget;
}

export function limitOf(style: Style, budget?: Budget): Cost {
  const { tokens, chars } = budgetOf(style, budget);
  return {
    units: checked("tokens", tokens) * UNITS_PER_TOKEN,
    chars: checked("chars", chars),
  };
}

/** The part of an adaptive limit that is reserved for the turn's matches. */
export function matchReserve(limit: Cost): Cost {
  return {
    units: reserved(limit.units, UNITS_PER_TOKEN),
    chars: reserved(limit.chars, CHARS_PER_TOKEN),
  };
}

function reserved(total: number, perToken: number): number {
  if (total === Infinity) return 0;
  const wanted = Math.max(total * MATCH_RESERVE.share, MATCH_RESERVE.minTokens * perToken);
  return Math.floor(Math.min(wanted, MATCH_RESERVE.maxTokens * perToken, total * MATCH_RESERVE.maxShare));
}

function checked(unit: "tokens" | "chars", value: number | undefined): number {
  if (value === undefined) return Infinity;
  if (value >= 0) return Math.floor(value);
  throw new RepertoireError(
    "budget-invalid",
    `A budget of ${value} ${unit} is not valid. Give a number of 0 or more, or omit it for the default.`,
    value,
  );
}
