// Adds our entries to one configuration file and removes them again, keeping everything else in it.

import { RepertoireError } from "../../../model/errors.ts";
import { parseJson, valueAt, withElement, withoutValue, withValue } from "./json-text.ts";
import { runsOurHook, startsUs } from "./program.ts";
import {
  type TomlPlace,
  tomlTable,
  withoutTomlTable,
  withoutTomlValue,
  withTomlTable,
  withTomlValue,
} from "./toml-text.ts";
import { withoutYamlEntry, withYamlEntry, type YamlPlace, yamlEntry } from "./yaml-text.ts";

/** A change of one file of a host. `add` and `remove` map text to text; `undefined` means that there is no file. */
export interface Edit {
  readonly path: string;
  add(before: string | undefined): string | undefined;
  /** Removes our entries; `before` is the text without them, if it was recorded. */
  remove(now: string, before?: string | undefined): string | undefined;
  /** Whether the text has our entries. */
  has(now: string): boolean;
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
    has: isOurs,
  };
}

/** The first line of each such file contains this. */
export const OURS = "Written by `repertoire setup`";
const isOurs = (text: string) => text.split("\n", 1)[0]!.includes(OURS);

/** One server under a key path of a JSON file. An existing server with that name is not changed. */
export function jsonServer(path: string, keys: readonly string[], server: unknown): Edit {
  const has = (text: string) => runsUs(valueAt(text, keys));
  return jsonEdit(path, {
    add: (text) => (valueAt(text, keys) === undefined ? withValue(text, keys, server) : text),
    remove: (text, before) => (has(text) ? withoutValue(text, keys, before) : text),
    has,
    holders: keys.slice(0, -1),
  });
}

function runsUs(server: unknown): boolean {
  const { command, cmd = command, args } = (server ?? {}) as Record<string, unknown>;
  const words = Array.isArray(cmd) ? cmd : [cmd, ...(Array.isArray(args) ? args : [])];
  return startsUs(words);
}

/** One setting of a JSON file, for hosts whose own list of skills is to be switched off. A person's own value is not changed. */
export function jsonSetting(path: string, keys: readonly string[], value: unknown): Edit {
  const has = (text: string) => JSON.stringify(valueAt(text, keys)) === JSON.stringify(value);
  return jsonEdit(path, {
    add: (text) => {
      const own = valueAt(text, keys);
      if (own === undefined) return withValue(text, keys, value);
      if (has(text)) return text;
      throw unfit(
        path,
        `${keys.join(".")} is ${JSON.stringify(own)}`,
        "Change it yourself, or choose another mode.",
      );
    },
    remove: (text, before) => {
      const wasTheirs = before !== undefined && before.trim() !== "" && has(before);
      return has(text) && !wasTheirs ? withoutValue(text, keys, before) : text;
    },
    has,
    holders: keys.slice(0, -1),
  });
}

/** One word in a list of a JSON file, such as a tool that is denied. */
export function jsonListed(path: string, keys: readonly string[], word: string): Edit {
  const placeIn = (text: string) => {
    const list = valueAt(text, keys) ?? [];
    if (!Array.isArray(list)) throw unfit(path, `${keys.join(".")} is not a list`);
    return list.indexOf(word);
  };
  return jsonEdit(path, {
    add: (text) => (placeIn(text) < 0 ? withElement(text, keys, word) : text),
    remove: (text, before) => {
      const wasTheirs = before !== undefined && before.trim() !== "" && placeIn(before) >= 0;
      const at = placeIn(text);
      return at < 0 || wasTheirs ? text : withoutValue(text, [...keys, at], before);
    },
    has: (text) => placeIn(text) >= 0,
    holders: keys.slice(0, -1),
  });
}

/** How a host lists its hooks. */
interface HookForm {
  readonly host: string;
  readonly command: string;
  /** The events, each with the tools that it is for; "" for all. */
  readonly events: Readonly<Record<string, string>>;
  /** The entry of a command; most hosts have the same. */
  readonly entry?: ((command: string) => Readonly<Record<string, unknown>>) | undefined;
  /** Whether an event lists the entries themselves, instead of groups of them. */
  readonly flat?: boolean | undefined;
}

/** One command for several events. Entries of others stay. */
export function hookEntries(path: string, form: HookForm): Edit {
  const { host, command, events, flat, entry = usualEntry } = form;
  const isOurHook = (hook: unknown) => runsOurHook(commandOf(hook), host);
  /** The path of our command; the person may have moved it beside one of theirs. */
  const ourPath = (text: string, event: string): (string | number)[] | undefined => {
    const entries = valueAt(text, ["hooks", event]);
    for (const [at, entry] of Array.isArray(entries) ? entries.entries() : []) {
      const whole = ["hooks", event, at];
      if (isOurHook(entry)) return whole;
      const hooks = (entry as { hooks?: unknown } | null)?.hooks;
      const within = Array.isArray(hooks) ? hooks.findIndex(isOurHook) : -1;
      if (within < 0) continue;
      return (hooks as unknown[]).length === 1 ? whole : [...whole, "hooks", within];
    }
    return undefined;
  };
  const commandAt = (text: string, at: readonly (string | number)[]) => {
    const found = valueAt(text, at);
    return commandOf(found) ?? commandOf((found as { readonly hooks?: readonly unknown[] }).hooks?.[0]);
  };
  const without = (text: string, before: string | undefined) =>
    Object.keys(events).reduce((now, event) => {
      const ours = ourPath(now, event);
      return ours ? withoutValue(now, ours, before) : now;
    }, text);
  return jsonEdit(path, {
    add: (text) =>
      Object.entries(events).reduce((now, [event, matcher]) => {
        if (!Array.isArray(valueAt(now, ["hooks", event]) ?? []))
          throw unfit(path, `hooks.${event} is not a list`);
        const hook = entry(command);
        const ours = ourPath(now, event);
        // The program or the mode has changed since: the entry is made anew.
        if (ours && commandAt(now, ours) === command) return now;
        const rest = ours ? withoutValue(now, ours, now) : now;
        const matching = matcher === "" ? {} : { matcher };
        return withElement(
          rest,
          ["hooks", event],
          flat ? { ...matching, ...hook } : { ...matching, hooks: [hook] },
        );
      }, text),
    remove: without,
    has: (text) => Object.keys(events).some((event) => ourPath(text, event) !== undefined),
    holders: ["hooks"],
  });
}

/** How long a host waits for our hook: a first message may have to read a large library, on a busy machine. */
export const HOOK_SECONDS = 60;

function usualEntry(command: string): Readonly<Record<string, unknown>> {
  return { type: "command", command, timeout: HOOK_SECONDS };
}

function commandOf(hook: unknown): unknown {
  const { command, bash } = (hook ?? {}) as { readonly command?: unknown; readonly bash?: unknown };
  return command ?? bash;
}

/** The table of one server in a TOML file. An existing table with that name is not changed. */
export function tomlServer(path: string, table: readonly string[], lines: readonly string[]): Edit {
  const has = (text: string) => {
    const entries = tomlTable(text, table) ?? [];
    const [command = "", args = ""] = ["command", "args"].map(
      (name) => entries.find(({ key }) => key[0] === name)?.value,
    );
    return startsUs(
      [...`${command} ${args}`.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b),
    );
  };
  return textEdit(path, {
    add: (text) => (tomlTable(text, table) === undefined ? withTomlTable(text, table, lines) : text),
    remove: (text) => (has(text) ? withoutTomlTable(text, table) : text),
    has,
  });
}

/** One key of a table in a TOML file. */
export function tomlSetting(path: string, place: TomlPlace, value: string): Edit {
  const has = (text: string) => withTomlValue(text, place, value) === text;
  return textEdit(path, {
    add: (text) => withTomlValue(text, place, value),
    remove: (text, before) => withoutTomlValue(text, place, { value, before }),
    has,
  });
}

/** One server in a YAML file. An existing one with that name is not changed, and some hosts need more than we know to begin a file. */
export function yamlServer(
  path: string,
  place: YamlPlace,
  { server, begins }: { readonly server: Record<string, unknown>; readonly begins: boolean },
): Edit {
  const has = (text: string) => runsUs(yamlEntry(text, place));
  const edit = textEdit(path, {
    add: (text) => (yamlEntry(text, place) === undefined ? withYamlEntry(text, place, server) : text),
    remove: (text, before) => (has(text) ? withoutYamlEntry(text, place, before) : text),
    has,
  });
  return { ...edit, add: (before) => (before === undefined && !begins ? undefined : edit.add(before)) };
}

interface TextChange {
  add(text: string): string;
  remove(text: string, before: string | undefined): string;
  has(text: string): boolean;
}

/** Turns what a text cannot be edited for into an error that names the file. A file that would be left empty is removed. */
function textEdit(path: string, { add, remove, has }: TextChange): Edit {
  const named = <T>(work: () => T): T => {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      throw unfit(path, thrown.message);
    }
  };
  return {
    path,
    add: (before = "") => named(() => add(before)),
    remove(now, before) {
      const left = named(() => remove(now, before));
      return left === "" && now !== "" && before === undefined ? undefined : left;
    },
    has: (now) => named(() => has(now)),
  };
}

interface JsonChange extends TextChange {
  /** The keys on the way to our entries. Those that exist must hold objects. */
  readonly holders: readonly string[];
}

function jsonEdit(path: string, { add, remove, has, holders }: JsonChange): Edit {
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
    has(now) {
      const { text } = withoutMark(now);
      if (text.trim() === "") return false;
      check(text);
      return has(text);
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
