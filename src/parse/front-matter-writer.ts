// Writes front matter that every YAML reader reads alike: keys that do not change keep their lines and comments, the
// others are written in block style, with quotes around text that a reader could take for something else.

import { isDeepStrictEqual } from "node:util";
import { isMap as isMapNode, type Node, parseDocument, type Scalar, stringify, type YAMLMap } from "yaml";
import { FLOW_STYLE, isMap, readYaml, type YamlMap, type YamlValue } from "./yaml.ts";

/** The front matter with its fences. `before` is the YAML that the map was read from, if there was one. */
export function writeFrontMatter(map: YamlMap, before?: string | undefined): string {
  const wanted = writable(map) as YamlMap;
  const kept = before === undefined ? undefined : edited(wanted, before);
  return `---\n${kept ?? Object.entries(wanted).map(written).join("")}---\n`;
}

/** Nothing, an empty list and an empty map become empty text: the spec's validator reads neither null nor flow style. */
function writable(value: YamlValue): YamlValue {
  if (value === null || typeof value === "string") return value ?? "";
  if (Array.isArray(value)) return value.length === 0 ? "" : value.map(writable);
  const entries = Object.entries(value).map(([key, each]) => [key, writable(each)] as const);
  return entries.length === 0 ? "" : Object.fromEntries(entries);
}

function written([key, value]: readonly [string, YamlValue]): string {
  return stringify({ [key]: value }, { lineWidth: 0, compat: "yaml-1.1" });
}

/** The old text with only the changed keys written anew, if that reads as wanted. */
function edited(wanted: YamlMap, before: string): string | undefined {
  const source = before.endsWith("\n") ? before : `${before}\n`;
  const old = mapIn(source);
  const { contents, errors } = parseDocument(source, { schema: "failsafe", prettyErrors: false });
  if (old === undefined || errors.length > 0 || !isKeyMap(contents)) return undefined;
  const text = merged(contents, { wanted, old, source, from: 0, to: source.length });
  return isDeepStrictEqual(mapIn(text), wanted) ? text : undefined;
}

function mapIn(text: string): YamlMap | undefined {
  const result = readYaml(text);
  return result.ok && isMap(result.value) ? (writable(result.value) as YamlMap) : undefined;
}

type KeyMap = YAMLMap.Parsed<Scalar.Parsed>;

function isKeyMap(node: Node | null): node is KeyMap {
  return isMapNode(node) && !node.flow;
}

interface Edit {
  readonly wanted: YamlMap;
  readonly old: YamlMap;
  readonly source: string;
  /** Where the lines of the map start and end in `source`, comments included. */
  readonly from: number;
  readonly to: number;
}

/** The lines of a map with only the changed keys written anew. Comments above a key belong to it. */
function merged(map: KeyMap, { wanted, old, source, from, to }: Edit): string {
  const indent = " ".repeat(map.range[0] - lineStart(source, map.range[0]));
  const block = (key: string, value: YamlValue) => written([key, value]).replace(/^(?=[^\n])/gm, indent);
  const added = new Map(Object.entries(wanted));
  let text = "";
  let start = from;
  for (const { key, value: node } of map.items) {
    const name = String(key.value);
    const end = lineEnd(source, (node ?? key).range[2]);
    const lines = source.slice(start, end);
    const value = added.get(name);
    const before = old[name];
    if (value === undefined) {
      // The key is gone, and its lines with it.
    } else if (isDeepStrictEqual(before, value) && !FLOW_STYLE.test(lines)) text += lines;
    else if (name === "metadata" && isMap(value) && isMap(before) && isKeyMap(node)) {
      const inner = lineStart(source, node.range[0]);
      const edit = { wanted: value, old: before, source, from: inner, to: end };
      text += source.slice(start, inner) + merged(node, edit);
    } else text += source.slice(start, lineStart(source, key.range[0])) + block(name, value);
    added.delete(name);
    start = end;
  }
  text += source.slice(start, to);
  for (const [key, value] of added)
    text = key === "name" ? block(key, value) + text : text + block(key, value);
  return text;
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  return lineStart(text, offset) === offset ? offset : text.indexOf("\n", offset) + 1;
}
