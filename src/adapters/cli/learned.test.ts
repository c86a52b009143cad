import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryTree } from "../../../test/skill-tree.ts";
import { openRepertoire } from "../../engine/engine.ts";
import { run } from "./main.ts";

function shell() {
  const root = temporaryTree({ "p/notes.md": "Books an invoice.\n\n1. Read it.\n" });
  const cli = async (...args: string[]) => {
    const written = { out: "", err: "" };
    const streams = {
      out: (text: string) => {
        written.out += text;
      },
      err: (text: string) => {
        written.err += text;
      },
      terminal: false,
      width: 100,
    };
    const code = await run(["--dir", join(root, "p"), "--home", join(root, "home"), ...args], streams);
    return { code, ...written, json: () => JSON.parse(written.out) };
  };
  const file = join(root, "home/.repertoire/skills/book/SKILL.md");
  const open = () => openRepertoire({ dir: join(root, "p"), home: join(root, "home"), env: {} });
  return { cli, open, notes: join(root, "p/notes.md"), file, text: () => readFileSync(file, "utf8") };
}

it("save, history, undo, delete and restore work on one skill", async () => {
  const { cli, notes, file, text } = shell();
  expect((await cli("save", "book", "--from", notes)).out).toMatch(
    /\bbook\b.*\n.*: repertoire delete book\n$/,
  );
  const good = text();
  writeFileSync(file, good.replace("1. Read it.", "1. Burn it."));
  expect((await cli("history", "book", "--json")).json().state).toBe("edited-outside");
  expect((await cli("undo")).out).toMatch(/\bbook\b/);
  expect(text()).toBe(good);
  const { versions } = (await cli("history", "book", "--diff", "--json")).json();
  expect(versions[1]).toMatchObject({ author: "person", diff: expect.stringContaining("+1. Burn it.") });
  expect((await cli("delete", "book", "--json")).json()).toMatchObject({ name: "book", result: "archived" });
  expect((await cli("archive", "--list")).out).toMatch(/^book: deleted /);
  expect((await cli("restore", "book", "--json")).json()).toMatchObject({ name: "book", result: "restored" });
  expect(text()).toBe(good);
  await cli("restore", "book", versions[1].id);
  expect(text()).toContain("Burn it.");
});

it("rename leaves a redirect, and only the person can change a pinned skill", async () => {
  const { cli, notes } = shell();
  await cli("save", "book", "--from", notes);
  const renamed = await cli("rename", "book", "ledger/book", "--json");
  expect(renamed.json()).toMatchObject({ name: "ledger/book", result: "renamed" });
  expect((await cli("pin", "ledger/book")).out).toMatch(/^ledger\/book /);
  const { state, to } = (await cli("history", "book", "--json")).json();
  expect({ state, to }).toEqual({ state: "renamed", to: "ledger/book" });
  expect((await cli("stats", "ledger/book")).out).toMatch(/0 -> .*0 -> .*0/);
});

it("an old name leads to the new one in every verb and as a slash command", async () => {
  const { cli, notes } = shell();
  await cli("save", "book", "--from", notes);
  await cli("rename", "book", "ledger/book");
  const named = async (...args: string[]) => JSON.stringify((await cli(...args, "--json")).json());
  for (const args of [
    ["show", "book"],
    ["why", "book", "read it"],
    ["stats", "book"],
    ["check", "book"],
    ["inspect", "book"],
    ["disable", "book"],
    ["enable", "book"],
    ["pin", "book"],
    ["unpin", "book"],
    ["expand", "/book"],
  ])
    expect({ args, answer: await named(...args) }).toEqual({
      args,
      answer: expect.stringMatching(args[0] === "check" ? /"checked":1\b/ : /ledger\/book/),
    });
  expect((await cli("delete", "book", "--json")).json()).toMatchObject({ name: "ledger/book" });
});

it("several names and globs are looked up before anything is changed", async () => {
  const { cli, notes } = shell();
  for (const name of ["draft-a", "draft-b", "final"]) await cli("save", name, "--from", notes);
  expect((await cli("delete", "final", "no-such-skill", "--json")).json().error.code).toBe("skill-not-found");
  expect((await cli("disable", "draft-*", "final", "--json")).json().results).toHaveLength(3);
  const { results } = (await cli("delete", "draft-*", "--json")).json();
  expect(results.map(({ name }: { name: string }) => name)).toEqual(["draft-a", "draft-b"]);
  expect((await cli("undo", "--json")).json().undone).toHaveLength(2);
  expect((await cli("disable", "final", "--project", "--json")).json().error.code).toBe("usage");
});

it("undo goes back step by step, redo forward, and both say what they would do", async () => {
  const { cli, notes, text } = shell();
  await cli("save", "book", "--from", notes);
  const first = text();
  writeFileSync(notes, "Books an invoice.\n\n1. Burn it.\n");
  await cli("save", "book", "--from", notes, "--reason", "shorter");
  expect((await cli("undo", "--dry-run", "--json")).json().would).toMatchObject([
    { name: "book", action: "save", reason: "shorter" },
  ]);
  await cli("undo");
  expect(text()).toBe(first);
  await cli("undo");
  expect((await cli("show", "book", "--json")).code).toBe(1);
  expect((await cli("redo", "--json")).json().redone).toMatchObject([{ name: "book", result: "redone" }]);
  expect((await cli("redo")).code).toBe(0);
  expect(text()).toContain("Burn it.");
  expect((await cli("redo", "--json")).json().error.code).toBe("nothing-to-redo");
});

it("eval without a file measures on what went well, and names what fails", async () => {
  const { cli, notes } = shell();
  expect((await cli("eval", "--json")).json().error.code).toBe("eval-no-cases");
  await cli("save", "book", "--from", notes);
  const cases = join(notes, "../cases.jsonl");
  writeFileSync(
    cases,
    [
      { query: "books an invoice: read it", gold: ["book"] },
      { query: "paint the fence blue", gold: ["painter"] },
    ]
      .map((one) => JSON.stringify(one))
      .join("\n"),
  );
  const page = join(notes, "../page.html");
  const report = (await cli("eval", cases, "--html", page, "--json")).json();
  expect(report).toMatchObject({
    failures: [{ query: "paint the fence blue", kind: "not-shown", skills: ["painter"] }],
    unknown: ["painter"],
  });
  expect(readFileSync(page, "utf8")).toContain("<td>paint the fence blue</td>");
});

it("eval add teaches recall and adds a case to measure; stats shows and forgets what was learned", async () => {
  const { cli, notes } = shell();
  await cli("save", "book", "--from", notes);
  expect((await cli("recall", "zip the spreadsheets")).code).toBe(1);
  const cases = join(notes, "../cases.jsonl");
  const added = await cli("eval", "add", "zip the spreadsheets", "book", "--to", cases, "--json");
  expect(added.json()).toMatchObject({ skill: "book", file: cases, learned: true });
  expect((await cli("recall", "zip the spreadsheets")).out).toMatch(
    /book\n.* use: meant by "zip the spreadsheets"/,
  );
  expect((await cli("eval", cases, "--json")).json()).toMatchObject({ macro: { messages: 1, hit1: 1 } });
  expect((await cli("stats", "book")).out).toMatch(/ {2}for {2}zip the spreadsheets\n/);
  expect((await cli("stats", "--forget", "book", "--json")).json()).toEqual({ forgotten: 1 });
  expect((await cli("recall", "zip the spreadsheets")).code).toBe(1);
  expect((await cli("eval", "add", "ship it", "book")).out).toContain("evals.jsonl");
  expect((await cli("stats", "--forget")).out).toMatch(/\b1 message\b/);
});

it("mistakes exit 1 with the next step", async () => {
  const { cli, notes } = shell();
  expect(await cli("save", "../x", "--from", notes)).toMatchObject({
    code: 1,
    err: expect.stringContaining("plan-meeting"),
  });
  const undo = await cli("undo", "--json");
  expect(undo.code).toBe(1);
  expect(undo.json().error.code).toBe("nothing-to-undo");
  expect(await cli("restore", "nothing")).toMatchObject({
    code: 1,
    err: expect.stringContaining("archive --list"),
  });
});

it("history, restore and inspect take globs", async () => {
  const { cli, notes } = shell();
  for (const name of ["draft-a", "draft-b", "other"]) await cli("save", name, "--from", notes);
  await cli("delete", "draft-a", "draft-b");
  const reports = (await cli("history", "draft-*", "--json")).json().results;
  expect(reports.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
    ["draft-a", "archived"],
    ["draft-b", "archived"],
  ]);
  const restored = (await cli("restore", "draft-*", "--json")).json().results;
  expect(restored.map(({ name }: { name: string }) => name)).toEqual(["draft-a", "draft-b"]);
  const { packages } = (await cli("inspect", "draft-*", "other", "--json")).json();
  expect(packages.map(({ name }: { name: string }) => name)).toEqual(["draft-a", "draft-b", "other"]);
  for (const verb of ["history", "restore", "inspect", "trust"])
    expect([verb, (await cli(verb, "nothing-*", "--json")).code]).toEqual([verb, 1]);
});

it("eval without a file measures the messages that a skill was activated for with success", async () => {
  const { cli, open, notes } = shell();
  await cli("save", "book", "--from", notes);
  const engine = open();
  const uses = { "book this invoice": "success", "book that invoice": "failure", "sing a song": "success" };
  for (const [message, outcome] of Object.entries(uses)) {
    const turn = engine.turn({ session: message, message });
    await turn.prompt();
    await engine.task(message, { session: message, askConsent: async () => true }).activate("book");
    await turn.outcome(outcome as "success" | "failure");
  }
  await engine.turn({ session: "idle", message: "nothing was used" }).prompt();
  await engine.close();
  const report = (await cli("eval", "--json")).json();
  expect(report.groups.journal).toMatchObject({ messages: 2 });
  expect(report.failures).toMatchObject([{ query: "sing a song", kind: "not-shown", skills: ["book"] }]);
});
