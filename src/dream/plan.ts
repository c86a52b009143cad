// Reads a plan out of a model's answer. A bad answer is data: a code and what to fix.

import type { ErrorCode } from "../model/errors.ts";
import { isRecord, jsonObjects } from "../text/json.ts";
import { THINKING } from "./limits.ts";

export interface PlanSave {
  readonly name: string;
  readonly content: string;
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  /** Skills that this one is made of. */
  readonly sourceNames: readonly string[];
  readonly seeAlso?: readonly string[] | undefined;
}

interface PlanArchive {
  readonly name: string;
  /** What absorbs it, if no save names it as a source. */
  readonly into?: string;
}

export interface Plan {
  readonly toSave: readonly PlanSave[];
  readonly toDelete: readonly PlanArchive[];
}

type PlanResult =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** The schema in words, as every prompt ends with it. */
export const PLAN_CONTRACT = `Answer with one JSON object and nothing else:
{"toSave": [{"name": "area/skill-name", "description": "what it is for and when to use it, in the words users say", "summary": "at most 15 words", "content": "the whole procedure in Markdown", "sourceNames": ["skills it is made of"], "seeAlso": ["related skills"]}],
 "toDelete": ["every source that the saved skill replaces"]}
Both lists may be empty; empty is right when nothing needs to change. Every name in toDelete stands in the sourceNames of one saved skill, and that skill keeps all of its headings, commands, code, names and numbers.`;

/** Finds the plan in an answer: a leading thinking block, prose and code fences around it are passed over. */
export function readPlan(answer: string): PlanResult {
  if (answer.length > THINKING.answerChars)
    return bad(
      "plan-too-long",
      `The answer has ${answer.length} characters; at most ${THINKING.answerChars} are read.`,
    );
  const text = answer.replace(/^\s*<(think|thinking|reasoning)>[\s\S]*?<\/\1>/i, "").trim();
  if (text === "")
    return bad("plan-empty", "The answer is empty. Give one JSON object with toSave and toDelete.");
  if (/^<(?:think|thinking|reasoning)>/i.test(text))
    return bad("plan-truncated", "The answer ends inside its thinking block. Give the JSON object alone.");
  const { objects, open } = jsonObjects(text);
  const plans = objects.filter((value) => "toSave" in value || "toDelete" in value);
  const last = plans.at(-1);
  if (last) return checkPlan(last);
  if (open)
    return bad("plan-truncated", "The JSON object is cut off before its end. Propose less, and close it.");
  return objects.length > 0
    ? bad("plan-invalid", 'The JSON object has neither "toSave" nor "toDelete".')
    : bad("plan-no-json", "There is no JSON object in the answer. Give one with toSave and toDelete.");
}

function checkPlan(value: unknown): PlanResult {
  if (!isRecord(value)) return bad("plan-invalid", "The plan is not a JSON object.");
  const { toSave = [], toDelete = [] } = value;
  if (!Array.isArray(toSave)) return bad("plan-invalid", '"toSave" is not a list.');
  if (!Array.isArray(toDelete)) return bad("plan-invalid", '"toDelete" is not a list.');
  if (toSave.length + toDelete.length > THINKING.planItems)
    return bad(
      "plan-too-long",
      `The plan has ${toSave.length + toDelete.length} items; at most ${THINKING.planItems} are read.`,
    );
  const problems: string[] = [];
  const saves = toSave.map((item, at) => toPlanSave(item, (what) => problems.push(`toSave[${at}]${what}`)));
  const archives = toDelete.map((item, at) =>
    toPlanArchive(item, () => problems.push(`toDelete[${at}] is neither a name nor {"name", "into"}.`)),
  );
  return problems.length > 0
    ? bad("plan-invalid", problems.slice(0, 10).join(" "))
    : { ok: true, plan: { toSave: saves, toDelete: archives } };
}

function toPlanSave(item: unknown, problem: (what: string) => void): PlanSave {
  const record: Record<string, unknown> = isRecord(item) ? item : {};
  if (!isRecord(item)) problem(" is not an object.");
  const { name, content, summary, description } = record;
  if (!isText(name)) problem(".name is missing.");
  if (!isText(content)) problem(".content is missing.");
  for (const key of ["summary", "description"] as const)
    if (record[key] !== undefined && record[key] !== null && typeof record[key] !== "string")
      problem(`.${key} is not text.`);
  const sourceNames = namesIn(record.sourceNames, () => problem(".sourceNames is not a list of names."));
  const seeAlso = namesIn(record.seeAlso, () => problem(".seeAlso is not a list of names."));
  return {
    name: String(name),
    content: String(content),
    sourceNames: sourceNames ?? [],
    summary: isText(summary) ? summary : undefined,
    description: isText(description) ? description : undefined,
    seeAlso,
  };
}

function toPlanArchive(item: unknown, problem: () => void): PlanArchive {
  if (isText(item)) return { name: item };
  if (isRecord(item) && isText(item.name) && (item.into === undefined || isText(item.into)))
    return { name: item.name, ...(isText(item.into) && { into: item.into }) };
  problem();
  return { name: "" };
}

function namesIn(value: unknown, problem: () => void): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every(isText)) return value;
  problem();
  return undefined;
}

function bad(code: ErrorCode, message: string): PlanResult {
  return { ok: false, code, message };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
