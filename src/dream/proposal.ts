// Says what a proposal holds, recognises a change that was proposed before, and decides when a proposal is stale. Has the ports
// that keep proposals and small facts between dreams.

import { createHash } from "node:crypto";
import type { Awaitable } from "../model/awaitable.ts";
import type { SkillName } from "../model/name.ts";
import { firstOf } from "../text/lists.ts";
import { numberOf } from "../text/numbers.ts";
import { type ChangeKind, type DreamChange, type SettingsChange, touchedBy } from "./changes.ts";
import type { DreamEvidence } from "./evidence.ts";
import type { RouteResult } from "./gate.ts";
import type { Losses } from "./guard.ts";
import type { NeglectedSkill } from "./neglected.ts";

/** Everything a person needs in order to decide. */
export interface Proposal {
  readonly change: DreamChange;
  /** Why: one line each, with the sessions that it comes from. */
  readonly evidence: readonly string[];
  readonly diff: string;
  /** What would be said nowhere any more; absent if nothing. */
  readonly lost?: readonly Losses[] | undefined;
  readonly routes: readonly RouteResult[];
  readonly tried: number;
  /** Who thought of it: `rules`, a model's id, `handoff`. */
  readonly by: string;
  /** In US dollars, if the price is known. */
  readonly cost?: number | undefined;
  /** Digests of the touched skills as they were. */
  readonly basis: Readonly<Record<SkillName, string>>;
}

type Digests = ReadonlyMap<SkillName, { readonly digest: string }>;

/** Digest by name; empty for a skill that is not there. */
export function basisOf(change: DreamChange, skills: Digests): Record<SkillName, string> {
  return Object.fromEntries(
    touchedBy(change)
      .sort()
      .map((name) => [name, skills.get(name)?.digest ?? ""]),
  );
}

/** The skills as they are now. `contentOf` may read a file; it is called only if a digest has changed. */
export interface CurrentSkills {
  readonly byName: Digests;
  contentOf(
    name: SkillName,
  ): Awaitable<
    { readonly description: string; readonly body: string; readonly editable: boolean } | undefined
  >;
}

/** Names what a change was proposed for. A link needs only that the skill may be changed, other changes what it says. */
async function basisHashOf(change: DreamChange, current: CurrentSkills): Promise<string> {
  const basis: [SkillName, string][] = [];
  for (const name of touchedBy(change).sort()) {
    const found = await current.contentOf(name);
    if (!found) basis.push([name, ""]);
    else if (change.kind === "link") basis.push([name, found.editable ? "editable" : "fixed"]);
    else basis.push([name, hashOf([found.description, found.body.trim()])]);
  }
  return hashOf(basis);
}

/** The same for the same change, whoever thought of it and whenever. */
export function changeHash({ kind, save, archives, settings }: DreamChange): string {
  return hashOf({
    settings,
    save: save && { ...save, body: kind === "link" ? "" : save.body.trim() },
    archives,
  });
}

export async function toNewProposal(
  proposal: Proposal,
  { at, current }: { readonly at: number; readonly current: CurrentSkills },
): Promise<NewProposal> {
  return {
    kind: proposal.change.kind,
    title: titleOf(proposal.change),
    at,
    changeHash: changeHash(proposal.change),
    basisHash: await basisHashOf(proposal.change, current),
    payload: proposal as unknown as Record<string, unknown>,
  };
}

export function fromRecord(record: ProposalRecord): Proposal {
  return record.payload as unknown as Proposal;
}

/** Whether a skill that it would change is no longer what it was proposed for. */
export async function isStale(record: ProposalRecord, current: CurrentSkills): Promise<boolean> {
  const { change, basis } = fromRecord(record);
  if (hashOf(basisOf(change, current.byName)) === hashOf(basis)) return false;
  return (await basisHashOf(change, current)) !== record.basisHash;
}

const TITLES: Readonly<Record<ChangeKind, (save: string, archived: string, set: string) => string>> = {
  create: (save) => `Create ${save}`,
  guide: (save) => `Write a guide: ${save}`,
  improve: (save) => `Improve ${save}`,
  merge: (save, archived) => `Merge ${archived} into ${save}`,
  link: (save) => `Link ${save} to related skills`,
  archive: (_, archived) => `Archive ${archived}`,
  draft: (save) => `Draft an outline of ${save}`,
  disable: (_, __, set) => `Switch off ${set}`,
  relate: (_, __, set) => `Show ${set}`,
};

export function titleOf({ kind, save, archives, settings }: DreamChange): string {
  const archived =
    kind === "archive"
      ? archives.map(({ name, into }) => `${name} (${into} says the same)`)
      : archives.map(({ name }) => name);
  return TITLES[kind](save?.name ?? "", archived.join(", "), settings ? settingsInWords(settings) : "");
}

function settingsInWords(settings: SettingsChange): string {
  if ("link" in settings) return `${settings.to} with ${settings.link}`;
  return settings.into ? `${settings.disable} (${settings.into} says the same)` : settings.disable;
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

const NEGLECT: Readonly<Record<NeglectedSkill["why"], (skill: NeglectedSkill, sessions: number) => string>> =
  {
    "never-used": ({ name }, sessions) => `${name} was never used; the last month had ${sessions} sessions`,
    "never-activated": ({ name, turns }, sessions) =>
      `${name} was shown in ${turns || sessions} ${turns ? "turns" : "sessions"} and never activated`,
    broken: ({ name, flaws = [] }) => `${name} is broken: ${flaws.join(" ")}`,
    "says-the-same": ({ name }) => `${name} has no clause of its own`,
  };

/** Why a change is proposed: one line for each item of evidence about the skills that it touches. */
export function reasonsFor(
  change: DreamChange,
  evidence: DreamEvidence,
  reached: readonly string[],
): string[] {
  const touched = new Set(touchedBy(change));
  const both = (pair: { a: string; b: string }) => touched.has(pair.a) && touched.has(pair.b);
  const either = (pair: { a: string; b: string }) => touched.has(pair.a) || touched.has(pair.b);
  return [
    ...evidence.gaps
      .filter(({ messages }) => messages.some((message) => reached.includes(message)))
      .map(
        ({ messages, sessions }) => `asked in ${inSessions(sessions)} without an answer: "${messages[0]}"`,
      ),
    ...evidence.overlaps
      .filter(both)
      .map(({ a, b, words }) => `${a} and ${b} agree in ${Math.round(words * 100)}% of their words`),
    ...evidence.coUse
      .filter((pair) => (change.kind === "link" ? either(pair) : both(pair)))
      .map(({ a, b, sessions }) => `${a} and ${b} were used together in ${inSessions(sessions)}`),
    ...evidence.conflicts
      .filter(both)
      .map(({ a, b, sessions }) => `${a} and ${b} answered the same messages in ${inSessions(sessions)}`),
    ...evidence.atRisk
      .filter(({ name }) => touched.has(name))
      .map(({ name, sessions, corrections, wishes }) =>
        [
          `${name} was used in ${inSessions(sessions)} that went badly or asked for more`,
          ...[...corrections, ...wishes].slice(0, 1).map((said) => `"${said}"`),
        ].join(": "),
      ),
    ...evidence.sparse
      .filter(({ name }) => touched.has(name))
      .map(({ name, chars }) => `${name} has only ${chars} characters`),
    ...evidence.neverUsed.filter(({ name }) => touched.has(name)).map(({ name }) => `${name} was never used`),
    ...evidence.neglected
      .filter(({ name }) => touched.has(name) && change.kind === "disable")
      .map((skill) => NEGLECT[skill.why](skill, evidence.sessions)),
    ...evidence.prefixes
      .filter(({ prefix }) => change.save?.name.startsWith(`${prefix}/`) && change.kind === "guide")
      .map(({ prefix, members }) => `${prefix}/ has ${members.length} members and no guide`),
  ];
}

/** Sessions named in a line; the rest is counted. */
const NAMED = 4;

export function inSessions(sessions: readonly string[]): string {
  return `${numberOf(sessions.length, "session")} (${firstOf(sessions, NAMED)})`;
}

/** `undone` is kept as accepted: whether its change was taken back follows from the versions. */
export const PROPOSAL_STATES = ["open", "accepted", "rejected", "stale", "undone"] as const;

export type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface ProposalRecord {
  /** Given by the store, counting from 1, for people to type. */
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly state: ProposalState;
  readonly at: number;
  /** Names what is proposed: the same change is recognised when it comes again. */
  readonly changeHash: string;
  /** Names what it was proposed for: when that changes, the proposal is stale. */
  readonly basisHash: string;
  readonly decidedAt?: number;
  readonly note?: string | undefined;
  /** The batch of versions that applied it. */
  readonly batch?: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

export type NewProposal = Omit<ProposalRecord, "number" | "state" | "decidedAt" | "note" | "batch">;

export interface ProposalDecision {
  readonly state: ProposalState;
  readonly at: number;
  readonly note?: string | undefined;
  readonly batch?: string | undefined;
}

export interface ProposalStore {
  add(proposal: NewProposal): Awaitable<ProposalRecord>;
  get(number: number): Awaitable<ProposalRecord | undefined>;
  list(filter?: {
    readonly state?: ProposalState | undefined;
    readonly changeHash?: string | undefined;
  }): Awaitable<readonly ProposalRecord[]>;
  /** Only an open proposal can be decided, and only once; nothing when it was not open. */
  decide(number: number, decision: ProposalDecision): Awaitable<ProposalRecord | undefined>;
}

/** The accepted proposals whose settings somebody took back, by number. Learned skills have versions that say so. */
export const UNDONE = "dream.undone";

export async function undoneSettings(meta: Pick<MetaStore, "get">): Promise<readonly number[]> {
  return JSON.parse((await meta.get(UNDONE)) ?? "[]") as number[];
}

/** Small facts by key, such as when the last dream ran. */
export interface MetaStore {
  get(key: string): Awaitable<string | undefined>;
  set(key: string, value: string): Awaitable<void>;
  remove(key: string): Awaitable<boolean>;
}
