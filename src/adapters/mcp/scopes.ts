// Keeps which task and session a client's calls belong to, until the connection ends or the client was idle for long.

import { randomBytes } from "node:crypto";
import type { TaskPart } from "../../engine/engine.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf } from "../../model/errors.ts";

/** Where consents belong, and what the journal and the memory of a recall go by. */
export interface CallScope {
  readonly task: string;
  /** None where nobody says which calls belong together. */
  readonly session?: string | undefined;
}

export const SCOPE_LIMITS = {
  /** A client that went without a word. A conversation is taken up again after a meal or a meeting, hardly the next day. */
  idleMs: 12 * 3_600_000,
  /** Clients at a time; beyond it the one that was silent longest has to ask for consent again. */
  open: 1_000,
} as const;

/** A task of this process; which one it was tells who cleans up after a crash. */
export function newTask(): string {
  return `mcp-${process.pid}-${randomBytes(8).toString("hex")}`;
}

/** The process of a task that `newTask` named. */
export function processOf(task: string): number | undefined {
  const pid = /^mcp-(\d+)-[0-9a-f]+$/.exec(task)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

interface ScopesOptions<T> {
  readonly clock: Clock;
  /** Called once for each that is over. */
  readonly onEnd: (value: T) => void;
  readonly idleMs?: number;
  readonly limit?: number;
}

/** What is kept per client, least recently used first. */
export class Scopes<T> {
  private readonly options: ScopesOptions<T>;
  private readonly open = new Map<string, { readonly value: T; usedAt: number }>();

  constructor(options: ScopesOptions<T>) {
    this.options = options;
  }

  /** What is kept under the key; counts as a use. */
  get(key: string): T | undefined {
    const found = this.open.get(key);
    if (!found) return undefined;
    found.usedAt = this.now();
    this.open.delete(key);
    this.open.set(key, found);
    return found.value;
  }

  add(key: string, value: T): T {
    this.open.set(key, { value, usedAt: this.now() });
    const over = this.open.size - (this.options.limit ?? SCOPE_LIMITS.open);
    for (const oldest of [...this.open.keys()].slice(0, Math.max(0, over))) this.end(oldest);
    return value;
  }

  values(): T[] {
    return [...this.open.values()].map(({ value }) => value);
  }

  end(key: string): void {
    const found = this.open.get(key);
    if (!found) return;
    this.open.delete(key);
    this.options.onEnd(found.value);
  }

  endAll(): void {
    for (const key of [...this.open.keys()]) this.end(key);
  }

  /** Ends those that were silent for too long. */
  sweep(): void {
    const before = this.now() - (this.options.idleMs ?? SCOPE_LIMITS.idleMs);
    for (const [key, { usedAt }] of [...this.open]) if (usedAt < before) this.end(key);
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }
}

/** A home folder may be shared with a machine whose processes cannot be seen from here. */
const AGE_MS = 24 * 3_600_000;

/** Ends the tasks of servers that crashed, with the consents and copies in them. */
export async function endLeftTasks(tasks: Pick<TaskPart, "list" | "end">, clock: Clock): Promise<void> {
  const before = clock.now().getTime() - AGE_MS;
  for (const { id, startedAt } of await tasks.list()) {
    const pid = processOf(id);
    if (pid !== undefined && startedAt < before && !isRunning(pid)) await tasks.end(id);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}
