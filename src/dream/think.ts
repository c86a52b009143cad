// Finds changes: asks a language model pass by pass, then adds what rules suggest.

import type { LanguageModel } from "../learn/learn.ts";
import { messageOf } from "../model/errors.ts";
import { compareNames, lastSegment, type SkillName } from "../model/name.ts";
import { forLine } from "../text/escape.ts";
import { firstSentence } from "../text/markdown.ts";
import { collide, type DreamChange, type Pass, splitPlan } from "./changes.ts";
import { ownClauses } from "./clauses.ts";
import type { DreamEvidence, PrefixCluster } from "./evidence.ts";
import type { Review } from "./gate.ts";
import { GUARD, THINKING } from "./limits.ts";
import { type DreamSkill, guideOf } from "./material.ts";
import { settingsFrom } from "./neglected.ts";
import { draftsFrom } from "./outline.ts";
import { type Plan, readPlan } from "./plan.ts";
import { type DirectivePaths, type DreamPrompt, directiveFor, promptFor } from "./prompts.ts";
import type { Declined, ProposedChange } from "./staging.ts";

export interface PassReport {
  readonly pass: Pass;
  /** `planned`: there is a plan; `idle`: nothing to think about; `failed`: no usable answer. */
  readonly state: "planned" | "idle" | "failed";
  readonly note?: string;
  readonly code?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars, if the price is known. */
  readonly cost?: number;
}

interface ThinkOptions {
  readonly passes: readonly Pass[];
  readonly paths: DirectivePaths;
  /** How long one answer of the model may take. */
  readonly callMs?: number | undefined;
  readonly onPass?: ((report: PassReport) => void) | undefined;
}

/** Asks the model in each pass, if there is one, and shows it what the passes before propose; then applies the rules. */
export async function think(
  { material, evidence }: Pick<Review, "material" | "evidence">,
  model: LanguageModel | undefined,
  { passes, paths, callMs, onPass }: ThinkOptions,
): Promise<{ proposed: ProposedChange[]; declined: Declined[]; passes: PassReport[] }> {
  const proposed: ProposedChange[] = [];
  const declined: Declined[] = [];
  const reports: PassReport[] = [];
  for (const pass of model ? passes : []) {
    const input = { material, evidence, proposed: proposed.flatMap(({ change }) => newSkill(change)) };
    const prompt = promptFor(pass, directiveFor(pass, paths), input);
    const { plan, report } = await askModel(prompt, model!, callMs);
    reports.push(report);
    onPass?.(report);
    if (!plan) continue;
    const { changes, refusals } = splitPlan(plan, pass, material);
    declined.push(...refusals.map((refusal) => declinedPart(pass, refusal)));
    proposed.push(...changes.map((change) => ({ change, by: model!.id, cost: report.cost })));
  }
  const drafts = model || !passes.includes("gap") ? [] : draftsFrom(evidence, material);
  const settings = settingsFrom(evidence, material);
  const simple = [...suggest(evidence, material.byName), ...drafts, ...settings].filter(
    (change) => !proposed.some((each) => collide(each.change, change) || linkSameSkill(each.change, change)),
  );
  proposed.push(...simple.map((change) => ({ change, by: "rules" })));
  return { proposed, declined, passes: reports };
}

/** Two links of one skill could both be accepted, but one question about it is enough. */
function linkSameSkill(a: DreamChange, b: DreamChange): boolean {
  return a.kind === "link" && b.kind === "link" && a.save?.name === b.save?.name;
}

/** A part of a plan that could not be turned into a change. */
export function declinedPart(pass: Pass, refusal: Declined["refusals"][number]): Declined {
  return { title: refusal.names.join(", "), pass, refusals: [refusal] };
}

function newSkill({ kind, save }: DreamChange): { name: string; description: string }[] {
  if (kind !== "create" || !save) return [];
  return [{ name: save.name, description: save.description ?? save.summary ?? "" }];
}

/** One answer, and one more with the complaint. Never throws for what a model does: a failed pass is reported. */
async function askModel(
  prompt: DreamPrompt,
  model: LanguageModel,
  callMs: number = THINKING.callMs,
): Promise<{ report: PassReport; plan?: Plan }> {
  const { pass } = prompt;
  const spent: { inputTokens: number; outputTokens: number; cost?: number } = {
    inputTokens: 0,
    outputTokens: 0,
  };
  if (prompt.idle !== undefined) return { report: { pass, state: "idle", note: prompt.idle, ...spent } };
  let problem = { code: "", message: "" };
  for (let attempt = 0; attempt < THINKING.tries; attempt++) {
    const complaint =
      problem.code === ""
        ? ""
        : `\n\nYour last answer could not be used: ${problem.message} Answer again, with the JSON object only.`;
    try {
      const answer = await within(callMs, (signal) =>
        model.generate({
          purpose: `dream-${pass}`,
          system: prompt.system,
          prompt: prompt.prompt + complaint,
          maxTokens: THINKING.outputTokens,
          signal,
        }),
      );
      spent.inputTokens += answer.usage.inputTokens;
      spent.outputTokens += answer.usage.outputTokens;
      if (answer.cost !== undefined) spent.cost = (spent.cost ?? 0) + answer.cost;
      const result = readPlan(answer.text);
      if (result.ok) return { plan: result.plan, report: { pass, state: "planned", ...spent } };
      problem = result;
    } catch (error) {
      problem = { code: "model-failed", message: messageOf(error) };
      break;
    }
  }
  return { report: { pass, state: "failed", code: problem.code, note: problem.message, ...spent } };
}

/** Ends the call at the limit even if the model ignores the signal. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the model gave no whole answer within ${Math.round(ms / 1000)} s`));
      abort.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(abort.signal), limit]);
  } finally {
    clearTimeout(timer);
  }
}

type Skills = ReadonlyMap<SkillName, DreamSkill>;

/** Archives first, because they change what else makes sense; a skill that goes gets no link. */
function suggest(evidence: DreamEvidence, skills: Skills): DreamChange[] {
  const archives = archivesFrom(evidence, skills);
  const gone = new Set(archives.flatMap((change) => change.archives.map(({ name }) => name)));
  return [...archives, ...guidesFrom(evidence, skills), ...linksFrom(evidence, skills, gone)];
}

/** See-also for skills that sessions use together: one change per skill. */
function linksFrom({ coUse }: DreamEvidence, skills: Skills, gone: ReadonlySet<SkillName>): DreamChange[] {
  const company = new Map<SkillName, SkillName[]>();
  for (const { a, b } of coUse) {
    if (gone.has(a) || gone.has(b)) continue;
    company.set(a, [...(company.get(a) ?? []), b]);
    company.set(b, [...(company.get(b) ?? []), a]);
  }
  return [...company].flatMap(([name, others]): DreamChange[] => {
    const skill = skills.get(name);
    const added = others.filter((other) => !skill?.seeAlso.includes(other));
    if (!skill?.editable || added.length === 0) return [];
    const seeAlso = [...skill.seeAlso, ...added].slice(0, GUARD.seeAlso);
    return [{ kind: "link", pass: "consolidate", save: { name, body: skill.body, seeAlso }, archives: [] }];
  });
}

/** A page that says which member is for what, in the members' own words. */
function guidesFrom({ prefixes }: DreamEvidence, skills: Skills): DreamChange[] {
  return prefixes
    .filter(
      ({ guide, kind, members }) =>
        guide === undefined && kind === "topical" && members.some((name) => skills.get(name)?.learned),
    )
    .map((cluster) => guideFor(cluster, skills))
    .map((save) => ({ kind: "guide", pass: "consolidate", save, archives: [] }));
}

function guideFor({ prefix, members }: PrefixCluster, skills: Skills) {
  const title = prefix.replace(/[/-]/g, " ");
  const lines = members.map(
    (name) => `- **${name}**: ${forLine(firstSentence(skills.get(name)!.description, 160))}`,
  );
  const body = `# Which ${title} skill to use\n\nChoose one of these, then load it and follow it. This page only helps to choose.\n\n${lines.join("\n")}\n\nWhen two fit, take the more specific one. When none fits, say so instead of forcing one.\n`;
  return {
    name: guideOf(prefix),
    body,
    description: `Chooses between the ${title} skills (${members.map(lastSegment).join(", ")}). Use when it is unclear which of them fits.`,
    summary: `Which ${title} skill to use when`,
    seeAlso: members.slice(0, GUARD.seeAlso),
  };
}

/** Of two skills that say the same, the one whose every clause the other has, the less used one first. */
function archivesFrom({ overlaps }: DreamEvidence, skills: Skills): DreamChange[] {
  const gone = new Set<SkillName>();
  const changes: DreamChange[] = [];
  for (const { a, b } of overlaps) {
    const [one, two] = [skills.get(a), skills.get(b)];
    if (!one || !two || gone.has(a) || gone.has(b)) continue;
    const order = one.lastUsedAt - two.lastUsedAt || compareNames(two.name, one.name);
    const [less, more] = order < 0 ? [one, two] : [two, one];
    const bothWays = [
      { skill: less, into: more },
      { skill: more, into: less },
    ];
    const found = bothWays.find(({ skill, into }) => isSaidBy(skill, into));
    if (!found) continue;
    gone.add(found.skill.name);
    const archives = [{ name: found.skill.name, into: found.into.name }];
    changes.push({ kind: "archive", pass: "consolidate", archives });
  }
  return changes;
}

/** Rules alone archive nothing that has a clause of its own. */
function isSaidBy(skill: DreamSkill, into: DreamSkill): boolean {
  if (!skill.editable || skill.files.length > 0) return false;
  const text = `${into.body}\n\n${into.description}`;
  return ownClauses(skill.body, text).length === 0 && ownFacts(skill.description, text).length === 0;
}

/** A description finds the skill; it is an instruction only as far as it has facts, conditions or prohibitions. */
function ownFacts(description: string, text: string): string[] {
  return ownClauses(description, text).filter((clause) =>
    /[\d`/]|\b(?:only|never|not|unless|except)\b/i.test(clause),
  );
}
