// Holds every verb to wrong input: no stack trace, valid JSON, the right exit code. The verbs come from the program's own list.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Ansis } from "ansis";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { nameOf, type Verb } from "../../src/adapters/cli/command.ts";
import { run, verbsFor } from "../../src/adapters/cli/main.ts";
import { skillText } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const root = mkdtempSync(join(tmpdir(), "repertoire-line-"));
const FILES = {
  "p/.claude/skills/good/SKILL.md": skillText("Does good things. Use when good is wanted."),
  "p/.claude/skills/family/child/SKILL.md": skillText("A child."),
  "p/.claude/skills/empty/SKILL.md": "",
  "home/.repertoire/repertoire.config.json": '{"sources":{"bundled":false},"recall":{"encoder":"off"}}',
  "broken/.repertoire/repertoire.config.json": '{"style": ',
  "notes.md": "Books an invoice.\n\n1. Read it.\n",
  "a-file": "",
};
for (const [path, content] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
afterAll(() => rmSync(root, { recursive: true, force: true }));
const home = join(root, "home");
const place = ["--home", home, "--dir", join(root, "p")];

/** These wait for a person, a host or standard input, so that they only get what is refused before they begin. */
const WAITING: readonly string[] = ["chat", "mcp", "serve", "ui", "hook", "save", "dream submit"];

interface Wrong {
  readonly args?: readonly string[];
  /** Instead of the usual home and project. */
  readonly place?: readonly string[];
  /** Refused before a verb begins. */
  readonly isGrammar?: true;
}

const WRONG: Readonly<Record<string, Wrong>> = {
  nothing: {},
  "an unknown option": { args: ["--no-such-option"], isGrammar: true },
  "an empty word": { args: [""] },
  "a name that nobody has": { args: ["no-such-skill"] },
  "two names that nobody has": { args: ["no-such-skill", "nor-this-one"] },
  "a path that is not there": { args: ["/no/such/path"] },
  "a path that leads out": { args: ["../../../etc/passwd"] },
  "a folder in place of a file": { args: [join(root, "p")] },
  "a file in place of a folder": { args: [join(root, "a-file")] },
  "a word of 20,000 letters": { args: ["x".repeat(20_000)] },
  "control characters": { args: ["\u001b[31mred\u0007\u0000"] },
  "a number below zero": { args: ["--", "-1"] },
  "a glob that fits nothing": { args: ["zzz-*"] },
  "letters of another script": { args: ["ѕkіll"] },
  "a project that is not there": { args: ["good"], place: ["--home", home, "--dir", join(root, "none")] },
  "an agent that nobody knows": { args: ["good"], place: [...place, "--agent", "nobody"] },
  "a configuration that is not JSON": {
    args: ["good"],
    place: ["--home", join(root, "broken"), "--dir", join(root, "p")],
  },
  "a home that is a file": {
    args: ["good"],
    place: ["--home", join(root, "a-file"), "--dir", join(root, "p")],
  },
};

/** The words of every verb that does something, `proposals accept` for example. */
function wordsOf(verb: Verb, before: readonly string[] = []): string[] {
  const words = [...before, nameOf(verb)];
  return [
    ...(verb.run ? [words.join(" ")] : []),
    ...(verb.verbs ?? []).flatMap((inner) => wordsOf(inner, words)),
  ];
}

async function call(args: readonly string[], terminal: boolean, width: number) {
  let [out, err] = ["", ""];
  const streams = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    terminal,
    width,
    colours: new Ansis(3),
  };
  const code = await run(args, streams);
  return { code, out, err };
}

const STACK = /\n\s+at \S.*[:(]\d+/;
/** Raw control characters, but for line breaks. */
const RAW = /[\u0000-\u0009\u000b-\u001f]/;

let verbs: string[] = [];
beforeAll(async () => {
  vi.stubEnv("NO_COLOR", "1");
  verbs = (await verbsFor(undefined)).flatMap((verb) => wordsOf(verb));
});

describe("every verb", () => {
  it.each(Object.entries(WRONG))(
    "given %s fails like a program that people like",
    { timeout: 240_000 },
    async (_, wrong) => {
      expect(verbs.length).toBeGreaterThan(45);
      const unlike: unknown[] = [];
      for (const [at, words] of verbs.entries()) {
        if (WAITING.includes(words) && !wrong.isGrammar) continue;
        const line = [...(wrong.place ?? place), ...words.split(" "), ...(wrong.args ?? [])];
        for (const isJson of [true, false]) {
          // Narrow terminals and pipes in turn; NO_COLOR is set in both.
          const [terminal, width] = at % 2 === 0 ? [true, 40] : [false, 80];
          const { code, out, err } = await call(isJson ? ["--json", ...line] : line, terminal, width);
          const problems = [
            ...(STACK.test(out + err) ? ["stack trace"] : []),
            ...([0, 1, 2].includes(code) ? [] : [`exit ${code}`]),
            ...(RAW.test(out + err) ? ["raw control characters"] : []),
            ...(/failed unexpectedly/.test(out + err) ? ["unexpected"] : []),
            ...(wrong.isGrammar && code !== 2 ? [`exit ${code}, not 2`] : []),
            ...(isJson ? jsonProblems(out, code) : code === 2 && !/^error /m.test(err) ? ["no error"] : []),
          ];
          if (problems.length > 0)
            unlike.push({ words, isJson, problems, out: out.slice(0, 200), err: err.slice(0, 300) });
        }
      }
      expect(unlike).toEqual([]);
    },
  );
});

/** One value, or one in each line; a usage error always has a code, a message and a next step. */
function jsonProblems(out: string, code: number): string[] {
  const texts = out.trim().startsWith("{\n") || out.trim() === "" ? [out.trim()] : out.trim().split("\n");
  try {
    const values = texts.filter((text) => text !== "").map((text) => JSON.parse(text));
    const error = values[0]?.error;
    if (code === 2 && !error) return ["no error"];
    const isWhole =
      !error ||
      [error.code, error.message, error.next].every((part) => typeof part === "string" && part !== "");
    return isWhole ? [] : ["an error without code, message or next step"];
  } catch {
    return ["not JSON"];
  }
}

describe("not found is exit 1 with what was perhaps meant", () => {
  it.each([
    [["show", "goood"], "skill-not-found", "good"],
    [["why", "goood", "x"], "skill-not-found", "good"],
    [["disable", "goood"], "skill-not-found", "good"],
    [["stats", "goood"], "skill-not-found", "good"],
    [["check", "goood"], "path-not-found", "good"],
    [["inspect", "goood"], "path-not-found", "good"],
    [["check", "./.claude/skils"], "path-not-found", ".claude/skills"],
    [["list", "--source", "./.claude/skils"], "source-not-found", "./.claude/skills"],
  ])("%j", async (args, code, meant) => {
    const answer = await call([...place, "--json", ...args], false, 80);
    expect(answer.code).toBe(1);
    expect(JSON.parse(answer.out).error).toMatchObject({
      code,
      message: expect.stringContaining(`Did you mean ${meant}`),
    });
  });

  it.each([
    ["lsit", "list"],
    ["find", "search"],
    ["uninstall", "delete"],
  ])("a verb: %s may mean %s, exit 2", async (typed, meant) => {
    const { code, out } = await call(["--json", typed], false, 80);
    expect({ code, error: JSON.parse(out).error }).toMatchObject({
      code: 2,
      error: {
        code: "usage",
        next: expect.stringContaining(`repertoire ${meant === "delete" ? "" : meant}`),
      },
    });
  });

  it("a session, whatever is done with it", async () => {
    for (const args of [
      ["outcome", "success", "--session", "none"],
      ["journal", "export", "none"],
      ["sessions", "rate", "none", "good"],
    ]) {
      const { code, out } = await call([...place, "--json", ...args], false, 80);
      expect({ code, error: JSON.parse(out).error.code }).toEqual({ code: 1, error: "session-not-found" });
    }
  });
});

describe("help", () => {
  it("fits a narrow terminal, in groups with an example each", async () => {
    const { out } = await call(["--help"], true, 60);
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const title of ["Use", "Understand", "Keep", "Improve", "Connect"])
      expect(out).toMatch(new RegExp(`^${title} .*\\(\\$ repertoire `, "m"));
  });
});

describe("a process", () => {
  const sh = (script: string, env: Record<string, string | undefined> = {}) =>
    spawnSync("bash", ["-c", script], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: home, BIN: program.bin, REPERTOIRE_DIR: join(root, "p"), ...env },
      timeout: 60_000,
    });

  it("ends quietly when nobody reads its output any more", () => {
    for (const verb of ["list", "list --json", "recall good", "sources", "--help"]) {
      const { stdout, stderr } = sh(`node "$BIN" ${verb} | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`);
      expect({ verb, stderr: stderr.replace(/^\d+ files?.*\n/m, "") }).toEqual({ verb, stderr: "" });
      expect(["0", "1"]).toContain(stdout.trim());
    }
  });

  it("says in one line what is wrong with its home, its disk or its input", () => {
    mkdirSync(join(root, "full"), { recursive: true });
    writeFileSync(join(root, "full/.repertoire"), "a file where a folder should be");
    for (const [script, env] of [
      ['node "$BIN" list > /dev/full', {}],
      ['node "$BIN" recall good > /dev/full', {}],
      ['node "$BIN" save x --from /', {}],
      ['node "$BIN" save x < /dev/null', {}],
      ['node "$BIN" stats', { HOME: "/proc" }],
      ['node "$BIN" save x --from /etc/hostname', { HOME: join(root, "full") }],
      ['node "$BIN" disable good', { HOME: join(root, "full") }],
      ['node "$BIN" list', { HOME: "" }],
      ['node "$BIN" mcp --tools nonsense', {}],
      ['node "$BIN" serve --port 70000', {}],
    ] as const) {
      const { status, stderr } = sh(script, env);
      expect({ script, status, stderr }).toMatchObject({
        status: expect.toSatisfy((code: number) => code === 1 || code === 2),
        stderr: expect.toSatisfy((text: string) => /^error /m.test(text) && !STACK.test(text)),
      });
    }
  });
});
