// What is kept for how long, and what a tidying removed. Tallies, versions and consents are kept for good.

const DAY_MS = 24 * 60 * 60 * 1000;

/** Ages in days after which something goes. */
export interface Retention {
  /** What happened: shown, activated, outcomes. The tallies that were counted from it stay. */
  readonly events: number;
  /** What was said in conversations. */
  readonly said: number;
  /** The state of a session that nobody continued. */
  readonly sessions: number;
  /** A damaged file that was moved aside. */
  readonly damaged: number;
}

export const RETENTION: Retention = { events: 400, said: 90, sessions: 30, damaged: 30 };

/** Files that a killed process left, and bytes that no version names, are older than any work under way. */
export const ABANDONED_MS = DAY_MS;

/** The moment before which something is old. */
export function before(now: number, days: number): number {
  return now - days * DAY_MS;
}

export const TIDY_RULES = ["events", "said", "sessions", "blobs", "leftovers", "damaged", "caches"] as const;

/** What one rule of retention removed, or would remove. */
export interface Tidied {
  readonly rule: (typeof TIDY_RULES)[number];
  readonly items: number;
  /** Of files; rows of the database are reused by it and free none at once. */
  readonly bytes: number;
}

export interface TidyOptions {
  /** Remove nothing, only tell. */
  readonly dryRun?: boolean | undefined;
}
