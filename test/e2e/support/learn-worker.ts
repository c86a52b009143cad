// Owns the other process of the learn tests: changes learned skills as it is told and prints each one that was
// acknowledged, as JSON lines.

import { join } from "node:path";
import { openRepertoire } from "../../../src/engine/engine.ts";
import { openLearned } from "../../../src/engine/learned-part.ts";
import { codeOf } from "../../../src/model/errors.ts";
import { sqliteStore } from "../../../src/stores/sqlite/store.ts";

const [job, root, label, amount] = process.argv.slice(2) as [string, string, string, string];
const engine = openRepertoire({
  dir: join(root, "project"),
  home: root,
  env: {},
  values: { "sources.bundled": false, cache: false, "embedder.kind": "none" },
});
const store = sqliteStore({ directory: join(root, ".repertoire"), clock: { now: () => new Date() } });
const learnedSkills = openLearned(engine, store, { recall: async () => [] });

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Long enough that a torn file would show: the last line names what the first one does. */
function content(mark: string): string {
  return `Begin ${mark}.\n\n${`A step of ${mark}.\n`.repeat(400)}\nEnd ${mark}.\n`;
}

async function save(name: string, mark: string): Promise<void> {
  const files = { "references/notes.md": `notes ${mark}\n` };
  const { version } = await learnedSkills.save({ name, content: content(mark), files, author: "agent" });
  print({ name, mark, version });
}

/** Reads a counter from the skill, adds one, and saves it only if nobody else has meanwhile. */
async function count(): Promise<void> {
  for (;;) {
    await engine.library.refresh();
    const before = await learnedSkills.text(await engine.library.find("counter"));
    const value = Number(/\n\nCount (\d+)\./.exec(before.content)?.[1]);
    try {
      await learnedSkills.save({
        name: "counter",
        content: `Count ${value + 1}.\n`,
        ifDigest: before.digest,
        author: "agent",
      });
      return print({ counted: true });
    } catch (error) {
      if (codeOf(error) !== "skill-changed") throw error;
    }
  }
}

const JOBS: Record<string, (index: number) => Promise<void>> = {
  /** Until it is killed. */
  save: (index) => save(`skill-${index % 3}`, `${label}-${index}`),
  count,
  async mix(index) {
    const shared = `shared-${index % 4}`;
    const step = (index + Number(label)) % 4;
    if (step === 3) {
      await engine.library.refresh();
      if (!(await engine.library.current()).skills.has(shared)) return;
      await learnedSkills.delete(shared, { author: "agent" }).then(
        ({ version }) => print({ name: shared, version }),
        (error) => {
          if (codeOf(error) !== "skill-not-found") throw error;
        },
      );
    } else if (step === 2) await count();
    else await save(shared, `${label}-${index}`);
  },
};

for (let index = 0; index < Number(amount); index++) await JOBS[job]!(index);
store.close();
print({ done: true });
