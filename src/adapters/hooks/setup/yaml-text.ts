// Adds an entry to a block of a YAML text and removes it again, keeping every other byte. What cannot be edited safely (a flow
// collection, an alias, several documents) is a SyntaxError.

import { isMap, isScalar, isSeq, type Pair, parseDocument, type Scalar, stringify, type YAMLMap } from "yaml";

/** Where an entry belongs: in the map or list under a top-level key, by its name. */
export interface YamlPlace {
  readonly holder: string;
  readonly name: string;
  /** In a list the name is the entry's field `name`. */
  readonly list?: boolean | undefined;
}

/** The value of an entry; undefined if there is none. */
export function yamlEntry(text: string, place: YamlPlace): unknown {
  const item = itemOf(rootOf(text), place);
  return item?.value;
}

/** Adds an entry behind those that are there. */
export function withYamlEntry(text: string, place: YamlPlace, value: Record<string, unknown>): string {
  const root = rootOf(text);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const holder = root?.items.find(({ key }) => keyText(key) === place.holder);
  const written = (indent: string) => {
    const entry = place.list ? [{ name: place.name, ...value }] : { [place.name]: value };
    return stringify(entry, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
      .map((line) => indent + line + lineEnd)
      .join("");
  };
  const withBreak = (part: string) => (part === "" || part.endsWith("\n") ? part : part + lineEnd);
  if (holder === undefined) return `${withBreak(text)}${place.holder}:${lineEnd}${written("  ")}`;
  const held = holder.value;
  if (isEmptyScalar(held)) {
    const at = lineEndAt(text, (holder.key as Scalar).range![1]);
    return withBreak(text.slice(0, at)) + written("  ") + text.slice(at);
  }
  if (!(place.list ? isSeq(held) : isMap(held)) || (held as YAMLMap).flow)
    throw new SyntaxError(`${place.holder} is not a block ${place.list ? "list" : "map"}`);
  const { range, items } = held as YAMLMap;
  const indent = /[ \t]*$/.exec(text.slice(0, range![0]))![0];
  const end = lineEndAt(text, range![1] - (items.length > 0 && text[range![1] - 1] === "\n" ? 1 : 0));
  return withBreak(text.slice(0, end)) + written(indent) + text.slice(end);
}

/** Removes an entry; its holder goes with it if nothing else is in it, unless it was there `before`. */
export function withoutYamlEntry(text: string, place: YamlPlace, before?: string | undefined): string {
  const root = rootOf(text);
  const item = itemOf(root, place);
  if (item === undefined) return text;
  const hadHolder =
    before !== undefined && rootOf(before)?.items.some(({ key }) => keyText(key) === place.holder);
  const pair = root!.items.find(({ key }) => keyText(key) === place.holder)!;
  const start = lineStartAt(text, item.start);
  const end = lineEndAt(text, item.end - (text[item.end - 1] === "\n" ? 1 : 0));
  const holderStart = (pair.key as Scalar).range![0];
  const between = text.slice(lineEndAt(text, holderStart), start);
  const isAlone = (pair.value as YAMLMap).items.length === 1 && !hadHolder && between.trim() === "";
  return text.slice(0, isAlone ? lineStartAt(text, holderStart) : start) + text.slice(end);
}

interface Item {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

function itemOf(root: YAMLMap | undefined, { holder, name, list }: YamlPlace): Item | undefined {
  const held = root?.items.find(({ key }) => keyText(key) === holder)?.value;
  if (list) {
    if (!isSeq(held)) return undefined;
    const found = held.items.find((one) => isMap(one) && one.get("name") === name) as YAMLMap | undefined;
    return found && { value: found.toJSON(), start: found.range![0], end: found.range![1] };
  }
  if (!isMap(held)) return undefined;
  const pair = held.items.find(({ key }) => keyText(key) === name) as
    | Pair<Scalar, YAMLMap | Scalar>
    | undefined;
  if (!pair) return undefined;
  const end = pair.value?.range?.[1] ?? pair.key.range![1];
  return { value: pair.value?.toJSON(), start: pair.key.range![0], end };
}

/** The map at the top; undefined if the text has nothing but comments. */
function rootOf(text: string): YAMLMap<Scalar, unknown> | undefined {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error)
    throw new SyntaxError(
      `it is not one YAML document (${error.code.toLowerCase().replaceAll("_", " ")} in line ${error.linePos?.[0].line ?? 1})`,
    );
  if (document.contents === null) return undefined;
  if (!isMap(document.contents) || document.contents.flow || document.contents.anchor)
    throw new SyntaxError("it does not hold a YAML block map");
  return document.contents as YAMLMap<Scalar, unknown>;
}

function keyText(key: unknown): unknown {
  return isScalar(key) ? key.value : undefined;
}

function isEmptyScalar(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null && (value.source ?? "") === "");
}

function lineStartAt(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEndAt(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
