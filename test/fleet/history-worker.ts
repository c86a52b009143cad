// One node of a recorded history: does what a seed says, and tells of each operation when it begins and how it ended.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../../src/model/errors.ts";
import { nodeStore } from "../../src/stores/postgres/node-store.ts";
import { seeded } from "./seeded.ts";

export interface Run {
  readonly seed: number;
  readonly url: string;
  readonly scope: string;
  readonly directory: string;
  readonly operations: number;
  /** Whether changes are made under the lease; otherwise only their parents keep them in order. */
  readonly isExclusive: boolean;
  /** How soon another node takes over. */
  readonly leaseMs: number;
  /** The share of changes after whose half the process kills itself. */
  readonly suicides: number;
}

export type Told =
  | {
      readonly id: string;
      readonly kind: "save" | "append" | "read";
      readonly name: string;
      readonly from: number;
    }
  | {
      readonly id: string;
      readonly to: number;
      readonly result: "ok" | "failed" | "unknown";
      readonly seen?: string | undefined;
      /** Why it failed. */
      readonly code?: string | undefined;
    }
  | { readonly done: true };

const NAMES = ["alpha", "beta", "gamma"];
/** A clock that all processes of the machine share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const tell = (told: Told) => process.send?.(told);

async function work({ seed, operations, isExclusive, suicides, ...options }: Run): Promise<void> {
  const random = seeded(seed);
  const store = nodeStore({ ...options, deadlineMs: 5_000 });
  const save = async (id: string, name: string) => {
    const head = await store.versions.head({ name });
    const change = {
      id: randomUUID(),
      versions: [{ id, name, action: "save", at: 1, author: "node", files: [], parent: head?.id }] as const,
    };
    await store.versions.begin(change);
    if (random() < suicides) process.kill(process.pid, "SIGKILL");
    try {
      await store.versions.commit(change.id);
    } catch (error) {
      if (codeOf(error) !== "commit-uncertain") await store.versions.abandon(change.id);
      throw error;
    }
    if (random() < suicides) process.kill(process.pid, "SIGKILL");
  };
  const event = (id: string) =>
    ({ kind: "activated", at: 1, session: "s", turn: 1, skill: "mail", digest: id, details: {} }) as const;
  await Promise.resolve(store.catchUp(async () => undefined));
  for (let i = 0; i < operations; i++) {
    const id = randomUUID();
    const name = NAMES[Math.floor(random() * NAMES.length)]!;
    const dice = random();
    const kind = dice < 0.35 ? "save" : dice < 0.8 ? "append" : "read";
    tell({ id, kind, name, from: now() });
    let result: "ok" | "failed" | "unknown" = "ok";
    let seen: string | undefined;
    let code: string | undefined;
    try {
      if (kind === "save") await (isExclusive ? store.exclusive(() => save(id, name)) : save(id, name));
      else if (kind === "read") seen = (await store.versions.head({ name }))?.id;
      else if (dice < 0.7) await store.journal.append([event(id)]);
      else store.record([event(id)]);
    } catch (error) {
      code = codeOf(error);
      if (
        !["version-conflict", "lease-lost", "database-away", "commit-uncertain", "store-busy"].includes(code)
      )
        throw error;
      // After an abandoned change failed too, nobody knows: another process of this node settles it.
      result = code === "commit-uncertain" ? "unknown" : "failed";
    }
    tell({ id, to: now(), result, seen, code });
    await sleep(random() * 3);
  }
  await store.close();
  tell({ done: true });
}

process.on("message", (run: Run) => void work(run));
