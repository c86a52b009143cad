// Owns writing front matter that every YAML reader takes the same way: lines that need no change stay as they are, the
// rest is written anew, in block style, text quoted where it could be read as something else. Does not read files.

import { dump, FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";

/** A value as the reader gives it: all scalars are text. */
export type FrontValue = string | null | readonly FrontValue[] | { readonly [key: string]: FrontValue };
export type FrontMap = Record<string, FrontValue>;

/** The front matter with its fences. `before` is the YAML that the map was read from, where there was one. */
export function writeFrontMatter(map: FrontMap, before?: string | undefined): string {
  const wanted = settled(map) as FrontMap;
  const kept = before === undefined ? undefined : edited(wanted, before);
  return `---\n${kept ?? serialised(wanted)}---\n`;
}

/** Flow style and null are left out: the spec's own validator reads neither. */
function settled(value: FrontValue): FrontValue {
  if (value === null || typeof value === "string") return value ?? "";
  const entries = Object.entries(value).map(([key, each]) => [key, settled(each)] as const);
  if (entries.length === 0) return "";
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

function serialised(map: FrontMap): string {
  if (Object.keys(map).length === 0) return "";
  return dump(map, { lineWidth: -1, quotingType: '"', noRefs: true, indent: 2 });
}

/** The old lines with only the changed keys written anew, if that reads as wanted. */
function edited(wanted: FrontMap, before: string): string | undefined {
  const old = readBack(before);
  if (old === undefined || /^[ \t]*(?:- +)*(?:[\w.-]+[ \t]*:[ \t]+)?[[{]/m.test(before)) return undefined;
  const text = mergedBlocks(wanted, old, { lines: before.split("\n"), indent: "" });
  return text !== undefined && isSame(readBack(text), wanted) ? text : undefined;
}

/** One level of a map: each key's own lines kept when its value stays. `metadata` is gone into, other maps are not. */
function mergedBlocks(
  wanted: FrontMap,
  old: FrontMap,
  { lines, indent }: { lines: readonly string[]; indent: string },
): string | undefined {
  const blocks = blocksOf(lines, indent);
  if (blocks === undefined) return undefined;
  const pieces: string[] = [];
  const seen = new Set<string>();
  for (const { key, text } of blocks) {
    const value = wanted[key];
    if (value === undefined || seen.has(key)) continue;
    seen.add(key);
    pieces.push(
      isSame(old[key], value) ? text : (innerBlock(key, value, { old, text }) ?? block(key, value, indent)),
    );
  }
  const added = Object.entries(wanted).filter(([key]) => !seen.has(key));
  for (const [key, value] of added) {
    if (key === "name") pieces.unshift(block(key, value, indent));
    else pieces.push(block(key, value, indent));
  }
  return pieces.join("");
}

function innerBlock(
  key: string,
  value: FrontValue,
  { old, text }: { old: FrontMap; text: string },
): string | undefined {
  const before = old[key];
  if (key !== "metadata" || !isFrontMap(value) || !isFrontMap(before)) return undefined;
  const [first = "", ...rest] = text.split("\n");
  const indent = /^ +(?=[^\s#])/.exec(rest.find((line) => /^ +[^\s#]/.test(line)) ?? "")?.[0];
  const inner = indent && mergedBlocks(value, before, { lines: rest, indent });
  return inner ? `${first}\n${inner}` : undefined;
}

function block(key: string, value: FrontValue, indent: string): string {
  return serialised({ [key]: value }).replace(/^(?=[^\n])/gm, indent);
}

/** Lines by key; comments belong to the key below them. Nothing when a line at this level is no plain key. */
function blocksOf(lines: readonly string[], indent: string): { key: string; text: string }[] | undefined {
  const blocks: { key: string; text: string }[] = [];
  let waiting = "";
  for (const line of lines) {
    const level = line.startsWith(indent) && /^[^\s-]/.test(line.slice(indent.length));
    const key = level ? /^([A-Za-z_][\w.-]*):(?:\s|$)/.exec(line.slice(indent.length))?.[1] : undefined;
    if (key !== undefined) {
      blocks.push({ key, text: `${waiting}${line}\n` });
      waiting = "";
    } else if (/^\s*(?:#|$)/.test(line)) waiting += line === "" ? "" : `${line}\n`;
    else if (level || blocks.length === 0) return undefined;
    else {
      const last = blocks.at(-1)!;
      blocks[blocks.length - 1] = { ...last, text: `${last.text}${waiting}${line}\n` };
      waiting = "";
    }
  }
  return blocks;
}

function readBack(text: string): FrontMap | undefined {
  try {
    const value = load(text, { schema: FAILSAFE_SCHEMA });
    return typeof value === "object" && value !== null ? (settled(value as FrontMap) as FrontMap) : undefined;
  } catch (error) {
    if (error instanceof YAMLException) return undefined;
    throw error;
  }
}

function isFrontMap(value: FrontValue | undefined): value is FrontMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSame(a: FrontValue | undefined, b: FrontValue): boolean {
  if (a === undefined || typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSame((a as FrontMap)[key], (b as FrontMap)[key]!))
  );
}
