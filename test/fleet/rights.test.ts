// Nobody crosses from one scope to another or above its role, not even with raw SQL over the login that agents have.

import { createHash, randomUUID } from "node:crypto";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import type { NewEvent } from "../../src/journal/events.ts";
import type { VersionRecord } from "../../src/learn/version-store.ts";
import type { TokenRole } from "../../src/stores/postgres/rights.ts";
import { openPostgresStore } from "../../src/stores/postgres/store.ts";
import { DatabaseTokens } from "../../src/stores/postgres/tokens.ts";

let server: PostgresServer;
let admin: string;
/** The address for the login that agents have. */
let agents: string;
/** The agents' login, with whatever SQL. */
let raw: Sql;
let tokens: DatabaseTokens;

const version = (name: string, more: Partial<VersionRecord> = {}): VersionRecord => ({
  id: randomUUID(),
  name,
  action: "save",
  at: 1,
  author: "agent",
  files: [],
  ...more,
});
const event = (kind: NewEvent["kind"], details: object = {}): NewEvent =>
  ({ kind, at: 1, session: "s", turn: 1, skill: "mail", digest: "d", details }) as NewEvent;

async function tokenFor(scope: string, role: TokenRole, days?: number): Promise<string> {
  return (await tokens.create({ name: `${scope} ${role}`, scope, role, days })).token;
}

function storeOf(token: string) {
  const store = openPostgresStore({ url: agents, token, connections: 2 });
  onTestFinished(() => store.close());
  return store;
}

/** Runs SQL as an attacker would: over the agents' login, with a claim of its choice. */
function as<T>(
  claim: { token?: string; scope?: string; role?: string },
  ...statements: string[]
): Promise<T[]> {
  return raw.begin(async (tx) => {
    if (claim.role) await tx.unsafe(`SET LOCAL ROLE ${claim.role}`);
    if (claim.token) await tx.unsafe(`SELECT set_config('repertoire.token', $1, true)`, [claim.token]);
    if (claim.scope) await tx.unsafe(`SELECT set_config('repertoire.scope', $1, true)`, [claim.scope]);
    let rows: unknown[] = [];
    for (const statement of statements) rows = [...(await tx.unsafe(statement))];
    return rows;
  }) as Promise<T[]>;
}

beforeAll(async () => {
  server = await startPostgres();
  admin = await server.createDatabase();
  tokens = new DatabaseTokens({ url: admin, scope: "acme" });
  await tokens.list();
  const owner = postgres(admin, { max: 1 });
  await owner.unsafe(`CREATE ROLE agents_${process.pid} LOGIN PASSWORD 'agents' IN ROLE repertoire_node`);
  await owner.end();
  const address = new URL(admin);
  address.username = `agents_${process.pid}`;
  address.password = "agents";
  agents = address.href;
  raw = postgres(agents, { max: 2, prepare: false, onnotice: () => undefined });
});

afterAll(async () => {
  await raw?.end();
  await tokens?.close();
  await server?.stop();
});

const TABLES = `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'repertoire'::regnamespace AND c.relkind IN ('r', 'p')`;

describe("a scope", () => {
  it("shows no row of any table to another one, whatever the claim", async () => {
    const own = storeOf(await tokenFor("acme/website", "owner"));
    const sha256 = await own.blobs.put(Buffer.from("the secret of acme"));
    await own.versions.add(version("mail", { files: [{ path: "SKILL.md", sha256, size: 18 }] }));
    await own.record([event("activated")], [{ session: "s", turn: 1, role: "user", text: "hello", at: 1 }]);
    await own.journal.tallies();
    await own.sessions.begin("s", { key: "k", message: "hello" });
    await own.tasks.start({ id: "t", startedAt: 1 });
    await own.tasks.consent({ task: "t", skill: "mail", digest: "d", at: 1, files: {} });
    await own.trust.add({ digest: "d", skill: "mail", at: 1 });
    await own.proposals.add({
      kind: "merge",
      title: "t",
      at: 1,
      changeHash: "c",
      basisHash: "b",
      payload: {},
    });
    await own.meta.set("k", "v");
    await own.remembered.add([{ skill: "mail", digest: "d", at: 1, weight: 1, text: "x", terms: [1] }]);
    await own.exclusive(() => 1);
    const names = (await as<{ name: string }>({}, TABLES)).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    const claims = [
      {},
      { scope: "acme/website" },
      { scope: "acme/website", role: "repertoire_node" },
      { token: "rpt_000000000000_made-up" },
      { token: await tokenFor("other/website", "owner") },
      { token: await tokenFor("acme/shop", "owner") },
    ];
    // Whoever has a token sees its own scopes only.
    const foreign = (table: string) =>
      table === "scopes"
        ? "project = 'website' AND organisation = 'acme'"
        : "scope = (SELECT s.id FROM repertoire.scopes s WHERE s.organisation = 'acme' AND s.project = 'website')";
    for (const claim of claims)
      for (const name of names.filter((each) => each !== "migrations")) {
        const hasScope = !["scopes", "tokens", "settings", "blobs"].includes(name);
        const where = hasScope || name === "scopes" ? `WHERE ${foreign(name)}` : "";
        const found = await as<{ count: number }>(
          claim,
          `SELECT count(*)::int AS count FROM repertoire.${name} ${where}`,
        ).catch((error: { code: string }) => error.code);
        expect([name, found === "42501" || (found as { count: number }[])[0]?.count === 0]).toEqual([
          name,
          true,
        ]);
      }
    // The same by number, as the name of a foreign scope cannot be read.
    const [{ id }] = (await own.db.rows("SELECT repertoire.scope() AS id")) as [{ id: number }];
    for (const claim of claims)
      for (const name of ["versions", "events", "said", "trust", "meta", "heads", "changes"])
        expect(await as(claim, `SELECT * FROM repertoire.${name} WHERE scope = ${id}`)).toEqual([]);
  });

  it("is not written to from another one, whatever the claim", async () => {
    const own = storeOf(await tokenFor("acme/mail", "owner"));
    await own.versions.add(version("plan", { id: "v1" }));
    await own.meta.set("k", "v");
    const [{ id }] = (await own.db.rows("SELECT repertoire.scope() AS id")) as [{ id: number }];
    const foreign = await tokenFor("other/mail", "owner");
    const attacks = [
      `INSERT INTO repertoire.versions (scope, id, name, action, record, parent) VALUES (${id}, 'evil', 'plan', 'save', '{}', 'v1')`,
      `INSERT INTO repertoire.meta (scope, key, value) VALUES (${id}, 'evil', '')`,
      `INSERT INTO repertoire.events (scope, seq, batch, at, kind) VALUES (${id}, 1, '', 1, 0)`,
      `INSERT INTO repertoire.blob_rights (scope, sha256) SELECT repertoire.scope(), sha256 FROM repertoire.blobs`,
      `UPDATE repertoire.heads SET id = 'evil'`,
      `UPDATE repertoire.sequences SET last = 0`,
      `UPDATE repertoire.tokens SET rank = 4`,
      `UPDATE repertoire.meta SET scope = ${id}`,
      `INSERT INTO repertoire.changes (scope, seq, kind, subject) VALUES (${id}, 99, 'version', 'evil')`,
      `SELECT repertoire.create_token('acme', 'mail', 'evil', sha256('evil'), 'evil', 4::smallint, NULL)`,
      `SELECT repertoire.own_scope('acme', 'mail')`,
      `SELECT repertoire.log_change(${id}, 99, 'version', 'evil')`,
      `ALTER TABLE repertoire.versions DISABLE ROW LEVEL SECURITY`,
      `DROP TABLE repertoire.versions`,
      `CREATE FUNCTION repertoire.evil() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      `SET ROLE postgres`,
      `TRUNCATE repertoire.meta`,
    ];
    await as(
      { token: foreign },
      "INSERT INTO repertoire.meta (scope, key, value) SELECT repertoire.scope(), 'own', ''",
    );
    for (const claim of [{ token: foreign }, { scope: "acme/mail" }, {}])
      for (const attack of attacks)
        expect([
          attack,
          await as(claim, attack).then(
            (rows) => (rows.length === 0 ? "nothing" : rows),
            (error: { code: string }) => error.code,
          ),
        ]).toEqual([attack, expect.stringMatching(/^(42501|22023|42704|23502|nothing)$/)]);
    expect((await own.versions.list({})).map((each) => each.id)).toEqual(["v1"]);
    expect((await own.versions.head({ name: "plan" }))?.id).toBe("v1");
    expect(await own.meta.get("k")).toBe("v");
    expect(await own.meta.get("evil")).toBeUndefined();
    expect(await own.journal.query({})).toEqual([]);
    for (const removal of ["meta", "events", "trust", "tasks", "blob_rights"])
      await as({ token: foreign }, `DELETE FROM repertoire.${removal}`);
    expect(await own.meta.get("k")).toBe("v");
  });

  it("of a project reads its organisation's skills, and nobody reads the other way round", async () => {
    const organisation = storeOf(await tokenFor("acme", "writer"));
    const project = storeOf(await tokenFor("acme/blog", "writer"));
    const sha256 = await organisation.blobs.put(Buffer.from("for all of acme"));
    await organisation.versions.add(version("shared", { id: "of-acme" }));
    const own = await project.blobs.put(Buffer.from("for the blog"));
    await project.versions.add(version("blogging", { id: "of-blog" }));
    expect(Buffer.from((await project.blobs.get(sha256))!).toString()).toBe("for all of acme");
    expect(await organisation.blobs.get(own)).toBeUndefined();
    const ids = (store: typeof project) =>
      store.db.rows<{ id: string }>("SELECT id FROM repertoire.versions ORDER BY id");
    expect(await ids(project)).toEqual(expect.arrayContaining([{ id: "of-acme" }, { id: "of-blog" }]));
    expect(await ids(organisation)).not.toContainEqual({ id: "of-blog" });
    // What the project changes is its own.
    expect((await project.versions.list({})).map((each) => each.id)).toEqual(["of-blog"]);
    await expect(
      project.db.rows(
        "UPDATE repertoire.redirects SET target = 'x' WHERE scope <> repertoire.scope() RETURNING 1",
      ),
    ).resolves.toEqual([]);
  });
});

describe("bytes", () => {
  it("are kept once for all, and read only by who has had them", async () => {
    const [a, b] = [storeOf(await tokenFor("acme/a", "writer")), storeOf(await tokenFor("acme/b", "writer"))];
    const bytes = Buffer.from("the same in both");
    const sha256 = await a.blobs.put(bytes);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
    await b.versions.add(version("thief", { files: [{ path: "SKILL.md", sha256, size: bytes.length }] }));
    expect(await b.blobs.get(sha256)).toBeUndefined();
    await b.blobs.put(bytes);
    expect(await b.blobs.get(sha256)).toEqual(bytes);
    const owner = postgres(admin, { max: 1 });
    onTestFinished(() => owner.end());
    expect(
      await owner`SELECT count(*)::int AS count FROM repertoire.blobs WHERE sha256 = decode(${sha256}, 'hex')`,
    ).toMatchObject([{ count: 1 }]);
  });
});

describe("roles", () => {
  const refused = { code: "role-insufficient" };

  it("a reader records what happens, and saves, judges and decides nothing", async () => {
    const reader = storeOf(await tokenFor("roles/reader", "reader"));
    await reader.journal.append([event("recalled"), event("activated")]);
    expect(await reader.journal.query({})).toHaveLength(2);
    await reader.tasks.start({ id: "t", startedAt: 1 });
    await expect(reader.journal.append([event("outcome", { result: "success" })])).rejects.toMatchObject(
      refused,
    );
    await expect(reader.versions.add(version("mail"))).rejects.toMatchObject(refused);
    await expect(reader.blobs.put(Buffer.from("x"))).rejects.toMatchObject(refused);
    await expect(reader.meta.set("k", "v")).rejects.toMatchObject(refused);
    await expect(reader.trust.add({ digest: "d", skill: "mail", at: 1 })).rejects.toMatchObject(refused);
    await expect(reader.exclusive(() => 1)).rejects.toMatchObject(refused);
    // Who may judge counts what a reader did.
    const writer = storeOf(await tokenFor("roles/reader", "writer"));
    expect(await writer.journal.tallies("mail")).toMatchObject([{ recalled: 1, activated: 1 }]);
    expect(await reader.journal.tallies("mail")).toMatchObject([{ recalled: 1, activated: 1 }]);
  });

  it("a writer saves and judges, and neither deletes nor decides", async () => {
    const writer = storeOf(await tokenFor("roles/writer", "writer"));
    await writer.versions.add(version("mail"));
    await writer.journal.append([event("outcome", { result: "success" })]);
    for (const action of ["delete", "rename", "pin", "unpin"] as const)
      await expect(writer.versions.add(version("mail", { action }))).rejects.toMatchObject(refused);
    const proposal = { kind: "merge", title: "t", at: 1, changeHash: "c", basisHash: "b", payload: {} };
    await expect(writer.proposals.add(proposal)).rejects.toMatchObject(refused);
    const curator = storeOf(await tokenFor("roles/writer", "curator"));
    await curator.proposals.add(proposal);
    await curator.versions.add(version("mail", { action: "delete" }));
    expect(await writer.proposals.list()).toHaveLength(1);
    // What may not be changed stays as it is.
    await writer.proposals.decide(1, { state: "accepted", at: 2 });
    expect(await curator.proposals.get(1)).toMatchObject({ state: "open" });
  });

  it("are not got above with raw SQL in the own scope", async () => {
    const scope = "roles/raw";
    const roles = ["reader", "writer", "curator"] as const;
    const [reader, writer, curator] = (await Promise.all(roles.map((role) => tokenFor(scope, role)))) as [
      string,
      string,
      string,
    ];
    const store = storeOf(curator);
    const sha256 = await store.blobs.put(Buffer.from("x"));
    const kept = version("mail", { id: "v1", files: [{ path: "SKILL.md", sha256, size: 1 }] });
    await store.versions.add(kept);
    await store.journal.append([event("activated")]);
    await store.dreaming(async () => undefined);
    const rowOf = (record: object, name = "mail") =>
      `INSERT INTO repertoire.versions (scope, id, name, action, parent, record)
        SELECT repertoire.scope(), 'evil', '${name}', 'save', 'v1', '${JSON.stringify(record)}'`;
    const evil = { id: "evil", name: "mail", action: "save", parent: "v1", files: [] };
    const numbers = (name: string, many: string) => `SELECT repertoire.take_numbers('${name}', ${many})`;
    const lease = (name: string, until: string) =>
      `INSERT INTO repertoire.leases (scope, name, holder, fence, until) SELECT repertoire.scope(), '${name}', 'me', 1, ${until}`;
    const attacks: [string, string][] = [
      // Numbers that jump or go back would end all changes of the scope.
      [reader, numbers("changes", "1")],
      [reader, numbers("changes", "9000000000000000000")],
      [reader, numbers("events", "-1")],
      [writer, numbers("changes", "-1")],
      [writer, numbers("proposals", "1")],
      [curator, numbers("changes", "9000000000000000000")],
      [
        reader,
        "INSERT INTO repertoire.events (scope, seq, batch, at, kind) SELECT repertoire.scope(), 9e17, 'x', 1, 0",
      ],
      // What the columns say is allowed, and what the record says is what nodes do.
      [writer, rowOf({ ...evil, action: "delete" })],
      [writer, rowOf({ ...evil, name: "plan" })],
      [writer, rowOf(evil, "plan")],
      [writer, rowOf(evil)],
      [
        writer,
        "INSERT INTO repertoire.redirects (scope, source, target, at) SELECT repertoire.scope(), 'mail', 'evil', 1",
      ],
      [writer, "UPDATE repertoire.leases SET until = 'infinity' WHERE name = 'dream' RETURNING 1"],
      [writer, "DELETE FROM repertoire.leases WHERE name = 'dream' RETURNING 1"],
      [writer, lease("learn", "'infinity'")],
      [
        writer,
        "INSERT INTO repertoire.snapshots (scope, format, change, bytes) SELECT repertoire.scope(), 'f', 9e17, ''",
      ],
    ];
    for (const [token, attack] of attacks)
      expect([
        attack,
        await as({ token }, attack).then(
          (rows) => (rows.length === 0 ? "nothing" : rows),
          (error: { code: string }) => error.code,
        ),
      ]).toEqual([attack, expect.stringMatching(/^(42501|nothing)$/)]);
    // Another lease does not become the dream's.
    await as({ token: writer }, lease("other", "now()"));
    await expect(
      as({ token: writer }, "UPDATE repertoire.leases SET name = 'dream' WHERE name = 'other'"),
    ).rejects.toMatchObject({ code: "42501" });
    expect(await store.versions.heads()).toEqual([kept]);
    expect(await store.redirects.list()).toEqual([]);
    await store.dreaming(async () => undefined);
    await store.journal.append([event("activated")]);
    expect(await store.journal.tallies("mail")).toMatchObject([{ activated: 2 }]);
    await store.versions.add({ ...kept, id: "v2", parent: "v1" });
  });

  it("an owner makes and revokes tokens of its scope alone", async () => {
    const owner = new DatabaseTokens({ url: agents, token: await tokenFor("roles/owner", "owner") });
    const organisation = new DatabaseTokens({ url: agents, token: await tokenFor("roles", "owner") });
    const curator = new DatabaseTokens({ url: agents, token: await tokenFor("roles/owner", "curator") });
    onTestFinished(async () => {
      await Promise.all([owner.close(), organisation.close(), curator.close()]);
    });
    const made = await owner.create({ name: "new", role: "writer" });
    expect(made).toMatchObject({ scope: "roles/owner", role: "writer" });
    expect((await owner.list()).every(({ scope }) => scope === "roles/owner")).toBe(true);
    const others = { name: "x", role: "owner", scope: "acme" } as const;
    await expect(owner.create(others)).rejects.toMatchObject(refused);
    await expect(owner.create({ ...others, scope: "roles" })).rejects.toMatchObject(refused);
    await expect(curator.create({ name: "x", role: "reader" })).rejects.toMatchObject(refused);
    expect(await curator.list()).toEqual([]);
    await expect(curator.revoke(made.id)).rejects.toMatchObject({ code: "token-not-found" });
    expect(await organisation.create({ name: "y", role: "reader", scope: "roles/other" })).toMatchObject({
      scope: "roles/other",
    });
    await organisation.revoke(made.id);
    await expect(owner.revoke(made.id)).rejects.toMatchObject({ code: "token-not-found" });
  });
});

describe("a token", () => {
  it("ends with the next transaction when it is revoked or expires", async () => {
    const made = await tokens.create({ name: "short", scope: "acme/short", role: "writer" });
    const store = storeOf(made.token);
    await store.meta.set("k", "v");
    await tokens.revoke(made.id);
    await expect(store.meta.set("k", "w")).rejects.toMatchObject({ code: "token-refused" });
    // An empty answer would look as if there were no skills.
    await expect(store.versions.heads()).rejects.toMatchObject({ code: "token-refused" });
    await expect(storeOf(made.token).meta.get("k")).rejects.toMatchObject({ code: "token-refused" });
    const expired = await tokenFor("acme/short", "writer", -1);
    await expect(storeOf(expired).meta.get("k")).rejects.toMatchObject({ code: "token-refused" });
    expect((await tokens.list()).find(({ id }) => id === made.id)).toMatchObject({
      revokedAt: expect.any(Number),
    });
  });

  it("is not seen by others that use the same login", async () => {
    const token = await tokenFor("acme/seen", "owner");
    const store = storeOf(token);
    await store.meta.get("k");
    const seen = await store.db.write(() =>
      as<{ query: string }>({}, "SELECT query FROM pg_stat_activity WHERE pid <> pg_backend_pid()"),
    );
    expect(seen.some(({ query }) => query.includes("repertoire.token"))).toBe(true);
    expect(JSON.stringify(seen)).not.toContain(token.slice(4));
  });

  it("is needed by every login but the schema's owner, and is kept nowhere", async () => {
    const without = openPostgresStore({ url: agents, scope: "acme" });
    onTestFinished(() => without.close());
    await expect(without.meta.get("k")).rejects.toMatchObject({ code: "token-missing" });
    const token = await tokenFor("acme/secret", "owner");
    const owner = postgres(admin, { max: 1 });
    onTestFinished(() => owner.end());
    const [{ dump }] =
      (await owner`SELECT string_agg(t::text, '') AS dump FROM repertoire.tokens t`) as unknown as [
        { dump: string },
      ];
    expect(dump).not.toContain(token.slice(20));
  });
});

describe("a connection", () => {
  it("keeps nothing of a transaction, so a pool may give it to somebody else", async () => {
    const store = openPostgresStore({ url: admin, scope: "pooled", connections: 1 });
    onTestFinished(() => store.close());
    await store.exclusive(async () => {
      await store.versions.begin({ id: "c", versions: [version("mail")] });
      await store.versions.commit("c");
    });
    await store.journal.append([event("activated")]);
    await store.journal.tallies();
    // The only connection that it has.
    const left =
      await store.db.rows(`SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,
      (SELECT count(*) FROM pg_prepared_statements WHERE name <> '') AS prepared,
      (SELECT count(*) FROM pg_listening_channels()) AS channels,
      (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary`);
    expect(left).toEqual([{ locks: 0, prepared: 0, channels: 0, temporary: 0 }]);
    const other = openPostgresStore({ url: admin, scope: "pooled", connections: 1 });
    onTestFinished(() => other.close());
    expect(await other.versions.list({})).toHaveLength(1);
  });
});
