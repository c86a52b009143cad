// Owns the promise that no acknowledged save is lost and no file torn, however a process dies.
// REPERTOIRE_KILLS sets how often one is killed (60).

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLeftover } from "../../src/disk/disk.ts";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openLearned } from "../../src/engine/learned-part.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { buildWorker, type Worker } from "./support/worker.ts";

const KILLS = Number(process.env.REPERTOIRE_KILLS ?? 60);
/** Two homes at once: the machine is busy while a process starts. */
const LANES = 2;

let worker: Worker;
beforeAll(async () => {
  worker = await buildWorker("test/e2e/support/learn-worker.ts");
});
afterAll(() => worker.dispose());

function open(root: string) {
  const clock = { now: () => new Date() };
  const values = { "sources.bundled": false, cache: false, "embedder.kind": "none" };
  const engine = openRepertoire({ dir: join(root, "project"), home: root, env: {}, values });
  const store = openSqliteStore({ directory: join(root, ".repertoire"), clock });
  return { engine, store, learnedSkills: openLearned(engine, store, { recall: async () => [] }) };
}

interface Tally {
  kills: number;
  saves: number;
  unacknowledged: number;
}

async function killOnce(root: string, round: number, random: () => number): Promise<Tally> {
  let lines = 0;
  let fire: () => void = () => {};
  const wanted = 1 + Math.floor(random() * 4);
  const reached = new Promise<void>((resolve) => {
    fire = resolve;
  });
  const { child, ended } = worker.start(["save", root, `r${round}`, "1000000"], () => {
    if (++lines >= wanted) fire();
  });
  await Promise.race([reached, ended]);
  await new Promise((resolve) => setTimeout(resolve, random() * 30));
  child.kill("SIGKILL");
  const { lines: acknowledged, status, errors } = await ended;
  expect(`${status} ${errors}`).toBe("SIGKILL ");
  return { kills: 1, saves: acknowledged.length, unacknowledged: await check(root, acknowledged) };
}

/** Opens as the next process would, makes one change, and looks at every file and version. */
async function check(root: string, acknowledged: readonly Record<string, unknown>[]): Promise<number> {
  for (const path of filesBelow(join(root, ".repertoire/skills"))) if (path.endsWith("SKILL.md")) whole(path);
  const { learnedSkills, store } = open(root);
  await learnedSkills.save({ name: "after", content: `After ${acknowledged.length} of ${Math.random()}.\n` });
  const left = filesBelow(join(root, ".repertoire/skills")).filter((path) =>
    isLeftover(path.split("/").at(-1)!),
  );
  expect(left).toEqual([]);
  for (const { version } of acknowledged) expect(store.versions.get(String(version))?.files).toHaveLength(2);
  let more = 0;
  for (const head of store.versions.heads()) {
    if (head.name === "after") continue;
    const folder = join(root, ".repertoire/skills", head.name);
    const mark = whole(join(folder, "SKILL.md"));
    expect(readFileSync(join(folder, "references/notes.md"), "utf8")).toBe(`notes ${mark}\n`);
    const last = acknowledged.findLast(({ name }) => name === head.name);
    const versions = store.versions.list({ name: head.name });
    expect(versions.every((version, at) => version.parent === versions[at + 1]?.id)).toBe(true);
    if (last !== undefined && last.mark !== mark) {
      more++;
      expect(versions.findIndex(({ id }) => id === last.version)).toBe(1);
    }
  }
  store.close();
  return more;
}

/** The mark of a file that begins and ends with it. */
function whole(path: string): string {
  const text = readFileSync(path, "utf8");
  if (/^After /m.test(text)) return "after";
  const [, begin] = /^Begin (\S+)\.$/m.exec(text) ?? [];
  const [, end] = /^End (\S+)\.\n$/m.exec(text) ?? [];
  expect(begin, path).toBeDefined();
  expect(end, path).toBe(begin);
  return begin!;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile());
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test(
  `a process killed ${KILLS} times during saves loses no acknowledged save and tears no file`,
  async () => {
    const total: Tally = { kills: 0, saves: 0, unacknowledged: 0 };
    const lane = async (number: number) => {
      const root = mkdtempSync(join(worker.folder, "home-"));
      mkdirSync(join(root, "project"));
      const random = randomFrom(number + 1);
      for (let round = number; round < KILLS; round += LANES) {
        const { kills, saves, unacknowledged } = await killOnce(root, round, random);
        total.kills += kills;
        total.saves += saves;
        total.unacknowledged += unacknowledged;
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    console.log(
      `${total.kills} kills, ${total.saves} acknowledged saves, 0 lost, 0 torn; ${total.unacknowledged} finished after the kill.`,
    );
    expect(total.kills).toBe(KILLS);
  },
  60_000 + KILLS * 3_000,
);
