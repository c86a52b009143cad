// Homes that earlier versions wrote, opened by this one: every skill, version and consent is there, and can be changed.

import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { temporaryTree } from "../skill-tree.ts";

/** What a person had agreed to for good. */
const TRUSTED: Readonly<Record<string, readonly string[]>> = { "30d8b73": ["greet-people"] };

const HOMES = resolve("test/fixtures/homes");

describe.each(readdirSync(HOMES))("a home of version %s", (version) => {
  it("has all its skills and versions, and takes changes", async () => {
    const home = temporaryTree({ "project/.keep": "" });
    mkdirSync(join(home, ".repertoire"));
    cpSync(join(HOMES, version), join(home, ".repertoire"), { recursive: true });
    const values = { "sources.bundled": false, "embedder.kind": "none" };
    const skills = openRepertoire({ dir: join(home, "project"), home, env: {}, values });
    const { skills: found } = await skills.library.list();
    expect(found.map(({ skill }) => skill.name)).toEqual(["greet-people", "thank-people"]);
    const actions = async (name: string) =>
      (await skills.learned.history(name)).versions.map(({ action }) => action);
    expect(await actions("greet-people")).toEqual(["save", "save"]);
    expect(await actions("thank-people")).toEqual(["save"]);
    expect(await actions("is-gone")).toEqual(["delete", "save"]);
    expect((await skills.learned.archived()).map(({ name }) => name)).toEqual(["is-gone"]);
    const [undone] = await skills.learned.undo();
    expect(undone).toMatchObject({ name: "is-gone", result: "undone" });
    await skills.learned.restore("greet-people", {
      version: (await skills.learned.history("greet-people")).versions.at(-1)!.id,
    });
    const { content } = await skills.learned.text(await skills.library.find("greet-people"));
    expect(content).toContain("Greets people.");
    expect((await skills.journal.query({ skill: "thank-people" })).length).toBeGreaterThan(0);
    await skills.close();
    const store = openSqliteStore({ directory: join(home, ".repertoire") });
    expect(store.trust.list().map(({ skill }) => skill)).toEqual(TRUSTED[version] ?? []);
    store.close();
  });
});
