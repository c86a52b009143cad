// Keeps which task and session a client's calls belong to, until the connection ends or the client was idle for long.

import { randomBytes } from "node:crypto";
import type { Clock } from "../../model/clock.ts";

/** Where consents belong, and what the journal and the memory of a recall go by. */
export interface CallScope {
  readonly task: string;
  /** None where nobody says which calls belong together. */
  readonly session?: string | undefined;
  /** Whether the session is the host's own, whose hook begins its turns. */
  readonly isHosts?: boolean | undefined;
}

export const SCOPE_LIMITS = {
  /** A client that went without a word. A conversation is taken up again after a meal or a meeting, hardly the next day. */
  idleMs: 12 * 3_600_000,
  /** Clients at a time; beyond it the one that was silent longest has to ask for consent again. */
  open: 1_000,
} as const;

export function newTask(): string {
  return `mcp-${randomBytes(8).toString("hex")}`;
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
