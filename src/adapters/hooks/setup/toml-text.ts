// Adds a table to a TOML text and removes it again by its name, keeping every other byte. Reads only what that needs: which
// lines are table headers, which are keys, and where a value ends. What cannot be edited safely is a SyntaxError.

type Key = readonly string[];

interface TableText {
  readonly key: Key;
  /** Whether it is one of a list of tables. */
  readonly listed: boolean;
  /** Where the header's line begins. */
  readonly start: number;
  /** Behind the line break of the last key, or of the header if there is none: comments below belong to nobody. */
  readonly end: number;
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly key: Key;
  /** The text of the value, as it is written. */
  readonly value: string;
  /** Its lines. */
  readonly start: number;
  readonly end: number;
}

/** Lines with which earlier versions enclosed their table. */
const FORMER_MARKS = /^# (?:begin|end) repertoire\r?\n?/gm;

/** The entries of a table, as they are written; undefined if there is no such table. */
export function tomlTable(text: string, key: Key): readonly Entry[] | undefined {
  return tablesOf(text).find((table) => isSame(table.key, key))?.entries;
}

/** Appends a table. Fails if something of that name is written in another form, which cannot be edited safely. */
export function withTomlTable(text: string, key: Key, lines: readonly string[]): string {
  refuseOtherForms(text, key);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const table = [`[${key.join(".")}]`, ...lines, ""].join(lineEnd);
  if (text === "") return table;
  return `${text}${text.endsWith("\n") ? "" : lineEnd}${lineEnd}${table}`;
}

/** Removes the tables of this name and below it, each with the blank line before it. */
export function withoutTomlTable(text: string, key: Key): string {
  let left = text;
  for (const { start, end } of tablesOf(text)
    .filter((table) => isBelow(table.key, key))
    .reverse()) {
    const before = left.slice(0, start).replace(/(^|\n)\r?\n$/, "$1");
    left = before + left.slice(end);
  }
  return left === text ? text : left.replace(FORMER_MARKS, "");
}

/** A key of a table, by the table's name and its own. */
export type TomlPlace = readonly [table: Key, name: string];

/** Adds a key with its value to a table, and the table if there is none. Fails if the key has another value. */
export function withTomlValue(text: string, [key, name]: TomlPlace, value: string): string {
  const table = tablesOf(text).find((one) => isSame(one.key, key));
  if (table === undefined) return withTomlTable(text, key, [`${name} = ${value}`]);
  const own = table.entries.find((entry) => entry.key[0] === name);
  if (own?.value === value) return text;
  if (own) throw new SyntaxError(`it has ${[...key, name].join(".")} = ${own.value}`);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const head = text.slice(0, table.end);
  return `${head}${head.endsWith("\n") ? "" : lineEnd}${name} = ${value}${lineEnd}${text.slice(table.end)}`;
}

/** Removes a key with this value; its table goes with it if nothing else is in it, unless it was there `before`. */
export function withoutTomlValue(
  text: string,
  [key, name]: TomlPlace,
  { value, before }: { readonly value: string; readonly before?: string | undefined },
): string {
  const table = tablesOf(text).find((one) => isSame(one.key, key));
  const own = table?.entries.find((entry) => isSame(entry.key, [name]) && entry.value === value);
  if (!table || !own) return text;
  const hadTable = before !== undefined && tomlTable(before, key) !== undefined;
  if (table.entries.length === 1 && !hadTable) return withoutTomlTable(text, key);
  return text.slice(0, own.start) + text.slice(own.end);
}

function refuseOtherForms(text: string, key: Key): void {
  const [root, ...tables] = tablesOf(text);
  if (tables.some((table) => table.listed && isBelow(key, table.key)))
    throw new SyntaxError("it has a list of tables in its place");
  if (tables.some((table) => isBelow(table.key, key)))
    throw new SyntaxError(`it has a table [${key.join(".")}] or one below it already`);
  for (const { key: at, entries } of [root!, ...tables])
    for (const entry of entries) {
      const whole = [...at, ...entry.key];
      if (isBelow(key, whole) || isBelow(whole, key))
        throw new SyntaxError(`it has ${whole.join(".")} outside a table of its own`);
    }
}

/** The keys before the first table, as a table without a name, and the tables in their order. */
function tablesOf(text: string): TableText[] {
  let table = { key: [] as Key, listed: false, start: 0, end: 0, entries: [] as Entry[] };
  const tables = [table];
  for (let at = 0; at < text.length; ) {
    const start = at;
    at = skip(text, at, /[ \t]*/y);
    const isArray = text.startsWith("[[", at);
    if (text[at] === "[") {
      const read = keyAt(text, at + (isArray ? 2 : 1));
      const close = isArray ? "]]" : "]";
      if (!text.startsWith(close, read.end)) throw broken(text, at);
      at = lineEndOf(text, read.end + close.length);
      table = { key: read.key, listed: isArray, start, end: at, entries: [] };
      tables.push(table);
    } else if (/[\w"'-]/.test(text[at] ?? "")) {
      const { key, end } = keyAt(text, at);
      if (text[end] !== "=") throw broken(text, at);
      const from = skip(text, end + 1, /[ \t]*/y);
      const to = valueEnd(text, from);
      at = lineEndOf(text, to);
      table.entries.push({ key, value: text.slice(from, to), start, end: at });
      table.end = at;
    } else at = lineEndOf(text, at);
  }
  return tables;
}

/** A dotted key, and where what follows it begins. */
function keyAt(text: string, from: number): { readonly key: Key; readonly end: number } {
  const key: string[] = [];
  for (let at = from; ; at++) {
    at = skip(text, at, /[ \t]*/y);
    const part = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+/y;
    part.lastIndex = at;
    const [found] = part.exec(text) ?? [];
    if (found === undefined) throw broken(text, at);
    key.push(unquoted(found, text, at));
    at = skip(text, at + found.length, /[ \t]*/y);
    if (text[at] !== ".") return { key, end: at };
  }
}

function unquoted(part: string, text: string, at: number): string {
  if (part.startsWith("'")) return part.slice(1, -1);
  if (!part.startsWith('"')) return part;
  try {
    return JSON.parse(part) as string;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw broken(text, at);
    throw thrown;
  }
}

const STRING = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/** Where a value ends: strings are skipped whole, brackets are counted, so that a value may have several lines. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"' || sign === "'") {
      const to = skip(text, at, STRING);
      if (to === at) throw broken(text, at);
      at = to - 1;
    } else if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    else if (depth === 0 && /[\r\n#]/.test(sign)) return trimmedEnd(text, from, at);
    else if (sign === "#") at = skip(text, at, /[^\n]*/y) - 1;
    if (depth < 0) throw broken(text, at);
  }
  if (depth > 0) throw broken(text, from);
  return trimmedEnd(text, from, text.length);
}

function trimmedEnd(text: string, from: number, to: number): number {
  const value = text.slice(from, to).trimEnd();
  if (value === "") throw broken(text, from);
  return from + value.length;
}

/** Behind the line break. Only a comment may follow on the line. */
function lineEndOf(text: string, from: number): number {
  const end = skip(text, from, /[ \t]*(?:#[^\n]*|\r?)(?:\n|$)/y);
  if (end === from && from < text.length) throw broken(text, from);
  return end;
}

function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return from + (pattern.exec(text)?.[0].length ?? 0);
}

function broken(text: string, at: number): SyntaxError {
  return new SyntaxError(`it is not TOML in line ${text.slice(0, at).split("\n").length}`);
}

function isSame(a: Key, b: Key): boolean {
  return a.length === b.length && isBelow(a, b);
}

/** Whether a key is the other one or below it. */
function isBelow(key: Key, other: Key): boolean {
  return key.length >= other.length && other.every((part, at) => part === key[at]);
}
