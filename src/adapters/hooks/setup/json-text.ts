// Owns putting an entry into a JSON text and taking it out, with every other byte kept: comments, trailing commas, line
// ends, numbers as they were written. Does not own which entries (`edits.ts`).

import { type JsonNode, type Located, locate, memberAt, parseJsonText } from "./json-nodes.ts";

/** The value at a key path, or undefined where there is none. */
export function valueAt(text: string, path: readonly string[]): unknown {
  let node: JsonNode | undefined = parseJsonText(text);
  for (const key of path) node = memberAt(node, key)?.value;
  return node?.read();
}

/** Puts a value under a key path that is free; the objects on the way are made where they are missing. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  let holder = parseJsonText(text);
  for (const [at, key] of path.entries()) {
    const next: JsonNode | undefined = memberAt(holder, key)?.value;
    if (next === undefined) {
      const whole = path.slice(at + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      return withItem(text, holder, { key, value: whole });
    }
    holder = next;
  }
  return text;
}

/** Adds a value to the list at a key path, which is made where it is missing. */
export function withElement(text: string, path: readonly string[], value: unknown): string {
  const list = locate(parseJsonText(text), path)?.at(-1)?.node;
  return list === undefined ? withValue(text, path, [value]) : withItem(text, list, { value });
}

/** Takes away what stands at a path, and what is left empty around it, unless it holds a comment. */
export function withoutValue(text: string, path: readonly (string | number)[]): string {
  const chain = locate(parseJsonText(text), path);
  if (chain === undefined) return text;
  let depth = chain.length - 1;
  while (depth > 1 && isAlone(text, chain[depth]!, chain[depth - 1]!.node)) depth--;
  return withoutItem(text, chain[depth - 1]!.node, chain[depth]!);
}

function isAlone(text: string, { from, node }: Located, holder: JsonNode): boolean {
  if (holder.items.length > 1) return false;
  return (
    /^\s*$/.test(text.slice(holder.from + 1, from)) && /^\s*,?\s*$/.test(text.slice(node.to, holder.to - 1))
  );
}

interface Item {
  readonly key?: string;
  readonly value: unknown;
}

function withItem(text: string, holder: JsonNode, { key, value }: Item): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const unit = /^[ \t]+(?=["/])/m.exec(text)?.[0] ?? "  ";
  const label = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const last = holder.items.at(-1);
  const inner = text.slice(holder.from + 1, holder.items[0]?.from ?? holder.to - 1);
  const [comma, after] = last?.comma === undefined ? [",", ""] : ["", ","];
  const before = last?.comma === undefined ? (last?.node.to ?? 0) : last.comma + 1;
  if (last && !inner.includes("\n"))
    return `${text.slice(0, before)}${comma} ${label}${JSON.stringify(value)}${after}${text.slice(before)}`;
  const outer = indentAt(text, holder.from);
  const own = last && indentAt(text, holder.items[0]!.from);
  const indent = own !== undefined && own.length > outer.length ? own : outer + unit;
  const entry = label + JSON.stringify(value, null, unit).replaceAll("\n", lineEnd + indent);
  const line = `${lineEnd}${indent}${entry}`;
  if (!last) {
    const closing = inner.includes("\n") ? "" : lineEnd + outer;
    return text.slice(0, holder.from + 1) + line + closing + text.slice(holder.from + 1);
  }
  const behind = before + remarkBehind(text.slice(before));
  return text.slice(0, before) + comma + text.slice(before, behind) + line + after + text.slice(behind);
}

/** A remark on the same line belongs to the entry that it stands behind. */
function remarkBehind(rest: string): number {
  return /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*(?=[\r\n]))/.exec(rest)?.[0].length ?? 0;
}

function withoutItem(text: string, holder: JsonNode, { from, node, index }: Located): string {
  const { comma } = holder.items[index]!;
  const before = holder.items[index - 1];
  const gap = (before?.comma ?? holder.from) + 1;
  let start = gap + text.slice(gap, from).trimEnd().length;
  let end = comma === node.to ? comma + 1 : node.to;
  const space = /^\s*/.exec(text.slice(end))![0].length;
  if (start === holder.from + 1 && end + space === holder.to - 1) end += space;
  // A remark before it may need the end of its line.
  if (start > gap && !/^[ \t]*[\r\n]/.test(text.slice(end))) start = from;
  const cuts: [number, number][] = [[start, end]];
  if (comma !== undefined && comma >= end) cuts.push([comma, comma + 1]);
  if (comma === undefined && before?.comma !== undefined) cuts.unshift([before.comma, before.comma + 1]);
  return cuts.reduceRight((left, [a, b]) => left.slice(0, a) + left.slice(b), text);
}

/** The white space that the line of this place begins with. */
function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^[ \t]*/.exec(line)![0];
}
