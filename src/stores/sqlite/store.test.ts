import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withCode } from "../../../test/errors.ts";
import type { NewEvent } from "../../journal/events.ts";
import type { Tidied } from "../retention.ts";
import type { Rebuild } from "./connection.ts";
import { openDatabase } from "./driver.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";
import { openSqliteStore, type SqliteStore } from "./store.ts";
import { TurnFiles } from "./turn-files.ts";

const NOW = Date.UTC(2026, 4, 20, 12);
const DAY = 24 * 60 * 60 * 1000;

let directory: string;
let time: number;
let rebuilds: Rebuild[];
let opened: SqliteStore[];
const clock = { now: () => new Date(time) };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "repertoire-sqlite-"));
  time = NOW;
  rebuilds = [];
  opened = [];
});

afterEach(() => {
  for (const store of opened) store.close();
  rmSync(directory, { recursive: true, force: true });
});

function open(more: { halfLifeMs?: number } = {}): SqliteStore {
  const store = openSqliteStore({
    directory,
    clock,
    onRebuild: (rebuild) => rebuilds.push(rebuild),
    ...more,
  });
  opened.push(store);
  return store;
}

const database = () => join(directory, "repertoire.db");

function activated(skill: string, more: Partial<NewEvent> = {}): NewEvent {
  const event = {
    kind: "activated",
    at: time,
    session: "s1",
    turn: 1,
    skill,
    digest: `${skill}1`,
    details: {},
  };
  return { ...event, ...more } as NewEvent;
}

function outcome(result: "success" | "failure", more: Partial<NewEvent> = {}): NewEvent {
  return { kind: "outcome", at: time, session: "s1", turn: 1, details: { result }, ...more } as NewEvent;
}

const version = (id: string) =>
  ({ id, name: "mail", action: "save", at: NOW, author: "agent", files: [] }) as const;

describe("a store on disk", () => {
  test("keeps what a process wrote for the next process", () => {
    const first = open();
    first.journal.append([activated("mail"), outcome("success")]);
    first.meta.set("a", "1");
    first.close();
    const second = open();
    expect(second.journal.tallies("mail")[0]).toMatchObject({ activated: 1, successes: 1 });
    expect(second.meta.get("a")).toBe("1");
  });

  test("closes although the copy of the tallies cannot be written; the next process makes it", () => {
    const store = open();
    store.journal.append([activated("mail")]);
    store.journal.append([activated("mail", { turn: 2 })]);
    const copy = join(directory, "tallies.json");
    rmSync(copy);
    mkdirSync(copy);
    expect(() => store.close()).not.toThrow();
    rmSync(copy, { recursive: true });
    expect(open().journal.tallies("mail")[0]).toMatchObject({ activated: 2 });
    expect(existsSync(copy)).toBe(true);
  });

  test("shows the writes of one open store in another, tallies included", () => {
    const one = open();
    const two = open();
    one.journal.append([activated("mail")]);
    expect(two.journal.tallies()).toHaveLength(1);
    one.journal.append([activated("plan"), outcome("failure")]);
    expect(two.journal.tallies().map(({ name, failures }) => [name, failures])).toEqual([
      ["mail", 1],
      ["plan", 1],
    ]);
    two.journal.append([activated("plan", { turn: 2 })]);
    expect(one.journal.tallies().map((tally) => tally.activated)).toEqual([1, 2]);
  });

  test("keeps no event and no count of an append that fails half way", () => {
    const store = open();
    store.journal.append([activated("mail")]);
    store.journal.tallies();
    const details = {
      toJSON: () => {
        throw new Error("cannot be written");
      },
      x: 1,
    };
    const broken = activated("plan", { details } as unknown as Partial<NewEvent>);
    expect(() => store.journal.append([activated("mail"), broken])).toThrow("cannot be written");
    expect(store.journal.query({})).toHaveLength(1);
    expect(store.journal.tallies().map(({ name, activated: n }) => [name, n])).toEqual([["mail", 1]]);
  });

  test("counts all outcomes again after the half-life has changed", () => {
    const first = open();
    first.journal.append([activated("mail"), outcome("success")]);
    time += 10 * DAY;
    first.journal.append([
      activated("mail", { turn: 2 }),
      outcome("success", { turn: 2 }),
      outcome("failure", { turn: 2 }),
    ]);
    expect(first.journal.tallies("mail")[0]!.weightOfSuccesses).toBeCloseTo(2 ** (-1 / 3), 10);
    const before = first.journal.tallies("mail")[0];
    const episodes = first.journal.episodes({});
    const weeks = first.journal.weeks("mail");
    first.close();
    const second = open({ halfLifeMs: 10 * DAY });
    expect(second.journal.tallies("mail")[0]).toEqual({ ...before, weightOfSuccesses: 0.5 });
    expect(second.journal.episodes({})).toEqual(episodes);
    expect(second.journal.weeks("mail")).toEqual(weeks);
  });

  test("creates no file until something is read or written", () => {
    open();
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("migrations", () => {
  const schemaOf = (path: string) => {
    const db = openDatabase(path);
    const rows = db.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all();
    const found = db.prepare("PRAGMA user_version").get()?.user_version;
    db.close();
    return { found, schema: rows.map(({ type, name, sql }) => [type, name, sql]) };
  };

  for (let from = 0; from < SCHEMA_VERSION; from++) {
    test(`a database of version ${from} becomes what a new one is, and keeps its rows`, () => {
      const fresh = join(directory, "fresh");
      openSqliteStore({ directory: fresh, clock }).meta.set("x", "y");
      const db = openDatabase(database());
      for (const step of MIGRATIONS.slice(0, from)) db.exec(step);
      if (from > 0) db.exec("INSERT INTO meta VALUES ('user:kept', 'yes')");
      db.exec(`PRAGMA user_version = ${from}`);
      db.close();
      expect(open().meta.get("kept")).toBe(from > 0 ? "yes" : undefined);
      opened[0]!.close();
      const migrated = schemaOf(database());
      expect(migrated.found).toBe(SCHEMA_VERSION);
      expect(migrated).toEqual(schemaOf(join(fresh, "repertoire.db")));
    });
  }

  test("a database of a newer version is refused and left unchanged", () => {
    open().meta.set("a", "1");
    opened[0]!.close();
    const db = openDatabase(database());
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    const before = readFileSync(database());
    expect(() => open().meta.get("a")).toThrow(withCode("database-too-new"));
    expect(readFileSync(database()).equals(before)).toBe(true);
    expect(rebuilds).toEqual([]);
  });

  test("a step that fails leaves the database unchanged", () => {
    const db = openDatabase(database());
    db.exec("CREATE TABLE events (something TEXT)");
    db.close();
    expect(() => open().meta.get("a")).toThrow();
    expect(schemaOf(database()).found).toBe(0);
    expect(schemaOf(database()).schema).toHaveLength(1);
  });
});

/** One row of each table that nobody can make again. */
const KEPT = {
  said: ["hello"],
  trust: ["mail"],
  consents: ["mail"],
  proposals: [1],
  facts: "yes",
  tallies: ["mail"],
};

function keepAll(store: SqliteStore): void {
  store.versions.add(version("v1"));
  store.conversation.append({ session: "s", turn: 1, role: "user", text: "hello", at: NOW });
  store.trust.add({ digest: "d", skill: "mail", at: 0 });
  store.tasks.start({ id: "t", startedAt: 0 });
  store.tasks.consent({ task: "t", skill: "mail", digest: "d", at: 0, files: {} });
  store.proposals.add({ kind: "merge", title: "Merge", at: 0, changeHash: "c", basisHash: "b", payload: {} });
  store.meta.set("fact", "yes");
  store.journal.append([activated("mail")]);
}

function allKept(store: SqliteStore) {
  return {
    said: store.conversation.query({}).map(({ text }) => text),
    trust: store.trust.list().map(({ skill }) => skill),
    consents: store.tasks.consents("t").map(({ skill }) => skill),
    proposals: store.proposals.list({}).map(({ number }) => number),
    facts: store.meta.get("fact"),
    tallies: [...new Set(store.journal.tallies().map(({ name }) => name))].filter((name) => name === "mail"),
  };
}

describe("damage", () => {
  const fill = (events: number) => {
    const store = open();
    store.versions.add(version("v1"));
    const sha256 = store.blobs.put(Buffer.from("content"));
    store.journal.append(
      Array.from({ length: events }, (_, i) => activated(`skill-${i % 50}`, { session: `s${i}`, turn: i })),
    );
    store.close();
    return sha256;
  };

  const damages: Record<string, () => void> = {
    "a file that is no database": () => writeFileSync(database(), "this is not a database\n".repeat(400)),
    "a file cut in half": () => truncateSync(database(), Math.floor(statSync(database()).size / 8192) * 4096),
    "pages overwritten in the middle": () => {
      const bytes = readFileSync(database());
      bytes.fill(0xee, Math.floor(bytes.length / 4), Math.floor((bytes.length * 3) / 4));
      writeFileSync(database(), bytes);
    },
  };

  for (const [what, damage] of Object.entries(damages)) {
    test(`${what} is moved aside, and versions and blobs are all there`, async () => {
      const sha256 = fill(200);
      damage();
      const store = open();
      expect(store.versions.list({}).map(({ id }) => id)).toEqual(["v1"]);
      expect(Buffer.from(store.blobs.get(sha256)!).toString()).toBe("content");
      expect(rebuilds).toHaveLength(1);
      const { message, movedTo } = rebuilds[0]!;
      expect(message).toContain(movedTo);
      expect(existsSync(movedTo)).toBe(true);
      store.journal.append([activated("mail")]);
      expect(store.journal.query({})).toHaveLength(1);
      expect(await store.check()).toEqual([]);
    });
  }

  test("what nobody can make again comes back from the last copy when nothing of the file can be read", async () => {
    const store = open();
    keepAll(store);
    await store.tidy();
    store.close();
    writeFileSync(database(), "this is not a database\n".repeat(400));
    for (const suffix of ["-wal", "-shm"]) rmSync(database() + suffix, { force: true });
    expect(allKept(open())).toEqual(KEPT);
    expect(rebuilds).toHaveLength(1);
  });

  test("a line of the inbox counts once, also after the database was damaged", () => {
    open().journal.append(Array.from({ length: 20_000 }, (_, n) => activated(`s-${n % 9}`, { turn: n })));
    new TurnFiles({ directory, clock }).record([activated("mail"), activated("mail", { turn: 2 })]);
    expect(opened[0]!.journal.tallies("mail")[0]?.activated).toBe(2);
    opened[0]!.close();
    const bytes = readFileSync(database());
    bytes.fill(0xee, Math.floor(bytes.length * 0.5), Math.floor(bytes.length * 0.55));
    writeFileSync(database(), bytes);
    const found = open();
    found.journal.query({});
    expect(rebuilds).toHaveLength(1);
    found.close();
    const after = open();
    expect(after.journal.tallies("mail")[0]?.activated).toBe(2);
    expect(after.journal.query({ skill: "mail" })).toHaveLength(2);
  });

  test("nothing is written into a file that another process has just moved aside", () => {
    let moveAside: (() => void) | undefined;
    const store = openSqliteStore({
      directory,
      clock,
      openDatabase(path) {
        const db = openDatabase(path);
        const exec = (sql: string) => {
          if (sql === "BEGIN IMMEDIATE" && path === database()) moveAside?.();
          db.exec(sql);
        };
        return { ...db, exec };
      },
    });
    opened.push(store);
    store.trust.add({ digest: "before", skill: "mail", at: 1 });
    moveAside = () => {
      moveAside = undefined;
      for (const suffix of ["", "-wal", "-shm"])
        if (existsSync(database() + suffix)) renameSync(database() + suffix, `${database()}.moved${suffix}`);
      openDatabase(database()).close();
    };
    store.trust.add({ digest: "after", skill: "mail", at: 1 });
    store.close();
    expect(
      open()
        .trust.list()
        .map(({ digest }) => digest),
    ).toEqual(["after"]);
  });

  test("what can still be read of a damaged file is taken over", async () => {
    const store = open();
    keepAll(store);
    store.journal.append(Array.from({ length: 20_000 }, (_, i) => activated(`s-${i}`, { session: `s${i}` })));
    store.close();
    const bytes = readFileSync(database());
    bytes.fill(0xee, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6));
    writeFileSync(database(), bytes);
    const after = open();
    after.journal.query({});
    expect(allKept(after)).toEqual(KEPT);
    expect(rebuilds).toHaveLength(1);
    expect(await after.check()).toEqual([]);
  });

  test("a text that is not UTF-8 costs that text at most, and a version comes back from the log", () => {
    const store = open();
    keepAll(store);
    store.close();
    const db = openDatabase(database());
    for (const [table, column] of [
      ["versions", "record"],
      ["said", "text"],
      ["proposals", "record"],
      ["consents", "files"],
      ["meta", "value"],
      ["tallies", "name"],
    ])
      db.exec(`UPDATE ${table} SET ${column} = CAST(CAST(${column} AS BLOB) || x'ff' AS TEXT)`);
    db.close();
    const after = open();
    expect(after.versions.list({}).map(({ id }) => id)).toEqual(["v1"]);
    expect(after.conversation.query({})).toHaveLength(1);
    expect(after.proposals.list({})).toEqual([]);
    expect(after.tasks.consents("t")).toEqual([]);
    expect(after.journal.tallies()).toHaveLength(1);
  });

  test("a lock that is garbage locks nobody out", async () => {
    for (const file of ["repertoire.lock.db", "repertoire.rebuild.db"])
      writeFileSync(join(directory, file), "no lock at all\n".repeat(100));
    writeFileSync(database(), "no database at all\n".repeat(100));
    const [one, two] = [open(), open()];
    let inside = 0;
    const work = async () => {
      expect(++inside).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside--;
    };
    await Promise.all([one.exclusive(work), two.exclusive(work), one.exclusive(work)]);
    one.versions.add(version("v1"));
    expect(two.versions.get("v1")).toBeDefined();
  });

  test("damage that is found only while a large journal is read is repaired then", () => {
    fill(20_000);
    expect(statSync(database()).size).toBeGreaterThan(1 << 20);
    const bytes = readFileSync(database());
    bytes.fill(0xee, Math.floor(bytes.length * 0.2), Math.floor(bytes.length * 0.6));
    writeFileSync(database(), bytes);
    const store = open();
    const left = store.journal.query({});
    expect(rebuilds).toHaveLength(1);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(20_000);
    expect(store.versions.list({})).toHaveLength(1);
  });

  test("a database that is deleted while the store is open is created again", () => {
    const store = open();
    store.versions.add(version("v1"));
    for (const file of readdirSync(directory)) {
      if (file.startsWith("repertoire.db")) rmSync(join(directory, file));
    }
    store.versions.add(version("v2"));
    expect(store.versions.list({}).map(({ id }) => id)).toEqual(["v2", "v1"]);
    expect(open().versions.list({})).toHaveLength(2);
  });

  test("a version that is in the log but not in the table is found", () => {
    const store = open();
    store.versions.add(version("v1"));
    appendFileSync(join(directory, "versions", "log.jsonl"), `\n${JSON.stringify(version("v2"))}\n\n{"torn`);
    store.versions.add(version("v3"));
    expect(store.versions.list({}).map(({ id }) => id)).toEqual(["v3", "v2", "v1"]);
    expect(open().versions.list({})).toHaveLength(3);
  });

  test("a commit that a crash cut off before its line break never counts", () => {
    const store = open();
    store.versions.begin({ id: "c", versions: [version("v1")] });
    appendFileSync(join(directory, "versions", "log.jsonl"), '\n{"commit":"c"}');
    expect(store.versions.pending()).toHaveLength(1);
    store.versions.abandon("c");
    store.close();
    for (const file of readdirSync(directory).filter((name) => name.startsWith("repertoire.db")))
      rmSync(join(directory, file));
    expect(open().versions.list({})).toEqual([]);
  });

  test("a blob whose bytes do not match its name counts as missing, and is written again", () => {
    const store = open();
    const sha256 = store.blobs.put(Buffer.from("content"));
    const path = join(directory, "versions", "blobs", sha256.slice(0, 2), sha256.slice(2));
    writeFileSync(path, "forged!");
    expect(store.blobs.get(sha256)).toBeUndefined();
    expect(store.blobs.put(Buffer.from("content"))).toBe(sha256);
    expect(readFileSync(path, "utf8")).toBe("content");
  });
});

describe("the hook's inbox", () => {
  test("what a hook leaves is in the journal at the next query, once", () => {
    const light = new TurnFiles({ directory, clock });
    const said = { session: "s1", turn: 1, role: "user", text: "send a mail", at: NOW } as const;
    light.record([activated("mail")], [said]);
    expect(existsSync(database())).toBe(false);
    const one = open();
    const two = open();
    expect(one.journal.query({})).toHaveLength(1);
    expect(two.journal.query({})).toHaveLength(1);
    expect(two.conversation.query({})).toEqual([said]);
    light.record([activated("plan")]);
    expect(two.journal.query({})).toHaveLength(2);
    expect(open().journal.query({})).toHaveLength(2);
  });

  test("much of it is taken over with pauses, each line once, and the rest of a very long one in the background", async () => {
    const light = new TurnFiles({ directory, clock });
    const leave = (count: number) =>
      light.record(Array.from({ length: count }, (_, n) => activated(`skill-${n}`)));
    const store = open();
    leave(1_200);
    const seen: number[] = [];
    await store.catchUp(async () => void seen.push(store.journal.query({}).length));
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(store.journal.query({})).toHaveLength(1_200);
    leave(5_000);
    expect(store.journal.query({}).length).toBeLessThan(6_200);
    await vi.waitFor(() => expect(store.journal.query({})).toHaveLength(6_200), { timeout: 120_000 });
    expect(open().journal.query({})).toHaveLength(6_200);
  }, 150_000);

  test("an outcome counts for activations that are still in the inbox", () => {
    const store = open();
    store.meta.set("open", "yes");
    new TurnFiles({ directory, clock }).record([activated("mail")]);
    const kept = store.journal.append([outcome("success")]);
    expect(kept.map(({ skill }) => skill)).toEqual(["mail"]);
  });

  test("an answer is stored after its question, even if the question is still in the inbox", () => {
    const store = open();
    const asked = { session: "s1", turn: 1, role: "user", text: "send a mail", at: NOW } as const;
    const answered = { ...asked, role: "assistant", text: "Sent." } as const;
    new TurnFiles({ directory, clock }).record([], [asked]);
    store.conversation.append(answered);
    expect(store.conversation.query({ session: "s1" })).toEqual([asked, answered]);
  });

  test("torn and foreign lines are counted, and no event is lost", () => {
    const light = new TurnFiles({ directory, clock });
    light.record([activated("mail")]);
    const [file] = readdirSync(join(directory, "inbox"));
    appendFileSync(join(directory, "inbox", file!), '{"event":{"kind":"activ');
    light.record([activated("plan")]);
    appendFileSync(join(directory, "inbox", file!), '\n{"event":{"kind":"dance","at":1}}\n[]\n');
    const store = open();
    expect(store.journal.query({}).map(({ skill }) => skill)).toEqual(["mail", "plan"]);
    expect(store.refusedLines()).toBe(3);
  });

  test("files of past days are removed after their events are stored", () => {
    const light = new TurnFiles({ directory, clock });
    light.record([activated("mail")]);
    const [file] = readdirSync(join(directory, "inbox"));
    utimesSync(join(directory, "inbox", file!), new Date(time - 2 * DAY), new Date(time - 2 * DAY));
    const store = open();
    expect(store.journal.query({})).toHaveLength(1);
    expect(readdirSync(join(directory, "inbox"))).toEqual([]);
    light.record([activated("plan")]);
    expect(store.journal.query({})).toHaveLength(2);
  });

  test("the tallies of used skills are copied for hooks", () => {
    const store = open();
    store.journal.append([
      activated("mail"),
      { kind: "recalled", at: NOW, skill: "plan", digest: "p1", details: {} },
    ]);
    store.journal.append([outcome("failure")]);
    store.close();
    const copied = new TurnFiles({ directory, clock }).tallyBook();
    expect(copied.of("mail")).toMatchObject([{ digest: "mail1", tries: 1, failed: 1, weightOfFailures: 1 }]);
    expect(copied.of("plan")).toEqual([]);
  });

  test("a reader that stays open notices that the copy was replaced", () => {
    const light = new TurnFiles({ directory, clock });
    expect(light.tallyBook().of("mail")).toEqual([]);
    const store = open();
    store.journal.append([activated("mail")]);
    expect(light.tallyBook().of("mail")).toMatchObject([{ tries: 1 }]);
    time += 5000;
    store.journal.append([activated("mail", { turn: 2 })]);
    expect(light.tallyBook().of("mail")).toMatchObject([{ tries: 2 }]);
  });

  test("the copy has the skills used last and all failing ones, and stays small", () => {
    const store = open();
    store.journal.append([activated("bad"), outcome("failure")]);
    for (let i = 0; i < 500; i++) {
      time += 1000;
      store.journal.append([activated(`skill-${i}`, { turn: i + 2 }), outcome("success", { turn: i + 2 })]);
    }
    store.close();
    const copied = new TurnFiles({ directory, clock }).tallyBook();
    const known = (name: string) => copied.of(name).length > 0;
    expect(["bad", "skill-499", "skill-300", "skill-299"].map(known)).toEqual([true, true, true, false]);
  });

  test("a hook without a journal gets no tallies, and does not fail", () => {
    const light = new TurnFiles({ directory: join(directory, "none"), clock });
    expect(light.tallyBook().of("mail")).toEqual([]);
    writeFileSync(join(directory, "tallies.json"), '{"format":1,"tal');
    expect(new TurnFiles({ directory, clock }).tallyBook().of("mail")).toEqual([]);
  });
});

describe("sessions on disk", () => {
  test("a line torn by a crash loses only itself", () => {
    const store = open();
    store.sessions.markShown("s1", ["mail"]);
    const file = join(directory, "sessions", "s1.jsonl");
    appendFileSync(file, '{"step":"shown","names":["pl');
    store.sessions.markShown("s1", ["weather"]);
    appendFileSync(file, '\n{"step":"shown","names":7}\n');
    expect(store.sessions.read("s1").shown).toEqual(["mail", "weather"]);
  });

  test("a session that was removed starts empty under the same id", () => {
    const { sessions } = open();
    sessions.markShown("s", ["mail"]);
    rmSync(join(directory, "sessions", "s.jsonl"));
    sessions.begin("s", { key: "a key longer than what was there before", message: "a message" });
    expect(sessions.read("s")).toMatchObject({ turn: 1, shown: [] });
  });

  test("two stores of one folder agree on who was first", () => {
    const [one, two] = [open().sessions, open().sessions];
    expect(one.begin("s", { key: "k1", message: "hello" }).first).toBe(true);
    expect(two.begin("s", { key: "k1", message: "hello" }).first).toBe(false);
    expect(two.markShown("s", ["mail"])).toMatchObject({ fresh: ["mail"], state: { turn: 1 } });
    expect(one.markShown("s", ["mail", "plan"]).fresh).toEqual(["plan"]);
    expect(two.read("s")).toEqual(one.read("s"));
  });

  test("a process that is the only writer never reads its own lines again", () => {
    const { sessions } = open();
    sessions.read("s");
    sessions.begin("s", { key: "k1", message: "hello" });
    sessions.add("s", { step: "recalled", names: ["mail"] });
    // Lines of the same length that say something else would show if they were read.
    const file = join(directory, "sessions", "s.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("mail", "plan"));
    expect(sessions.markShown("s", ["mail"])).toMatchObject({
      fresh: ["mail"],
      state: { recalled: ["mail"] },
    });
  });

  test("a session id cannot leave the folder", () => {
    const store = open();
    store.sessions.markShown("../../up", ["mail"]);
    expect(readdirSync(join(directory, "sessions"))).toHaveLength(1);
    expect(store.sessions.read("../../up").shown).toEqual(["mail"]);
    expect(() => store.sessions.read("")).toThrow(expect.objectContaining({ code: "session-id-unusable" }));
    expect(() => store.sessions.read("x".repeat(300))).toThrow("cannot name a session");
  });

  test("sessions that have been quiet for long are removed", async () => {
    const store = open();
    store.sessions.markShown("old", ["mail"]);
    store.sessions.markShown("new", ["mail"]);
    utimesSync(join(directory, "sessions", "old.jsonl"), new Date(NOW - 60 * DAY), new Date(NOW - 60 * DAY));
    await store.tidy();
    expect(readdirSync(join(directory, "sessions"))).toEqual(["new.jsonl"]);
    expect(store.sessions.read("old").shown).toEqual([]);
  });

  test("tidy removes what is older than it is kept, tells before, and keeps tallies and named bytes", async () => {
    const store = open();
    const old = NOW - 500 * DAY;
    const kept = store.blobs.put(Buffer.from("kept"));
    const files = [{ path: "SKILL.md", sha256: kept, size: 4 }];
    store.versions.add({ ...version("v1"), files });
    const begun = store.blobs.put(Buffer.from("under way"));
    store.versions.begin({
      id: "c",
      versions: [{ ...version("v2"), files: [{ ...files[0]!, sha256: begun }] }],
    });
    const lost = store.blobs.put(Buffer.from("of a change that failed"));
    store.journal.append([activated("mail", { at: old }), activated("mail", { at: NOW })]);
    store.conversation.append({ session: "s", turn: 1, role: "user", text: "old", at: old });
    store.conversation.append({ session: "s", turn: 2, role: "user", text: "new", at: NOW });
    const blob = (sha256: string) => join(directory, "versions/blobs", sha256.slice(0, 2), sha256.slice(2));
    writeFileSync(join(directory, ".tallies.json.0123456789ab.repertoire-tmp"), "x");
    writeFileSync(join(directory, "repertoire.db.corrupt-2020"), "x");
    for (const path of [kept, begun, lost].map(blob)) utimesSync(path, new Date(old), new Date(old));
    for (const name of readdirSync(directory).filter((each) => /tmp$|corrupt/.test(each)))
      utimesSync(join(directory, name), new Date(old), new Date(old));
    const expected = { events: 1, said: 1, sessions: 0, blobs: 1, leftovers: 1, damaged: 1 };
    const items = (tidied: readonly Tidied[]) =>
      Object.fromEntries(tidied.map((each) => [each.rule, each.items]));
    expect(items(await store.tidy({ dryRun: true }))).toEqual(expected);
    expect(existsSync(blob(lost))).toBe(true);
    expect(items(await store.tidy())).toEqual(expected);
    expect([kept, begun, lost].map((each) => existsSync(blob(each)))).toEqual([true, true, false]);
    expect(store.conversation.query({}).map(({ text }) => text)).toEqual(["new"]);
    expect(store.journal.tallies()[0]?.activated).toBe(2);
    expect(items(await store.tidy())).toEqual({
      events: 0,
      said: 0,
      sessions: 0,
      blobs: 0,
      leftovers: 0,
      damaged: 0,
    });
  });

  const blobPath = (sha256: string) => join(directory, "versions/blobs", sha256.slice(0, 2), sha256.slice(2));
  const grownOld = (...paths: string[]) => {
    for (const path of paths) utimesSync(path, new Date(NOW - 500 * DAY), new Date(NOW - 500 * DAY));
  };

  test("tidy leaves bytes alone that a save beside it needs again", async () => {
    const [store, other] = [open(), open()];
    const bytes = Buffer.from("of a change that failed, and is made again");
    const sha256 = store.blobs.put(bytes);
    grownOld(blobPath(sha256));
    let tidied: Promise<unknown> | undefined;
    await other.exclusive(async () => {
      await other.blobs.putAll([bytes]);
      tidied = store.tidy();
      // Until tidying waits for this very work, or is done.
      await Promise.race([tidied, new Promise((goOn) => setTimeout(goOn, 300))]);
      other.versions.add({ ...version("v1"), files: [{ path: "SKILL.md", sha256, size: bytes.length }] });
    });
    await tidied;
    expect(other.blobs.get(sha256)).toEqual(bytes);
  });

  test("tidy believes the log, not a damaged table, about which bytes a version needs", async () => {
    const store = open();
    const sha256 = store.blobs.put(Buffer.from("needed"));
    store.versions.add({ ...version("v1"), files: [{ path: "SKILL.md", sha256, size: 6 }] });
    store.close();
    const db = openDatabase(database());
    db.exec(`UPDATE versions SET record = replace(record, '${sha256}', '${"0".repeat(64)}')`);
    db.close();
    grownOld(blobPath(sha256));
    const next = open();
    await next.tidy();
    expect(next.blobs.get(sha256)).toBeDefined();
  });

  test("damaged files are kept for their time from when they were moved aside, wherever they are, and go then", async () => {
    const store = open();
    const sha256 = store.blobs.put(Buffer.from("x"));
    const aside = (path: string, days: number) =>
      `${path}.corrupt-${new Date(NOW - days * DAY).toISOString().replace(/[:.]/g, "-")}`;
    const paths = (days: number) => [
      aside(database(), days),
      `${aside(database(), days)}-wal`,
      aside(join(directory, "versions/log.jsonl"), days),
      aside(blobPath(sha256), days),
      aside(join(directory, "inbox"), days),
    ];
    for (const path of [...paths(2), ...paths(31)]) {
      if (path.includes("inbox")) mkdirSync(path);
      writeFileSync(path.includes("inbox") ? join(path, "x") : path, "x");
      grownOld(path);
    }
    const unfinished = ["versions/log.jsonl.new", "repertoire.copy.db.new"].map((name) =>
      join(directory, name),
    );
    for (const path of unfinished) writeFileSync(path, "x");
    grownOld(...unfinished);
    await store.tidy();
    expect(paths(2).filter((path) => !existsSync(path))).toEqual([]);
    expect([...paths(31), ...unfinished].filter((path) => existsSync(path))).toEqual([]);
  });

  test("the daily copy of a large store is made in steps, also by two at once, and has everything", async () => {
    const store = open();
    store.journal.append(
      Array.from({ length: 20_000 }, (_, n) => activated(`skill-${n % 500}`, { session: `s${n}`, turn: n })),
    );
    for (let n = 0; n < 2_000; n++)
      store.conversation.append({ session: "s", turn: n, role: "user", text: `text ${n}`, at: NOW });
    let turns = 0;
    let isDone = false;
    const turning = () => {
      turns++;
      if (!isDone) setImmediate(turning);
    };
    turning();
    await Promise.all([store.tidy(), open().tidy()]);
    isDone = true;
    expect(turns).toBeGreaterThan(20);
    const count = (path: string, table: string) => {
      const db = openDatabase(path);
      const row = db.prepare(`SELECT count(*) AS count FROM ${table}`).get();
      db.close();
      return row?.count;
    };
    for (const table of ["said", "episodes", "tallies", "weeks"])
      expect([table, count(join(directory, "repertoire.copy.db"), table)]).toEqual([
        table,
        count(database(), table),
      ]);
    expect(readdirSync(directory).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  test("tidy stores what hooks have left", async () => {
    new TurnFiles({ directory, clock }).record([activated("mail")]);
    await open().tidy();
    rmSync(join(directory, "inbox"), { recursive: true });
    expect(open().journal.query({})).toHaveLength(1);
  });
});
