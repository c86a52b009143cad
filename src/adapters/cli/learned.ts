// Prints a change of a learned skill.

import type { Changed } from "../../engine/engine.ts";
import type { Io } from "./io.ts";

/** Notices go to standard error; the answer says what happened and which command undoes it. */
export function tellChange(io: Io, changed: Changed, back: string): void {
  io.answer(changed, () => {
    for (const { message } of changed.notices) io.note(`${io.colour.yellow("note")} ${message}`);
    io.line(`${sentence(changed)}${changed.version ? ` Version ${changed.version}.` : ""}`);
    if (changed.version) io.line(io.colour.dim(`Back: ${back}`));
  });
}

const WORDS: Readonly<Record<Changed["result"], (name: string) => string>> = {
  created: (name) => `Saved ${name}, a new skill.`,
  updated: (name) => `Saved ${name}.`,
  unchanged: (name) => `${name} has this content already; nothing was changed.`,
  archived: (name) => `Deleted ${name}; its versions are kept.`,
  renamed: (name) => `Renamed to ${name}; the old name redirects to it.`,
  restored: (name) => `Restored ${name}.`,
  undone: (name) => `Undid the last change of ${name}.`,
};

function sentence({ result, name, path }: Changed): string {
  return `${WORDS[result](name)} (${path})`;
}
