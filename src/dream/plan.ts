// Reads a plan out of a model's answer. A bad answer is data: a code and what to fix. A bad item is dropped with its reason, and
// the rest of the plan is kept.

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

/** An item that cannot be used. */
interface DroppedItem {
  /** The skill's name if the item has one, else its place, such as `toSave[2]`. */
  readonly item: string;
  readonly why: string;
}

export interface Plan {
  readonly toSave: readonly PlanSave[];
  readonly toDelete: readonly PlanArchive[];
  readonly dropped: readonly DroppedItem[];
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

function checkPlan(value: Record<string, unknown>): PlanResult {
  const { toSave = [], toDelete = [] } = value;
  if (!Array.isArray(toSave)) return bad("plan-invalid", '"toSave" is not a list.');
  if (!Array.isArray(toDelete)) return bad("plan-invalid", '"toDelete" is not a list.');
  const items = toSave.length + toDelete.length;
  if (items > THINKING.planItems)
    return bad("plan-too-long", `The plan has ${items} items; at most ${THINKING.planItems} are read.`);
  const dropped: DroppedItem[] = [];
  const saves = toSave.flatMap((item, at) => {
    const problems: string[] = [];
    const save = toPlanSave(item, (what) => problems.push(`toSave[${at}]${what}`));
    if (problems.length === 0) return [save];
    dropped.push({ item: nameIn(item) ?? `toSave[${at}]`, why: problems.join(" ") });
    return [];
  });
  const archives = toDelete.flatMap((item, at) => {
    const archive = toPlanArchive(item);
    if (archive) return [archive];
    const why = `toDelete[${at}] is neither a name nor {"name", "into"}.`;
    dropped.push({ item: nameIn(item) ?? `toDelete[${at}]`, why });
    return [];
  });
  if (items > 0 && dropped.length === items)
    return bad(
      "plan-invalid",
      dropped
        .slice(0, 10)
        .map(({ why }) => why)
        .join(" "),
    );
  return { ok: true, plan: { toSave: saves, toDelete: archives, dropped } };
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
  const list = (key: "sourceNames" | "seeAlso", other: string) =>
    namesIn(record[key] ?? record[other], () => problem(`.${key} is not a list of names.`));
  return {
    name: String(name),
    content: String(content),
    sourceNames: list("sourceNames", "source_names") ?? [],
    summary: isText(summary) ? summary : undefined,
    description: isText(description) ? description : undefined,
    seeAlso: list("seeAlso", "see_also"),
  };
}

function toPlanArchive(item: unknown): PlanArchive | undefined {
  if (isText(item)) return { name: item };
  if (!isRecord(item) || !isText(item.name)) return undefined;
  const { name, into } = item;
  if (into === undefined || into === null) return { name };
  return isText(into) ? { name, into } : undefined;
}

function nameIn(item: unknown): string | undefined {
  return isRecord(item) && isText(item.name) ? item.name : undefined;
}

function namesIn(value: unknown, problem: () => void): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (isText(value)) return [value];
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
