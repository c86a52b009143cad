// Files in the places that the program reads by itself, replaced by a FIFO, a device, a folder, a link or something huge: the
// command line says what is wrong, and a hook stays silent. None of them hangs.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

type Put = (path: string) => void;

const PUT: Readonly<Record<string, Put>> = {
  "a FIFO": (path) => void execFileSync("mkfifo", [path]),
  "a folder": (path) => void mkdirSync(path),
  "a link to a device without end": (path) => symlinkSync("/dev/zero", path),
  "a link to a FIFO": (path) => {
    execFileSync("mkfifo", [`${path}.fifo`]);
    symlinkSync(`${path}.fifo`, path);
  },
  "10 GB of nothing": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 10 * 1024 ** 3);
  },
  "10 MB of JSON": (path) =>
    writeFileSync(path, JSON.stringify({ disable: Array(1_000_000).fill("skill-x") })),
  "JSON nested 100,000 deep": (path) =>
    writeFileSync(path, `{"agents": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
};
const WAYS = Object.entries(PUT);

function place(path: string, put: Put): string {
  const root = temporaryTree({ "p/.agents/skills/plan/SKILL.md": skillText("Plans meetings with people.") });
  mkdirSync(dirname(join(root, path)), { recursive: true });
  put(join(root, path));
  return root;
}

const places = (root: string) => ["--dir", join(root, "p"), "--home", join(root, "home")];
const EVENT = { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "plan meetings with people" };

describe.each(["p/repertoire.config.json", "home/.repertoire/repertoire.config.json"])("%s", (path) => {
  it.each(WAYS)("that is %s is named in the error, and the hook stays silent", async (_, put) => {
    const root = place(path, put);
    const { code, err } = await program.run([...places(root), "list"], { home: root });
    expect({ code, named: err.includes(join(root, path)) }).toEqual({ code: 2, named: true });
    const input = JSON.stringify({ ...EVENT, cwd: join(root, "p") });
    const hook = await program.run(["hook", "claude-code", "--home", join(root, "home")], {
      home: root,
      input,
    });
    expect(hook).toEqual({ code: 0, out: "", err: "" });
    const log = readFileSync(join(root, "home/.repertoire/logs/hook.log"), "utf8");
    expect(log).toMatch(/"code":"config-(?:unreadable|invalid)"/);
  });
});

it("a project's configuration that links out of the project shows nothing of what it links to", async () => {
  const root = place("p/x", (path) => writeFileSync(path, ""));
  writeFileSync(join(root, "secret.json"), "CANARY-4711 {");
  symlinkSync("../secret.json", join(root, "p/repertoire.config.json"));
  const { code, out, err } = await program.run([...places(root), "list"], { home: root });
  expect(code).toBe(2);
  expect(out + err).not.toContain("CANARY");
});

describe.each([
  ["claude-code", "home/.claude/settings.json"],
  ["codex", "home/.codex/config.toml"],
  ["vscode", "p/.vscode/mcp.json"],
])("setup %s with %s", (host, path) => {
  it.each(WAYS.slice(0, 5))("that is %s fails with its name and writes nothing", async (_, put) => {
    const root = place(path, put);
    const { code, err } = await program.run([...places(root), "setup", host], { home: root });
    expect({ code, named: err.includes(join(root, path)) }).toEqual({ code: 1, named: true });
  });

  it("that links out fails, and the file there stays as it is", async () => {
    const root = place(path, (to) => symlinkSync("/etc/hostname", to));
    const { code } = await program.run([...places(root), "setup", host], { home: root });
    expect(code).toBe(1);
  });
});

it.each(WAYS.slice(0, 5))(
  "a file named on the command line that is %s fails with its name",
  async (_, put) => {
    const root = place("given.jsonl", put);
    const path = join(root, "given.jsonl");
    const verbs = [
      ["eval", path],
      ["journal", "import", path],
      ["save", "x", "--from", path],
      ["dream", "submit", path],
    ];
    for (const verb of verbs) {
      const { code, err } = await program.run([...places(root), ...verb], { home: root });
      expect({ verb, failed: code !== 0, named: err.includes(path) }).toEqual({
        verb,
        failed: true,
        named: true,
      });
    }
  },
);

// Of a large one only the start is read.
it.each(WAYS.slice(0, 4))("a knowledge document that is %s counts as missing", async (_, put) => {
  const root = place("p/.repertoire/knowledge/facts.md", put);
  writeFileSync(join(root, "p/.agents/skills/plan/SKILL.md"), skillText("Plans.", "knowledge: [facts]\n"));
  const { payload } = await payloadOf(root);
  expect(payload.knowledge).toEqual([{ document: "facts", missing: true }]);
});

async function payloadOf(root: string) {
  const { openRepertoire } = await import("../../src/engine/engine.ts");
  const skills = openRepertoire({ dir: join(root, "p"), home: join(root, "home"), env: {} });
  try {
    return await skills.tasks.activate("plan", { task: "t", audience: "person", ask: () => true });
  } finally {
    await skills.close();
  }
}

it("a hook whose input does not end, or whose transcript is a FIFO, stays silent", async () => {
  const root = place("transcript.jsonl", PUT["a FIFO"]!);
  const shell = `"${process.execPath}" "${program.bin}" hook claude-code --home "${join(root, "home")}" < /dev/zero`;
  expect(execFileSync("sh", ["-c", shell], { encoding: "utf8" })).toBe("");
  const input = JSON.stringify({
    ...EVENT,
    cwd: join(root, "p"),
    transcript_path: join(root, "transcript.jsonl"),
  });
  const { code, err } = await program.run(["hook", "claude-code", "--home", join(root, "home")], {
    home: root,
    input,
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
});
