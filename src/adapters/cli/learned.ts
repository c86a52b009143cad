// Owns opening the learned skills of a person's machine for the verbs that change them, and how a change is told.
// Does not own what the verbs do.

import type { Repertoire } from "../../engine/engine.ts";
import type { Changed, LearnedSkills } from "../../learn/learn.ts";
import type { Store } from "../../stores/stores.ts";
import type { Io } from "./io.ts";

/** Lets the work use the learned skills; afterwards waits for summaries and closes the store. */
export async function withLearned<T>(
  engine: Repertoire,
  work: (learned: LearnedSkills, store: Store) => Promise<T>,
): Promise<T> {
  try {
    const { learned, store } = await engine.workshop();
    return await work(learned, store);
  } finally {
    await engine.close();
  }
}

/** Notices go where warnings go; the answer says what happened and how to go back. */
export function tell(io: Io, changed: Changed, back: string): void {
  io.answer(changed, () => {
    for (const { message } of changed.notices) io.note(`${io.colour.yellow("note")} ${message}`);
    io.line(`${sentence(changed)}${changed.version ? ` Version ${changed.version}.` : ""}`);
    if (changed.version) io.line(io.colour.dim(`Back: ${back}`));
  });
}

const WORDS: Readonly<Record<Changed["result"], (name: string) => string>> = {
  created: (name) => `Saved ${name}, a new skill.`,
  updated: (name) => `Saved ${name}.`,
  unchanged: (name) => `${name} says that already; nothing was changed.`,
  archived: (name) => `Deleted ${name}; its versions are kept.`,
  renamed: (name) => `Renamed to ${name}; the old name leads there.`,
  restored: (name) => `Restored ${name}.`,
  undone: (name) => `Took back the last change of ${name}.`,
};

function sentence({ result, name, path }: Changed): string {
  return `${WORDS[result](name)} (${path})`;
}
