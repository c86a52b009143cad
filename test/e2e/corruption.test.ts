// Owns what damage of files may cost: no process, no version, no wrong answer, and nobody's access.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { VersionRecord } from "../../src/learn/learn.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { namesFor, TRADES, type Workspace, workspace } from "../recall-workspace.ts";
import { Random } from "../simulation/random.ts";
import { skillText } from "../skill-tree.ts";

/** Several in each process, so that starting them costs little. */
const SEEDS = 50;
const PROCESSES = 2;

interface Tried {
  readonly seed: number;
  readonly damage: string;
  readonly failed?: string;
  /** The versions before and after mending. */
  readonly before: string;
  readonly after: string;
  readonly told: readonly string[];
  readonly unfixed: readonly string[];
  readonly left: readonly string[];
  readonly rebuilt: number;
  readonly isKept: boolean;
}

let folder: string;
let worker: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-corruption-"));
  worker = join(folder, "worker.mjs");
  await build({
    entryPoints: [resolve("test/e2e/corruption-worker.ts")],
    outfile: worker,
    bundle: true,
    platform: "node",
    format: "esm",
    // The worker stands outside the package, but finds the driver where the package does.
    define: {
      "import.meta.filename": JSON.stringify(resolve("src/stores/sqlite/driver.ts")),
      "import.meta.dirname": JSON.stringify(resolve("src/stores/sqlite")),
    },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A store with something in every table; also as it is while it is open, with much of it still in its log. */
function filledStore(name: string, events: number): { base: string; versions: string } {
  const directory = join(folder, `${name}-live`);
  const store = openSqliteStore({ directory, clock: { now: () => new Date(1e12) } });
  const versions: VersionRecord[] = [];
  for (let n = 0; n < 40; n++) {
    const bytes = Buffer.from(`# Skill ${n}\n`);
    const file = { path: "SKILL.md", sha256: store.blobs.put(bytes), size: bytes.length };
    const version: VersionRecord = {
      id: `v${n}`,
      name: `skill-${n % 8}`,
      action: "save",
      at: n,
      author: "person",
      files: [file],
    };
    store.versions.begin({ id: `c${n}`, versions: [version] });
    store.versions.commit(`c${n}`);
    versions.push(store.versions.get(`v${n}`)!);
  }
  store.tasks.start({ id: "t", startedAt: 0 });
  for (let n = 0; n < 5; n++) {
    store.trust.add({ digest: `d${n}`, skill: "mail", at: n });
    store.tasks.consent({ task: "t", skill: `mail-${n}`, digest: "d", at: 0, files: {} });
    store.conversation.append({ session: "s", turn: n, role: "user", text: `hello ${n}`, at: n });
    store.proposals.add({
      kind: "merge",
      title: `Merge ${n}`,
      at: 0,
      changeHash: `c${n}`,
      basisHash: "b",
      payload: {},
    });
  }
  store.journal.append(
    Array.from({ length: events }, (_, i) => ({
      at: i,
      session: `s${i % 20}`,
      turn: i,
      skill: `skill-${i % 50}`,
      digest: "d",
      kind: "activated" as const,
      details: {},
    })),
  );
  const base = join(folder, name);
  cpSync(directory, `${base}.open`, { recursive: true });
  store.close();
  cpSync(directory, base, { recursive: true });
  return { base, versions: JSON.stringify([versions, versions.map(() => true)]) };
}

function run(base: string, first: number, last: number): Promise<{ tried: Tried[]; ended: string }> {
  const scratch = mkdtempSync(join(folder, "seeds-"));
  const child = spawn(process.execPath, [worker, base, scratch, String(first), String(last)]);
  let output = "";
  let errors = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (errors += data));
  return new Promise((settle) => {
    child.on("close", (code, signal) => {
      const lines = output.split("\n").slice(0, -1);
      settle({ tried: lines.map((line) => JSON.parse(line)), ended: `${code ?? signal} ${errors}`.trim() });
    });
  });
}

describe("a damaged database", () => {
  test.each([
    ["small", 300],
    ["large", 20_000],
  ])(
    "that is %s costs no process, no version and nobody's access, and is told or healed",
    async (name, events) => {
      const { base, versions } = filledStore(name, events);
      const step = Math.ceil(SEEDS / 2 / PROCESSES);
      const from = name === "small" ? 0 : SEEDS / 2;
      const runs = await Promise.all(
        Array.from({ length: PROCESSES }, (_, n) =>
          run(base, from + n * step, Math.min(from + SEEDS / 2, from + (n + 1) * step)),
        ),
      );
      expect(runs.map(({ ended }) => ended)).toEqual(runs.map(() => "0"));
      const tried = runs.flatMap((each) => each.tried);
      expect(tried).toHaveLength(SEEDS / 2);
      for (const each of tried) {
        const { seed, damage, failed, before, after, told, unfixed, left, rebuilt, isKept } = each;
        const where = `seed ${seed}, ${damage}`;
        expect(failed, where).toBeUndefined();
        expect(after, where).toBe(versions);
        // A version that reads otherwise is told.
        expect(before === versions || told.length > 0 || rebuilt > 0, where).toBe(true);
        expect({ where, unfixed, left, isKept }).toEqual({ where, unfixed: [], left: [], isKept: true });
      }
    },
    300_000,
  );
});

const FORM = "fill in this PDF form";
const POODLE = "groom the poodle";

/** The index, its delta and the snapshot, as a library leaves them that has grown by a skill. */
async function indexed(): Promise<{ space: Workspace; files: ReadonlyMap<string, Buffer> }> {
  const many = Object.fromEntries(
    Array.from({ length: 20 }, (_, n) => [
      `filler-${n}`,
      skillText(`Counts the stars of galaxy number ${n}.`),
    ]),
  );
  const space = workspace({ ...TRADES, ...many });
  await namesFor(space.open(), FORM);
  space.write("poodle-care", skillText("Grooms poodles and trims their claws."));
  await namesFor(space.open(), POODLE);
  const cache = join(space.home, ".repertoire", "cache");
  const names = readdirSync(cache).filter((name) => /\.(index|delta|snapshot)$/.test(name));
  return { space, files: new Map(names.map((name) => [join(cache, name), readFileSync(join(cache, name))])) };
}

describe("a damaged index", () => {
  test("answers rightly, or is told and mended: 200 corruptions", async () => {
    const { space, files } = await indexed();
    expect([...files.keys()].map((path) => path.split(".").at(-1)).sort()).toEqual([
      "delta",
      "index",
      "snapshot",
    ]);
    const right = async () => [
      await namesFor(space.open(), FORM, 1),
      await namesFor(space.open(), POODLE, 1),
    ];
    const expected = [["pdf-forms"], ["poodle-care"]];
    expect(await right()).toEqual(expected);
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed);
      for (const [path, bytes] of files) writeFileSync(path, bytes);
      const path = random.pick([...files.keys()]);
      writeFileSync(path, damaged(files.get(path)!, random));
      const where = `seed ${seed}, ${path.split(".").at(-1)}`;
      if (seed % 4 === 0) {
        await space.open().library.checkCaches({ fix: true });
        expect(await space.open().library.checkCaches(), where).toEqual([]);
      }
      expect({ where, found: await right() }).toEqual({ where, found: expected });
    }
  }, 300_000);
});

function damaged(whole: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(whole);
  const kind = random.below(5);
  if (kind === 0) return bytes.subarray(0, random.below(bytes.length));
  if (kind === 1) return Buffer.alloc(random.below(5_000), random.below(256));
  const from = random.below(bytes.length);
  const length = kind === 2 ? 1 : 1 + random.below(4_096);
  const to = Math.min(bytes.length, from + length);
  for (let at = from; at < to; at++) bytes[at] = kind === 4 ? 0 : bytes[at]! ^ (1 + random.below(255));
  return bytes;
}
