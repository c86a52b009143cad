// The place that the examples in doc comments run in: a project with skills, opened, and what a call of it needs.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type OpenTask, type OpenTurn, openRepertoire, type Repertoire } from "../src/index.ts";

const FILES = {
  "project/.repertoire/skills/pdf-tables/SKILL.md": `---
name: pdf-tables
description: Extracts tables from PDF files into CSV. Use when a table in a PDF is needed as data.
toolsets: [toolsets/index:PdfToolset]
---

# Extract tables

Run \`scripts/extract.sh FILE\` and check the columns.
`,
  "project/.repertoire/skills/pdf-tables/scripts/extract.sh": "#!/bin/sh\necho name,amount\n",
  "project/.repertoire/skills/pdf-tables/references/notes.md": "Some tables have no header.\n",
  "project/.repertoire/skills/pdf-tables/toolsets/index.ts": `import { defineTool, z } from "repertoire/tools";
export const PdfToolset = [
  defineTool("extract", {
    description: "Extracts the tables of a file.",
    parameters: z.object({ file: z.string() }),
    execute: ({ file }) => \`name,amount of \${file}\`,
  }),
];
`,
  "project/cases.jsonl": '{"query": "get the table out of this PDF", "gold": ["pdf-tables"]}\n',
  "project/.repertoire/skills/write-changelog/SKILL.md": `---
name: write-changelog
description: Writes the changelog of a release from merged pull requests. Use for release notes.
---

# Write a changelog

List the merged pull requests, and group them.
`,
};

/** The answer of a dream; becomes the proposals 1, 2 and 3. */
const PLAN = {
  toSave: [
    proposed("rotate-keys", "Rotates API keys.", [
      "Create a new key at the provider, with the same permissions as the old one.",
      "Put it into the vault, restart the services, and revoke the old key.",
    ]),
    proposed("book-travel", "Books a train journey.", [
      "Ask the traveller for dates, stations and the reduction card.",
      "Compare the prices of three connections and reserve the cheapest seat.",
    ]),
    proposed("water-plants", "Waters the plants of an office.", [
      "Fill the can in the kitchen and let the water become warm.",
      "Visit each pot, feel the soil with a finger, and pour only where it is dry.",
    ]),
  ],
};

function proposed(name: string, description: string, steps: readonly string[]) {
  return { name, description, content: steps.map((step, at) => `${at + 1}. ${step}\n`).join("") };
}

/** What an example may use without declaring it. */
export interface ExamplePlace {
  /** The project's folder. */
  readonly dir: string;
  readonly home: string;
  readonly skills: Repertoire;
  readonly message: string;
  /** A turn of the session `s1`. */
  readonly turn: OpenTurn;
  /** A task in which `pdf-tables` is activated, with its tools. */
  readonly task: OpenTask;
}

export const PLACE_FIELDS = [
  "dir",
  "home",
  "skills",
  "message",
  "turn",
  "task",
] as const satisfies readonly (keyof ExamplePlace)[];

/** Runs the work in a place of its own, which is removed afterwards. */
export async function inExamplePlace(work: (place: ExamplePlace) => Promise<unknown>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "repertoire-example-"));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const [dir, home] = [join(root, "project"), join(root, "home")];
  const message = "get the table out of this PDF";
  const before = { ...process.env };
  // For examples that open the library of their own process.
  Object.assign(process.env, { REPERTOIRE_DIR: dir, REPERTOIRE_HOME: home });
  const skills = openRepertoire({ dir, home, values: { "sources.bundled": false } });
  try {
    const turn = skills.turn({ session: "s1", message });
    const task = skills.task("t1", { askConsent: () => true });
    await turn.recall();
    await task.activate("pdf-tables");
    await task.tools("pdf-tables");
    await skills.learned.save({ name: "plan-meeting", content: "Finds a time.\n\n1. Ask who comes.\n" });
    for (const said of ["rotate the API keys", "book a train journey", "water the plants of the office"])
      await skills.turn({ session: said, message: said }).recall();
    await skills.dreams.submit(JSON.stringify(PLAN), { pass: "gap" });
    await work({ dir, home, skills, message, turn, task });
  } finally {
    await skills.close();
    process.env = before;
    rmSync(root, { recursive: true, force: true });
  }
}
