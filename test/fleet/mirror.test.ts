// Mirrors of the shared library, on a real PostgreSQL: each equals the database afterwards, whatever happened on the way.

import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { Follower, Mirror, type MirrorChanges, type SharedLibrary } from "../../src/fleet/fleet.ts";
import { UnsettledSkills } from "../../src/fleet/unsettled.ts";
import type { VersionRecord } from "../../src/learn/learn.ts";
import { sha256Of } from "../../src/package/package.ts";
import { InTurn } from "../../src/stores/in-turn.ts";
import { Connection } from "../../src/stores/postgres/connection.ts";
import { postgresLibrary } from "../../src/stores/postgres/shared-library.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

interface Shared {
  readonly url: string;
  readonly connection: Connection;
  readonly library: SharedLibrary;
  /** Commits a version, as another node does. */
  commit(name: string, files: Readonly<Record<string, string>>): Promise<VersionRecord>;
}

async function shared(options: { readonly url?: string; readonly scope?: string } = {}): Promise<Shared> {
  const url = options.url ?? (await server.createDatabase());
  const { scope = "acme" } = options;
  const connection = new Connection({ url, scope });
  onTestFinished(() => connection.close());
  await connection.claim();
  const library = postgresLibrary({ url, scope });
  onTestFinished(() => library.close());
  const commit: Shared["commit"] = async (name, files) => {
    const version: VersionRecord = {
      id: randomBytes(5).toString("hex"),
      name,
      action: Object.keys(files).length > 0 ? "save" : "delete",
      at: Date.now(),
      author: "person",
      files: Object.entries(files).map(([path, text]) => {
        const bytes = Buffer.from(text);
        return { path, sha256: sha256Of(bytes), size: bytes.length };
      }),
    };
    await connection.write(async (tx) => {
      for (const text of Object.values(files))
        await tx.rows("SELECT repertoire.put_blob($1)", Buffer.from(text));
      await tx.change(
        "INSERT INTO repertoire.versions (scope, id, name, action, record) VALUES (repertoire.scope(), $1, $2, $3, $4)",
        version.id,
        name,
        version.action,
        JSON.stringify(version),
      );
    });
    return version;
  };
  return { url, connection, library, commit };
}

/** A mirror in a folder, new unless one is given. */
async function mirrorOf({ library }: Shared, folder = join(temporaryTree(), "mirror"), scopeAt = -1) {
  const scope = (await library.scopes()).at(scopeAt)!;
  const inTurn = new InTurn();
  return new Mirror({ folder, library, scope, alone: (work) => inTurn.run(work), now: Date.now });
}

/** The files of a mirror by path, without ours. */
function filesOf({ root }: Mirror): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const inside = paths.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
  return Object.fromEntries(
    inside
      .filter((path) => !path.startsWith("."))
      .map((path) => [path, readFileSync(join(root, path), "utf8")]),
  );
}

const [ONE, TWO, THREE] = ["one", "two", "three"].map((word) => skillText(`Does ${word}.`)) as [
  string,
  string,
  string,
];

describe("a mirror", () => {
  it("gets all skills with all their files at first, and none that was deleted", async () => {
    const node = await shared();
    await node.commit("greet", { "SKILL.md": ONE, "notes/more.md": "more" });
    await node.commit("mcp/email", { "SKILL.md": TWO });
    await node.commit("gone", { "SKILL.md": THREE });
    await node.commit("gone", {});
    const mirror = await mirrorOf(node);
    const { changed } = await mirror.catchUp();
    expect([...changed].sort()).toEqual(["greet", "mcp/email"]);
    expect(filesOf(mirror)).toEqual({
      "greet/SKILL.md": ONE,
      "greet/notes/more.md": "more",
      "mcp/email/SKILL.md": TWO,
    });
    expect(await mirror.catchUp()).toEqual({ changed: [], folders: [], kept: [] });
  });

  it("follows what changed since, more than is read at once, also as another process", async () => {
    const node = await shared();
    await node.commit("greet", { "SKILL.md": ONE, "old.md": "old" });
    const mirror = await mirrorOf(node);
    await mirror.catchUp();
    for (let at = 0; at < 230; at++)
      await node.commit(`many/skill-${at % 115}`, { "SKILL.md": `${TWO}${at}` });
    await node.commit("greet", { "SKILL.md": THREE });
    await node.commit("many/skill-0", {});
    const next = await mirrorOf(node, join(mirror.root, ".."));
    await next.catchUp();
    const files = filesOf(next);
    expect(files["greet/SKILL.md"]).toBe(THREE);
    expect(files["greet/old.md"]).toBeUndefined();
    expect(existsSync(join(next.root, "many/skill-0"))).toBe(false);
    expect(files["many/skill-114/SKILL.md"]).toBe(`${TWO}229`);
    expect(Object.keys(files)).toHaveLength(115);
  });

  it("returns to the database after a change that never came to be", async () => {
    const node = await shared();
    await node.commit("greet", { "SKILL.md": ONE });
    const folder = join(temporaryTree(), "mirror");
    const mirror = await mirrorOf(node, folder);
    await mirror.catchUp();
    // A process begins a change, writes it, and is killed before the commit.
    new UnsettledSkills(folder).add(["greet", "new"]);
    writeFileSync(join(mirror.root, "greet/SKILL.md"), TWO);
    mkdirSync(join(mirror.root, "new"));
    writeFileSync(join(mirror.root, "new/SKILL.md"), TWO);
    expect([...(await mirror.catchUp()).changed].sort()).toEqual(["greet", "new"]);
    expect(filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    expect(existsSync(join(mirror.root, "..", "writing.json"))).toBe(false);
  });

  it("keeps somebody's edit aside when the skill was changed elsewhere, and leaves it alone otherwise", async () => {
    const node = await shared();
    await node.commit("greet", { "SKILL.md": ONE });
    await node.commit("meet", { "SKILL.md": ONE });
    const mirror = await mirrorOf(node);
    await mirror.catchUp();
    for (const name of ["greet", "meet"]) writeFileSync(join(mirror.root, name, "SKILL.md"), "edited");
    await node.commit("greet", { "SKILL.md": TWO });
    const { changed, kept } = await mirror.catchUp();
    expect(changed).toEqual(["greet"]);
    expect(kept.map((folder) => readFileSync(join(folder, "SKILL.md"), "utf8"))).toEqual(["edited"]);
    expect(filesOf(mirror)).toEqual({ "greet/SKILL.md": TWO, "meet/SKILL.md": "edited" });
  });

  it("is made anew when its folder was removed, and begins again for another scope", async () => {
    const node = await shared();
    await node.commit("greet", { "SKILL.md": ONE });
    const mirror = await mirrorOf(node);
    await mirror.catchUp();
    rmSync(mirror.root, { recursive: true });
    await mirror.catchUp();
    expect(filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    const other = await shared({ url: node.url, scope: "other" });
    await other.commit("meet", { "SKILL.md": TWO });
    const second = await mirrorOf(other, join(mirror.root, ".."));
    await second.catchUp();
    expect(filesOf(second)).toEqual({ "meet/SKILL.md": TWO });
  });

  it("of a project's organisation has the organisation's skills and not the project's", async () => {
    const above = await shared({ scope: "acme" });
    const node = await shared({ url: above.url, scope: "acme/web" });
    await above.commit("greet", { "SKILL.md": ONE });
    await node.commit("greet", { "SKILL.md": TWO });
    expect((await node.library.scopes()).map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ["acme", false],
      ["acme/web", true],
    ]);
    const [organisation, project] = [await mirrorOf(node, undefined, 0), await mirrorOf(node, undefined, 1)];
    await organisation.catchUp();
    await project.catchUp();
    expect(filesOf(organisation)).toEqual({ "greet/SKILL.md": ONE });
    expect(filesOf(project)).toEqual({ "greet/SKILL.md": TWO });
  });
});

describe("a follower", () => {
  async function follow(node: Shared, { library = node.library, checkMs = 60_000 } = {}) {
    const mirror = await mirrorOf(node);
    const seen: MirrorChanges[] = [];
    const problems: string[] = [];
    const follower = new Follower({
      library,
      mirrors: async () => [mirror],
      onChanges: (changes) => void seen.push(changes),
      onProblem: (problem) => problems.push(problem),
      now: Date.now,
      numbers: { checkMs, mostPauseMs: 200 },
    });
    onTestFinished(() => follower.stop());
    follower.start();
    return { mirror, follower, problems, seen };
  }

  it("hears of changes by itself", async () => {
    const writer = await shared();
    const reader = await shared({ url: writer.url });
    const { mirror, follower } = await follow(reader);
    // Only news can bring what is committed from here on: the next look is a minute away.
    await expect.poll(() => follower.state.isSubscribed).toBe(true);
    await writer.commit("greet", { "SKILL.md": ONE });
    await expect.poll(() => filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    expect(follower.state).toMatchObject({ isConnected: true, applied: 1, failures: 0 });
  });

  it("looks by itself where no news come through, as behind a pool in transaction mode", async () => {
    const writer = await shared();
    const reader = await shared({ url: writer.url });
    const deaf: SharedLibrary = {
      ...reader.library,
      subscribe: async () => ({ isAlive: async () => false, close: async () => undefined }),
    };
    const { mirror, follower } = await follow(reader, { library: deaf });
    await expect.poll(() => follower.state.currentAt).toBeGreaterThan(0);
    await writer.commit("greet", { "SKILL.md": ONE });
    await expect.poll(() => filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    expect(follower.state.isSubscribed).toBe(false);
  });

  it("misses nothing when the server is killed, and comes back by itself", async () => {
    const writer = await shared();
    const reader = await shared({ url: writer.url });
    await writer.commit("greet", { "SKILL.md": ONE });
    const { mirror, follower, problems } = await follow(reader, { checkMs: 300 });
    await expect.poll(() => filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    await server.kill();
    await expect.poll(() => follower.state.isConnected).toBe(false);
    expect(filesOf(mirror)).toEqual({ "greet/SKILL.md": ONE });
    await server.start();
    const again = await shared({ url: writer.url });
    await again.commit("greet", { "SKILL.md": TWO });
    await again.commit("meet", { "SKILL.md": THREE });
    await expect.poll(() => filesOf(mirror)).toEqual({ "greet/SKILL.md": TWO, "meet/SKILL.md": THREE });
    expect(problems.length).toBeGreaterThan(0);
    // And it hears again, although the connection that it heard by is gone.
    await expect.poll(() => follower.state.isSubscribed).toBe(true);
    await again.commit("greet", {});
    await expect.poll(() => filesOf(mirror)).toEqual({ "meet/SKILL.md": THREE });
  });
});
