// Accepts every open proposal of a home folder and dies by its own hand before the n-th step that changes anything.

import { join } from "node:path";
import { DISK, type Files } from "../../../src/disk/disk.ts";
import { openDreams } from "../../../src/engine/dream-part.ts";
import { openRepertoire } from "../../../src/engine/engine.ts";
import { openLearned } from "../../../src/engine/learned-part.ts";
import { sqliteStore } from "../../../src/stores/sqlite/store.ts";
import type { Store } from "../../../src/stores/store.ts";

const [root = "", dieAt = "0", now = "0"] = process.argv.slice(2);
let steps = 0;

function step(): void {
  if (++steps === Number(dieAt)) process.kill(process.pid, "SIGKILL");
}

/** The same object, each of the named methods counted before it runs. */
function counted<T extends object>(target: T, methods: readonly (keyof T & string)[]): T {
  return new Proxy(target, {
    get(object, key) {
      const value = Reflect.get(object, key) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (methods.includes(key as never)) step();
        return Reflect.apply(value, object, args);
      };
    },
  });
}

const clock = { now: () => new Date(Number(now)) };
const values = { "sources.bundled": false, cache: false, "embedder.kind": "none" };
const engine = openRepertoire({ dir: join(root, "p"), home: join(root, "home"), env: {}, values, clock });
const real = sqliteStore({ directory: join(root, "home/.repertoire"), clock });
const store: Store = {
  ...real,
  meta: counted(real.meta, ["set", "remove"]),
  versions: counted(real.versions, ["add", "begin", "commit", "abandon"]),
  proposals: counted(real.proposals, ["decide"]),
  record: (events, said) => real.record(events, said),
  tallyBook: () => real.tallyBook(),
  rememberedBook: () => real.rememberedBook(),
  exclusive: (work) => real.exclusive(work),
  tidy: () => real.tidy(),
  close: () => real.close(),
};
const files: Files = counted({ ...DISK }, [
  "openSync",
  "writeSync",
  "renameSync",
  "unlinkSync",
  "rmdirSync",
  "mkdirSync",
]);
const learnedSkills = openLearned(engine, store, { files, recall: async () => [] });
const { accepted } = await openDreams(engine, { store, learned: learnedSkills }).accept("all");
console.log(JSON.stringify({ accepted: accepted.length, steps }));
real.close();
