// Owns the promise that a failing disk leaves the old or the new state, says so, and keeps nothing from being read.
// Every call that a change makes to the disk or the store fails once: with each error in a save, with one of them in
// the other changes unless REPERTOIRE_FAULTS=all.

import * as fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DISK, type Files, isLeftover } from "../../src/disk/disk.ts";
import { openRepertoire } from "../../src/engine/engine.ts";
import { openLearned } from "../../src/engine/learned-part.ts";
import type { LearnedSkills } from "../../src/learn/learned-skills.ts";
import { isRepertoireError } from "../../src/model/errors.ts";
import { memoryStore } from "../../src/stores/memory/store.ts";
import type { Store } from "../../src/stores/store.ts";
import { temporaryTree } from "../skill-tree.ts";

/** Stands between the files of a state. */
const FILE = "\f";
const ERRORS = ["ENOSPC", "EIO", "EACCES", "EMFILE"] as const;

/** Makes the call of the given number fail, and if asked all after it; counts the calls. */
class Faults {
  calls = 0;
  failAt = Number.POSITIVE_INFINITY;
  lasting = false;
  code = "EIO";

  wrap<T extends object>(target: T, what: string): T {
    return new Proxy(target, {
      get: (from, key) => {
        const value = Reflect.get(from, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const call = this.calls++;
          if (call === this.failAt || (this.lasting && call > this.failAt))
            throw Object.assign(new Error(`${this.code}: ${what}.${String(key)}`), { code: this.code });
          return value.apply(from, args);
        };
      },
    });
  }
}

interface World {
  readonly learnedSkills: LearnedSkills;
  readonly faults: Faults;
  /** The skills on disk, whole. */
  state(): string;
}

async function world(): Promise<World> {
  const root = temporaryTree({ "project/.keep": "" });
  const values = { "sources.bundled": false, cache: false, "embedder.kind": "none" };
  const engine = openRepertoire({ dir: join(root, "project"), home: root, env: {}, values });
  const faults = new Faults();
  const whole = memoryStore();
  const store: Store = {
    ...whole,
    versions: faults.wrap(whole.versions, "versions"),
    blobs: faults.wrap(whole.blobs, "blobs"),
    meta: faults.wrap(whole.meta, "meta"),
    redirects: faults.wrap(whole.redirects, "redirects"),
    journal: faults.wrap(whole.journal, "journal"),
  };
  const clock = { now: () => new Date(0) };
  // A sync can fail here, but need not reach the disk: no power is cut.
  const unsynced = { fsyncSync: () => {}, fsync: (_: number, done: () => void) => done() };
  const files = faults.wrap({ ...DISK, ...unsynced } as unknown as Files, "files");
  const learnedSkills = openLearned(engine, store, { files, clock, recall: async () => [] });
  await learnedSkills.save({
    name: "a",
    content: "Old a.\n",
    files: { "notes/n.md": "old", "gone.md": "old" },
  });
  await learnedSkills.save({ name: "b", content: "Old b.\n" });
  const skills = join(root, ".repertoire/skills");
  const state = () =>
    fs
      .readdirSync(skills, { recursive: true })
      .map(String)
      .filter((path) => fs.statSync(join(skills, path)).isFile() && !isLeftover(path.split("/").at(-1)!))
      .sort()
      .map((path) => `${path}\n${fs.readFileSync(join(skills, path), "utf8")}`)
      .join(FILE);
  return { learnedSkills, faults, state };
}

const CHANGES: Record<string, (learnedSkills: LearnedSkills) => Promise<unknown>> = {
  save: (learnedSkills) =>
    learnedSkills.save({ name: "a", content: "New a.\n", files: { "notes/n.md": "new", "more.md": "x" } }),
  "first save": (learnedSkills) => learnedSkills.save({ name: "deep/er/c", content: "New c.\n" }),
  delete: (learnedSkills) => learnedSkills.delete("a"),
  rename: (learnedSkills) => learnedSkills.rename("a", "renamed"),
  undo: (learnedSkills) => learnedSkills.undo(),
  batch: (learnedSkills) =>
    learnedSkills.batch([
      { save: { name: "ab", content: "Both.\n" } },
      { archive: "a", into: "ab" },
      { archive: "b", into: "ab" },
    ]),
};

async function attempt(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error;
  }
}

for (const [what, change] of Object.entries(CHANGES)) {
  for (const lasting of [false, true]) {
    test(`${what}: ${lasting ? "a disk that stays broken" : "one failing call"} leaves the old or the new state`, async () => {
      const isThorough = what === "save" || process.env.REPERTOIRE_FAULTS === "all";
      const sound = await world();
      const before = sound.state();
      sound.faults.calls = 0;
      await change(sound.learnedSkills);
      const after = sound.state();
      const steps = sound.faults.calls;
      let [surfaced, unharmed] = [0, 0];
      for (let step = 0; step < steps; step++) {
        for (const code of isThorough && !lasting ? ERRORS : [ERRORS[step % ERRORS.length]!]) {
          const { learnedSkills, faults, state } = await world();
          Object.assign(faults, { calls: 0, failAt: step, code, lasting });
          const error = await attempt(change(learnedSkills));
          if (error === undefined) unharmed++;
          else {
            surfaced++;
            expect(isRepertoireError(error) && error.message, `${code} at ${step}`).toContain(code);
          }
          if (!lasting) expect([before, after], `${code} at ${step}`).toContain(state());
          if (error === undefined) expect(state(), `${code} at ${step}`).toBe(after);
          expect(whole(state()), `${code} at ${step}`).toBe(true);
          faults.failAt = Number.POSITIVE_INFINITY;
          await learnedSkills.save({ name: "later", content: "Later.\n" });
          await learnedSkills.delete("later");
          expect([before, after], `settled after ${code} at ${step}`).toContain(state());
        }
      }
      console.log(`${what}: ${surfaced} faults surfaced, ${unharmed} without effect, over ${steps} steps.`);
      expect(surfaced).toBeGreaterThan(0);
    }, 120_000);
  }
}

/** No SKILL.md is cut: each has its front matter and its text. */
function whole(state: string): boolean {
  const skills = state.split(FILE).filter((file) => /^\S*SKILL\.md\n/.test(file));
  return skills.every((file) => /\n---\n[\s\S]*\n---\n\n(?:Old|New|Both)[^\n]*\n$/.test(file));
}
