// One simulated machine that changes skills: what it was asked, what it answered, and what must be there.

import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLeftover } from "../../src/disk/disk.ts";
import { SkillPlaces } from "../../src/learn/places.ts";
import type { VersionRecord } from "../../src/learn/version-store.ts";
import { type SkillChange, SkillVersions } from "../../src/learn/versions.ts";
import { codeOf } from "../../src/model/errors.ts";
import { openDatabase, type SqlDatabase } from "../../src/stores/sqlite/driver.ts";
import { openSqliteStore, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { CALM, Crash, SimulatedDisk, type Weather } from "./disk.ts";
import type { Random } from "./random.ts";

/** The database needs no disk: a power cut takes it away by hand. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const HOME = "/home";
const NAMES = ["mail", "plan", "family/one", "family/two"] as const;
const WEATHERS: readonly Weather[] = [
  CALM,
  { failBefore: 0.02, failAfter: 0, shortWrite: 0.1 },
  { failBefore: 0, failAfter: 0.02, shortWrite: 0.1 },
  { failBefore: 0.01, failAfter: 0.01, shortWrite: 0.2 },
];

/** Somebody takes away the right to look into one of them now and then, for the time of a step. */
const FOLDERS = ["", ...NAMES, "family"].map((name) => join(HOME, ".repertoire/skills", name));

/** The text of each skill's SKILL.md and its notes. */
type Skills = ReadonlyMap<string, string>;

interface Step {
  readonly what: string;
  readonly changes: (versions: SkillVersions) => Promise<SkillChange[]> | SkillChange[];
  /** The skills that are different afterwards; undefined for one that is gone. */
  readonly changed: ReadonlyMap<string, string | undefined>;
}

export class World {
  private readonly random: Random;
  private readonly disk: SimulatedDisk;
  private readonly folder = mkdtempSync(join(MEMORY, "simulation-"));
  private readonly places = new SkillPlaces({ home: HOME, project: "/project", sources: [] });
  private store: SqliteStore;
  private versions: SkillVersions;
  private now: Skills = new Map();
  /** What an undo of a batch returns to. */
  private readonly before = new Map<string, Skills>();
  private readonly acknowledged: VersionRecord[] = [];
  private hasFailingCommit = false;
  /** What happened, for the report of a failing seed. */
  readonly story: string[] = [];

  constructor(random: Random) {
    this.random = random;
    this.disk = new SimulatedDisk(random);
    [this.store, this.versions] = this.start();
  }

  dispose(): void {
    this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Does one step, or two processes a step each, in some weather; lets a sound process settle what is left; checks everything. */
  async step(): Promise<void> {
    const isPair = this.random.chance(0.15);
    const steps = isPair ? this.pair() : [await this.nextStep()];
    const other = isPair ? this.start(this.disk.process()) : undefined;
    this.disk.weather = this.random.pick(WEATHERS);
    this.hasFailingCommit = this.random.chance(0.05);
    if (this.random.chance(0.3)) this.disk.crashAfter(this.random.below(90));
    if (this.random.chance(0.15)) this.forbid(this.random.pick(FOLDERS));
    const outcomes = await Promise.all(
      steps.map((step, at) => this.attempt(step, at === 0 ? this.versions : other![1])),
    );
    this.disk.weather = CALM;
    this.disk.forbid(undefined);
    this.hasFailingCommit = false;
    this.story.push(steps.map(({ what }, at) => `${what}: ${outcomes[at]}`).join(" beside "));
    const wasCrash = this.disk.crashed;
    this.disk.crashAfter(Number.POSITIVE_INFINITY);
    other?.[0].close();
    if (wasCrash || this.random.chance(0.2)) this.restart();
    await this.versions.exclusive(() => {});
    const found = this.found();
    const allowed = steps.reduce<Skills[]>(
      (states, { changed }, at) =>
        states.flatMap((state) => {
          const after = new Map(state);
          for (const [name, text] of changed) {
            if (text === undefined) after.delete(name);
            else after.set(name, text);
          }
          const outcome = outcomes[at];
          return outcome === "done" ? [after] : outcome === "failed" ? [state] : [state, after];
        }),
      [this.now],
    );
    if (!allowed.some((skills) => same(skills, found)))
      throw new Error(`the disk holds ${tell(found)}, wanted ${allowed.map(tell).join(" or ")}`);
    if (!isPair && !same(found, this.now)) await this.remember();
    this.now = found;
    await this.check();
  }

  /** Two changes of different skills. */
  private pair(): Step[] {
    const first = this.random.below(NAMES.length);
    const second = (first + 1 + this.random.below(NAMES.length - 1)) % NAMES.length;
    return [this.saving([NAMES[first]!]), this.saving([NAMES[second]!])];
  }

  private forbid(folder: string): void {
    this.disk.forbid(folder);
    this.story.push(`no right to open ${folder}`);
  }

  private start(files = this.disk.files): [SqliteStore, SkillVersions] {
    const store = openSqliteStore({
      // The database is on a real disk, and everything else below the same path on the simulated one.
      directory: join(this.folder, ".repertoire"),
      files,
      openDatabase: (path) => this.failing(openDatabase(path)),
    });
    const clock = { now: () => new Date(0) };
    return [store, new SkillVersions({ store, files, clock, places: this.places })];
  }

  /** Lets a commit fail, before or after its effect. */
  private failing(db: SqlDatabase): SqlDatabase {
    return {
      ...db,
      exec: (sql) => {
        if (sql !== "COMMIT" || !this.hasFailingCommit) return db.exec(sql);
        this.hasFailingCommit = false;
        if (this.random.chance(0.5)) db.exec(sql);
        throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      },
    };
  }

  /** The next process; sometimes after a power cut, which may also cost the database. */
  private restart(): void {
    this.disk.restart();
    this.store.close();
    const database = join(this.folder, ".repertoire");
    const copy = join(this.folder, "copy");
    if (this.random.chance(0.5)) {
      this.disk.cutPower();
      const fate = this.random.below(3);
      this.story.push(`power cut, database ${["kept", "lost", "older"][fate]}`);
      if (fate > 0) rmSync(database, { recursive: true, force: true });
      if (fate === 2 && existsSync(copy)) cpSync(copy, database, { recursive: true });
    } else this.story.push("restart");
    if (existsSync(database)) {
      rmSync(copy, { recursive: true, force: true });
      cpSync(database, copy, { recursive: true });
    }
    [this.store, this.versions] = this.start();
  }

  private async attempt({ changes }: Step, versions: SkillVersions): Promise<"done" | "failed" | "unknown"> {
    try {
      const made = await versions.exclusive(async () =>
        versions.apply(await changes(versions), { author: "person" }),
      );
      this.acknowledged.push(...made);
      return "done";
    } catch (error) {
      if (this.disk.crashed || error instanceof Crash) return "unknown";
      if (codeOf(error) === "commit-uncertain") return "unknown";
      if (codeOf(error) === "") throw error;
      return "failed";
    }
  }

  private async nextStep(): Promise<Step> {
    const there = [...this.now.keys()];
    const kind = this.random.below(10);
    const name = this.random.pick(NAMES);
    if (kind === 0 && there.length > 0) return this.deletion(this.random.pick(there));
    if (kind === 1 && there.length > 0 && !this.now.has(name))
      return this.renaming(this.random.pick(there), name);
    if (kind === 2) return this.saving(NAMES.slice(0, 1 + this.random.below(NAMES.length)));
    if (kind === 3) {
      const last = (await this.store.versions.list({ limit: 1 }))[0];
      const back = last?.batch === undefined ? undefined : this.before.get(last.batch);
      if (back) return this.undoing(last!.batch!, back);
    }
    return this.saving([name]);
  }

  private saving(names: readonly string[]): Step {
    const changed = new Map<string, string>();
    const changes = names.map((name): SkillChange => {
      const text = `${name} ${this.random.below(1e6)}`;
      const notes = this.random.chance(0.5) ? `notes ${this.random.below(1e6)}` : undefined;
      changed.set(name, notes === undefined ? text : `${text}|${notes}`);
      const files = [{ path: "SKILL.md", bytes: Buffer.from(text) }];
      if (notes !== undefined) files.push({ path: "deep/notes.md", bytes: Buffer.from(notes) });
      return { place: { name }, action: "save", files };
    });
    return { what: `save ${names.join(", ")}`, changes: () => changes, changed };
  }

  private deletion(name: string): Step {
    const changed = new Map([[name, undefined]]);
    return {
      what: `delete ${name}`,
      changes: () => [{ place: { name }, action: "delete", files: [] }],
      changed,
    };
  }

  private renaming(from: string, to: string): Step {
    const changed = new Map([
      [to, this.now.get(from)],
      [from, undefined],
    ]);
    const changes = (versions: SkillVersions): SkillChange[] => [
      { place: { name: to }, action: "rename", files: versions.onDisk({ name: from }) },
      { place: { name: from }, action: "rename", files: [], data: { to } },
    ];
    return { what: `rename ${from} to ${to}`, changes, changed };
  }

  private undoing(batch: string, before: Skills): Step {
    const changed = new Map(
      [...NAMES]
        .filter((name) => before.get(name) !== this.now.get(name))
        .map((name) => [name, before.get(name)]),
    );
    const changes = async (versions: SkillVersions) =>
      versions.undoChanges(await this.store.versions.list({ batch }));
    return { what: "undo", changes, changed };
  }

  /** What the disk holds now. */
  private found(): Skills {
    const read = (name: string): [string, string][] => {
      const files = this.versions.onDisk({ name });
      const texts = files.map(({ bytes }) => Buffer.from(bytes).toString());
      return files.length === 0 ? [] : [[name, texts.join("|")]];
    };
    return new Map([...NAMES].flatMap(read));
  }

  /** Keeps what an undo of the newest batch returns to. */
  private async remember(): Promise<void> {
    const [last] = await this.store.versions.list({ limit: 1 });
    if (last?.batch !== undefined && !this.before.has(last.batch)) this.before.set(last.batch, this.now);
  }

  private async check(): Promise<void> {
    const { versions } = this.store;
    if ((await versions.pending()).length > 0) throw new Error("a change is still under way");
    for (const { id, name } of this.acknowledged)
      if ((await versions.get(id)) === undefined) throw new Error(`version ${id} of ${name} is lost`);
    const all = await versions.list({});
    for (const version of all) {
      if (version.reason === "found on disk") throw new Error(`${version.name} counts as edited outside`);
      await this.versions.filesOf(version);
    }
    for (const head of await versions.heads()) {
      if (!this.versions.isRecorded(head)) throw new Error(`the disk does not hold the head of ${head.name}`);
      const own = all.filter(({ name }) => name === head.name);
      if (!own.every((version, at) => version.parent === own[at + 1]?.id))
        throw new Error(`the versions of ${head.name} are no chain`);
      const leadsTo = await this.store.redirects.resolve(head.name);
      if (head.files.length > 0 && leadsTo !== head.name) throw new Error(`${head.name} leads to ${leadsTo}`);
    }
    const left = this.names(`${HOME}/.repertoire`).filter(isLeftover);
    if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
  }

  private names(folder: string): string[] {
    if (!this.disk.files.statSync(folder, { throwIfNoEntry: false })) return [];
    return this.disk.files
      .readdirSync(folder, { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? this.names(`${folder}/${entry.name}`) : [entry.name]));
  }
}

function same(a: Skills, b: Skills): boolean {
  return a.size === b.size && [...a].every(([name, text]) => b.get(name) === text);
}

function tell(skills: Skills): string {
  return JSON.stringify(Object.fromEntries(skills));
}
