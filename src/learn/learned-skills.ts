// Owns what an agent or a person does with learned skills: save, read, delete, rename, restore, undo, pin, history.
// Composes parse, inspect and learn over a Store. How a change survives a crash is `learn/version-book.ts`'s, what a
// saved file says is `lessons/drafts.ts`'s.

import { DISK, type Files } from "../disk/disk.ts";
import type { Repertoire } from "../engine/engine.ts";
import type { Clock } from "../model/clock.ts";
import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Store } from "../stores/stores.ts";
import { Drafts, type SaveRequest } from "./drafts.ts";
import { History } from "./history.ts";
import { journalled } from "./journalled.ts";
import type { LanguageModel } from "./language-model.ts";
import { findNearDuplicates } from "./near-duplicates.ts";
import { LessonPlaces } from "./places.ts";
import { learnedName } from "./skill-name.ts";
import { Starters } from "./starter-writer.ts";
import type { StarterFate, StarterProvider } from "./starters.ts";
import { SummaryWriter } from "./summary-writer.ts";
import { type Change, VersionBook } from "./version-book.ts";
import { type Place, placeOf } from "./version-place.ts";
import type { VersionRecord } from "./version-store.ts";
import { checkUndo, lastChange, undoSteps } from "./version-undo.ts";

export type { SaveRequest } from "./drafts.ts";

/** Something that the caller should know although the change was made. */
export interface Notice {
  readonly code: string;
  readonly message: string;
}

export interface Changed {
  readonly name: SkillName;
  readonly result: "created" | "updated" | "unchanged" | "archived" | "renamed" | "restored" | "undone";
  readonly path: string;
  /** Absent when nothing changed. */
  readonly version?: string;
  /** What `undo` takes back together. */
  readonly batch?: string;
  readonly digest?: string;
  readonly summary?: string;
  readonly notices: readonly Notice[];
}

/** One step of a batch: a save, or an archiving that names what absorbed the skill. */
export type LessonStep =
  | { readonly save: SaveRequest }
  | { readonly archive: string; readonly into?: SkillName };

export interface By {
  /** `person`, `agent`, `agent:reviewer`, `dream`. */
  readonly author?: string;
  readonly reason?: string;
}

export interface LessonsOptions {
  readonly files?: Files;
  readonly clock?: Clock;
  /** Asked for summaries in the background, when there is one. */
  readonly model?: () => Promise<LanguageModel | undefined>;
  /** Skills that say nearly the same; by default looked for with recall. */
  readonly nearDuplicates?: (name: SkillName, description: string) => Promise<readonly SkillName[]>;
}

export class Lessons {
  readonly history: History;
  private readonly engine: Repertoire;
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly book: VersionBook;
  private readonly places: LessonPlaces;
  private readonly drafts: Drafts;
  private readonly starters: Starters;
  private readonly summaries: SummaryWriter;
  private readonly nearDuplicates: NonNullable<LessonsOptions["nearDuplicates"]>;

  constructor(engine: Repertoire, store: Store, options: LessonsOptions = {}) {
    this.engine = engine;
    this.store = store;
    this.clock = options.clock ?? engine.options.clock ?? { now: () => new Date() };
    this.places = new LessonPlaces(engine);
    const { roots } = this.places;
    const files = options.files ?? DISK;
    this.book = new VersionBook({ store, files, clock: this.clock, roots });
    this.drafts = new Drafts({
      engine,
      book: this.book,
      places: this.places,
      clock: this.clock,
      files,
      redirects: store.redirects,
    });
    this.starters = new Starters({ engine, book: this.book, places: this.places, drafts: this.drafts });
    this.history = new History({ engine, store, book: this.book, places: this.places });
    this.summaries = new SummaryWriter({ book: this.book, ...(options.model && { model: options.model }) });
    this.nearDuplicates =
      options.nearDuplicates ?? ((name, description) => findNearDuplicates(engine, { name, description }));
  }

  /** Creates or updates a learned skill. Nothing is written when the name or the content is refused. */
  async save(request: SaveRequest): Promise<Changed> {
    const [changed] = await this.batch([{ save: request }], {
      ...(request.author !== undefined && { author: request.author }),
      ...(request.reason !== undefined && { reason: request.reason }),
    });
    return changed!;
  }

  /** Archives a learned skill: its versions stay, and `restore` brings it back. */
  async delete(name: string, options: By & { readonly into?: SkillName } = {}): Promise<Changed> {
    const { into, ...by } = options;
    const [changed] = await this.batch([{ archive: name, ...(into !== undefined && { into }) }], by);
    return changed!;
  }

  /** Several steps as one change: all or none, undone together. */
  async batch(steps: readonly LessonStep[], by: By = {}): Promise<Changed[]> {
    const author = by.author ?? "person";
    const checked = await Promise.all(steps.map((step) => this.noticesFor(step)));
    const saved: VersionRecord[] = [];
    const changed = await this.changing(async () => {
      const drafts = [];
      for (const [at, step] of steps.entries()) {
        const draft =
          "save" in step
            ? await this.drafts.save({ ...step.save, author })
            : await this.drafts.archive(step.archive, { author, into: step.into });
        drafts.push({ ...draft, notices: [...checked[at]!, ...draft.notices] });
      }
      const records = await this.apply(
        drafts.flatMap(({ change }) => change ?? []),
        { author, ...(by.reason !== undefined && { reason: by.reason }) },
      );
      return drafts.map(({ change, notices, result, place, summary }) => {
        const version = change && records.find(({ name }) => name === place.name);
        if (version && summary?.wanted) saved.push(version);
        return this.changed(place, {
          result,
          notices,
          ...(version && { version }),
          ...(summary && { summary: summary.text }),
        });
      });
    });
    for (const version of saved) this.summaries.improve(version);
    return changed;
  }

  /** Gives a learned skill another name; the old one leads to it from now on. */
  async rename(from: string, to: string, by: By = {}): Promise<Changed> {
    const author = by.author ?? "person";
    return this.changing(async () => {
      const { changes, place } = await this.drafts.rename(from, learnedName(to), author);
      const [record] = await this.apply(changes, { author, ...by });
      return this.changed(place, { result: "renamed", notices: [], version: record! });
    });
  }

  /** Brings back an archived skill, or an earlier version of one. */
  async restore(name: string, options: By & { readonly version?: string } = {}): Promise<Changed> {
    const { version: wanted, ...by } = options;
    return this.changing(async () => {
      const version = await this.history.toRestore(name, wanted);
      const change: Change = {
        place: placeOf(version),
        action: "restore",
        files: await this.book.filesOf(version),
        data: { restores: version.id },
      };
      const [record] = await this.apply([change], { author: "person", ...by });
      return this.changed(change.place, { result: "restored", notices: [], version: record! });
    });
  }

  /** Takes back the last change, or the last one of a skill, or the batch or version of this id. Can itself be undone. */
  async undo(target?: string, by: By = {}): Promise<Changed[]> {
    return this.changing(async () => {
      const undone = await this.changesToUndo(target);
      const changes: Change[] = [];
      for (const step of undoSteps(undone)) {
        checkUndo(step, await this.book.head(step.place));
        const to = step.to === undefined ? undefined : await this.store.versions.get(step.to);
        const data = { undoes: step.undoes.id, ...(to?.data?.to !== undefined && { to: to.data.to }) };
        changes.push({ place: step.place, action: "undo", files: await this.book.filesOf(to), data });
      }
      const records = await this.apply(changes, { author: "person", reason: describeUndo(undone), ...by });
      return records.map((version) =>
        this.changed(placeOf(version), { result: "undone", notices: [], version }),
      );
    });
  }

  /** Keeps dreams and agents from changing a skill, or lets them again. */
  async pin(name: string, on: boolean, by: By = {}): Promise<Changed> {
    return this.changing(async () => {
      const { place, change } = await this.drafts.pin(name, on);
      const [version] = change ? await this.apply([change], { author: "person", ...by }) : [];
      const result = version ? "updated" : "unchanged";
      return this.changed(place, { result, notices: [], ...(version && { version }) });
    });
  }

  /** Where an old name leads: itself when nowhere. */
  async resolve(name: string): Promise<SkillName> {
    return this.store.redirects.resolve(lookupKey(name));
  }

  /** Writes starters that are new, lets untouched ones follow, and leaves edited and deleted ones alone. */
  async seed(providers: readonly StarterProvider[]): Promise<{ name: SkillName; fate: StarterFate }[]> {
    const fates: { name: SkillName; fate: StarterFate }[] = [];
    for (const provider of providers) {
      for (const starter of await provider.skills()) {
        fates.push({
          name: starter.name,
          fate: await this.changing(() => this.starters.seed(starter, provider)),
        });
      }
    }
    return fates;
  }

  /** Waits for summaries that are still being written. */
  async settled(): Promise<void> {
    await this.summaries.settled();
  }

  private async noticesFor(step: LessonStep): Promise<Notice[]> {
    if (!("save" in step)) return [];
    const name = learnedName(step.save.name);
    if (this.engine.library.skills.has(name)) return [];
    const description = this.drafts.descriptionOf(step.save);
    try {
      const similar = await this.nearDuplicates(name, description);
      if (similar.length === 0) return [];
      const message = `"${name}" says nearly the same as ${similar.map((each) => `"${each}"`).join(", ")}. Consider updating that one instead, and deleting this.`;
      return [{ code: "near-duplicate", message }];
    } catch (error) {
      return [
        { code: "duplicates-unchecked", message: `Similar skills were not looked for: ${messageOf(error)}.` },
      ];
    }
  }

  private async changesToUndo(target: string | undefined): Promise<readonly VersionRecord[]> {
    await this.book.adoptEdits(await this.history.places(target));
    if (target === undefined) return lastChange(await this.history.known({}));
    const batch = await this.store.versions.list({ batch: target });
    if (batch.length > 0) return batch;
    const version = await this.store.versions.get(target);
    if (version) return version.batch ? this.store.versions.list({ batch: version.batch }) : [version];
    return lastChange(await this.history.known({ name: lookupKey(target) }));
  }

  private async apply(changes: readonly Change[], by: By & { author: string }): Promise<VersionRecord[]> {
    if (changes.length === 0) return [];
    const batch = this.book.newId();
    return this.book.apply(changes, { author: by.author, reason: by.reason, batch });
  }

  /** Work under the lock; afterwards the library is read again and the journal told. */
  private async changing<T extends Changed | Changed[] | StarterFate>(work: () => Promise<T>): Promise<T> {
    try {
      const done = await this.book.exclusive(async () => {
        await this.engine.refresh();
        return work();
      });
      await this.engine.refresh();
      return (await journalled(this.store, done)) as T;
    } catch (error) {
      if (isRepertoireError(error) || codeOf(error) === "") throw error;
      throw new RepertoireError(
        "change-failed",
        `Nothing was changed: ${messageOf(error)}. Mend the cause, then try again.`,
        codeOf(error),
      );
    }
  }

  private changed(
    place: Place,
    facts: Pick<Changed, "result" | "notices" | "summary"> & { readonly version?: VersionRecord },
  ): Changed {
    const { version, ...rest } = facts;
    return {
      name: place.name,
      path: this.places.directory(place),
      ...rest,
      ...(version && { version: version.id }),
      ...(version?.batch && { batch: version.batch }),
      ...(version?.digest && { digest: version.digest }),
    };
  }
}

function describeUndo(undone: readonly VersionRecord[]): string {
  const names = [...new Set(undone.map(({ name }) => name))].join(", ");
  return `undo of ${undone[0]!.action} (${names})`;
}
