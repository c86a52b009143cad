// Any sequence of setups, writes of the host and undos keeps every byte that is not ours.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../../../test/skill-tree.ts";
import { HOST_TABLE, SETUP_HOSTS, SETUP_MODES, type SetupHost } from "./hosts.ts";
import { applySetup, applyUndo, planSetup, planUndo } from "./setup.ts";

const PROGRAMS = [["repertoire"], ["/opt/my node/node", "/opt/x/dist/bin.cjs"]] as const;

/** What a host or a person writes into a file of this kind, whatever else is in it. */
const WRITES: Readonly<Record<string, (text: string, n: number) => string>> = {
  toml: (text, n) => `${text}\n[projects."/p${n}"]\ntrust_level = "trusted" # ${n}\n`,
  yaml: (text, n) => `key${n}: ${n} # why\n${text}`,
  json: (text, n) => text.replace("{", `{\n  "key${n}": ${n}, // why`),
  jsonc: (text, n) => text.replace("{", `{\n  "key${n}": ${n}, // why`),
};

/** Files that hosts have had before us, by kind. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  toml: [
    'model = "o5"\n',
    '# mine\n[skills]\nmax = 3\n\n[mcp_servers.other]\ncommand = "other"\nargs = [\n  "]",\n]\n',
  ],
  yaml: [
    "GOOSE_MODEL: x\n",
    "a: 1\nextensions:\n  developer:\n    enabled: true\nmcpServers:\n  - name: other\n    command: x\n",
  ],
  json: [
    '{\n  "a": 1\n}\n',
    '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "other" } // this too\n  },\n  "hooks": {\n    "Stop": [{ "hooks": [{ "command": "mine" }] }]\n  }\n}\n',
  ],
};
const kindOf = (path: string) => path.split(".").at(-1)!;

const STEP = fc.oneof(
  fc.record({
    step: fc.constant("setup" as const),
    mode: fc.constantFrom(...SETUP_MODES),
    program: fc.nat(1),
  }),
  fc.record({ step: fc.constant("host" as const), file: fc.nat(3) }),
  fc.record({ step: fc.constant("undo" as const) }),
);

/** A host in a home of its own, whose files exist if they have a kind that hosts keep themselves. */
function hostIn(host: SetupHost, texts: readonly number[]) {
  const home = temporaryTree({ x: "" });
  const places = (program: number) => ({ home, dir: join(home, "p"), env: {}, program: PROGRAMS[program]! });
  const { server, hooks, replacing } = HOST_TABLE[host].edits(places(0), { words: ["x"], line: "x" });
  const paths = [...new Set([...server, ...hooks, ...replacing].map(({ path }) => path))].filter(
    (path) => TEXTS[kindOf(path)] && !path.includes("repertoire."),
  );
  const theirs = new Map<string, string>();
  for (const [at, path] of paths.entries()) {
    const all = TEXTS[kindOf(path)]!;
    theirs.set(path, all[(texts[at] ?? 0) % all.length]!);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, theirs.get(path)!);
  }
  return {
    home,
    theirs,
    setup(mode: (typeof SETUP_MODES)[number], program: number) {
      if (mode === "replace" && HOST_TABLE[host].replaces === undefined) return;
      const given = places(program);
      applySetup(host, given, { changes: planSetup(host, given, mode), mode });
    },
    write(file: number, n: number) {
      const path = paths[file % Math.max(1, paths.length)];
      if (path === undefined) return;
      const write = WRITES[kindOf(path)]!;
      theirs.set(path, write(theirs.get(path)!, n));
      writeFileSync(path, write(readFileSync(path, "utf8"), n));
    },
    undo: () => applyUndo(host, places(0), { changes: planUndo(host, places(0)) }),
    read: () => new Map(paths.map((path) => [path, readFileSync(path, "utf8")])),
    /** Everything below the home, folders too. */
    tree: () => readdirSync(home, { recursive: true }).sort(),
  };
}

describe.each(SETUP_HOSTS)("%s", (host) => {
  it("keeps every byte of others, and leaves no file and no folder behind", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1), { minLength: 4, maxLength: 4 }),
        fc.array(STEP, { maxLength: 6 }),
        (texts, steps) => {
          const one = hostIn(host, texts);
          const tree = one.tree();
          for (const [n, step] of steps.entries()) {
            if (step.step === "setup") one.setup(step.mode, step.program);
            else if (step.step === "host") one.write(step.file, n);
            else one.undo();
          }
          one.undo();
          expect(one.read()).toEqual(one.theirs);
          expect(one.tree()).toEqual(tree);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("begins files and folders of its own, and removes them", () => {
    const home = temporaryTree({ x: "" });
    const places = { home, dir: join(home, "p"), env: {}, program: PROGRAMS[0] };
    const before = readdirSync(home, { recursive: true });
    const changes = planSetup(host, places);
    applySetup(host, places, { changes });
    for (const { path } of changes) expect(readFileSync(path, "utf8")).toContain("repertoire");
    expect(planSetup(host, places)).toEqual([]);
    applyUndo(host, places, { changes: planUndo(host, places) });
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    expect(planUndo(host, places)).toEqual([]);
  });
});

it.each(["claude-code", "codex", "opencode", "pi", "gemini", "qwen", "copilot"] as const)(
  "lets the hook of %s read a large library on a busy machine",
  (host) => {
    const home = temporaryTree({ x: "" });
    const changes = planSetup(host, { home, dir: join(home, "p"), env: {}, program: PROGRAMS[0] });
    const waits = changes
      .filter(({ after }) => /repertoire hook|"hook"/.test(after ?? ""))
      .flatMap(({ after }) => [...after!.matchAll(/\btimeout(?:Sec)?"?: (\d+)/g)].map(([, n]) => Number(n)));
    expect(waits).not.toEqual([]);
    // In seconds or in milliseconds, as the host has it.
    expect(waits.filter((n) => n !== 60 && n !== 60_000)).toEqual([]);
  },
);

describe("the folder of a host", () => {
  it.each([
    ["claude-code", "CLAUDE_CONFIG_DIR", ["settings.json", ".claude.json"]],
    ["codex", "CODEX_HOME", ["config.toml", "hooks.json"]],
    ["opencode", "XDG_CONFIG_HOME", ["opencode/opencode.json", "opencode/plugins/repertoire.js"]],
    ["opencode", "OPENCODE_CONFIG_DIR", ["opencode.json", "plugins/repertoire.js"]],
    ["pi", "PI_CODING_AGENT_DIR", ["extensions/repertoire.js"]],
    ["gemini", "GEMINI_CLI_HOME", [".gemini/settings.json", ".gemini/policies/repertoire.toml"]],
    ["qwen", "QWEN_HOME", ["settings.json"]],
    ["copilot", "COPILOT_HOME", ["hooks/repertoire.json", "mcp-config.json"]],
    ["cline", "CLINE_DIR", ["data/settings/cline_mcp_settings.json"]],
    ["cline", "CLINE_DATA_DIR", ["settings/cline_mcp_settings.json"]],
    ["continue", "CONTINUE_GLOBAL_DIR", ["settings.json"]],
    ["zed", "XDG_CONFIG_HOME", ["zed/settings.json"]],
    ["goose", "XDG_CONFIG_HOME", ["goose/config.yaml"]],
  ] as const)("of %s is where %s says, even outside the home", (host, variable, files) => {
    const [home, elsewhere] = [temporaryTree({ x: "" }), temporaryTree({ x: "" })];
    const places = { home, dir: home, env: { [variable]: elsewhere }, program: PROGRAMS[0] };
    const changes = planSetup(host, places);
    expect(changes.map(({ path }) => path).sort()).toEqual(files.map((file) => join(elsewhere, file)).sort());
    applySetup(host, places, { changes });
    applyUndo(host, places, { changes: planUndo(host, places) });
    expect(readdirSync(elsewhere)).toEqual(["x"]);
  });
});
