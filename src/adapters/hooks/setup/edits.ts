// Owns how one configuration file gets our entries and loses them again, with everything else in it kept.
// Does not own which files a host has (`hosts.ts`) nor writing them (`setup.ts`).

import { RepertoireError } from "../../../model/errors.ts";

type Json = Record<string, unknown>;

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

/** One value under a key path of a JSON file. */
export function jsonValue(path: string, keys: readonly string[], value: unknown): Edit {
  const last = keys.at(-1)!;
  return jsonEdit(path, {
    add(content) {
      const holder = keys.slice(0, -1).reduce((object, key) => objectAt(path, object, key), content);
      holder[last] = value;
    },
    remove(content) {
      const chain = [content];
      for (const key of keys.slice(0, -1)) chain.push((chain.at(-1)?.[key] ?? {}) as Json);
      if (!Object.hasOwn(chain.at(-1)!, last)) return;
      delete chain.at(-1)![last];
      prune(chain, keys);
    },
  });
}

/** One command for several events, in the form that Claude Code and Codex share. */
export function hookEntries(path: string, events: readonly string[], command: string): Edit {
  const isOurEntry = (entry: unknown) => {
    const hooks = (entry as { hooks?: unknown } | null)?.hooks;
    return (
      Array.isArray(hooks) &&
      hooks.some((hook) => (hook as { command?: unknown } | null)?.command === command)
    );
  };
  return jsonEdit(path, {
    add(content) {
      const hooks = objectAt(path, content, "hooks");
      for (const event of events) {
        const entries = hooks[event] ?? [];
        if (!Array.isArray(entries)) throw unfit(path, `hooks.${event} is not a list`);
        if (entries.some(isOurEntry)) continue;
        hooks[event] = [...entries, { hooks: [{ type: "command", command, timeout: HOOK_SECONDS }] }];
      }
    },
    remove(content) {
      const hooks = (content.hooks ?? {}) as Json;
      for (const event of events) {
        const entries = hooks[event];
        if (!Array.isArray(entries) || !entries.some(isOurEntry)) continue;
        const others = entries.filter((entry) => !isOurEntry(entry));
        if (others.length > 0) hooks[event] = others;
        else delete hooks[event];
        prune([content, hooks], ["hooks", ""]);
      }
    },
  });
}

/** A first message may have to index a large library; every later one takes a fraction of a second. */
const HOOK_SECONDS = 60;

const BEGIN = "# begin repertoire";
const END = "# end repertoire";

/** A block at the end of a TOML file, between two comments; TOML tables may stand in any order. */
export function tomlBlock(path: string, table: string, lines: readonly string[]): Edit {
  const block = `${BEGIN}\n[${table}]\n${lines.join("\n")}\n${END}\n`;
  const without = (text: string) => {
    const from = text.indexOf(BEGIN);
    const end = text.indexOf(END, from);
    if (from < 0 || end < 0) return text;
    return text.slice(0, from).replace(/\n\n$/, "\n") + text.slice(end + END.length).replace(/^\n/, "");
  };
  return {
    path,
    add(before) {
      const rest = without(before ?? "");
      if (new RegExp(`^\\s*\\[${table.replaceAll(".", "\\.")}\\]`, "m").test(rest)) {
        throw unfit(path, `it has a table [${table}] of its own`);
      }
      if (before?.includes(block)) return before;
      return rest === "" ? block : `${rest.replace(/\n*$/, "\n")}\n${block}`;
    },
    remove: (now) => (now.includes(BEGIN) ? without(now) || undefined : now),
  };
}

function jsonEdit(path: string, change: { add(content: Json): void; remove(content: Json): void }): Edit {
  const edited = (text: string, work: (content: Json) => void): { text: string; content: Json } => {
    const content = parse(path, text);
    const before = JSON.stringify(content);
    work(content);
    if (JSON.stringify(content) === before) return { text, content };
    const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
    return { text: `${JSON.stringify(content, null, indent)}\n`, content };
  };
  return {
    path,
    add: (before) => edited(before?.trim() ? before : "{}", (content) => change.add(content)).text,
    remove(now) {
      const { text, content } = edited(now, (given) => change.remove(given));
      return text !== now && Object.keys(content).length === 0 ? undefined : text;
    },
  };
}

function parse(path: string, text: string): Json {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw unfit(path, `it is not plain JSON (${thrown.message})`);
  }
  throw unfit(path, "it does not hold a JSON object");
}

function objectAt(path: string, holder: Json, key: string): Json {
  const value = holder[key] ?? {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unfit(path, `${key} is not an object`);
  holder[key] = value;
  return value as Json;
}

/** Takes away the objects that our removal left empty, innermost first. */
function prune(chain: readonly Json[], keys: readonly string[]): void {
  for (let at = chain.length - 1; at > 0; at--)
    if (Object.keys(chain[at]!).length === 0) delete chain[at - 1]![keys[at - 1]!];
}

function unfit(path: string, why: string): RepertoireError {
  return new RepertoireError(
    "setup-unfit",
    `${path} was left as it is: ${why}. Mend it, or add the entries that \`repertoire setup HOST --dry-run\` shows in a fresh home by hand.`,
    path,
  );
}
