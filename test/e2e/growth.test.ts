// Owns the promise that a change of a skill costs what the change costs, not what the library and its past cost. Work is
// counted, not timed: rows that SQLite hands out, calls to the disk, bytes read. The walk over the folders of skills
// after a change is not part of it. And the promise that `doctor` reads a log of any size piece by piece.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeHome } from "../../bench/changes/home.mjs";
import { DISK, type Files } from "../../src/disk/disk.ts";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openLearned } from "../../src/engine/learned-part.ts";
import type { LearnedSkills } from "../../src/learn/learned-skills.ts";
import { openDatabase, type SqlDatabase } from "../../src/stores/sqlite/driver.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { temporaryTree } from "../skill-tree.ts";

/** What a piece of work asked of the machine. */
class Work {
  rows = 0;
  calls = 0;
  bytes = 0;
  questions = 0;
  /** Rows and bytes that were handed out at once, at most. */
  mostRows = 0;
  mostBytes = 0;
  private readonly statements = new Set<string>();

  /** The statements that look at every version. */
  scans(path: string): string[] {
    const db = openDatabase(path);
    const asked = [...this.statements].filter((sql) => /^SELECT/.test(sql) && !sql.includes("LIMIT"));
    const found = asked.filter((sql) => {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      return plan.some(({ detail }) => String(detail).startsWith("SCAN versions"));
    });
    db.close();
    return found;
  }

  files(): Files {
    return new Proxy(DISK, {
      get: (from, key) => {
        const value = Reflect.get(from, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          this.calls++;
          const result: unknown = value.apply(from, args);
          const read = result instanceof Uint8Array ? result.length : key === "readSync" ? Number(result) : 0;
          this.bytes += read;
          this.mostBytes = Math.max(this.mostBytes, read);
          return result;
        };
      },
    });
  }

  open(path: string): SqlDatabase {
    const db = openDatabase(path);
    return {
      exec: (sql) => db.exec(sql),
      close: () => db.close(),
      prepare: (sql) => {
        const statement = db.prepare(sql);
        this.statements.add(sql);
        return {
          run: (...values) => statement.run(...values),
          get: (...values) => {
            this.rows++;
            this.questions++;
            return statement.get(...values);
          },
          all: (...values) => {
            const rows = statement.all(...values);
            this.rows += rows.length;
            this.questions++;
            this.mostRows = Math.max(this.mostRows, rows.length);
            return rows;
          },
        };
      },
    };
  }
}

const CHANGES: Record<string, (learned: LearnedSkills) => Promise<unknown>> = {
  save: (learned) => learned.save({ name: "skill-3", content: "Says something new.\n\n1. Say it.\n" }),
  "first save": (learned) => learned.save({ name: "new-one", content: "Is new.\n\n1. Be new.\n" }),
  undo: (learned) => learned.undo(),
  redo: (learned) => learned.redo(),
  "undo of a skill": (learned) => learned.undo("skill-3"),
  restore: (learned) => learned.restore("skill-5", { version: "1-5" }),
  history: (learned) => learned.history("skill-7", { limit: 3 }),
  delete: (learned) => learned.delete("skill-8"),
  rename: (learned) => learned.rename("skill-9", "skill-ninth"),
};

/** What each change costs in a home of so many skills, with six versions each. */
async function costs(skills: number): Promise<Record<string, Pick<Work, "rows" | "calls" | "bytes">>> {
  const home = temporaryTree({ "project/.keep": "" });
  mkdirSync(join(home, ".repertoire"));
  writeHome(home, { skills, versions: 6 });
  const values = { "sources.bundled": false, "embedder.kind": "none" };
  const engine = openRepertoire({ dir: join(home, "project"), home, env: {}, values });
  const work = new Work();
  const files = work.files();
  const store = openSqliteStore({
    directory: join(home, ".repertoire"),
    files,
    openDatabase: (path) => work.open(path),
  });
  const learned = openLearned(engine, store, { files, recall: async () => [] });
  // Takes over the log once, as the first process after an upgrade does.
  await learned.history("skill-0");
  const found: Awaited<ReturnType<typeof costs>> = {};
  for (const [name, change] of Object.entries(CHANGES)) {
    Object.assign(work, { rows: 0, calls: 0, bytes: 0 });
    await change(learned);
    found[name] = { rows: work.rows, calls: work.calls, bytes: work.bytes };
  }
  store.close();
  expect(work.scans(join(home, ".repertoire", "repertoire.db"))).toEqual([]);
  await engine.close();
  return found;
}

test("a change of a skill costs the same in a library of four times as many skills", async () => {
  const [small, large] = [await costs(40), await costs(160)];
  for (const name of Object.keys(CHANGES)) {
    const [before, after] = [small[name]!, large[name]!];
    expect(after.rows, `rows of ${name}`).toBeLessThanOrEqual(before.rows + 4);
    expect(after.calls, `calls of ${name}`).toBeLessThanOrEqual(before.calls * 1.2);
    expect(after.bytes, `bytes of ${name}`).toBeLessThanOrEqual(before.bytes * 1.5 + 10_000);
  }
});

/** What a look at everything that is kept costs, with so many versions of twenty skills. */
async function checkup(versions: number): Promise<Work> {
  const home = temporaryTree();
  const directory = join(home, ".repertoire");
  mkdirSync(directory);
  writeHome(home, { skills: 20, versions });
  const work = new Work();
  const store = openSqliteStore({ directory, files: work.files(), openDatabase: (path) => work.open(path) });
  await store.versions.takeLog();
  Object.assign(work, { questions: 0, mostRows: 0, mostBytes: 0 });
  const shown = new Set<string>();
  expect(await store.check({ onProgress: (step) => shown.add(step) })).toEqual([]);
  expect(shown.size).toBe(3);
  store.close();
  return work;
}

test("doctor asks about many versions at a time, and holds no more of a log that is four times as long", async () => {
  const [small, large] = [await checkup(110), await checkup(440)];
  // What a driver has handed out it keeps until the event loop turns: asking once for each version kept the whole log.
  expect(large.questions - small.questions).toBeLessThan((20 * (440 - 110)) / 50);
  expect(large.mostRows).toBe(small.mostRows);
  expect(large.mostBytes).toBeLessThanOrEqual(1 << 20);
});
