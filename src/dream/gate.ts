// Checks that each message still finds its skill: recalls stored messages with and without a change, on a trial library.
// Each route counts by itself; there is no average.

import type { SkillName } from "../model/name.ts";
import { type DreamChange, goneBy, type Refusal, refuse, touchedBy } from "./changes.ts";
import type { DreamEvidence } from "./evidence.ts";
import { GATE } from "./limits.ts";
import type { Material, Reach } from "./material.ts";
import type { TrialLibrary } from "./trial-library.ts";

/** What one call works on: gathered once, used by guard, gate and acceptance. */
export interface Review {
  readonly material: Material;
  readonly evidence: DreamEvidence;
  readonly trial: TrialLibrary;
}

/** A message that led to a skill and did well, one that the skill's own `evals/` names, or what the skill says it is for. */
interface Route {
  readonly message: string;
  readonly skill: SkillName;
  readonly from: "use" | "evals" | "description";
}

export interface RouteResult extends Route {
  readonly before: readonly SkillName[];
  readonly after: readonly SkillName[];
}

export interface GateResult {
  /** Routes of the touched skills, and messages that a new skill now answers. */
  readonly routes: readonly RouteResult[];
  readonly tried: number;
  readonly refusals: readonly Refusal[];
}

/** Every known route, those of the touched skills first, bounded. A use without a known failure counts as a success. */
function routesOf(change: DreamChange, material: Material): Route[] {
  const touched = new Set(touchedBy(change));
  const routes = new Map<string, Route>();
  const add = (route: Route) => routes.set(`${route.skill}\n${route.message}`, route);
  for (const { name, queries } of material.skills)
    for (const message of queries) add({ message, skill: name, from: "evals" });
  // A skill that is switched off need not be found by its description any more.
  for (const skill of change.settings ? [] : touched) {
    const message = material.byName.get(skill)?.description;
    if (message) add({ message, skill, from: "description" });
  }
  const turns = material.sessions.flatMap((session) => session.turns);
  for (const { message, used, blamed } of turns)
    for (const skill of used) if (!blamed.includes(skill)) add({ message, skill, from: "use" });
  const all = [...routes.values()].reverse();
  const own = all.filter(({ skill }) => touched.has(skill));
  const others = all.filter(({ skill }) => !touched.has(skill));
  return [...own, ...others].slice(0, GATE.routes);
}

/** Asks the unchanged library for all messages that the gates of these changes will need. */
export async function prepareGate(changes: readonly DreamChange[], review: Review): Promise<void> {
  await review.trial.baseline(changes.flatMap((change) => messagesToTry(change, review)));
}

function messagesToTry(change: DreamChange, review: Review): string[] {
  const routes = routesOf(change, review.material).map(({ message }) => message);
  return change.kind === "create" || change.kind === "draft" ? [...routes, ...askedFor(review)] : routes;
}

/** What users asked: unanswered requests first, then the first messages of sessions, newest first. */
function askedFor({ material, evidence }: Review): string[] {
  const asked = evidence.gaps.flatMap(({ messages }) => messages);
  const first = material.sessions.flatMap(({ turns }) => (turns[0] ? [turns[0].message] : []));
  return [...new Set([...asked, ...first.reverse()])].slice(0, GATE.routes);
}

/**
 * Tries a change together with others. A route that held without any change must hold with all of them, to the skill
 * itself or to what absorbed it.
 */
export async function gate(
  change: DreamChange,
  review: Review,
  others: readonly DreamChange[] = [],
): Promise<GateResult> {
  await prepareGate([change], review);
  const { material, trial } = review;
  const after = await trial.with([...others, change]);
  const touched = new Set(touchedBy(change));
  const heirs = new Map([...others, change].flatMap((each) => [...goneBy(each)]));
  const shown: RouteResult[] = [];
  const refusals: Refusal[] = [];
  const routes = routesOf(change, material);
  for (const route of routes) {
    const had = await trial.before(route.message);
    const has = await after(route.message);
    const heir = heirs.get(route.skill) ?? route.skill;
    const isLost = had.includes(route.skill) && !has.includes(heir) && !has.includes(route.skill);
    if (isLost) refusals.push(refuse("route-lost", lostMessage(route, heir, has), [route.skill, heir]));
    if (isLost || (touched.has(route.skill) && shown.length < GATE.shown))
      shown.push({ ...route, before: had, after: has });
  }
  const { reached, refusal } = await newRoutes(change, review, after);
  return {
    routes: [...shown, ...reached],
    tried: routes.length,
    refusals: refusal ? [...refusals, refusal] : refusals,
  };
}

/** A skill that is made for a gap must be found by a message of the history; otherwise nobody would ever see it. */
async function newRoutes(
  { kind, save }: DreamChange,
  review: Review,
  after: Reach,
): Promise<{ reached: RouteResult[]; refusal?: Refusal }> {
  if ((kind !== "create" && kind !== "draft") || !save || review.material.sessions.length === 0)
    return { reached: [] };
  const { name } = save;
  const reached: RouteResult[] = [];
  for (const message of askedFor(review)) {
    const has = await after(message);
    if (has.includes(name)) {
      const before = await review.trial.before(message);
      reached.push({ message, skill: name, from: "use", before, after: has });
    }
    if (reached.length >= GATE.shown) break;
  }
  if (reached.length > 0) return { reached };
  const message = `No message of the history leads to "${name}". Describe it in the words that users say.`;
  return { reached, refusal: refuse("never-reached", message, [name]) };
}

function lostMessage({ message, skill }: Route, heir: SkillName, has: readonly SkillName[]): string {
  const instead = has.length > 0 ? `leads to ${has.join(", ")} instead` : "leads nowhere";
  return `"${message}" led to "${skill}" and would no longer reach "${heir}": it ${instead}.`;
}
