// What an agent or a person does with learned skills: save, delete, rename, restore, undo, pin, and look at their past.
// Every change is a version, made whole or not at all.

import { join, resolve } from "node:path";
import { DISK, type Files } from "../disk/disk.ts";
import type { JournalStore, NewEvent } from "../journal/journal.ts";
import type { Library } from "../library/library.ts";
import type { Awaitable } from "../model/awaitable.ts";
import type { Clock } from "../model/clock.ts";
import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type PackageFile, packageDigest, writeNewPackage } from "../package/package.ts";
import { firstOf } from "../text/lists.ts";
import { changeEvent } from "./change-event.ts";
import { learnedName } from "./checks.ts";
import { Drafts, type LearnedStep, type Notice, type SaveRequest } from "./drafts.ts";
import { type ArchivedSkill, type HistoryOptions, type HistoryReport, SkillHistory } from "./history.ts";
import type { LanguageModel } from "./language-model.ts";
import { type PlaceNeeds, SkillPlaces } from "./places.ts";
import { type CreatedSkill, type CreateOptions, scaffold } from "./scaffold.ts";
import { similarNotices } from "./similar.ts";
import { contentOf, type SkillContent } from "./skill-content.ts";
import { type StarterFate, type StarterProvider, seedStarter } from "./starters.ts";
import { SUMMARY_REASON, Summaries } from "./summaries.ts";
import { FOUND_ON_DISK, lastChange, lastUndone, placeSteps } from "./undo-stack.ts";
import { placeOf, type SkillPlace, type VersionRecord } from "./version-store.ts";
import {
  type BesidePackage,
  type ChangeStore,
  type PackageSurroundings,
  type SkillChange,
  SkillVersions,
} from "./versions.ts";
import { withWaiting } from "./waiting.ts";

export interface LearnedNeeds extends PlaceNeeds {
  /** The library as it is known now. */
  readonly library: () => Promise<Library>;
  /** Reads the library again after a change of these folders of skills. */
  readonly refresh: (changed: readonly string[]) => Promise<unknown>;
  /** The names of the skills that recall finds for a message, at most `limit` and their duplicates. */
  readonly recall: (message: string, limit: number) => Promise<readonly SkillName[]>;
  readonly store: ChangeStore & { readonly journal: Pick<JournalStore, "append" | "tallies"> };
  readonly clock: Clock;
  /** Whether the configuration lets this agent, perhaps without a name, save, change or delete a skill of this name; all may unless given. */
  readonly mayWrite?: ((agent: string | undefined, name: SkillName) => boolean) | undefined;
  readonly files?: Files | undefined;
  /** What is known about packages outside their folders. */
  readonly surroundings?: PackageSurroundings | undefined;
  /** Asked for summaries in the background, if there is one. */
  readonly model?: (() => Promise<LanguageModel | undefined>) | undefined;
}

/** Who makes a change, and why. */
export interface Attribution {
  /** `person`, `agent`, `agent:reviewer`, `dream`; a person unless given. */
  readonly author?: string | undefined;
  readonly reason?: string | undefined;
}

/** What was done with one skill. */
export interface Changed {
  readonly name: SkillName;
  readonly result:
    | "created"
    | "updated"
    | "unchanged"
    | "archived"
    | "renamed"
    | "restored"
    | "undone"
    | "redone";
  readonly path: string;
  /** Absent if nothing changed. */
  readonly version?: string | undefined;
  /** The changes that `undo` takes back together. */
  readonly batch?: string | undefined;
  /** Why, as the history has it. */
  readonly reason?: string | undefined;
  readonly digest?: string | undefined;
  readonly summary?: string | undefined;
  readonly notices: readonly Notice[];
}

/** A package to be written as it is; without files it is removed. */
export interface PlacedPackage {
  readonly name: SkillName;
  /** The folder of skills that it belongs to. */
  readonly root: string;
  readonly files: readonly PackageFile[];
  readonly beside?: BesidePackage | null | undefined;
}

/** How many skills the reason of an undo names. */
const NAMED = 3;

export class LearnedSkills {
  private readonly needs: LearnedNeeds;
  private readonly places: SkillPlaces;
  private readonly versions: SkillVersions;
  private readonly past: SkillHistory;
  private readonly summaries: Summaries;
  private readonly files: Files;

  constructor(needs: LearnedNeeds) {
    const { store, clock, library, surroundings, files = DISK } = needs;
    this.needs = needs;
    this.files = files;
    this.places = new SkillPlaces(needs);
    this.versions = new SkillVersions({ store, files, clock, places: this.places, surroundings });
    this.past = new SkillHistory({
      library,
      store: store.versions,
      versions: this.versions,
      places: this.places,
    });
    this.summaries = new Summaries(this.versions, needs.model);
  }

  /**
   * Creates or updates a learned skill. Nothing is written if the name or the content is refused.
   *
   * @example
   * await skills.learned.save({ name: "plan-meeting", content: "Finds a time.\n\n1. Ask who comes.\n" });
   */
  async save(request: SaveRequest): Promise<Changed> {
    const [changed] = await this.batch([{ save: request }], request);
    return changed!;
  }

  /**
   * Archives a learned skill: its versions are kept, and `restore` brings it back.
   *
   * @example
   * await skills.learned.delete("plan-meeting", { reason: "not needed any more" });
   */
  async delete(
    name: string,
    options: Attribution & { readonly into?: SkillName | undefined } = {},
  ): Promise<Changed> {
    const [changed] = await this.batch([{ archive: name, into: options.into }], options);
    return changed!;
  }

  /**
   * Makes several steps as one change: all or none, undone together.
   *
   * @example
   * await skills.learned.batch([
   *   { save: { name: "meetings", content: "Plans and records meetings.\n" } },
   *   { archive: "plan-meeting", into: "meetings" },
   * ]);
   */
  async batch(steps: readonly LearnedStep[], by: Attribution = {}): Promise<Changed[]> {
    const { author = "person", reason } = by;
    const checked = await Promise.all(steps.map((step) => similarNotices(step, this.needs)));
    const unsummarised: VersionRecord[] = [];
    const changed = await this.change(async (drafts) => {
      const made = await drafts.steps(steps, author);
      const changes = made.flatMap(({ change }) => change ?? []);
      const records = await this.versions.apply(changes, { author, reason });
      return made.map(({ change, notices, result, place, summary }, at) => {
        const version = change && records.find(({ name }) => name === place.name);
        if (version && summary?.wanted) unsummarised.push(version);
        return this.changed(place, result, {
          version,
          notices: [...checked[at]!, ...notices],
          summary: summary?.text,
        });
      });
    });
    for (const version of unsummarised) this.summaries.improve(version);
    return changed;
  }

  /**
   * Writes whole packages as they are, or removes them, as one change. `plan` is called when nobody else changes skills, and may
   * refuse.
   *
   * @example
   * const root = `${home}/.repertoire/skills`;
   * const files = [{ path: "SKILL.md", bytes: new TextEncoder().encode("Greets people.\n\nSay hello.\n") }];
   * await skills.learned.place(() => [{ name: "greet", root, files }]);
   */
  async place(plan: () => Awaitable<readonly PlacedPackage[]>, by: Attribution = {}): Promise<Changed[]> {
    const { author = "person", reason } = by;
    return this.change(async () => {
      const packages = await plan();
      const changes = packages.map(({ name, root, files, beside }): SkillChange => {
        const place = this.places.at(root, name);
        return { place, action: files.length > 0 ? "save" : "delete", files, beside };
      });
      const isThere = changes.map(({ place }) => this.versions.onDisk(place).length > 0);
      const records = await this.versions.apply(changes, { author, reason });
      return records.map((version, at) => {
        const written = isThere[at] ? "updated" : "created";
        return this.changed(placeOf(version), version.files.length > 0 ? written : "archived", { version });
      });
    });
  }

  /**
   * The files of a package as a version kept them whose digest is the given one; undefined if no version did.
   *
   * @example
   * const place = { name: "greet", root: `${home}/.repertoire/skills` };
   * const files = await skills.learned.filesWithDigest(place, "cd3ea8cc27f1e306");
   */
  async filesWithDigest(
    { name, root }: Pick<PlacedPackage, "name" | "root">,
    digest: string,
  ): Promise<readonly PackageFile[] | undefined> {
    for (const version of await this.versions.history(this.places.at(root, name))) {
      const marks = version.files.map(({ path, sha256, executable }) => [
        path,
        sha256 + (executable ? "+x" : ""),
      ]);
      if (packageDigest(Object.fromEntries(marks)) === digest) return this.versions.filesOf(version);
    }
    return undefined;
  }

  /**
   * Says why these steps would be refused now; undefined if they would be made. Changes nothing.
   *
   * @example
   * const why = await skills.learned.refusalOf([{ save: { name: "plan-meeting", content: "" } }]);
   */
  async refusalOf(
    steps: readonly LearnedStep[],
    { author = "person" }: Attribution = {},
  ): Promise<RepertoireError | undefined> {
    try {
      await this.exclusive((drafts) => drafts.steps(steps, author));
      return undefined;
    } catch (error) {
      if (isRepertoireError(error)) return error;
      throw error;
    }
  }

  /**
   * Gives a learned skill another name. The old name leads to the new one.
   *
   * @example
   * await skills.learned.rename("plan-meeting", "meetings/plan");
   */
  async rename(from: string, to: string, by: Attribution = {}): Promise<Changed> {
    const { author = "person", reason } = by;
    const [changed] = await this.change(async (drafts) => {
      const { changes, place } = await drafts.rename(from, learnedName(to), author);
      const [version] = await this.versions.apply(changes, { author, reason });
      return [this.changed(place, "renamed", { version })];
    });
    return changed!;
  }

  /**
   * Brings back an archived skill, or an earlier version of a skill.
   *
   * @example
   * await skills.learned.delete("plan-meeting");
   * await skills.learned.restore("plan-meeting");
   */
  async restore(
    name: string,
    options: Attribution & { readonly version?: string | undefined } = {},
  ): Promise<Changed> {
    const { author = "person", reason } = options;
    const [changed] = await this.change(async () => {
      const restored = await this.past.toRestore(name, options.version);
      const change: SkillChange = {
        place: placeOf(restored),
        action: "restore",
        files: await this.versions.filesOf(restored),
        data: { restores: restored.id },
        beside: await this.past.knownWhenDeleted(placeOf(restored)),
      };
      const [version] = await this.versions.apply([change], { author, reason });
      return [this.changed(change.place, "restored", { version })];
    });
    return changed!;
  }

  /**
   * Takes back the last change, the last change of the named skill, or the batch or version with this id. The next undo takes
   * back the change before it; `redo` makes it again.
   *
   * @example
   * const [undone] = await skills.learned.undo("plan-meeting");
   */
  async undo(target?: string, by: Attribution = {}): Promise<Changed[]> {
    const { author = "person" } = by;
    return this.change(async () => {
      const undone = await this.versionsToUndo(target);
      const reason = by.reason ?? stepInWords("undo", undone);
      const records = await this.versions.apply(await this.versions.undoChanges(undone), { author, reason });
      return records.map((version) => this.changed(placeOf(version), "undone", { version }));
    });
  }

  /**
   * Makes the change again that was taken back last, of the named skill if one is named.
   *
   * @example
   * await skills.learned.undo();
   * const [redone] = await skills.learned.redo();
   */
  async redo(name?: string, by: Attribution = {}): Promise<Changed[]> {
    const { author = "person" } = by;
    return this.change(async () => {
      const redone = await this.versionsToRedo(name);
      const reason = by.reason ?? stepInWords("redo", redone);
      const records = await this.versions.apply(await this.versions.redoChanges(redone), { author, reason });
      return records.map((version) => this.changed(placeOf(version), "redone", { version }));
    });
  }

  /**
   * The versions that `undo` would take back now, or `redo` make again, newest first.
   *
   * @example
   * const [last] = await skills.learned.next("undo");
   */
  async next(step: "undo" | "redo", target?: string): Promise<readonly VersionRecord[]> {
    return this.versions.exclusive(() =>
      step === "undo" ? this.versionsToUndo(target) : this.versionsToRedo(target),
    );
  }

  /**
   * Protects a skill from changes by agents and dreams, or ends the protection.
   *
   * @example
   * await skills.learned.pin("plan-meeting", true);
   */
  async pin(name: string, on: boolean, by: Attribution = {}): Promise<Changed> {
    const { author = "person", reason } = by;
    const [changed] = await this.change(async (drafts) => {
      const { place, change } = await drafts.pin(name, on);
      const [version] = await this.versions.apply(change ? [change] : [], { author, reason });
      return [this.changed(place, version ? "updated" : "unchanged", { version })];
    });
    return changed!;
  }

  /**
   * Writes starters that are new, updates those that nobody has changed, and leaves edited and deleted ones alone.
   *
   * @example
   * const starter = { name: "greet", version: "1", content: "Greets people.\n\nSay hello.\n" };
   * const fates = await skills.learned.seed([{ id: "host", skills: () => [starter] }]);
   */
  async seed(providers: readonly StarterProvider[]): Promise<{ name: SkillName; fate: StarterFate }[]> {
    const { versions, places } = this;
    const fates: { name: SkillName; fate: StarterFate }[] = [];
    for (const provider of providers) {
      for (const starter of await provider.skills()) {
        const fate = await this.exclusive((drafts) =>
          seedStarter(starter, provider, { drafts, versions, places }),
        );
        fates.push({ name: starter.name, fate });
      }
    }
    return fates;
  }

  /**
   * Makes a new skill from a template, by default in the project. It has no version until its first change.
   *
   * @example
   * const { directory } = await skills.learned.create("plan-meeting", { template: "basic" });
   */
  async create(spelling: string, options: CreateOptions): Promise<CreatedSkill> {
    const { name, files } = scaffold(spelling, options);
    const root =
      options.to === undefined
        ? this.places.rootForNew(options.user ? "user" : "project")
        : resolve(this.needs.project, options.to);
    const directory = join(root, name);
    const written = writeNewPackage(directory, files);
    await this.needs.refresh([directory]);
    return { name, directory, files: written, source: this.places.sourceOf(directory) };
  }

  /**
   * The name under which a skill can be found now: that of the skill which is meant, else the name that an old one leads to.
   *
   * @example
   * await skills.learned.currentName("plan-meeting"); // "meetings/plan"
   */
  async currentName(spelling: string): Promise<string> {
    const library = await this.needs.library();
    return library.find(spelling)?.name ?? this.needs.store.redirects.resolve(lookupKey(spelling));
  }

  /**
   * The versions of a skill, newest first, and what its state is.
   *
   * @example
   * const { versions, state } = await skills.learned.history("plan-meeting", { diff: true, limit: 3 });
   */
  async history(name: string, options: HistoryOptions = {}): Promise<HistoryReport> {
    return this.past.report(name, options);
  }

  /**
   * What a version changed, file by file, as a patch.
   *
   * @example
   * const [newest] = (await skills.learned.history("plan-meeting")).versions;
   * const patch = newest && (await skills.learned.diff(newest));
   */
  async diff(version: VersionRecord): Promise<string> {
    return this.past.diff(version);
  }

  /**
   * The names that have a history here, of deleted skills too.
   *
   * @example
   * for (const name of await skills.learned.names()) console.log(name);
   */
  async names(): Promise<SkillName[]> {
    return this.past.names();
  }

  /**
   * The newest versions of skills that were deleted and can be restored, by name.
   *
   * @example
   * const names = (await skills.learned.archived()).map(({ name }) => name);
   */
  async archived(): Promise<ArchivedSkill[]> {
    return this.past.archived();
  }

  /**
   * A file of a version's skill as it is on disk now; undefined if there is none, or none that can be read.
   *
   * @example
   * const [newest] = (await skills.learned.history("plan-meeting")).versions;
   * const bytes = newest && skills.learned.fileNow(newest, "SKILL.md");
   */
  fileNow(version: VersionRecord, path: string): Uint8Array | undefined {
    return this.versions.fileNow(placeOf(version), path);
  }

  /**
   * A skill of any source with its whole SKILL.md, read from disk now.
   *
   * @example
   * const skill = await skills.library.find("plan-meeting");
   * const { content, digest } = await skills.learned.text(skill);
   */
  async text(skill: Skill): Promise<SkillContent> {
    const tallies = await this.needs.store.journal.tallies(skill.name);
    const lastUsedAt = Math.max(0, ...tallies.map((tally) => tally.lastUsedAt));
    return contentOf(skill, { files: this.files, learned: this.places.isLearned(skill), lastUsedAt });
  }

  /**
   * What is known about a skill whose files are exactly as they were last saved here; undefined for any other.
   *
   * @example
   * const skill = await skills.library.find("plan-meeting");
   * const saved = await skills.learned.savedHere(skill, {});
   */
  async savedHere(
    { name, directory }: Skill,
    files: Readonly<Record<string, string>>,
  ): Promise<{ readonly beforeSummary?: string | undefined } | undefined> {
    const place = this.places.both(name).find((each) => this.places.directory(each) === directory);
    const [head, parent] = place ? await this.versions.history(place) : [];
    // What came from elsewhere was not saved here, whoever put it there.
    if (head?.data?.before ?? head?.data?.beside) return undefined;
    if (!head || head.reason === FOUND_ON_DISK || head.files.length !== Object.keys(files).length)
      return undefined;
    const isSame = head.files.every(
      ({ path, sha256, executable }) => files[path] === `${sha256}${executable ? "+x" : ""}`,
    );
    if (!isSame) return undefined;
    const isSummary = head.reason === SUMMARY_REASON && head.author.startsWith("model:");
    return { beforeSummary: isSummary && parent && head.parent === parent.id ? parent.digest : undefined };
  }

  /**
   * Waits for summaries that a language model is still writing.
   *
   * @example
   * await skills.learned.settled();
   */
  async settled(): Promise<void> {
    await this.summaries.settled();
  }

  private async versionsToUndo(target: string | undefined): Promise<readonly VersionRecord[]> {
    const { versions } = this.needs.store;
    if (target === undefined) return this.withEdits(() => lastChange(this.past));
    const name = lookupKey(target);
    await this.versions.adoptEdits(await this.past.places(name));
    const batch = await versions.list({ batch: target });
    if (batch.length > 0) return batch;
    const version = await versions.get(target);
    if (version) return version.batch ? versions.list({ batch: version.batch }) : [version];
    return lastChange(this.past, name);
  }

  private versionsToRedo(name: string | undefined): Promise<readonly VersionRecord[]> {
    return this.withEdits(() => lastUndone(this.past, name === undefined ? undefined : lookupKey(name)));
  }

  /** Asks again if skills of the answer were edited by hand. Edits of other skills do not change the answer. */
  private async withEdits(ask: () => Promise<VersionRecord[]>): Promise<VersionRecord[]> {
    const found = await ask();
    const places = placeSteps(found).map(({ place }) => place);
    return (await this.versions.adoptEdits(places)) > 0 ? ask() : found;
  }

  private async change(work: (drafts: Drafts) => Promise<Changed[]>): Promise<Changed[]> {
    const changed = await this.journalled(await this.exclusive(work));
    return withWaiting(changed, this.needs.store.versions);
  }

  /**
   * Runs the work while nobody else changes skills, and scans afterwards. No scan is needed before: drafts read the files
   * that they change from disk, and the library notices skills that were added or removed.
   */
  private async exclusive<T>(work: (drafts: Drafts) => Promise<T>): Promise<T> {
    const { library, refresh, store, clock, mayWrite = () => true } = this.needs;
    const { versions, places, files } = this;
    let done: T;
    try {
      done = await versions.exclusive(async () => {
        const parts = { versions, places, redirects: store.redirects, clock, files, mayWrite };
        return work(new Drafts({ ...parts, library: await library() }));
      });
    } catch (error) {
      if (isRepertoireError(error) || codeOf(error) === "") throw error;
      throw new RepertoireError(
        "change-failed",
        `Nothing was changed: ${messageOf(error)}. Fix this and try again.`,
        codeOf(error),
      );
    }
    try {
      await refresh(versions.takeTouched());
    } catch (error) {
      // The change is made. Whoever reads the library next meets the same error, and tells it.
      if (codeOf(error) === "") throw error;
    }
    return done;
  }

  /** Records the changes in the journal. A journal that fails adds a notice; the changes are made. */
  private async journalled(changed: Changed[]): Promise<Changed[]> {
    try {
      const events = await Promise.all(changed.map(({ version }) => this.eventFor(version)));
      await this.needs.store.journal.append(events.flatMap((event) => event ?? []));
      return changed;
    } catch (error) {
      const notice = { code: "journal-failed", message: `The journal was not written: ${messageOf(error)}.` };
      return changed.map((each) => ({ ...each, notices: [...each.notices, notice] }));
    }
  }

  private async eventFor(id: string | undefined): Promise<NewEvent | undefined> {
    const made = id === undefined ? undefined : await this.versions.withParent(id);
    return made && changeEvent(made.version, made.parent);
  }

  private changed(
    place: SkillPlace,
    result: Changed["result"],
    facts: {
      readonly version?: VersionRecord | undefined;
      readonly notices?: readonly Notice[];
      readonly summary?: string | undefined;
    },
  ): Changed {
    const { version, notices = [], summary } = facts;
    return {
      name: place.name,
      result,
      path: this.places.directory(place),
      version: version?.id,
      batch: version?.batch,
      reason: version?.reason,
      digest: version?.digest,
      summary,
      notices,
    };
  }
}

function stepInWords(step: "undo" | "redo", versions: readonly VersionRecord[]): string {
  return `${step} of ${versions[0]!.action} (${firstOf([...new Set(versions.map(({ name }) => name))], NAMED)})`;
}
