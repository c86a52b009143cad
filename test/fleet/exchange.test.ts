// push, pull and sync between folders and the shared library, as a person types them.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { runOn } from "./nodes.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const [ONE, TWO, THREE] = ["one", "two", "three"].map((word) => skillText(`Does ${word}.`)) as [
  string,
  string,
  string,
];

/** A person with a home folder of their own, on a database. */
function person(database: string, home = join(temporaryTree(), "home")) {
  mkdirSync(home, { recursive: true });
  const json = async (...args: string[]) => {
    const { code, out, err } = await runOn({ database, home }, ...args, "--json");
    expect(`${err}`).not.toContain("at ");
    const answer = JSON.parse(out);
    return { code, answer, results: resultsOf(answer.skills ?? []) };
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const read = (path: string) =>
    existsSync(join(home, path)) ? readFileSync(join(home, path), "utf8") : undefined;
  return { home, json, write, read };
}

function resultsOf(skills: readonly { name: string; result: string; to?: string }[]) {
  return Object.fromEntries(skills.map(({ name, result, to }) => [name, to ? `${result} ${to}` : result]));
}

describe("push and pull", () => {
  it("carry skills with all their files from one folder to another, and say so before", async () => {
    const database = await server.createDatabase();
    const [ada, bob] = [person(database), person(database)];
    ada.write("work/greet/SKILL.md", ONE);
    ada.write("work/greet/notes/more.md", "more");
    ada.write("work/mcp/email/SKILL.md", TWO);
    const asked = await ada.json("push", "work", "--dry-run", "--diff");
    expect(asked.results).toEqual({ greet: "created library", "mcp/email": "created library" });
    expect(asked.answer.skills[0].diff).toContain("+Do it.");
    expect((await bob.json("pull", "work")).results).toEqual({});
    expect((await ada.json("push", "work")).results).toEqual(asked.results);
    expect((await ada.json("push", "work")).results).toEqual({ greet: "same", "mcp/email": "same" });
    expect((await bob.json("pull", "work")).results).toEqual({
      greet: "created folder",
      "mcp/email": "created folder",
    });
    expect(bob.read("work/greet/notes/more.md")).toBe("more");
    // It is a skill of the library, with a history, as one that was saved.
    const { answer } = await bob.json("history", "greet");
    expect(answer.versions).toHaveLength(1);
    const { answer: shown } = await bob.json("show", "greet");
    expect(shown.skill).toMatchObject({ source: "postgres" });
  });

  it("take the named skills only, and carry nothing the other way", async () => {
    const database = await server.createDatabase();
    const [ada, bob] = [person(database), person(database)];
    ada.write("skills/greet/SKILL.md", ONE);
    ada.write("skills/meet/SKILL.md", ONE);
    expect((await ada.json("push", "skills", "greet")).results).toEqual({ greet: "created library" });
    await bob.json("pull", "skills");
    bob.write("skills/greet/SKILL.md", TWO);
    expect((await bob.json("pull", "skills")).results).toEqual({ greet: "left" });
    expect(bob.read("skills/greet/SKILL.md")).toBe(TWO);
    expect((await bob.json("push", "skills")).results).toEqual({ greet: "updated library" });
    expect((await ada.json("push", "skills")).results).toEqual({ greet: "left", meet: "created library" });
    expect(ada.read("skills/greet/SKILL.md")).toBe(ONE);
  });
});

describe("sync", () => {
  it("carries edits and deletions both ways", async () => {
    const database = await server.createDatabase();
    const [ada, bob] = [person(database), person(database)];
    for (const name of ["a", "b", "c", "d"]) ada.write(`skills/${name}/SKILL.md`, ONE);
    await ada.json("sync", "skills");
    await bob.json("sync", "skills");
    bob.write("skills/a/SKILL.md", TWO);
    rmSync(join(bob.home, "skills/b"), { recursive: true });
    ada.write("skills/c/SKILL.md", THREE);
    expect((await bob.json("sync", "skills")).results).toEqual({
      a: "updated library",
      b: "deleted library",
      c: "same",
      d: "same",
    });
    expect((await ada.json("sync", "skills")).results).toEqual({
      a: "updated folder",
      b: "deleted folder",
      c: "updated library",
      d: "same",
    });
    expect(ada.read("skills/a/SKILL.md")).toBe(TWO);
    expect(existsSync(join(ada.home, "skills/b"))).toBe(false);
    expect((await bob.json("sync", "skills")).results).toMatchObject({ c: "updated folder" });
  });

  it("leaves what both changed on both sides, until a person decides, and then loses neither", async () => {
    const database = await server.createDatabase();
    const [ada, bob] = [person(database), person(database)];
    for (const name of ["mine", "yours"]) ada.write(`skills/${name}/SKILL.md`, ONE);
    await ada.json("sync", "skills");
    await bob.json("sync", "skills");
    for (const name of ["mine", "yours"]) {
      ada.write(`skills/${name}/SKILL.md`, TWO);
      bob.write(`skills/${name}/SKILL.md`, THREE);
    }
    await ada.json("sync", "skills");
    const met = await bob.json("sync", "skills", "--diff");
    expect([met.code, met.results]).toEqual([1, { mine: "conflict", yours: "conflict" }]);
    expect(met.answer.skills[0].diff).toMatch(/-.*Does two[\s\S]*\+.*Does three/);
    expect(bob.read("skills/mine/SKILL.md")).toBe(THREE);
    expect((await bob.json("sync", "skills", "mine", "--ours")).results).toEqual({ mine: "updated library" });
    expect((await bob.json("sync", "skills", "yours", "--theirs")).results).toEqual({
      yours: "updated folder",
    });
    expect(bob.read("skills/yours/SKILL.md")).toBe(TWO);
    expect((await bob.json("sync", "skills")).code).toBe(0);
    // Both are in the history of each.
    for (const [name, texts] of [
      ["mine", ["Does three", "Does two", "Does one"]],
      ["yours", ["Does two", "Does three", "Does two", "Does one"]],
    ] as const) {
      const { answer } = await bob.json("history", name, "--diff");
      const added = answer.versions.map(({ diff }: { diff: string }) => /\+.*(Does \w+)/.exec(diff)?.[1]);
      expect(added).toEqual(texts);
    }
  });

  it("knows an older version from an edit, also in a folder that was never synced", async () => {
    const database = await server.createDatabase();
    const [ada, bob] = [person(database), person(database)];
    ada.write("skills/greet/SKILL.md", ONE);
    await ada.json("push", "skills");
    ada.write("skills/greet/SKILL.md", TWO);
    await ada.json("push", "skills");
    bob.write("skills/greet/SKILL.md", ONE);
    expect((await bob.json("push", "skills")).results).toEqual({ greet: "left" });
    expect((await bob.json("sync", "skills")).results).toEqual({ greet: "updated folder" });
    bob.write("other/greet/SKILL.md", THREE);
    expect((await bob.json("push", "other")).results).toEqual({ greet: "conflict" });
  });
});

describe("push --import", () => {
  it("takes a home folder over with all versions and events, once", async () => {
    const database = await server.createDatabase();
    const home = join(temporaryTree(), "home");
    const alone = person("", home);
    alone.write("notes.md", "Greets people.\n\nSay hello.\n");
    await alone.json("save", "greet", "--from", "notes.md");
    alone.write("notes.md", "Greets people.\n\nSay hello twice.\n");
    await alone.json("save", "greet", "--from", "notes.md");
    await alone.json("delete", "greet");
    await alone.json("restore", "greet");
    const before = (await alone.json("history", "greet")).answer.versions;
    const member = person(database);
    expect((await member.json("push", "--import", home, "--dry-run")).answer.skills).toEqual([
      { name: "greet", result: "imported", versions: 4 },
    ]);
    await member.json("push", "--import", home);
    const again = await member.json("push", "--import", home);
    expect(again.answer).toMatchObject({
      skills: [{ name: "greet", result: "same", versions: 0 }],
      events: 0,
    });
    const after = (await member.json("history", "greet")).answer.versions;
    const facts = (versions: { id: string; action: string; at: number; author: string }[]) =>
      versions.map(({ id, action, at, author }) => ({ id, action, at, author }));
    expect(facts(after)).toEqual(facts(before));
    expect((await member.json("show", "greet")).answer.skill.source).toBe("postgres");
    // Somebody else's skill of that name stays.
    const other = person(await server.createDatabase());
    other.write("skills/greet/SKILL.md", ONE);
    await other.json("push", "skills");
    expect((await other.json("push", "--import", home)).results).toEqual({ greet: "conflict" });
  });
});

describe("without a shared database", () => {
  it("push says what to set", async () => {
    const { code, err } = await runOn({ database: "", home: temporaryTree() }, "push", "skills");
    expect([code, err]).toEqual([1, expect.stringContaining("REPERTOIRE_DATABASE_URL")]);
  });
});
