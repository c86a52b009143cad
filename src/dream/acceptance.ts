// Decides proposals: accepts them as one batch that a crash cannot split, rejects them, and settles a crash.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readBounded } from "../disk/disk.ts";
import type { Attribution, Changed, LearnedStep, VersionRecord, VersionStore } from "../learn/learn.ts";
import { codeOf, isRepertoireError, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { PACKAGE_LIMITS } from "../package/package.ts";
import { collide, type DreamChange, type Refusal, refuse, savesOf, touchedBy } from "./changes.ts";
import { gate, prepareGate, type Review } from "./gate.ts";
import { guard } from "./guard.ts";
import type { Material } from "./material.ts";
import type { MetaStore, ProposalRecord, ProposalStore } from "./proposal.ts";
import { fromRecord, isStale, type Proposal, UNDONE, undoneSettings } from "./proposal.ts";
import { closeStale } from "./staging.ts";

/** Which proposals are being applied, for the next process after a crash. */
const PENDING = "dream.pending";
/** How skills were switched before a dream switched them off, by name. */
const SWITCHES = "dream.switches";
/** Versions searched for the batch that a crash left unrecorded: more than one batch can hold. */
const LOOK_BACK = 1_000;

/** What an undo took back. */
export interface UndoneChanges {
  readonly undone: readonly Changed[];
  /** The titles of the proposals whose settings were taken back. */
  readonly settings: readonly string[];
}

/** What an undo would take back. */
export interface NextUndo {
  readonly batch: string | undefined;
  readonly versions: readonly VersionRecord[];
  /** The proposals whose settings would be taken back. */
  readonly settings: readonly ProposalRecord[];
}

export interface Accepted {
  readonly accepted: readonly ProposalRecord[];
  /** What `repertoire undo` takes back together. */
  readonly batch?: string | undefined;
  readonly declined: readonly DeclinedProposal[];
}

/** A proposal that could not be accepted, and why. */
export interface DeclinedProposal {
  readonly number: number;
  readonly title: string;
  readonly refusals: readonly Refusal[];
}

/** What a dream does to learned skills. */
interface LearnedChanges {
  /** Makes all steps or none, to be undone together. Settles first what a crash left, even without any step. */
  batch(steps: readonly LearnedStep[], by?: Attribution): Promise<readonly Pick<Changed, "batch">[]>;
  /** Why these steps would be refused now; undefined if they would be made. */
  refusalOf(steps: readonly LearnedStep[], by?: Attribution): Promise<RepertoireError | undefined>;
  undo(target?: string, by?: Attribution): Promise<readonly Changed[]>;
  /** What `undo` would take back, newest first; fails if there is nothing. */
  next(step: "undo", target?: string): Promise<readonly VersionRecord[]>;
}

/** The person's settings, as far as a dream may propose to change them. */
interface SkillSettings {
  setEnabled(name: SkillName, on: boolean | undefined): Promise<unknown>;
  switchOf(name: SkillName): boolean | undefined;
  setLink(from: SkillName, to: SkillName, on: boolean): Promise<unknown>;
}

export interface AcceptanceNeeds {
  readonly learned: LearnedChanges;
  readonly settings: SkillSettings;
  readonly now: () => number;
  readonly store: {
    readonly proposals: ProposalStore;
    readonly meta: MetaStore;
    readonly versions: Pick<VersionStore, "list">;
  };
}

export class Acceptance {
  private readonly needs: AcceptanceNeeds;

  constructor(needs: AcceptanceNeeds) {
    this.needs = needs;
  }

  /** Applies the proposals that can be applied as one batch, and says why the others cannot. */
  async accept(records: readonly ProposalRecord[], review: Review): Promise<Accepted> {
    const checked = await this.stillSound(records, review);
    const declined = [...checked.declined];
    let sound: readonly ProposalRecord[] = checked.sound;
    while (sound.length > 0) {
      try {
        return { ...(await this.apply(sound, review)), declined };
      } catch (error) {
        await this.recover();
        const refused = isRepertoireError(error) ? await this.refusedAlone(sound, review) : [];
        if (refused.length === 0) throw error;
        declined.push(...refused);
        sound = sound.filter(({ number }) => !refused.some((each) => each.number === number));
      }
    }
    return { accepted: [], declined };
  }

  private async apply(
    sound: readonly ProposalRecord[],
    { material }: Review,
  ): Promise<Pick<Accepted, "accepted" | "batch">> {
    const token = randomBytes(6).toString("hex");
    const numbers = sound.map(({ number }) => number);
    const { store, learned } = this.needs;
    await store.meta.set(PENDING, JSON.stringify({ token, numbers }));
    const titles = sound.map(({ title }) => title).join("; ");
    const by = { author: "dream", reason: `${titles.slice(0, 200)} [dream ${token}]` };
    const changed = await learned.batch(stepsOf(sound, material), by);
    // After the files: the settings are one file that is written whole, and setting them twice does no harm.
    await this.keepSwitches(sound);
    for (const record of sound) await this.set(changeOf(record), true);
    const batch = changed.find((one) => one.batch !== undefined)?.batch ?? `dream-${token}`;
    const accepted = await this.decide(numbers, batch);
    await store.meta.remove(PENDING);
    return { accepted, batch };
  }

  /** The proposals that learned skills refuse by themselves, so that one of them does not stop the others. */
  private async refusedAlone(
    records: readonly ProposalRecord[],
    { material }: Review,
  ): Promise<DeclinedProposal[]> {
    const found: DeclinedProposal[] = [];
    for (const record of records) {
      const { number, title } = record;
      const why = await this.needs.learned.refusalOf(stepsOf([record], material), { author: "dream" });
      const names = touchedBy(changeOf(record));
      if (why) found.push({ number, title, refusals: [refuse(why.code, why.message, names)] });
    }
    return found;
  }

  private async set({ settings }: DreamChange, on: boolean): Promise<void> {
    if (!settings) return;
    if ("link" in settings) await this.needs.settings.setLink(settings.link, settings.to, on);
    else if (on) await this.needs.settings.setEnabled(settings.disable, false);
    else {
      const before = await this.switchesBefore();
      await this.needs.settings.setEnabled(settings.disable, before[settings.disable] ?? undefined);
    }
  }

  /** Remembers how skills were switched before a proposal switches them off, for the undo. */
  private async keepSwitches(records: readonly ProposalRecord[]): Promise<void> {
    const { settings, store } = this.needs;
    const kept = await this.switchesBefore();
    for (const { settings: change } of records.map(changeOf)) {
      const name = change && "disable" in change ? change.disable : undefined;
      // One that is off already was switched by this batch, before a crash.
      if (name !== undefined && settings.switchOf(name) !== false)
        kept[name] = settings.switchOf(name) ?? null;
    }
    if (Object.keys(kept).length > 0) await store.meta.set(SWITCHES, JSON.stringify(kept));
  }

  private async switchesBefore(): Promise<Record<SkillName, boolean | null>> {
    return JSON.parse((await this.needs.store.meta.get(SWITCHES)) ?? "{}");
  }

  /** Takes back what a batch changed, settings included; anything else than a batch of proposals is an undo of learned skills. */
  async undo(target?: string, by?: Attribution): Promise<UndoneChanges> {
    const { batch, versions, settings } = await this.nextUndo(target);
    const undone = versions.length > 0 ? await this.needs.learned.undo(batch, by) : [];
    for (const record of settings) await this.set(changeOf(record), false);
    const numbers = settings.map(({ number }) => number);
    const { meta } = this.needs.store;
    if (numbers.length > 0)
      await meta.set(UNDONE, JSON.stringify([...(await undoneSettings(meta)), ...numbers]));
    return { undone, settings: settings.map(({ title }) => title) };
  }

  /** What an undo would take back. Without a target it is the last change, which may be a dream's of the settings. */
  async nextUndo(target?: string): Promise<NextUndo> {
    const { store, learned } = this.needs;
    const gone = new Set(await undoneSettings(store.meta));
    const accepted = await store.proposals.list({ state: "accepted" });
    const made = accepted.filter(({ number, payload }) => isSettings(payload) && !gone.has(number));
    const newest = made.reduce<ProposalRecord | undefined>(
      (last, each) => ((each.decidedAt ?? 0) > (last?.decidedAt ?? -1) ? each : last),
      undefined,
    );
    const of = (batch: string | undefined) => made.filter((each) => each.batch === batch);
    try {
      const hasFiles = of(target).length === 0 || (await store.versions.list({ batch: target! })).length > 0;
      const versions = target === undefined || hasFiles ? await learned.next("undo", target) : [];
      const [{ at, batch } = { at: 0 }] = versions;
      const isLater = target === undefined && newest !== undefined && batch !== newest.batch;
      if (isLater && (newest.decidedAt ?? 0) > at)
        return { batch: newest.batch, versions: [], settings: of(newest.batch) };
      const settings = target !== undefined ? of(target) : batch === undefined ? [] : of(batch);
      return { batch: target ?? (settings.length > 0 ? batch : undefined), versions, settings };
    } catch (thrown) {
      if (codeOf(thrown) !== "nothing-to-undo" || target !== undefined || !newest) throw thrown;
      return { batch: newest.batch, versions: [], settings: of(newest.batch) };
    }
  }

  /** A rejected change is not proposed again as it is. */
  async reject(number: number, note?: string): Promise<ProposalRecord> {
    const decision = { state: "rejected", at: this.needs.now(), note } as const;
    return (await this.needs.store.proposals.decide(number, decision)) ?? this.notOpen(number);
  }

  /** After a crash: settles the files first; the proposals then follow what became of them. */
  async recover(): Promise<void> {
    const { store, learned } = this.needs;
    const pending = await store.meta.get(PENDING);
    if (pending === undefined) return;
    await learned.batch([]);
    const { token, numbers } = JSON.parse(pending) as { token: string; numbers: number[] };
    const versions = await store.versions.list({ limit: LOOK_BACK });
    const ours = versions.filter(({ reason }) => reason?.endsWith(`[dream ${token}]`));
    if (ours.length > 0 && !ours.some((version) => wasTakenBack(version, versions))) {
      for (const number of numbers) {
        const record = await store.proposals.get(number);
        if (record) await this.set(changeOf(record), true);
      }
      await this.decide(numbers, ours[0]!.batch);
    }
    await store.meta.remove(PENDING);
  }

  async notOpen(number: number): Promise<never> {
    const record = await this.needs.store.proposals.get(number);
    throw new RepertoireError(
      record ? "proposal-decided" : "proposal-not-found",
      record
        ? `Proposal ${number} is ${record.state}${record.note ? ` (${record.note})` : ""}. repertoire proposals list shows the open ones.`
        : `There is no proposal ${number}. repertoire proposals list shows what there is.`,
      number,
    );
  }

  private async decide(numbers: readonly number[], batch: string | undefined): Promise<ProposalRecord[]> {
    const { proposals } = this.needs.store;
    const decision = { state: "accepted", at: this.needs.now(), batch } as const;
    const decided: ProposalRecord[] = [];
    for (const number of numbers) {
      // Another process that settled a crash may have decided it a moment ago.
      const record = (await proposals.decide(number, decision)) ?? (await proposals.get(number));
      if (record?.state === "accepted") decided.push(record);
    }
    return decided;
  }

  /**
   * Guard and gate once more: two changes that are sound by themselves may not be together. The state with all of them
   * is tried first, because it is the one that will be real. Only if it loses a route are they added one by one.
   */
  private async stillSound(
    records: readonly ProposalRecord[],
    review: Review,
  ): Promise<{ sound: ProposalRecord[]; declined: Accepted["declined"] }> {
    const { material } = review;
    const refusals = new Map<ProposalRecord, Refusal[]>();
    for (const record of records) {
      const isOutdated = await isStale(record, material);
      refusals.set(
        record,
        isOutdated ? [await closeStale(record, this.needs)] : guard(changeOf(record), review),
      );
    }
    const allowed = records.filter((record) => refusals.get(record)!.length === 0);
    const areSound = await holdTogether(withoutCollisions(allowed), review);
    const sound: ProposalRecord[] = [];
    for (const record of allowed) {
      const found = collisions(record, sound);
      if (found.length === 0 && !areSound)
        found.push(...(await gate(changeOf(record), review, sound.map(changeOf))).refusals);
      refusals.set(record, found);
      if (found.length === 0) sound.push(record);
    }
    const declined = records
      .map((record) => ({ number: record.number, title: record.title, refusals: refusals.get(record)! }))
      .filter((each) => each.refusals.length > 0);
    return { sound, declined };
  }
}

/** Whether an accepted proposal changes settings, which a person decides one by one. */
export function isSettings(payload: ProposalRecord["payload"]): boolean {
  return (payload as unknown as Proposal).change.settings !== undefined;
}

function changeOf(record: ProposalRecord): DreamChange {
  return fromRecord(record).change;
}

async function holdTogether(records: readonly ProposalRecord[], review: Review): Promise<boolean> {
  const changes = records.map(changeOf);
  await prepareGate(changes, review);
  for (const change of changes) {
    const others = changes.filter((each) => each !== change);
    if ((await gate(change, review, others)).refusals.length > 0) return false;
  }
  return true;
}

/** Of proposals that change the same skills, the first. */
function withoutCollisions(records: readonly ProposalRecord[]): ProposalRecord[] {
  const chosen: ProposalRecord[] = [];
  for (const record of records) if (collisions(record, chosen).length === 0) chosen.push(record);
  return chosen;
}

function collisions(record: ProposalRecord, chosen: readonly ProposalRecord[]): Refusal[] {
  const other = chosen.find((each) => collide(changeOf(each), changeOf(record)));
  if (!other) return [];
  const message = `Proposal ${other.number} (${other.title}) changes the same skills. Accept that one, then dream again.`;
  return [refuse("touched-twice", message, touchedBy(changeOf(record)))];
}

/** Saves before archives, so that nothing goes before what absorbs it is there. */
function stepsOf(records: readonly ProposalRecord[], material: Material): LearnedStep[] {
  const changes = records.map(changeOf);
  const archives = changes.flatMap((change) => change.archives);
  const saves = savesOf(changes, material).map((save): LearnedStep => {
    const existing = material.byName.get(save.name);
    const { body, ...named } = save;
    // A link keeps the text as it is.
    const content = body === existing?.body ? existing.text : body;
    const absorbed = archives.filter(({ into }) => into === save.name).map(({ name }) => name);
    const files = filesOf(absorbed, material.byName);
    return { save: { ...named, content, ifDigest: existing?.digest, files } };
  });
  return [...saves, ...archives.map(({ name, into }) => ({ archive: name, into }))];
}

/** Support files of what is absorbed move along. */
function filesOf(names: readonly SkillName[], byName: Material["byName"]): Record<string, Uint8Array> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const { files, skill } = byName.get(name)!;
      return files.map(
        (path) =>
          [path, readBounded(join(skill.directory, path), { maxBytes: PACKAGE_LIMITS.bytes })] as const,
      );
    }),
  );
}

function wasTakenBack({ id }: VersionRecord, versions: readonly VersionRecord[]): boolean {
  return versions.some(({ data }) => data?.undoes === id && data.failed === true);
}
