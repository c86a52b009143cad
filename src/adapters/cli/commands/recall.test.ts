import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TRADES, workspace } from "../../../../test/recall-workspace.ts";
import { skillText } from "../../../../test/skill-tree.ts";
import { run } from "../main.ts";

function commandLine(skills: Record<string, string> = TRADES) {
  const space = workspace(skills);
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
      width: 200,
    };
    const code = await run(["--dir", space.project, "--home", space.home, ...args], streams);
    return { code, ...written, json: () => JSON.parse(written.out) };
  };
  const file = (name: string, content: unknown) => {
    const path = join(space.root, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  return { cli, file, space };
}

describe("recall", () => {
  test("prints matches with their strongest reasons, all of them with --explain", async () => {
    const { cli } = commandLine();
    const short = await cli("recall", "fill", "in", "this", "PDF", "form");
    expect(short.code).toBe(0);
    expect(short.out).toMatch(/^.*\btask\b.*\d+ .*[\d.]+ ms\n\d\.\d{3} {2}pdf-forms\n/);
    const long = await cli("recall", "fill in this PDF form", "--explain");
    expect(long.out.split("\n").length).toBeGreaterThan(short.out.split("\n").length);
  });

  test("has the promised JSON shape", async () => {
    const { cli } = commandLine();
    const { json } = await cli("recall", "fill in this PDF form", "--json");
    expect(json()).toEqual({
      message: "fill in this PDF form",
      frame: { name: "task", confidence: expect.any(Number) },
      intent: { name: expect.any(String), confidence: expect.any(Number) },
      matches: expect.any(Array),
      near: expect.any(Array),
      abstained: false,
      considered: expect.any(Number),
      ms: expect.any(Number),
    });
    expect(json().matches[0]).toMatchObject({
      name: "pdf-forms",
      score: expect.any(Number),
      reasons: expect.arrayContaining([
        { signal: expect.any(String), value: expect.any(Number), note: expect.any(String) },
      ]),
    });
  });

  test("exits 1 with a message when nothing fits", async () => {
    const { code, json } = await commandLine().cli("recall", "hello there", "--json");
    expect(code).toBe(1);
    expect(json()).toMatchObject({ matches: [], abstained: true });
  });

  test("takes -k, --frame, --files and --session", async () => {
    const { cli } = commandLine({ ...TRADES, infra: skillText("Zzyzx.", 'paths: ["*.tf"]\n') });
    const both = "fill in this PDF form and bake sourdough bread";
    expect((await cli("recall", both, "-k", "1", "--json")).json().matches).toHaveLength(1);
    expect((await cli("recall", "tidy up", "--files", "main.tf", "--json")).json().matches[0].name).toBe(
      "infra",
    );
    expect((await cli("recall", "x", "--frame", "debug", "--json")).json().frame.name).toBe("debug");
    expect((await cli("recall", "x", "--frame", "nonsense")).code).toBe(2);
    expect((await cli("recall", "x", "-k", "0")).code).toBe(2);
    await cli("recall", "fill in this PDF form", "--session", "s");
    const next = await cli("recall", "yes, do it", "--session", "s", "--json");
    expect(next.json().matches[0].name).toBe("pdf-forms");
  });

  test("marks see-also and copies", async () => {
    const text = skillText(
      "Grooms poodles in the garden and trims their claws after a bath.",
      "see-also: [garden-calendar]\n",
      "# Poodles\n\nBrush the coat, trim the claws, dry the ears.\n",
    );
    const garden = skillText("When to trim what in the garden.");
    const { out } = await commandLine({
      ...TRADES,
      "garden-calendar": garden,
      poodle: text,
      "team/poodle": text,
    }).cli("recall", "groom the poodle in the garden and trim its claws after a bath");
    expect(out).toMatch(/ poodle\n(?:.*\n)*?.* team\/poodle\n/);
    expect(out).toMatch(/ garden-calendar \(.*poodle\)/);
  });
});

describe("why", () => {
  test("explains why a skill is recalled, and why one is not", async () => {
    const { cli } = commandLine();
    expect((await cli("why", "pdf-forms", "fill in this PDF form")).out).toMatch(
      /^pdf-forms: .*\b1\b.*\d\.\d\d/,
    );
    const not = await cli("why", "garden-calendar", "fill in this PDF form");
    expect(not.out).toMatch(/^garden-calendar: [\s\S]*\n.*: pdf-forms \d\.\d\d.*\n.*: \/garden-calendar;/);
    const explained = (await cli("why", "garden-calendar", "fill in this PDF form", "--json")).json();
    expect(explained).toMatchObject({ name: "garden-calendar", recalled: false });
    expect(explained.ahead[0].name).toBe("pdf-forms");
  });

  test("exits 1 for an unknown skill", async () => {
    const { code, json } = await commandLine().cli("why", "nothing", "x", "--json");
    expect(code).toBe(1);
    expect(json().error).toMatchObject({ code: "skill-not-found", value: "nothing" });
  });
});

describe("what-if", () => {
  test("says which messages of sessions would lead elsewhere, and changes nothing", async () => {
    const { cli } = commandLine();
    const before = (await cli("show", "garden-calendar", "--json")).json();
    const none = await cli("what-if", "garden-calendar", "Trims poodles.", "--json");
    expect(none.json()).toEqual({ tried: 0, moved: [] });
    await cli("prompt", "trim the claws of the poodle", "--session", "s1");
    const { code, json } = await cli("what-if", "garden-calendar", "Trims the claws of poodles.", "--json");
    expect(code).toBe(0);
    expect(json()).toEqual({
      tried: 1,
      moved: [{ message: "trim the claws of the poodle", before: [], after: ["garden-calendar"] }],
    });
    expect((await cli("show", "garden-calendar", "--json")).json()).toEqual(before);
    expect((await cli("what-if", "nothing", "x", "--json")).json().error).toMatchObject({
      code: "skill-not-found",
    });
  });
});

describe("index", () => {
  test("prints the number of skills and whether anything changed", async () => {
    const { cli } = commandLine();
    expect((await cli("index", "--json")).json()).toMatchObject({ changed: true });
    expect((await cli("index", "--json")).json()).toMatchObject({
      skills: expect.any(Number),
      changed: false,
    });
  });
});

describe("eval", () => {
  const QUERIES = [
    { query: "fill in this PDF form", gold: ["pdf-forms"], source: "a" },
    { query: "bake sourdough bread", gold: ["sourdough-bread"], source: "b" },
    { query: "hi" },
  ];
  const lines = (records: unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

  test("prints a line per source and the macro average", async () => {
    const { cli, file } = commandLine();
    const { code, out } = await cli("eval", file("q.jsonl", lines(QUERIES)));
    expect(code).toBe(0);
    expect(out).toMatch(/^a +1 +100\.0/m);
    expect(out).toMatch(/^macro average +2 +100\.0/m);
    expect(out).toMatch(/: 0\.0%$/m);
  });

  test("exits 1 when a figure fell below the kept baseline, 0 when none did", async () => {
    const { cli, file, space } = commandLine();
    const queries = file("q.jsonl", lines(QUERIES));
    const baseline = join(space.root, "baseline.json");
    expect((await cli("eval", queries, "--save", baseline)).code).toBe(0);
    expect((await cli("eval", queries, "--baseline", baseline)).code).toBe(0);
    space.remove("pdf-forms");
    const worse = await cli("eval", queries, "--baseline", baseline);
    expect(worse.code).toBe(1);
    expect(worse.out).toMatch(/hit1 .*100\.0 .*50\.0/);
  });

  test("takes a folder of skills as the library, and nothing else", async () => {
    const { cli, file, space } = commandLine();
    const queries = file("q.jsonl", lines(QUERIES.slice(0, 2)));
    const { json } = await cli("eval", queries, "--dir", space.source, "--json");
    expect(json()).toMatchObject({ macro: { hit1: 1 }, regressions: [] });
  });

  test("recalls among the given libraries, and counts given duplicates", async () => {
    const { cli, file } = commandLine();
    const queries = file(
      "q.jsonl",
      lines([{ query: "bake bread on the train", gold: ["express"], source: "a" }]),
    );
    const libraries = file("libraries.json", { a: ["train-trips"] });
    const duplicates = file("duplicates.json", { "train-trips": "express" });
    const { json } = await cli(
      "eval",
      queries,
      "--libraries",
      libraries,
      "--duplicates",
      duplicates,
      "--json",
    );
    expect(json().macro.hit1).toBe(1);
  });

  test.each(["missing.jsonl", "broken.jsonl"])("fails with the file's name: %s", async (name) => {
    const { cli, file, space } = commandLine();
    file("broken.jsonl", "{");
    const { code, err } = await cli("eval", join(space.root, name));
    expect(code).toBe(1);
    expect(err).toContain(name);
  });

  test.each(["--baseline", "--libraries", "--duplicates"])(
    "fails with the file's name when %s is not there",
    async (flag) => {
      const { cli, file } = commandLine();
      const { code, err } = await cli("eval", file("q.jsonl", lines(QUERIES)), flag, "/nowhere/x.json");
      expect(code).toBe(1);
      expect(err).toContain("/nowhere/x.json");
    },
  );

  test("measures an empty library when --dir is not there", async () => {
    const { cli, file } = commandLine();
    const { json } = await cli("eval", file("q.jsonl", lines(QUERIES)), "--dir", "/nowhere", "--json");
    expect(json().error.code).toBe("folder-missing");
  });
});
