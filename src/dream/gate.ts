// Owns the test that no message loses its way: stored messages are recalled before and after, on a copy of the library.
// Does not own recall: it asks through `Reach`. Each route counts by itself; there is no average.

import type { SkillName } from "../model/name.ts";
import { type Change, type Refusal, refuse, touchedBy } from "./changes.ts";
import type { Evidence } from "./evidence.ts";
import { GATE } from "./limits.ts";
import type { Material } from "./material.ts";

/** The skills that a message leads to, best first, at most three. */
export type Reach = (message: string) => Promise<readonly SkillName[]>;

/** A message that led to a skill and did well, or one that the skill's own `evals/` names. */
export interface Route {
  readonly message: string;
  readonly skill: SkillName;
  readonly from: "use" | "evals";
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
export function routesOf(material: Material, touched: ReadonlySet<SkillName>): Route[] {
  const routes = new Map<string, Route>();
  const add = (route: Route) => routes.set(`${route.skill}\n${route.message}`, route);
  for (const { name, queries } of material.skills)
    for (const message of queries) add({ message, skill: name, from: "evals" });
  const turns = material.sessions.flatMap((session) => session.turns);
  for (const { message, used, failed, corrections } of turns) {
    if (corrections.length > 0 || failed.includes("")) continue;
    for (const skill of used) if (!failed.includes(skill)) add({ message, skill, from: "use" });
  }
  const all = [...routes.values()].reverse();
  const own = all.filter(({ skill }) => touched.has(skill));
  const others = all.filter(({ skill }) => !touched.has(skill));
  return [...own, ...others].slice(0, GATE.routes);
}

/** Messages that a gate may ask about. */
export function messagesToTry(change: Change, material: Material, evidence: Evidence): string[] {
  const routes = routesOf(material, new Set(touchedBy(change))).map(({ message }) => message);
  return change.kind === "create" ? [...routes, ...askedFor(material, evidence)] : routes;
}

/** What users asked: unanswered requests first, then the first messages of sessions, newest first. */
function askedFor(material: Material, evidence: Evidence): string[] {
  const asked = evidence.gaps.flatMap(({ messages }) => messages);
  const first = material.sessions.flatMap(({ turns }) => (turns[0] ? [turns[0].message] : []));
  return [...new Set([...asked, ...first.reverse()])].slice(0, GATE.routes);
}

export interface GateInput {
  readonly change: Change;
  readonly material: Material;
  readonly evidence: Evidence;
  readonly before: Reach;
  readonly after: Reach;
  /** What absorbs skills that other changes of the same batch archive. */
  readonly heirs?: ReadonlyMap<SkillName, SkillName>;
}

/** A route that held before must hold after, to the skill itself or to what absorbed it. */
export async function gate(input: GateInput): Promise<GateResult> {
  const { change, material, before, after } = input;
  const touched = new Set(touchedBy(change));
  const heirs = new Map([
    ...(input.heirs ?? []),
    ...change.archives.map(({ name, into }) => [name, into] as const),
  ]);
  const shown: RouteResult[] = [];
  const refusals: Refusal[] = [];
  const routes = routesOf(material, touched);
  for (const route of routes) {
    const had = await before(route.message);
    const has = await after(route.message);
    const heir = heirs.get(route.skill) ?? route.skill;
    const isLost = had.includes(route.skill) && !has.includes(heir) && !has.includes(route.skill);
    if (isLost) refusals.push(refuse("route-lost", lostMessage(route, heir, has), [route.skill, heir]));
    if (isLost || (touched.has(route.skill) && shown.length < GATE.shown))
      shown.push({ ...route, before: had, after: has });
  }
  const { reached, refusal } = await newRoutes(input);
  return {
    routes: [...shown, ...reached],
    tried: routes.length,
    refusals: refusal ? [...refusals, refusal] : refusals,
  };
}

/** A skill that is made for a gap must be found by a message of the history; else nobody would ever meet it. */
async function newRoutes({ change, material, evidence, before, after }: GateInput): Promise<{
  reached: RouteResult[];
  refusal?: Refusal;
}> {
  if (change.kind !== "create" || !change.save || material.sessions.length === 0) return { reached: [] };
  const { name } = change.save;
  const reached: RouteResult[] = [];
  for (const message of askedFor(material, evidence)) {
    const has = await after(message);
    if (has.includes(name))
      reached.push({ message, skill: name, from: "use", before: await before(message), after: has });
    if (reached.length >= GATE.shown) break;
  }
  if (reached.length > 0) return { reached };
  return {
    reached,
    refusal: refuse(
      "never-reached",
      `No message of the history leads to "${name}". Describe it in the words that users say.`,
      [name],
    ),
  };
}

function lostMessage({ message, skill }: Route, heir: SkillName, has: readonly SkillName[]): string {
  const instead = has.length > 0 ? `leads to ${has.join(", ")} instead` : "leads nowhere";
  return `"${message}" led to "${skill}" and would no longer reach "${heir}": it ${instead}.`;
}
