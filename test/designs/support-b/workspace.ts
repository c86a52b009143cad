// Makes a project that runs on the settings which `docs/guides/designs.md` gives for a design, and reaches it the ways
// a user does: the library, the agent's tools, the command line. Everything is real files in a temporary folder.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { run } from "../../../src/adapters/cli/main.ts";
import {
  CONFIG_FILE,
  type ConsentAsker,
  type ConsentSheet,
  openRepertoire,
  type Repertoire,
} from "../../../src/index.ts";
import { temporaryTree } from "../../skill-tree.ts";

export const DESIGNS = ["000", "001", "002", "003", "004"] as const;
export type Design = (typeof DESIGNS)[number];

/** Where the guide says the settings belong: a project may not decide everything. */
export type Place = "home" | "project";

export interface Settings {
  readonly text: string;
  readonly place: Place;
}

/** The block of JSON below the design's heading, and the file that the line above it names. */
export function settingsOf(design: Design): Settings {
  const guide = readFileSync("docs/guides/designs.md", "utf8");
  const section = guide.split(/^## /m).find((part) => part.startsWith(`${design} `)) ?? "";
  const [, file, text] = /\n`([^`]+)`:\n\n```json\n([\s\S]+?)\n```/.exec(section) ?? [];
  if (file === undefined || text === undefined)
    throw new Error(`The guide has no settings for the design ${design}.`);
  return { text, place: file.startsWith("~/") ? "home" : "project" };
}

export interface WorkspaceOptions {
  /** Paths below the temporary folder: `p/` is the project, `home/` the home folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Beyond what the guide says. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export function designWorkspace(design: Design | "unconfigured", options: WorkspaceOptions) {
  const { files, env = { PATH: process.env.PATH }, values = {} } = options;
  const { text, place } = design === "unconfigured" ? { text: "{}", place: "home" } : settingsOf(design);
  const file = place === "home" ? `home/.repertoire/${CONFIG_FILE}` : `p/${CONFIG_FILE}`;
  const root = temporaryTree({ "p/.keep": "", "home/.keep": "", [file]: text, ...files });
  const [dir, home] = [join(root, "p"), join(root, "home")];
  /** A new engine, as a new process has it. */
  const open = (): Repertoire => {
    const engine = openRepertoire({ dir, home, env, values });
    onTestFinished(() => engine.close());
    return engine;
  };
  const engine = open();
  return {
    root,
    dir,
    home,
    engine,
    open,
    names: async () => [...(await engine.library.current()).skills.keys()],
    codes: async () => (await engine.library.current()).diagnostics.map(({ code }) => code),
    write(path: string, content: string) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    mount: (task: string, name: string) => join(home, ".repertoire/private", task, ".skills", name),
    prompt: async (agent?: string) =>
      (await engine.turn({ message: "" }).prompt(agent ? { agent } : {})).text,
    agent: (who: Acting = {}) => agentOf(engine, who),
    /** A person has looked at these skills and trusts them. */
    async trust(...names: string[]) {
      for (const name of names) await engine.consents.trust(name, (await engine.consents.look(name)).digest);
    },
    cli: (...args: string[]) => commandLine(["--dir", dir, "--home", home, ...args]),
  };
}

export interface Acting {
  readonly task?: string;
  readonly agent?: string;
  readonly ask?: ConsentAsker;
}

const TOOLS = ["recall_skills", "activate_skill", "read_skill_file", "run_skill_script", "list_skills"];

/** The tools of an agent in a task, called by their names as a model does. */
async function agentOf(engine: Repertoire, { task = "t", agent, ask }: Acting) {
  const tools = (await engine.toolbox(TOOLS)).served({ task, agent, ask });
  const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const tool = tools.find((one) => one.name === name);
    expect(tool, `the tool ${name}`).toBeDefined();
    const { text, data, isError = false } = await tool!.run(args);
    return { text, data: data as Record<string, unknown>, isError };
  };
  return { tools, call, tasks: engine.tasks };
}

async function commandLine(args: readonly string[]) {
  const written = { out: "", err: "" };
  const code = await run(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    terminal: false,
    width: 200,
  });
  return { code, ...written, json: () => JSON.parse(written.out) };
}

/** A person who answers as told and keeps what they were shown. */
export function person(answer = true): { ask: ConsentAsker; shown: ConsentSheet[] } {
  const shown: ConsentSheet[] = [];
  return {
    shown,
    ask: (sheet) => {
      shown.push(sheet);
      return answer;
    },
  };
}

/** A SKILL.md of these front-matter lines and this body. */
export function skillFile(frontMatter: string, body = "# Title\n\nDo it.\n"): string {
  return `---\n${frontMatter}\n---\n\n${body}`;
}
