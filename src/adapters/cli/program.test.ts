import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../../test/skill-tree.ts";
import { run } from "./main.ts";

const BROKEN = "---\nname: broken\n";

function workspace(files: Record<string, string> = {}) {
  const root = temporaryTree({
    "p/.claude/skills/good/SKILL.md": skillText("Does good things. Use when good is wanted."),
    "p/.claude/skills/family/SKILL.md": skillText("A family."),
    "p/.claude/skills/family/child/SKILL.md": skillText("A child."),
    "p/.claude/skills/family/child/grandchild/SKILL.md": skillText("A grandchild."),
    "p/.claude/skills/family/notes.txt": "support",
    "p/.claude/skills/empty/SKILL.md": "",
    "p/.claude/skills/broken/SKILL.md": BROKEN,
    "home/.agents/skills/good/SKILL.md": skillText("Covered."),
    ...files,
  });
  return async (...args: string[]) => {
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
    return { code, ...written, json: () => JSON.parse(written.out), root };
  };
}

describe("list", () => {
  it("names skills with their state, and counts what is broken on standard error", async () => {
    const { code, out, err } = await workspace()("list");
    expect(code).toBe(0);
    expect(out).toMatch(/^good +active +\.\/\.claude\/skills +Does good things\./m);
    expect(err).toMatch(/^2 files .*\bdoctor\n$/);
    expect(out).not.toContain("Covered.");
  });

  it("has the promised JSON shape, shadowed skills with --all", async () => {
    const { json } = await workspace()("list", "--all", "--json", "--digests");
    const good = json().skills.filter(({ name }: { name: string }) => name === "good");
    expect(good.map(({ state }: { state: string }) => state)).toEqual(["active", "shadowed"]);
    expect(Object.keys(good[0])).toEqual([
      "name",
      "displayName",
      "description",
      "source",
      "path",
      "state",
      "digest",
      "tokens",
    ]);
    expect(good[0].digest).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(json().diagnostics[0])).toEqual(
      expect.arrayContaining(["code", "severity", "path", "message", "fix"]),
    );
  });
});

describe("list with filters", () => {
  const names = ({ skills }: { skills: { name: string }[] }) => skills.map(({ name }) => name);

  it("selects by words, source, state and use, and sorts", async () => {
    const cli = workspace();
    const listed = async (...args: string[]) => names((await cli("list", "--json", ...args)).json());
    expect(await listed("good")).toEqual(["good"]);
    expect(await listed("--source", "./.claude/*", "child")).toEqual([
      "family/child",
      "family/child/grandchild",
    ]);
    expect(await listed("--state", "shadowed")).toEqual(["good"]);
    await cli("disable", "good");
    expect(await listed("--state", "disabled")).toEqual(["good"]);
    expect((await listed("--sort", "tokens", "--source", "./.claude/skills"))[0]).toBe("good");
    expect(await listed("--unused", "30d", "good")).toEqual(["good"]);
    expect(await listed("goo*")).toEqual(["good"]);
    expect((await cli("list", "--sort", "size")).code).toBe(2);
  });

  it("fits its columns, so that a long name leaves room for the others, and draws families as a tree", async () => {
    const long = "a".repeat(60);
    const cli = workspace({
      [`p/.claude/skills/${long}/SKILL.md`]: skillText("Has a long name and a description."),
    });
    const { out } = await cli("list", "--source", "./.claude/skills");
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(out).toMatch(/^a+… +active +\.\/\.claude\/skills +Has a long name/m);
    expect((await cli("list", "--tree")).out).toMatch(/^ {2}family\n {4}child\n {6}grandchild$/m);
  });
});

describe("the cost of a library", () => {
  it("is told in tokens, with what a host's own list has room for", async () => {
    const { cost, neverUsed } = (await workspace()("stats", "--json")).json();
    expect(cost.always).toBeGreaterThan(0);
    expect(cost.hosts[0]).toMatchObject({ host: "Claude Code", shown: cost.skills.length });
    expect(neverUsed).toContain("good");
  });
});

describe("show", () => {
  it("gives the skill, its own files and its direct children", async () => {
    const { json, code } = await workspace()("show", "Family", "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      skill: { name: "family" },
      files: ["SKILL.md", "notes.txt"],
      subSkills: ["family/child"],
    });
  });

  it("exits 1 and lists what is visible when nothing is found", async () => {
    const { json, code } = await workspace()("show", "nothing", "--json");
    expect(code).toBe(1);
    expect(json().error).toMatchObject({
      code: "skill-not-found",
      value: "nothing",
      message: expect.stringMatching(/\bfamily, .*\bgood\b/),
    });
  });
});

describe("check", () => {
  it("exits 1 when a skill has errors, 0 when none has", async () => {
    const cli = workspace();
    expect((await cli("check", "--json")).code).toBe(1);
    const good = await cli("check", ".claude/skills/good", "--json");
    expect(good.json()).toMatchObject({ checked: 1, errors: 0 });
    expect(good.code).toBe(0);
  });

  it("applies the strict rules of the specification on request", async () => {
    const strict = await workspace()(
      "check",
      ".claude/skills/good/SKILL.md",
      "--profile",
      "strict",
      "--json",
    );
    expect(strict.code).toBe(1);
    expect(strict.json()).toMatchObject({ checked: 1, errors: 1 });
  });
});

describe("prompt", () => {
  it("prints the section on standard output and the rest on standard error", async () => {
    const { out, err, code } = await workspace()("prompt", "do", "good", "--style", "catalog");
    expect(code).toBe(0);
    expect(out).toContain("<command>good</command>");
    expect(out).not.toContain("doctor");
    expect(err).toMatch(/\b2 files .*\bdoctor\n$/);
  });

  it("has the promised JSON shape", async () => {
    const { json } = await workspace()("prompt", "x", "--json", "--budget", "4000c");
    expect(Object.keys(json())).toEqual(["section", "style", "tokens", "chars", "shown", "omitted"]);
  });
});

describe("new", () => {
  it.each(["basic", "domain", "toolset"])(
    "%s makes a skill that passes the strict profile",
    async (template) => {
      const cli = workspace();
      const made = await cli("new", "My Weather", "--template", template, "--json");
      expect(made.code).toBe(0);
      expect(made.json().name).toBe("my-weather");
      expect((await cli("check", made.json().directory, "--profile", "strict")).code).toBe(0);
      expect((await cli("show", "my-weather")).code).toBe(0);
    },
  );

  it("has the domain-knowledge sections", async () => {
    const made = (await workspace()("new", "p2p", "--template", "domain", "--json")).json();
    const text = readFileSync(join(made.directory, "SKILL.md"), "utf8");
    for (const heading of [
      "## Domain Knowledge",
      "### Correctness Invariants",
      "### Known Failure Modes",
      "### Critical Patterns",
    ]) {
      expect(text).toContain(heading);
    }
  });

  it("makes the skill in a source, and warns if the configuration reads none there", async () => {
    const reading = (...only: string[]) =>
      workspace({ "home/.repertoire/repertoire.config.json": JSON.stringify({ sources: { only } }) });
    const cli = reading("./skills", "~/.claude/skills", "./.agents/skills");
    expect((await cli("new", "one", "--json")).json().source).toBe("./.agents/skills");
    expect((await cli("new", "two", "--user", "--json")).json().source).toBe("~/.claude/skills");
    expect((await cli("new", "three", "--to", "elsewhere")).err).toContain("sources.add");
    const nowhere = await reading("bundled")("new", "four");
    expect(nowhere).toMatchObject({ code: 0, err: expect.stringContaining("sources.add") });
  });

  it("never overwrites and never leaves its folder", async () => {
    const cli = workspace();
    await cli("new", "twice");
    const again = await cli("new", "twice", "--json");
    expect(again.code).toBe(1);
    expect(again.json().error.code).toBe("skill-exists");
    const outside = await cli("new", "../escape", "--json");
    expect(outside.code).toBe(1);
    expect(outside.json().error).toMatchObject({ code: "name-traversal", value: "../escape" });
  });
});

describe("enable and disable", () => {
  it("switch a skill off and on for later runs", async () => {
    const cli = workspace();
    await cli("disable", "good");
    expect((await cli("list")).out).toMatch(/^good +disabled/m);
    await cli("enable", "good");
    expect((await cli("list")).out).toMatch(/^good +active/m);
  });
});

describe("sources and doctor", () => {
  it("list the sources and what was found in them", async () => {
    const cli = workspace();
    expect((await cli("sources")).out).toMatch(/^~\/\.agents\/skills +1 /m);
    const doctor = await cli("doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.out).toMatch(/\b\d+ errors, \d+ warnings/);
    const { checks } = (await cli("doctor", "--json")).json();
    expect(checks).toContainEqual(
      expect.objectContaining({
        check: "skills",
        level: "error",
        message: expect.stringMatching(/^\.\/\.claude\/skills: 2 files/),
      }),
    );
    expect(checks.find(({ check }: { check: string }) => check === "home")).toMatchObject({ level: "ok" });
  });
});

describe("mistakes in the command line", () => {
  it.each([
    [["nonsense"], 'no command "nonsense"'],
    [["list", "--nonsense"], "Unknown option"],
    [["prompt", "x", "--style", "fancy"], "adaptive, cards, index"],
    [["prompt", "x", "--budget", "-3"], "-3"],
    [["show"], "Missing required argument"],
  ])("%j exits 2", async (args, message) => {
    const { code, err } = await workspace()(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  it("in the configuration exit 2 as well, also as JSON", async () => {
    const cli = workspace({ "home/.repertoire/repertoire.config.json": '{"style": 1}' });
    expect((await cli("list")).code).toBe(2);
    expect((await cli("list", "--json")).json().error.code).toBe("config-invalid");
  });
});
