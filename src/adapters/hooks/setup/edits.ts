// Owns how one configuration file gets our entries and loses them again, with everything else in it kept.
// Does not own which files a host has (`hosts.ts`) nor writing them (`setup.ts`).

import { RepertoireError } from "../../../model/errors.ts";
import { valueAt, withElement, withoutValue, withValue } from "./json-text.ts";

/** As the shell finds it. */
const PROGRAM = "repertoire";

/** A file of a host. `add` and `remove` map text to text; `undefined` is a file that is not there. */
export interface Edit {
  readonly path: string;
  add(before: string | undefined): string;
  remove(now: string): string | undefined;
}

/** A file that is ours alone. Somebody else's file of that name is left alone. */
export function ownFile(path: string, content: string): Edit {
  return {
    path,
    add(before) {
      if (before === undefined || isOurs(before)) return content;
      throw new RepertoireError(
        "setup-not-ours",
        `${path} exists and was not written by Repertoire. Move it away, then run setup again.`,
        path,
      );
    },
    remove: (now) => (isOurs(now) ? undefined : now),
  };
}

/** Stands in the first line of every file that is ours. */
export const OURS = "Written by `repertoire setup`";
const isOurs = (text: string) => text.split("\n", 1)[0]!.includes(OURS);

/** One server under a key path of a JSON file. One of that name that the person changed or wrote stays as it is. */
export function jsonServer(path: string, keys: readonly string[], server: unknown): Edit {
  return jsonEdit(path, {
    add: (text) => (valueAt(text, keys) === undefined ? withValue(text, keys, server) : text),
    remove: (text) => (runsUs(valueAt(text, keys)) ? withoutValue(text, keys) : text),
    holders: keys.slice(0, -1),
  });
}

function runsUs(server: unknown): boolean {
  const command = (server as { command?: unknown } | null | undefined)?.command;
  return (Array.isArray(command) ? command[0] : command) === PROGRAM;
}

/** One command for several events, in the form that Claude Code and Codex share. */
export function hookEntries(path: string, events: readonly string[], command: string): Edit {
  /** Where our command stands; the person may have moved it beside one of theirs. */
  const ourPlace = (text: string, event: string): (string | number)[] | undefined => {
    const entries = valueAt(text, ["hooks", event]);
    for (const [at, entry] of Array.isArray(entries) ? entries.entries() : []) {
      const hooks = (entry as { hooks?: unknown } | null)?.hooks;
      const within = Array.isArray(hooks) ? hooks.findIndex((hook) => hook?.command === command) : -1;
      if (within < 0) continue;
      const whole = ["hooks", event, at];
      return (hooks as unknown[]).length === 1 ? whole : [...whole, "hooks", within];
    }
    return undefined;
  };
  return jsonEdit(path, {
    add(text) {
      const entry = { hooks: [{ type: "command", command, timeout: HOOK_SECONDS }] };
      return events.reduce((now, event) => {
        if (!Array.isArray(valueAt(now, ["hooks", event]) ?? []))
          throw unfit(path, `hooks.${event} is not a list`);
        return ourPlace(now, event) ? now : withElement(now, ["hooks", event], entry);
      }, text);
    },
    remove: (text) =>
      events.reduce((now, event) => {
        const place = ourPlace(now, event);
        return place ? withoutValue(now, place) : now;
      }, text),
    holders: ["hooks"],
  });
}

/** A first message may have to index a large library; every later one takes a fraction of a second. */
const HOOK_SECONDS = 60;

const BEGIN = "# begin repertoire";
const END = "# end repertoire";

/** A block at the end of a TOML file, between two comments; TOML tables may stand in any order. */
export function tomlBlock(path: string, table: string, lines: readonly string[]): Edit {
  const blockIn = (text: string) => {
    const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
    return { lineEnd, block: [BEGIN, `[${table}]`, ...lines, END, ""].join(lineEnd) };
  };
  const without = (text: string) => {
    const from = text.indexOf(BEGIN);
    const end = text.indexOf(END, from);
    if (from < 0 || end < 0) return text;
    return (
      text.slice(0, from).replace(/(^|\n)\r?\n$/, "$1") + text.slice(end + END.length).replace(/^\r?\n/, "")
    );
  };
  return {
    path,
    add(before = "") {
      const rest = without(before);
      if (new RegExp(`^\\s*\\[${table.replaceAll(".", "\\.")}\\]`, "m").test(rest)) {
        throw unfit(path, `it has a table [${table}] of its own`);
      }
      const { lineEnd, block } = blockIn(before);
      if (before.includes(block)) return before;
      if (rest === "") return block;
      return `${rest}${rest.endsWith("\n") ? "" : lineEnd}${lineEnd}${block}`;
    },
    remove: (now) => (now.includes(BEGIN) ? without(now) || undefined : now),
  };
}

interface JsonChange {
  add(text: string): string;
  remove(text: string): string;
  /** The keys on the way to our entries, which must hold objects where they are there. */
  readonly holders: readonly string[];
}

function jsonEdit(path: string, { add, remove, holders }: JsonChange): Edit {
  const checked = (text: string): string => {
    for (let depth = 0; depth <= holders.length; depth++) {
      const value = readable(path, text, holders.slice(0, depth));
      if (value === undefined && depth > 0) break;
      if (typeof value === "object" && value !== null && !Array.isArray(value)) continue;
      throw unfit(
        path,
        depth === 0 ? "it does not hold a JSON object" : `${holders[depth - 1]} is not an object`,
      );
    }
    return text;
  };
  return {
    path,
    add: (before) => (before?.trim() ? add(checked(before)) : `${add("{}")}\n`),
    remove(now) {
      if (now.trim() === "") return now;
      const text = remove(checked(now));
      return text !== now && text.trim() === "{}" ? undefined : text;
    },
  };
}

function readable(path: string, text: string, keys: readonly string[]): unknown {
  try {
    return valueAt(text, keys);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw unfit(path, `it is not JSON (${thrown.message})`);
  }
}

function unfit(path: string, why: string): RepertoireError {
  return new RepertoireError(
    "setup-unfit",
    `${path} was left as it is: ${why}. Mend it, or add the entries that \`repertoire setup HOST --dry-run\` shows in a fresh home by hand.`,
    path,
  );
}
