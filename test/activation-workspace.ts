// Makes a project with skills to activate, its engine and its tasks, for tests; and a person who answers.

import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ConsentAsker, ConsentSheet } from "../src/activate/consents.ts";
import { openRepertoire } from "../src/engine/engine.ts";
import { codeOf } from "../src/model/errors.ts";
import { memoryStore } from "../src/stores/memory/store.ts";
import { sqliteStore } from "../src/stores/sqlite/store.ts";
import { findSandbox } from "../src/tools/sandbox.ts";
import { skillText, temporaryTree } from "./skill-tree.ts";

export const SKILLS = "p/.agents/skills";
const TOOLSET = `import { defineTool, z } from "repertoire/tools";
export const Toolset = [defineTool("greet", {
  description: "Greets.",
  parameters: z.object({ who: z.string() }),
  execute: async ({ who }: { who: string }, { mount }) => ({ title: "Hi", metadata: { mount }, output: "Hello " + who }),
})];
`;
export const FILES: Readonly<Record<string, string>> = {
  [`${SKILLS}/demo/SKILL.md`]: skillText(
    "A demo. Use for demos.",
    "toolsets: ['toolsets/index:Toolset']\nallowed-tools: Bash(git:*) Read\nrequires: [DEMO_TOKEN]\nknowledge: [facts.md]\n",
    "# Demo\n\nDo the demo with https://api.example.org/v1.\n",
  ),
  [`${SKILLS}/demo/scripts/say.sh`]: `#!/bin/sh\necho "said $* in $(pwd) with \${DEMO_TOKEN:-nothing} \${OTHER_SECRET:-hidden}"\n`,
  [`${SKILLS}/demo/toolsets/index.ts`]: TOOLSET,
  [`${SKILLS}/demo/references/notes.md`]: "# Notes\n",
  [`${SKILLS}/demo/assets/logo.bin`]: "\0\x01\x02",
  [`${SKILLS}/demo/child/SKILL.md`]: skillText("A child."),
  [`${SKILLS}/demo/child/scripts/own.sh`]: "echo own\n",
  [`${SKILLS}/demo/child/grandchild/SKILL.md`]: skillText("A grandchild."),
  [`${SKILLS}/secret/SKILL.md`]: skillText("Only for the person.", "disable-model-invocation: true\n"),
  [`${SKILLS}/hollow/SKILL.md`]: "---\nname: hollow\ndescription: Nothing inside.\n---\n",
  [`${SKILLS}/other/SKILL.md`]: skillText("Another one."),
  "p/.sven/knowledge/facts.md": "# The Facts\n",
};
export const ENV = { PATH: process.env.PATH, DEMO_TOKEN: "token", OTHER_SECRET: "secret" };

export const sandbox = await findSandbox({ searchPath: process.env.PATH ?? "", avoid: [process.cwd()] });
/** Where there is no sandbox the scripts still run from the copy; that they are confined is tested elsewhere. */
export const policy = { acceptUnsandboxed: !sandbox.ok };

export interface Workspace {
  readonly files?: Readonly<Record<string, string>>;
  readonly values?: Record<string, unknown>;
  readonly store?: "memory" | "sqlite";
}

export async function workspace({ files = FILES, values = {}, store = "memory" }: Workspace = {}) {
  const root = temporaryTree(files);
  const home = join(root, "home");
  const directory = join(home, ".repertoire");
  const open = () =>
    store === "memory" ? memoryStore() : sqliteStore({ directory, clock: { now: () => new Date() } });
  const opened = open();
  const engine = openRepertoire({
    dir: join(root, "p"),
    home,
    env: ENV,
    values: { cache: false, ...values },
    store: opened,
  });
  onTestFinished(() => engine.close());
  const { tasks, consents, commands } = engine;
  const skill = (path: string) => join(root, SKILLS, path);
  const path = (task: string, name: string) => join(directory, "private", task, ".skills", name);
  return { root, engine, tasks, consents, commands, store: opened, skill, mountOf: path, home };
}

/** Answers as told, and keeps what it was shown. */
export function person(answer: boolean): { ask: ConsentAsker; shown: ConsentSheet[] } {
  const shown: ConsentSheet[] = [];
  const ask = (sheet: ConsentSheet) => {
    shown.push(sheet);
    return answer;
  };
  return { ask, shown };
}

export async function failure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (thrown) {
    return { code: codeOf(thrown), message: (thrown as Error).message };
  }
  throw new Error("it did not fail");
}
