// Adds an entry to a JSON text and removes it again, keeping every other byte: comments, trailing commas, line ends.
// `modify` of jsonc-parser is not used: it reformats the line, and its removal deletes comments beside the entry.

import {
  applyEdits,
  createScanner,
  getNodeValue,
  type Node,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

type Path = readonly (string | number)[];

/** Parses JSON with comments and trailing commas. Throws a SyntaxError that names the line. */
export function parseJson(text: string): Node {
  const errors: Parameters<typeof parseTree>[1] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true });
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new SyntaxError("it is nested too deeply");
  }
  const [error] = errors;
  if (root && !error) return root;
  const reason = error ? printParseErrorCode(error.error) : "ValueExpected";
  const line = text.slice(0, error?.offset).split("\n").length;
  throw new SyntaxError(`${reason.replace(/(?<=.)[A-Z]/g, " $&").toLowerCase()} in line ${line}`);
}

/** Returns the value at a path, or undefined if there is none. */
export function valueAt(text: string, path: Path): unknown {
  const node = nodeAt(parseJson(text), path);
  return node && getNodeValue(node);
}

/** Adds a value under a path of keys that is free, with the objects that are missing on the way. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const root = parseJson(text);
  const depth = path.findIndex((_, at) => nodeAt(root, path.slice(0, at + 1)) === undefined);
  const [key, ...inner] = path.slice(depth);
  const whole = inner.reduceRight<unknown>((held, name) => ({ [name]: held }), value);
  return withItem(text, nodeAt(root, path.slice(0, depth))!, { key, value: whole });
}

/** Appends a value to the list at a path of keys, and creates the list if it is missing. */
export function withElement(text: string, path: readonly string[], value: unknown): string {
  const list = nodeAt(parseJson(text), path);
  return list === undefined ? withValue(text, path, [value]) : withItem(text, list, { value });
}

/**
 * Removes the value at a path. Containers that are left empty go too, unless they hold a comment or were already
 * there in the text `before` the value was added.
 */
export function withoutValue(text: string, path: Path, before?: string | undefined): string {
  const root = parseJson(text);
  const earlier = before?.trim() ? parseJson(before) : undefined;
  let depth = path.length;
  const wasThere = () => earlier && nodeAt(earlier, path.slice(0, depth - 1));
  while (depth > 1 && isAlone(text, itemOf(nodeAt(root, path.slice(0, depth))!)) && !wasThere()) depth--;
  return withoutItem(text, itemOf(nodeAt(root, path.slice(0, depth))!));
}

/** The last of several members with one name counts, as for every reader of JSON. */
function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => {
    if (typeof step === "number") return node?.type === "array" ? node.children![step] : undefined;
    if (node?.type !== "object") return undefined;
    return node.children!.findLast(({ children }) => children![0]!.value === step)?.children?.[1];
  }, root);
}

/** The member or element that a value belongs to: with its key, if it has one. */
const itemOf = (value: Node): Node => (value.parent!.type === "property" ? value.parent! : value);

const endOf = ({ offset, length }: Node): number => offset + length;

function commaBehind(text: string, item: Node | undefined): number | undefined {
  if (item === undefined) return undefined;
  const scanner = createScanner(text, true);
  scanner.setPosition(endOf(item));
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

function isAlone(text: string, item: Node): boolean {
  const holder = item.parent!;
  const around = text.slice(holder.offset + 1, item.offset) + text.slice(endOf(item), endOf(holder) - 1);
  return holder.children!.length === 1 && /^\s*,?\s*$/.test(around);
}

function withItem(text: string, holder: Node, { key, value }: { key?: string | undefined; value: unknown }) {
  const [first, last] = [holder.children![0], holder.children!.at(-1)];
  const label = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const trailing = commaBehind(text, last);
  const [comma, after] = trailing === undefined ? [",", ""] : ["", ","];
  const from = last === undefined ? holder.offset + 1 : (trailing ?? endOf(last) - 1) + 1;
  const insert = (at: number, content: string) => ({ offset: at, length: 0, content });
  const inner = text.slice(holder.offset + 1, first?.offset ?? endOf(holder) - 1);
  if (last && !inner.includes("\n"))
    return applyEdits(text, [insert(from, `${comma} ${label}${JSON.stringify(value)}${after}`)]);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^[ \t]+(?=["/])/m.exec(text)?.[0] ?? "  ";
  const outer = indentAt(text, holder.offset);
  const own = first ? indentAt(text, first.offset) : "";
  const indent = own.length > outer.length ? own : outer + unit;
  const entry = label + JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + indent);
  const line = `${lineEnd}${indent}${entry}`;
  if (!last) {
    const isBlank = /^[ \t]*$/.test(inner);
    return applyEdits(text, [
      insert(isBlank ? from + inner.length : from, isBlank ? line + lineEnd + outer : line),
    ]);
  }
  const behind = from + remarkLength(text.slice(from));
  return applyEdits(text, [insert(from, comma), insert(behind, line + after)]);
}

/** A comment on the same line belongs to the entry before it. */
function remarkLength(rest: string): number {
  return /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*(?=[\r\n]))/.exec(rest)?.[0].length ?? 0;
}

function withoutItem(text: string, item: Node): string {
  const holder = item.parent!;
  const comma = commaBehind(text, item);
  const commaBefore = commaBehind(text, holder.children![holder.children!.indexOf(item) - 1]);
  const gap = text.slice((commaBefore ?? holder.offset) + 1, item.offset);
  let end = endOf(item) + (comma === endOf(item) ? 1 : 0);
  const space = /^\s*/.exec(text.slice(end))![0];
  if (gap.trim() === "" && commaBefore === undefined && end + space.length === endOf(holder) - 1)
    end += space.length;
  const lead = /(?:\r?\n[ \t]*| )?$/.exec(gap)![0];
  // A line comment before the entry needs its line end.
  const start =
    gap.trim() === "" || /^[ \t]*[\r\n]/.test(text.slice(end)) ? item.offset - lead.length : item.offset;
  const cut = (from: number, to: number) => ({ offset: from, length: to - from, content: "" });
  const cuts = [cut(start, end)];
  if (comma !== undefined && comma >= end) cuts.push(cut(comma, comma + 1));
  if (comma === undefined && commaBefore !== undefined) cuts.push(cut(commaBefore, commaBefore + 1));
  return applyEdits(text, cuts);
}

/** The white space at the start of the line that holds this offset. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1, at))![0];
}
