// What the PostgreSQL store promises beyond the contract of all stores.

import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import type { NewEvent } from "../../src/journal/events.ts";
import type { VersionRecord } from "../../src/learn/version-store.ts";
import { insertBatches } from "../../src/stores/postgres/journal.ts";
import { migrate, type Run } from "../../src/stores/postgres/migrations.ts";
import { MIGRATIONS } from "../../src/stores/postgres/schema.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/stores/postgres/store.ts";

const DAY = 24 * 60 * 60 * 1000;

let server: PostgresServer;
let url: string;
let scopes = 0;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});

afterAll(() => server.stop());

function opened(options: Partial<PostgresOptions> = {}) {
  const store = openPostgresStore({ url, scope: `store/${scopes}`, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Two nodes of a scope that nobody else has. */
function twoNodes(options: Partial<PostgresOptions> = {}) {
  scopes++;
  return [opened(options), opened(options)] as const;
}

function asOwner(address = url) {
  const sql = postgres(address, { max: 2, onnotice: () => undefined });
  onTestFinished(() => sql.end());
  return sql;
}

const version = (id: string, parent?: string): VersionRecord => ({
  id,
  name: "mail",
  action: "save",
  at: 1,
  author: `author of ${id}`,
  files: [],
  parent,
});
const activated = (digest: string): NewEvent => ({
  kind: "activated",
  at: 1,
  session: "s",
  turn: 1,
  skill: "mail",
  digest,
  details: {},
});

describe("the schema", () => {
  it("is made once by many nodes that start at the same moment", async () => {
    const empty = await server.createDatabase();
    const nodes = Array.from({ length: 6 }, () => opened({ url: empty, scope: "first" }));
    expect(await Promise.all(nodes.map((node) => node.meta.get("k")))).toEqual(Array(6).fill(undefined));
    expect(await asOwner(empty)`SELECT step FROM repertoire.migrations`).toHaveLength(MIGRATIONS.length);
  });

  it("of a newer program serves an older one beside it", async () => {
    const database = await server.createDatabase();
    const old = opened({ url: database });
    await old.versions.add(version("v1"));
    const next = {
      sql: "ALTER TABLE repertoire.versions ADD COLUMN novelty text; CREATE TABLE repertoire.novelties (id int)",
      oldest: MIGRATIONS.length,
    };
    const sql = asOwner(database);
    await sql.begin((tx) => migrate(((text) => tx.unsafe(text)) as Run, [...MIGRATIONS, next]));
    await old.versions.add(version("v2", "v1"));
    expect((await opened({ url: database }).versions.list({})).map(({ id }) => id)).toEqual(["v2", "v1"]);
    expect(await sql`SELECT max(step) AS step FROM repertoire.migrations`).toMatchObject([
      { step: MIGRATIONS.length + 1 },
    ]);
  });

  it("that needs a newer program refuses an older one, in words", async () => {
    const database = await server.createDatabase();
    await opened({ url: database }).meta.get("k");
    const next = { sql: "SELECT 1", oldest: MIGRATIONS.length + 1 };
    await asOwner(database).begin((tx) => migrate(((text) => tx.unsafe(text)) as Run, [...MIGRATIONS, next]));
    await expect(opened({ url: database }).meta.get("k")).rejects.toMatchObject({ code: "database-too-new" });
  });

  it("does not wait for a long transaction, such as a backup, so that nobody waits behind it", async () => {
    const database = await server.createDatabase();
    const old = opened({ url: database });
    await old.versions.add(version("v1"));
    const [sql, backup] = [asOwner(database), asOwner(database)];
    const next = { sql: "ALTER TABLE repertoire.versions ADD COLUMN novelty text", oldest: 1 };
    const bring = () => sql.begin((tx) => migrate(((text) => tx.unsafe(text)) as Run, [...MIGRATIONS, next]));
    await backup.begin(async (tx) => {
      await tx`SELECT count(*) FROM repertoire.versions`;
      await expect(bring()).rejects.toMatchObject({ code: "55P03" });
      await old.versions.add(version("v2", "v1"));
    });
    await bring();
    await old.versions.add(version("v3", "v2"));
  });

  it("that fails half-way leaves nothing behind", async () => {
    const database = await server.createDatabase();
    const broken = [
      ...MIGRATIONS,
      { sql: "CREATE TABLE repertoire.half (id int); SELECT nonsense", oldest: 1 },
    ];
    const sql = asOwner(database);
    await expect(sql.begin((tx) => migrate(((text) => tx.unsafe(text)) as Run, broken))).rejects.toThrow();
    expect(await sql`SELECT to_regnamespace('repertoire') AS found`).toMatchObject([{ found: null }]);
  });
});

describe("the log of changes", () => {
  it("is in the order of commits: what a long transaction adds is never skipped", async () => {
    const [a, b] = twoNodes();
    await a.versions.add(version("v1"));
    const [{ scope }] = (await a.db.rows("SELECT repertoire.scope() AS scope")) as [{ scope: number }];
    const sinceOf = async (seq: number) =>
      (
        await b.db.rows<{ seq: number; subject: string }>(
          "SELECT seq, subject FROM repertoire.changes WHERE scope = $1 AND seq > $2 ORDER BY seq",
          scope,
          seq,
        )
      ).map(({ subject }) => subject);
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const long = a.db.write(async (tx) => {
      await tx.change(
        "INSERT INTO repertoire.versions (scope, id, name, action, record, parent) SELECT repertoire.scope(), 'long', 'mail', 'save', $1, 'v1'",
        JSON.stringify(version("long", "v1")),
      );
      begun();
      await held;
    });
    await hasBegun;
    let isDone = false;
    const short = b.versions.add({ ...version("short"), name: "plan" }).then(() => {
      isDone = true;
    });
    expect(await sinceOf(1)).toEqual([]);
    expect(isDone).toBe(false);
    finish();
    await Promise.all([long, short]);
    expect(await sinceOf(1)).toEqual(["long", "short"]);
  });

  it("is announced when it is committed, and not before", async () => {
    const [a, b] = twoNodes();
    const { scope } = await a.db.claim();
    const heard: string[] = [];
    const stop = await b.db.listen(`repertoire_${scope}`, (seq) => heard.push(seq));
    onTestFinished(stop);
    await expect(
      a.db.write(async (tx) => {
        await tx.change(
          "INSERT INTO repertoire.versions (scope, id, name, action, record) SELECT repertoire.scope(), 'x', 'mail', 'save', $1",
          JSON.stringify(version("x")),
        );
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await a.versions.add(version("v1"));
    await expect.poll(() => heard).toEqual(["", "1"]);
  });
});

describe("two nodes", () => {
  it("that change one skill at once get a conflict with both versions, and lose none", async () => {
    const [a, b] = twoNodes();
    await a.versions.add(version("v1"));
    await a.versions.begin({ id: "a", versions: [version("by-a", "v1")] });
    await b.versions.begin({ id: "b", versions: [version("by-b", "v1")] });
    // Each sees its own only: the other one takes back its files itself.
    expect((await a.versions.pending()).map(({ id }) => id)).toEqual(["a"]);
    await a.versions.commit("a");
    await expect(b.versions.commit("b")).rejects.toMatchObject({
      code: "version-conflict",
      value: { ours: { id: "by-b" }, theirs: { id: "by-a" } },
    });
    await expect(b.versions.add(version("late", "v1"))).rejects.toMatchObject({
      code: "version-conflict",
      value: { ours: { id: "late" }, theirs: { id: "by-a" } },
    });
    expect((await b.versions.list({})).map(({ id }) => id)).toEqual(["by-a", "v1"]);
    expect((await b.versions.pending()).map(({ id }) => id)).toEqual(["b"]);
  });

  it("that make the same new skill at once: one does", async () => {
    const [a, b] = twoNodes();
    await a.versions.begin({ id: "a", versions: [version("by-a")] });
    await b.versions.begin({ id: "b", versions: [version("by-b")] });
    const results = await Promise.allSettled([a.versions.commit("a"), b.versions.commit("b")]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await a.versions.list({})).toHaveLength(1);
  });

  it("work one after the other, and take over from one that is gone, which then commits nothing", async () => {
    const [a, b] = twoNodes({ leaseMs: 300 });
    const order: string[] = [];
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stuck = a.exclusive(async () => {
      order.push("a begins");
      await a.versions.begin({ id: "a", versions: [version("by-a")] });
      await asleep;
      await a.versions.commit("a");
    });
    await expect.poll(() => order).toEqual(["a begins"]);
    const next = b.exclusive(async () => {
      order.push("b begins");
      wake();
      await expect(stuck).rejects.toMatchObject({ code: "lease-lost" });
      order.push("b ends");
    });
    // As if the machine of the first one slept: no renewal came through.
    await expect
      .poll(async () => {
        if (order.length === 1) await b.db.change("UPDATE repertoire.leases SET until = now()");
        return order.length;
      })
      .toBeGreaterThan(1);
    await next;
    expect(order).toEqual(["a begins", "b begins", "b ends"]);
    expect(await b.versions.list({})).toEqual([]);
    expect(await a.exclusive(() => "again")).toBe("again");
  });

  it("keep a lease that takes longer than it lasts", async () => {
    const [a, b] = twoNodes({ leaseMs: 240 });
    const order: string[] = [];
    const long = a.exclusive(async () => {
      order.push("a begins");
      await new Promise((resolve) => setTimeout(resolve, 700));
      order.push("a ends");
    });
    await expect.poll(() => order).toEqual(["a begins"]);
    await b.exclusive(() => order.push("b"));
    await long;
    expect(order).toEqual(["a begins", "a ends", "b"]);
  });

  it("dream one at a time, and who has lost its turn proposes nothing", async () => {
    const [a, b] = twoNodes({ leaseMs: 300 });
    const proposal = { kind: "merge", title: "t", at: 1, changeHash: "c", basisHash: "b", payload: {} };
    await a.dreaming(async () => {
      await expect(b.dreaming(async () => 1)).rejects.toMatchObject({ code: "dream-elsewhere" });
      await a.proposals.add(proposal);
      // Another one takes over.
      await b.db.change("UPDATE repertoire.leases SET fence = fence + 1, holder = 'other'");
      await expect(a.proposals.add(proposal)).rejects.toMatchObject({ code: "lease-lost" });
      await b.db.change("UPDATE repertoire.leases SET until = '-infinity'");
    });
    expect(await b.dreaming(async () => (await b.proposals.list()).length)).toBe(1);
  });

  it("count every event once, whoever counts", async () => {
    const [a, b] = twoNodes();
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? a : b).journal.append([activated("d"), activated("d")])),
    );
    const counted = await Promise.all([a.journal.tallies("mail"), b.journal.tallies("mail")]);
    expect(counted.map(([tally]) => tally?.activated)).toEqual([80, 80]);
    expect((await a.journal.query({})).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 80 }, (_, i) => i + 1),
    );
  });
});

describe("a batch", () => {
  it("that is sent again counts once, and gets the same answer", async () => {
    const [a, b] = twoNodes();
    const batch = { id: "once", events: [activated("d1"), activated("d2")] };
    const send = (store: typeof a) => store.db.write((tx) => insertBatches(tx, [batch]));
    const [first, again] = await Promise.all([send(a), send(b)]);
    expect(again.get("once")).toEqual(first.get("once"));
    expect(await send(a)).toEqual(first);
    expect(await a.journal.query({})).toHaveLength(2);
  });

  it("may hold any text", async () => {
    const [a] = twoNodes();
    const odd = 'zero \0, half \ud83d, quote ", backslash \\u0000, \u2028';
    const event = {
      kind: "outcome",
      at: 1,
      session: odd,
      turn: 1,
      skill: "mail",
      digest: "d",
      details: { result: "success", note: odd },
    } as const;
    const said = { session: odd, turn: 1, role: "user", text: odd, at: 1 } as const;
    await a.record([event], [said]);
    const [kept] = await a.journal.query({});
    expect(kept).toMatchObject({ details: { note: odd } });
    expect(kept?.session).toBe(odd.toWellFormed().replaceAll("\0", "\ufffd"));
    expect(await a.conversation.query({})).toHaveLength(1);
    await a.sessions.begin(odd, { key: odd, message: odd });
    expect(await a.sessions.read(odd)).toMatchObject({ turn: 1, lastMessage: odd });
    await a.remembered.add([{ skill: "mail", digest: "d", at: 1, weight: 1, text: odd, terms: [1] }]);
    await a.versions.add({ ...version("odd"), reason: `${odd} a\0b \ud800 \\u0000` });
    expect(await a.versions.get("odd")).toMatchObject({ reason: expect.stringContaining("a\0b") });
    await a.meta.set(odd, odd);
    expect(await a.meta.get(odd)).toContain("quote");
  });
});

describe("retention", () => {
  it("drops whole months of all scopes, and the rows of a scope that keeps less", async () => {
    const [a] = twoNodes({ keep: { events: 10, said: 10 } });
    await a.meta.get("k");
    const sql = asOwner();
    await sql.unsafe(`CREATE TABLE repertoire.events_2020_01 PARTITION OF repertoire.events
      FOR VALUES FROM ('2020-01-01') TO ('2020-02-01')`);
    await sql.unsafe(
      `INSERT INTO repertoire.events (scope, seq, received, batch, at, kind) SELECT id, 0, '2020-01-15', 'old', 1, 0 FROM repertoire.scopes`,
    );
    const now = Date.now();
    await a.journal.append([
      { ...activated("d"), at: now - 30 * DAY },
      { ...activated("d"), at: now },
    ]);
    await a.record([], [{ session: "s", turn: 1, role: "user", text: "x", at: now - 30 * DAY }]);
    const sha256 = await a.blobs.put(Buffer.from("named by nobody"));
    await a.db.rows("SELECT 1");
    await sql`UPDATE repertoire.blob_rights SET at = now() - interval '2 days' WHERE sha256 = decode(${sha256}, 'hex')`;
    const told = await a.tidy({ dryRun: true });
    expect(told.map(({ rule, items }) => [rule, items])).toEqual([
      ["events", 2],
      ["said", 1],
      ["sessions", 0],
      ["blobs", 1],
    ]);
    expect(await a.tidy()).toEqual(told);
    expect(await a.journal.query({})).toHaveLength(1);
    expect(await a.journal.tallies("mail")).toMatchObject([{ activated: 2 }]);
    expect(await a.blobs.get(sha256)).toBeUndefined();
    expect(await sql`SELECT to_regclass('repertoire.events_2020_01') AS old`).toMatchObject([{ old: null }]);
    expect(await sql`SELECT FROM repertoire.blobs WHERE sha256 = decode(${sha256}, 'hex')`).toHaveLength(0);
  });
});

describe("retention beside a long transaction", () => {
  it("leaves what somebody reads to the next time", async () => {
    const [a] = twoNodes({ keep: { events: 10, said: 10 } });
    await a.meta.get("k");
    const [sql, backup] = [asOwner(), asOwner()];
    await sql.unsafe(`CREATE TABLE repertoire.events_2019_01 PARTITION OF repertoire.events
      FOR VALUES FROM ('2019-01-01') TO ('2019-02-01')`);
    const there = () => sql`SELECT to_regclass('repertoire.events_2019_01') IS NOT NULL AS there`;
    await backup.begin(async (tx) => {
      await tx`SELECT count(*) FROM repertoire.events`;
      expect((await a.tidy()).map(({ rule }) => rule)).toContain("events");
      expect(await there()).toMatchObject([{ there: true }]);
    });
    await a.tidy();
    expect(await there()).toMatchObject([{ there: false }]);
  });
});

describe("a check", () => {
  it("finds versions whose bytes are lost, and puts back what is still in the skill's folder", async () => {
    const [a] = twoNodes();
    const [there, elsewhere, gone] = await a.blobs.putAll(
      ["there", "elsewhere", "gone"].map((text) => Buffer.from(`${scopes} ${text}`)),
    );
    const files = [there!, elsewhere!, gone!].map((sha256, i) => ({ path: `${i}.md`, sha256, size: 1 }));
    await a.versions.add({ ...version("v1"), files });
    expect(await a.check()).toEqual([]);
    const sql = asOwner();
    await sql`UPDATE repertoire.blobs SET bytes = 'other' WHERE sha256 = decode(${gone!}, 'hex')`;
    await sql`DELETE FROM repertoire.blob_rights WHERE sha256 = decode(${elsewhere!}, 'hex')`;
    const lostBytes = (_: unknown, { sha256 }: { sha256: string }) =>
      sha256 === elsewhere ? Buffer.from(`${scopes} elsewhere`) : undefined;
    expect(await a.check({ lostBytes })).toMatchObject([{ code: "bytes-missing", canFix: true }]);
    expect(await a.check({ lostBytes, fix: true })).toMatchObject([{ fixed: expect.any(String) }]);
    expect(await a.blobs.get(elsewhere!)).toBeDefined();
    expect(await a.check({ lostBytes })).toMatchObject([{ code: "bytes-missing", canFix: false }]);
  });
});

describe("what is wrong with the database", () => {
  const opening = (address: string) => opened({ url: address }).meta.get("k");
  const at = (change: (address: URL) => void) => {
    const address = new URL(url);
    change(address);
    return address.href;
  };

  it("is said with a code, and without the password", async () => {
    const secret = "very-secret-password";
    const refused = await opening(
      at((each) => Object.assign(each, { pathname: "/nowhere", password: secret })),
    ).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "database-refused" });
    const sql = asOwner();
    await sql.unsafe("CREATE ROLE nobody_special LOGIN PASSWORD 'right'");
    const noRights = await opening(
      at((each) => Object.assign(each, { username: "nobody_special", password: "right" })),
    ).catch((error: unknown) => error);
    expect(noRights).toMatchObject({ code: "database-refused" });
    const away = await opening(at((each) => Object.assign(each, { port: "1", password: secret }))).catch(
      (error: unknown) => error,
    );
    expect(away).toMatchObject({ code: "database-away" });
    const noHost = await opening(`postgres://user:${secret}@no-such-host.invalid/db`).catch(
      (error: unknown) => error,
    );
    expect(noHost).toMatchObject({ code: "database-away" });
    expect(() => openPostgresStore({ url: `not an address ${secret}` })).toThrow(
      expect.objectContaining({ code: "database-refused" }),
    );
    for (const error of [refused, noRights, away, noHost]) {
      expect(String((error as Error).message)).not.toContain(secret);
      expect(JSON.stringify(error)).not.toContain(secret);
    }
  });
});
