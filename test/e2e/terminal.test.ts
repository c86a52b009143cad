// Every verb of the command line with text of others that tries to control the terminal: nothing of it is printed raw.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ansis } from "ansis";
import { describe, expect, it } from "vitest";
import type { Verb } from "../../src/adapters/cli/command.ts";
import { run, verbsFor } from "../../src/adapters/cli/main.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

/** Clears the screen, writes the clipboard, starts C1 sequences, reorders, hides, overwrites. */
const HOSTILE =
  "ok\u001b[2J\u001b]52;c;cm0gLXJm\u0007\u009b31m\u202eevil\u2066\u200b\u2060\ufeff\u00ad\u{E0041}\u{E0100}\rover\u0085\u2028\u007f";
/** What a terminal obeys, or does not show. */
const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{DI}\p{Cs}]/u;

/** These read standard input or do not end by themselves; they run as programs. */
const PROGRAMS = new Set(["chat", "mcp", "serve", "ui", "hook", "save"]);

interface Leaf {
  readonly path: readonly string[];
  readonly verb: Verb;
}

function leavesOf(verb: Verb, before: readonly string[] = []): Leaf[] {
  const path = [...before, verb.use.split(" ", 1)[0]!];
  return [
    ...(verb.run ? [{ path, verb }] : []),
    ...(verb.verbs ?? []).flatMap((inner) => leavesOf(inner, path)),
  ];
}

const LEAVES = (await verbsFor(undefined)).flatMap((verb) => leavesOf(verb));

/** A library, a home and a journal in which every text that comes from outside is hostile. */
function hostileWorkspace() {
  const more = [
    `name: ${JSON.stringify(`tidy${HOSTILE}`)}`,
    `version: ${JSON.stringify(HOSTILE)}`,
    `domain: ${JSON.stringify(HOSTILE)}`,
    `argument-hint: ${JSON.stringify(HOSTILE)}`,
    `triggers: [${JSON.stringify(`zebra ${HOSTILE}`)}]`,
    `see-also: [${JSON.stringify(HOSTILE)}]`,
    `${JSON.stringify(`key${HOSTILE}`)}: 1`,
  ].join("\n");
  const text = skillText(`Tidies zebras. ${HOSTILE}`, `${more}\n`, `# Zebra ${HOSTILE}\n\n${HOSTILE}\n`);
  const needy = `requires: {env: [${JSON.stringify(HOSTILE)}], bins: [${JSON.stringify(`bin${HOSTILE}`)}]}\n`;
  const root = temporaryTree({
    "p/.claude/skills/tidy/SKILL.md": text,
    [`p/.claude/skills/tidy/scripts/x${HOSTILE}.sh`]: `#!/bin/sh\nprintf '%s' '${HOSTILE}'\n`,
    "p/.claude/skills/tidy/scripts/out.sh": `#!/bin/sh\nprintf '%s' '${HOSTILE}'; printf '%s' '${HOSTILE}' >&2\n`,
    "p/.claude/skills/needy/SKILL.md": skillText(`Needs zebras. ${HOSTILE}`, needy),
    [`p/.claude/skills/bad${HOSTILE}/SKILL.md`]: "---\nname: [\n",
    "p/.claude/skills/broken/SKILL.md": `---\nname: ${HOSTILE}\n`,
    [`file${HOSTILE}.jsonl`]: `{"query":"zebra ${HOSTILE}","gold":["tidy"],"source":"s\u009b"}\n{${HOSTILE}\n`,
    "home/.claude/settings.json": `{"${HOSTILE}": {`,
  });
  mkdirSync(join(root, "p/.git"));
  return root;
}

/** Argument lists for one verb: with things that exist, and with hostile words. */
function argumentLists({ verb }: Leaf, root: string): string[][] {
  const declared = [
    ...verb.use.split(" ").slice(1),
    ...(verb.arguments ?? []).map(([name]) => name.replace(/ .*/, "")),
  ];
  const existing: Readonly<Record<string, string>> = {
    host: "claude-code",
    message: "tidy the zebra",
    text: "/tidy now",
    file: join(root, `file${HOSTILE}.jsonl`),
    path: ".",
    script: "scripts/out.sh",
    session: "s1",
    id: "cli",
    version: "1",
    target: "1",
    new: "other-name",
  };
  const wordOf = (argument: string) => argument.replace(/[<>[\].]/g, "");
  return [declared.map((argument) => existing[wordOf(argument)] ?? "tidy"), declared.map(() => HOSTILE)];
}

function assertShown(text: string, what: string): void {
  expect(
    ACTS.exec(text)?.[0].codePointAt(0)?.toString(16),
    `${what}: ${JSON.stringify(text.slice(0, 400))}`,
  ).toBe(undefined);
}

async function inProcess(args: readonly string[], terminal: boolean) {
  const written = { out: "", err: "" };
  const streams = {
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
    terminal,
    width: 100,
    colours: new Ansis(3),
  };
  await run(args, streams);
  return written;
}

/** Our colours, and nothing else that begins with an escape character. */
const withoutColours = (text: string) => text.replace(/\u001b\[(?:1|2|22|31|32|33|36|39)m/g, "");

describe("every verb", () => {
  const inside = LEAVES.filter(({ path }) => !PROGRAMS.has(path[0]!));

  it.each(inside.map((leaf) => [leaf.path.join(" "), leaf] as const))(
    "%s prints nothing of others raw: in words, in colour, as JSON, and after a bad configuration",
    async (name, leaf) => {
      const root = hostileWorkspace();
      const places = ["--dir", join(root, "p"), "--home", join(root, "home")];
      await inProcess([...places, "recall", `tidy the zebra ${HOSTILE}`, "--session", "s1"], false);
      await inProcess([...places, "activate", "tidy", "--yes"], false);
      for (const args of argumentLists(leaf, root)) {
        const words = await inProcess([...places, ...leaf.path, ...args], false);
        assertShown(words.out + words.err, name);
        const coloured = await inProcess([...places, ...leaf.path, ...args], true);
        assertShown(withoutColours(coloured.out + coloured.err), `${name} in colour`);
        const json = await inProcess([...places, "--json", ...leaf.path, ...args], false);
        assertShown(json.out + json.err, `${name} --json`);
        if (json.out.startsWith("{"))
          expect(() => jsonIn(json.out), `${name} --json prints JSON`).not.toThrow();
      }
      writeFileSync(join(root, "p/repertoire.config.json"), JSON.stringify({ [`a${HOSTILE}`]: HOSTILE }));
      const failed = await inProcess([...places, ...leaf.path, ...argumentLists(leaf, root)[0]!], false);
      assertShown(failed.out + failed.err, `${name} with a bad configuration`);
    },
  );
});

/** One value, or one in each line. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}

describe("the programs", () => {
  const built = hostsProgram();

  async function program(args: readonly string[], { input = "", untilOut = false } = {}) {
    const child: ChildProcess = spawn(process.execPath, [built.bin, ...args], {
      env: { PATH: process.env.PATH, REPERTOIRE_ENCODER: "off" },
    });
    let text = "";
    const ended = new Promise<number | null>((settle) => child.on("close", settle));
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (part) => {
        text += part;
        if (untilOut) child.kill("SIGTERM");
      });
    if (untilOut) child.stdin!.on("error", () => {});
    else child.stdin!.end(input);
    await ended;
    return text;
  }

  it.each(
    LEAVES.filter(({ path }) => PROGRAMS.has(path[0]!)).map((leaf) => [leaf.path.join(" "), leaf] as const),
  )("%s prints nothing of others raw", async (name, leaf) => {
    const root = hostileWorkspace();
    const places = ["--dir", join(root, "p"), "--home", join(root, "home")];
    for (const args of argumentLists(leaf, root)) {
      const serves = ["serve", "ui"].includes(name) && args.length === 0;
      const given = serves ? ["--port", "0", ...(name === "ui" ? ["--no-open"] : [])] : args;
      const text = await program([...places, ...leaf.path, ...given], {
        input: `{${HOSTILE}\n{"jsonrpc":"2.0","id":1,"method":"${HOSTILE}"}\n`,
        untilOut: serves,
      });
      assertShown(text, name);
    }
  });

  it("an error that nobody expected is printed as visible text too", async () => {
    const root = hostileWorkspace();
    // A folder where a file should be: the store cannot be opened.
    mkdirSync(join(root, `home${HOSTILE}/.repertoire/repertoire.db`), { recursive: true });
    const home = join(root, `home${HOSTILE}`);
    assertShown(await program(["--dir", join(root, "p"), "--home", home, "stats"]), "stats");
    assertShown(await program(["hook", HOSTILE]), "hook");
    assertShown(await program([HOSTILE, `--${HOSTILE}`]), "unknown verb");
  });
});
