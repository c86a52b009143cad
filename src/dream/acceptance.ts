// Owns deciding proposals: accepting them as one batch that a crash cannot split, rejecting, and settling after a crash.
// Composes the dream stage with learned skills and the store. How files survive is `learn/version-book.ts`'s.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LearnedSkills, LearnedStep, VersionRecord } from "../learn/learn.ts";
import type { Clock } from "../model/clock.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Store } from "../stores/stores.ts";
import { collide, type Refusal, refuse, touchedBy } from "./changes.ts";
import type { Evidence } from "./evidence.ts";
import { gate, messagesToTry } from "./gate.ts";
import type { Gathered } from "./gather.ts";
import { objections } from "./judge.ts";
import { fromRecord, isStale } from "./proposal.ts";
import type { ProposalRecord } from "./proposal-store.ts";
import type { Rehearsal } from "./trial-library.ts";

/** Which proposals are being applied, for whoever comes after a crash. */
const PENDING = "dream.pending";
/** Versions looked through for the batch that a crash left unrecorded: more than one batch can hold. */
const LOOK_BACK = 1_000;

export interface Accepted {
  readonly accepted: readonly ProposalRecord[];
  /** What `repertoire undo` takes back together. */
  readonly batch?: string;
  readonly declined: readonly {
    readonly number: number;
    readonly title: string;
    readonly refusals: readonly Refusal[];
  }[];
}

export interface AcceptanceParts {
  readonly store: Store;
  readonly lessons: LearnedSkills;
  readonly clock: Clock;
  readonly rehearsal: Rehearsal;
}

export class Acceptance {
  private readonly parts: AcceptanceParts;

  constructor(parts: AcceptanceParts) {
    this.parts = parts;
  }

  /** Applies the proposals that still hold, all of them or none, and says why the others do not. */
  async accept(
    records: readonly ProposalRecord[],
    material: Gathered,
    evidence: Evidence,
  ): Promise<Accepted> {
    const { sound, declined } = await this.stillSound(records, { material, evidence });
    if (sound.length === 0) return { accepted: [], declined };
    const token = randomBytes(6).toString("hex");
    const numbers = sound.map(({ number }) => number);
    const { store, lessons } = this.parts;
    await store.meta.set(PENDING, JSON.stringify({ token, numbers }));
    const reason = `${sound
      .map(({ title }) => title)
      .join("; ")
      .slice(0, 200)} [dream ${token}]`;
    let changed: Awaited<ReturnType<LearnedSkills["batch"]>>;
    try {
      changed = await lessons.batch(stepsOf(sound, material), { author: "dream", reason });
    } catch (error) {
      await this.recover();
      throw error;
    }
    const batch = changed.find((one) => one.batch !== undefined)?.batch;
    const accepted = await this.decide(numbers, batch);
    await store.meta.remove(PENDING);
    return { accepted, declined, ...(batch !== undefined && { batch }) };
  }

  /** A rejected change is not proposed again as it is. */
  async reject(number: number, note?: string): Promise<ProposalRecord> {
    const at = this.parts.clock.now().getTime();
    const decided = await this.parts.store.proposals.decide(number, {
      state: "rejected",
      at,
      ...(note !== undefined && { note }),
    });
    return decided ?? this.notOpen(number);
  }

  /** After a crash: the files are settled first, then the proposals follow what became of them. */
  async recover(): Promise<void> {
    const { store, lessons } = this.parts;
    const pending = await store.meta.get(PENDING);
    if (pending === undefined) return;
    await lessons.batch([]);
    const { token, numbers } = JSON.parse(pending) as { token: string; numbers: number[] };
    const versions = await store.versions.list({ limit: LOOK_BACK });
    const ours = versions.filter(({ reason }) => reason?.endsWith(`[dream ${token}]`));
    if (ours.length > 0 && !ours.some((version) => wasTakenBack(version, versions)))
      await this.decide(numbers, ours[0]!.batch);
    await store.meta.remove(PENDING);
  }

  async notOpen(number: number): Promise<never> {
    const record = await this.parts.store.proposals.get(number);
    throw new RepertoireError(
      record ? "proposal-decided" : "proposal-not-found",
      record
        ? `Proposal ${number} is ${record.state}${record.note ? ` (${record.note})` : ""}. repertoire proposals list shows the open ones.`
        : `There is no proposal ${number}. repertoire proposals list shows what there is.`,
      number,
    );
  }

  private async decide(numbers: readonly number[], batch: string | undefined): Promise<ProposalRecord[]> {
    const at = this.parts.clock.now().getTime();
    const decided: ProposalRecord[] = [];
    for (const number of numbers) {
      const { proposals } = this.parts.store;
      const decision = { state: "accepted" as const, at, ...(batch !== undefined && { batch }) };
      // Another process that settled a crash may have decided it a moment ago.
      const record = (await proposals.decide(number, decision)) ?? (await proposals.get(number));
      if (record?.state === "accepted") decided.push(record);
    }
    return decided;
  }

  /** Guard and gate once more, now on top of each other: two changes that are fine alone may not be together. */
  private async stillSound(
    records: readonly ProposalRecord[],
    { material, evidence }: { material: Gathered; evidence: Evidence },
  ): Promise<{ sound: ProposalRecord[]; declined: Accepted["declined"] }> {
    const sound: ProposalRecord[] = [];
    const declined: { number: number; title: string; refusals: readonly Refusal[] }[] = [];
    const copy = await this.parts.rehearsal.copy(material);
    await copy.baseline(
      new Set(records.flatMap((record) => messagesToTry(fromRecord(record).change, material, evidence))),
    );
    for (const record of records) {
      const { change } = fromRecord(record);
      const refusals = isStale(record, material.byName)
        ? [await this.stale(record)]
        : [...collisions(record, sound), ...objections(change, material)];
      if (refusals.length === 0) {
        const takeBack = await copy.apply(change);
        const { before, after } = copy;
        refusals.push(
          ...(await gate({ change, material, evidence, before, after, heirs: heirsOf(sound) })).refusals,
        );
        if (refusals.length > 0) await takeBack();
      }
      if (refusals.length > 0) declined.push({ number: record.number, title: record.title, refusals });
      else sound.push(record);
    }
    return { sound, declined };
  }

  private async stale({ number }: ProposalRecord): Promise<Refusal> {
    const at = this.parts.clock.now().getTime();
    const note = "what it would change has changed since";
    await this.parts.store.proposals.decide(number, { state: "stale", at, note });
    return refuse("stale", `Proposal ${number} is stale: ${note}. Run repertoire dream again.`, []);
  }
}

function collisions(record: ProposalRecord, chosen: readonly ProposalRecord[]): Refusal[] {
  const { change } = fromRecord(record);
  const other = chosen.find((each) => collide(fromRecord(each).change, change));
  if (!other) return [];
  const message = `Proposal ${other.number} (${other.title}) changes the same skills. Accept that one, then dream again.`;
  return [refuse("touched-twice", message, touchedBy(change))];
}

function heirsOf(records: readonly ProposalRecord[]): Map<SkillName, SkillName> {
  const archives = records.flatMap((record) => fromRecord(record).change.archives);
  return new Map(archives.map(({ name, into }) => [name, into]));
}

/** Saves before archives, so that nothing goes before what absorbs it is there. */
function stepsOf(records: readonly ProposalRecord[], { byName }: Gathered): LearnedStep[] {
  const changes = records.map((record) => fromRecord(record).change);
  const saves = changes.flatMap(({ save, archives, kind }): LearnedStep[] => {
    if (!save) return [];
    const existing = byName.get(save.name);
    const { name, description, summary, seeAlso, body } = save;
    return [
      {
        save: {
          name,
          content: kind === "link" ? existing!.text : body,
          ...(description !== undefined && { description }),
          ...(summary !== undefined && { summary }),
          ...(seeAlso && { seeAlso }),
          ...(existing && { ifDigest: existing.digest }),
          files: filesOf(
            archives.map((archive) => archive.name),
            byName,
          ),
        },
      },
    ];
  });
  const archives = changes.flatMap(({ archives: all }) =>
    all.map(({ name, into }) => ({ archive: name, into })),
  );
  return [...saves, ...archives];
}

/** Support files of what is absorbed move along. */
function filesOf(names: readonly SkillName[], byName: Gathered["byName"]): Record<string, Uint8Array> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const { files, skill } = byName.get(name)!;
      return files.map((path) => [path, readFileSync(join(skill.directory, path))] as const);
    }),
  );
}

function wasTakenBack({ id }: VersionRecord, versions: readonly VersionRecord[]): boolean {
  return versions.some(({ data }) => data?.undoes === id && data.failed === true);
}
