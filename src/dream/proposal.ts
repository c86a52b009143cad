// Owns what a proposal holds and how it is recognised: the same change again, and a basis that has moved. Does not own
// where proposals are kept: a `ProposalStore` does.

import { createHash } from "node:crypto";
import type { SkillName } from "../model/name.ts";
import { type Change, type ChangeKind, touchedBy } from "./changes.ts";
import type { RouteResult } from "./gate.ts";
import type { DreamSkill } from "./material.ts";
import type { NewProposal, ProposalRecord } from "./proposal-store.ts";

/** Everything a person needs in order to decide. */
export interface Proposal {
  readonly change: Change;
  /** Why: one line each, with the sessions that it comes from. */
  readonly evidence: readonly string[];
  readonly diff: string;
  readonly routes: readonly RouteResult[];
  readonly tried: number;
  /** Who thought of it: `rules`, a model's id, `handoff`. */
  readonly by: string;
  readonly cost?: number;
  /** Digests of the touched skills as they were. */
  readonly basis: Readonly<Record<SkillName, string>>;
}

type Skills = ReadonlyMap<SkillName, DreamSkill>;

/** Digest by name; empty for a skill that is not there. */
export function basisOf(change: Change, skills: Skills): Record<SkillName, string> {
  return Object.fromEntries(
    touchedBy(change)
      .sort()
      .map((name) => [name, skills.get(name)?.digest ?? ""]),
  );
}

export function basisHash(basis: Readonly<Record<SkillName, string>>): string {
  return hashOf(Object.entries(basis));
}

/** The same whoever thought of it and whenever. */
export function changeHash({ save, archives }: Change): string {
  return hashOf({ save: save && { ...save, body: save.body.trim() }, archives });
}

export function toNewProposal(proposal: Proposal, at: number): NewProposal {
  return {
    kind: proposal.change.kind,
    title: titleOf(proposal.change),
    at,
    changeHash: changeHash(proposal.change),
    basisHash: basisHash(proposal.basis),
    payload: proposal as unknown as Record<string, unknown>,
  };
}

export function fromRecord(record: ProposalRecord): Proposal {
  return record.payload as unknown as Proposal;
}

/** Whether what it would change is still what it was proposed for. */
export function isStale(record: ProposalRecord, skills: Skills): boolean {
  return basisHash(basisOf(fromRecord(record).change, skills)) !== record.basisHash;
}

const TITLES: Readonly<Record<ChangeKind, (save: string, archived: string) => string>> = {
  create: (save) => `Create ${save}`,
  guide: (save) => `Write a guide: ${save}`,
  improve: (save) => `Improve ${save}`,
  merge: (save, archived) => `Merge ${archived} into ${save}`,
  link: (save) => `Link ${save} to related skills`,
  archive: (_, archived) => `Archive ${archived}`,
};

export function titleOf({ kind, save, archives }: Change): string {
  const archived =
    kind === "archive"
      ? archives.map(({ name, into }) => `${name} (${into} says the same)`)
      : archives.map(({ name }) => name);
  return TITLES[kind](save?.name ?? "", archived.join(", "));
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
