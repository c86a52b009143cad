import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesFor, TRADES, type Workspace, workspace } from "../../test/recall-workspace.ts";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { openRepertoire } from "../engine/engine.ts";

const FORM = "fill in this PDF form";

function indexFile(space: Workspace): string {
  const folder = join(space.home, ".repertoire", "cache");
  const name = readdirSync(folder).find((file) => /^recall-.*\.index$/.test(file));
  return join(folder, name!);
}

/** Same length and times as before, other words: only a process that reads it can tell. */
function replaceUnnoticed(space: Workspace, name: string, text: (before: string) => string): void {
  const { atime, mtime } = statSync(space.file(name));
  writeFileSync(space.file(name), text(readFileSync(space.file(name), "utf8")));
  utimesSync(space.file(name), atime, mtime);
}

describe("the index on disk", () => {
  test("lets a second process answer without reading a skill", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    for (const name of Object.keys(TRADES)) {
      // Whole milliseconds, so that setting the times again changes nothing.
      utimesSync(space.file(name), 1_700_000_000, 1_700_000_000);
    }
    await (await space.open().turns.indexing()).refresh();
    for (const name of Object.keys(TRADES))
      replaceUnnoticed(space, name, (text) => text.replace(/[a-z]/g, "x"));
    expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
  });

  test("is noticed to be old when a match was edited", async () => {
    const space = workspace({ ...TRADES, alpha: skillText("Grooms poodles and trims their claws.") });
    expect(await namesFor(space.open(), "groom the poodle")).toEqual(["alpha"]);
    space.write("alpha", skillText("Tunes pianos and repairs their keys."));
    expect(await namesFor(space.open(), "groom the poodle")).toEqual([]);
    expect(await namesFor(space.open(), "tune the piano")).toEqual(["alpha"]);
  });

  test("is noticed to be old when a skill came or went", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    space.write("poodle-care", skillText("Grooms poodles and trims their claws."));
    expect(await namesFor(space.open(), "groom the poodle")).toContain("poodle-care");
    space.remove("poodle-care");
    expect(await namesFor(space.open(), "groom the poodle")).not.toContain("poodle-care");
  });

  test("is noticed to be old when a source appeared that was not there", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    const folder = join(space.home, ".claude", "skills", "poodle-care");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), skillText("Grooms poodles and trims their claws."));
    expect(await namesFor(space.open(), "groom the poodle")).toContain("poodle-care");
  });

  test("forgets a match whose file alone was removed", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    writeFileSync(space.file("pdf-forms"), "");
    expect(await namesFor(space.open(), FORM)).not.toContain("pdf-forms");
  });

  test.each([
    ["empty", () => Buffer.alloc(0)],
    ["truncated", (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ["of another version", (bytes: Buffer) => Buffer.concat([Buffer.from("OTHER"), bytes.subarray(5)])],
    ["noise", (bytes: Buffer) => Buffer.alloc(bytes.length, 0xa5)],
  ])("is built anew when it is %s", async (_, spoil) => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    writeFileSync(indexFile(space), spoil(readFileSync(indexFile(space))));
    expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
    expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
  });

  test("never changes an answer, whichever of its bytes is damaged", async () => {
    const space = workspace(TRADES);
    await space.open().turns.recall({ message: FORM });
    const whole = readFileSync(indexFile(space));
    for (let part = 0; part < 48; part++) {
      const bytes = Buffer.from(whole);
      const at = Math.floor((part / 48) * whole.length);
      bytes[at] = bytes[at]! ^ 0xff;
      writeFileSync(indexFile(space), bytes);
      expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
    }
  });

  test("is not mistaken for that of other sources, links or embedders", async () => {
    const space = workspace(TRADES);
    mkdirSync(join(space.root, "elsewhere", "poodle-care"), { recursive: true });
    writeFileSync(join(space.root, "elsewhere", "poodle-care", "SKILL.md"), skillText("Grooms poodles."));
    symlinkSync(join(space.root, "elsewhere", "poodle-care"), join(space.source, "poodle-care"));
    const plain = space.open();
    expect(await namesFor(plain, "groom the poodle")).not.toContain("poodle-care");
    const id = plain.turns.sources.find(({ root }) => root === space.source)!.id;
    const trusting = space.open({ "sources.trustLinks": [id] });
    expect(await namesFor(trusting, "groom the poodle")).toContain("poodle-care");
    expect(await namesFor(space.open({ "embedder.kind": "none" }), FORM)).toEqual(["pdf-forms"]);
    expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
  });

  test("is not needed: without a cache, or where it cannot be written, recall works", async () => {
    const space = workspace(TRADES);
    expect(await namesFor(space.open({ cache: false }), FORM)).toEqual(["pdf-forms"]);
    const closed = join(space.root, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    expect(await namesFor(space.open({ cache: join(closed, "x") }), FORM)).toEqual(["pdf-forms"]);
  });

  test("may be built by several engines at once", async () => {
    const space = workspace(TRADES);
    const answers = await Promise.all(Array.from({ length: 6 }, () => namesFor(space.open(), FORM)));
    for (const names of answers) expect(names).toEqual(["pdf-forms"]);
    expect(await namesFor(space.open(), FORM)).toEqual(["pdf-forms"]);
  });
});

describe("an engine that lives long", () => {
  test("answers several questions at once, the first ones included", async () => {
    const engine = workspace(TRADES).open();
    const messages = [
      FORM,
      "bake sourdough bread",
      "when do I sow tomatoes?",
      "write the postmortem of the outage",
    ];
    const answers = await Promise.all(messages.map((message) => namesFor(engine, message, 1)));
    expect(answers.flat()).toEqual(["pdf-forms", "sourdough-bread", "garden-calendar", "incident-reports"]);
  });

  test("recalls what a refresh has found, edits inside known files included", async () => {
    const space = workspace(TRADES);
    const engine = space.open();
    await engine.turns.recall({ message: FORM });
    space.write("garden-calendar", skillText("Grooms poodles and trims their claws."));
    expect((await engine.library.refresh()).changed).toEqual(["garden-calendar"]);
    expect(await namesFor(engine, "groom the poodle")).toContain("garden-calendar");
  });

  test("notices skills that come, change and go between messages", async () => {
    const space = workspace(TRADES);
    const engine = space.open();
    expect(await namesFor(engine, "groom the poodle")).not.toContain("newcomer");
    space.write("newcomer", skillText("Grooms poodles and trims their claws."));
    expect(await namesFor(engine, "groom the poodle")).toContain("newcomer");
    space.write("newcomer", skillText("Tunes pianos."));
    expect(await namesFor(engine, "groom the poodle")).not.toContain("newcomer");
    space.remove("newcomer");
    expect(await namesFor(engine, "tune the piano")).not.toContain("newcomer");
  });

  test("brings the index up to date on demand and says whether anything changed", async () => {
    const space = workspace(TRADES);
    const indexing = await space.open().turns.indexing();
    expect(await indexing.refresh()).toEqual({ skills: 6, changed: true });
    expect(await indexing.refresh()).toEqual({ skills: 6, changed: false });
    space.remove("pdf-forms");
    expect(await indexing.refresh()).toEqual({ skills: 5, changed: true });
  });
});

describe("a scan behind an answer", () => {
  test("is taken on by one caller, however many messages come, and again once it was made", async () => {
    const root = temporaryTree({ "p/skills/a/SKILL.md": skillText("First."), "home/x": "" });
    const open = () =>
      openRepertoire({
        dir: join(root, "p"),
        home: join(root, "home"),
        env: {},
        values: { "sources.bundled": false },
      });
    const first = open();
    await first.turns.recall({ message: "first" });
    const claims = await Promise.all(
      [first, open(), open()].map(async (repertoire) => {
        await repertoire.turns.recall({ message: "first" });
        return (await repertoire.turns.indexing()).claimRefresh(-1);
      }),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    await (await first.turns.indexing()).refresh();
    expect((await first.turns.indexing()).claimRefresh(-1)).toBe(true);
    expect((await first.turns.indexing()).claimRefresh(60_000)).toBe(false);
  });
});
