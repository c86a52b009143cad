// A home that agents use all day, on a real store with a clock of its own, day after day.

import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DISK } from "../../src/disk/disk.ts";
import type { NewEvent } from "../../src/journal/journal.ts";
import { SkillPlaces } from "../../src/learn/places.ts";
import { SkillVersions } from "../../src/learn/versions.ts";
import type { Retention } from "../../src/stores/retention.ts";
import { openSqliteStore, type SqliteStore } from "../../src/stores/sqlite/store.ts";
import { Random } from "./random.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2020, 0, 1);
const SKILLS = 200;
const SESSIONS_A_DAY = 4;
const WORDS =
  "please look at the report of this week and send it to everybody who works with the new customers".split(
    " ",
  );

interface Use {
  readonly agents: number;
  /** Of each agent, every day. */
  readonly messages: number;
  /** Skills that a day changes, by people, agents and dreams. */
  readonly saves: number;
  readonly keep?: Partial<Retention> | undefined;
}

/** Megabytes. */
export interface HomeSize {
  readonly database: number;
  /** Part of the database: the log that SQLite folds back into it beyond four megabytes. */
  readonly databaseLog: number;
  readonly versions: number;
  readonly sessions: number;
  readonly all: number;
}

export class HomeInUse {
  /** Recorded so far. */
  events = 0;
  private readonly use: Use;
  private readonly random = new Random(1);
  private readonly home = mkdtempSync(join(tmpdir(), "repertoire-year-"));
  private readonly directory = join(this.home, ".repertoire");
  private readonly store: SqliteStore;
  private readonly versions: SkillVersions;
  private now = START;
  private day = 0;

  constructor(use: Use) {
    this.use = use;
    const { directory, home } = this;
    const clock = { now: () => new Date(this.now) };
    this.store = openSqliteStore({ directory, clock, keep: use.keep });
    const places = new SkillPlaces({ home, project: join(home, "project"), sources: [] });
    this.versions = new SkillVersions({ store: this.store, files: DISK, clock, places });
  }

  /** A day of work; in the night the store is tidied. */
  async spendDay(): Promise<void> {
    this.day++;
    const { agents, messages, saves } = this.use;
    for (let agent = 0; agent < agents; agent++) {
      for (let turn = 0; turn < messages; turn++) {
        this.now += Math.floor(DAY_MS / agents / messages / 2);
        this.take(`s-${this.day}-${agent}-${turn % SESSIONS_A_DAY}`, 1 + Math.floor(turn / SESSIONS_A_DAY));
      }
    }
    for (let save = 0; save < saves; save++) await this.save();
    // What a killed process leaves; files have the time of the machine, not that of the clock.
    const leftover = `.tallies.json.${String(this.day).padStart(18, "0")}.repertoire-tmp`;
    writeFileSync(join(this.directory, leftover), this.text(1_000));
    for (const path of filesBelow(this.directory))
      if (/repertoire-tmp$|\/(?:inbox|sessions)\//.test(path) && statSync(path).mtimeMs > this.now)
        utimesSync(path, this.now / 1000, this.now / 1000);
    this.now = START + this.day * DAY_MS;
    await this.store.tidy();
  }

  size(): HomeSize {
    const paths = filesBelow(this.home);
    const of = (part: string) =>
      paths
        .filter((path) => path.startsWith(join(this.directory, part)))
        .reduce((sum, path) => sum + statSync(path).size, 0) / 1e6;
    const databaseLog = of("repertoire.db-wal");
    return {
      database: of("repertoire."),
      databaseLog,
      versions: of("versions"),
      sessions: of("sessions"),
      all: of(""),
    };
  }

  /** Names of temporary files. */
  leftovers(): string[] {
    return filesBelow(this.directory).filter((path) => path.endsWith(".repertoire-tmp"));
  }

  close(): void {
    this.store.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  private async save(): Promise<void> {
    const name = `skill-${this.random.below(SKILLS)}`;
    const text = this.text(150 + this.random.below(400));
    const bytes = Buffer.from(`---\nname: ${name}\n---\n\n${text}\n`);
    await this.versions.exclusive(() =>
      this.versions.apply([{ place: { name }, action: "save", files: [{ path: "SKILL.md", bytes }] }], {
        author: "agent",
      }),
    );
  }

  private take(session: string, turn: number): void {
    const { now, random, store } = this;
    const skill = `skill-${random.below(SKILLS)}`;
    const about = { at: now, session, turn, skill, digest: "d".repeat(64) };
    const all: NewEvent[] = [
      { ...about, kind: "recalled", details: { score: random.next(), frame: "task", rank: 1 } },
      { ...about, kind: "shown", details: {} },
    ] as unknown as NewEvent[];
    if (random.chance(0.5)) all.push({ ...about, kind: "activated", details: {} } as unknown as NewEvent);
    const message = this.text(10 + random.below(60));
    store.record(all, [
      { session, turn, role: "user", text: message, at: now },
      { session, turn, role: "assistant", text: this.text(40 + random.below(100)), at: now },
    ]);
    store.sessions.begin(session, { key: `${turn}`, message });
    store.sessions.markShown(session, [skill]);
    this.events += all.length;
  }

  private text(words: number): string {
    return Array.from({ length: words }, () => this.random.pick(WORDS)).join(" ");
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
