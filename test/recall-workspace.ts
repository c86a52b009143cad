// Makes a project with skills of its own and opens engines on it, for tests of recall. Nothing of the machine's own
// skills or environment takes part.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openRepertoire, type Repertoire } from "../src/engine/engine.ts";
import type { Turn } from "../src/model/turn.ts";
import { skillText, temporaryTree } from "./skill-tree.ts";

export interface Workspace {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  /** Where the skills lie. */
  readonly source: string;
  /** The SKILL.md of a skill. */
  file(name: string): string;
  write(name: string, text: string): void;
  remove(name: string): void;
  /** A new engine, as a new process would have it. */
  open(values?: Readonly<Record<string, unknown>>, env?: Record<string, string | undefined>): Repertoire;
}

/** Name of a skill -> its whole SKILL.md. */
export function workspace(skills: Readonly<Record<string, string>>): Workspace {
  const files = Object.entries(skills).map(([name, text]) => [`p/.agents/skills/${name}/SKILL.md`, text]);
  const root = temporaryTree({ "home/.keep": "", "p/.keep": "", ...Object.fromEntries(files) });
  const project = join(root, "p");
  const home = join(root, "home");
  const source = join(project, ".agents", "skills");
  const file = (name: string) => join(source, name, "SKILL.md");
  return {
    root,
    project,
    home,
    source,
    file,
    write(name, text) {
      mkdirSync(dirname(file(name)), { recursive: true });
      writeFileSync(file(name), text);
    },
    remove(name) {
      rmSync(dirname(file(name)), { recursive: true });
    },
    open: (values = {}, env = {}) =>
      openRepertoire({ dir: project, home, env, values: { "sources.bundled": false, ...values } }),
  };
}

/** The names recalled for a message, best first, see-also included. */
export async function namesFor(engine: Repertoire, turn: string | Turn, limit = 3): Promise<string[]> {
  const { matches } = await engine.turns.recall(typeof turn === "string" ? { message: turn } : turn, {
    limit,
  });
  return matches.map(({ name }) => name);
}

/** Six skills of different trades, so that every message has something that it is not about. */
export const TRADES: Readonly<Record<string, string>> = {
  "pdf-forms": skillText(
    "Fills in PDF forms and extracts their fields. Use when a PDF form has to be completed.",
    "",
    "# PDF forms\n\n## When to use\n\nA form has fields that must be filled.\n\n## Steps\n\nList the fields, map the values, flatten the form.\n",
  ),
  "train-trips": skillText(
    "Plans train journeys with night trains and seat reservations.",
    "",
    "# Trips\n\n## Booking\n\nBook night trains first, then connections and seats.\n",
  ),
  "database-migrations": skillText(
    "Writes and reviews SQL schema migrations for PostgreSQL.",
    "",
    "# Migrations\n\n## Locks\n\nAdd columns without a table rewrite; create indexes concurrently.\n",
  ),
  "sourdough-bread": skillText(
    "Bakes sourdough bread: feeding the starter, proofing and scoring the loaf.",
    "",
    "# Bread\n\n## Starter\n\nFeed the starter twice, proof overnight, score the loaf.\n",
  ),
  "incident-reports": skillText(
    "Writes incident reports and postmortems after an outage.",
    "",
    "# Reports\n\n## Timeline\n\nCollect the timeline of the outage, causes and actions.\n",
  ),
  "garden-calendar": skillText(
    "Says when to sow, prune and harvest vegetables in the garden.",
    "",
    "# Garden\n\n## Sowing\n\nSow tomatoes in March, prune roses in February.\n",
  ),
};
