// Adds our entries to one configuration file and removes them again, keeping everything else in it.

import { RepertoireError } from "../../../model/errors.ts";
import { parseJson, valueAt, withElement, withoutValue, withValue } from "./json-text.ts";

/** The command as the shell finds it. */
const PROGRAM = "repertoire";

/** A change of one file of a host. `add` and `remove` map text to text; `undefined` means that there is no file. */
export interface Edit {
  readonly path: string;
  add(before: string | undefined): string;
  /** Removes our entries; `before` is the text without them, if it was recorded. */
  remove(now: string, before?: string | undefined): string | undefined;
}

/** A file that holds nothing but our text. Somebody else's file with that name is not changed. */
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

/** The first line of each such file contains this. */
export const OURS = "Written by `repertoire setup`";
const isOurs = (text: string) => text.split("\n", 1)[0]!.includes(OURS);

/** One server under a key path of a JSON file. An existing server with that name is not changed. */
export function jsonServer(path: string, keys: readonly string[], server: unknown): Edit {
  return jsonEdit(path, {
    add: (text) => (valueAt(text, keys) === undefined ? withValue(text, keys, server) : text),
    remove: (text, before) => (runsUs(valueAt(text, keys)) ? withoutValue(text, keys, before) : text),
    holders: keys.slice(0, -1),
  });
}

function runsUs(server: unknown): boolean {
  const command = (server as { command?: unknown } | null | undefined)?.command;
  return (Array.isArray(command) ? command[0] : command) === PROGRAM;
}

/** One command for several events, in the format that Claude Code and Codex share. */
export function hookEntries(path: string, events: readonly string[], command: string): Edit {
  /** The path of our command; the person may have moved it beside one of theirs. */
  const ourPath = (text: string, event: string): (string | number)[] | undefined => {
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
        return ourPath(now, event) ? now : withElement(now, ["hooks", event], entry);
      }, text);
    },
    remove: (text, before) =>
      events.reduce((now, event) => {
        const ours = ourPath(now, event);
        return ours ? withoutValue(now, ours, before) : now;
      }, text),
    holders: ["hooks"],
  });
}

/** A first message may have to index a large library; every later one takes a fraction of a second. */
const HOOK_SECONDS = 60;

const BEGIN = "# begin repertoire";
const END = "# end repertoire";

/** A block at the end of a TOML file, between two comments; the order of TOML tables is free. */
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
  remove(text: string, before: string | undefined): string;
  /** The keys on the way to our entries. Those that exist must hold objects. */
  readonly holders: readonly string[];
}

function jsonEdit(path: string, { add, remove, holders }: JsonChange): Edit {
  const check = (text: string): void => {
    try {
      parseJson(text);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      throw unfit(path, `it is not JSON (${thrown.message})`);
    }
    for (let depth = 0; depth <= holders.length; depth++) {
      const value = valueAt(text, holders.slice(0, depth));
      if (value === undefined) break;
      if (typeof value === "object" && value !== null && !Array.isArray(value)) continue;
      throw unfit(
        path,
        depth === 0 ? "it does not hold a JSON object" : `${holders[depth - 1]} is not an object`,
      );
    }
  };
  return {
    path,
    add(before = "") {
      const { mark, text } = withoutMark(before);
      if (text.trim() === "") return `${add("{}")}\n`;
      check(text);
      return mark + add(text);
    },
    remove(now, before) {
      const { mark, text } = withoutMark(now);
      if (text.trim() === "") return now;
      check(text);
      const left = remove(text, before === undefined ? undefined : withoutMark(before).text);
      return left !== text && left.trim() === "{}" && before === undefined ? undefined : mark + left;
    },
  };
}

/** jsonc-parser does not accept a byte order mark. */
function withoutMark(text: string): { mark: string; text: string } {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return { mark, text: text.slice(mark.length) };
}

const BY_HAND =
  "Fix it, or add the entries that `repertoire setup HOST --dry-run` shows in a fresh home by hand.";

export function unfit(path: string, why: string, fix = BY_HAND): RepertoireError {
  return new RepertoireError("setup-unfit", `${path} was left as it is: ${why}. ${fix}`, path);
}
