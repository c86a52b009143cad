// Turns YAML values into text, flags and lists. Which key has which type is in `dialects.ts`.

import type { Kind } from "./dialects.ts";
import { isMap, type YamlMap, type YamlValue } from "./yaml.ts";

const YES = new Set(["true", "yes", "on", "y", "1"]);
const NO = new Set(["false", "no", "off", "n", "0"]);

/** True or false, or undefined when the value says neither. */
export function toFlag(value: YamlValue): boolean | undefined {
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  return YES.has(word) ? true : NO.has(word) ? false : undefined;
}

/** The text, "" for nothing, or undefined for a map. A list is joined; as a hint it keeps its brackets. */
export function toText(value: YamlValue, kind: "text" | "hint"): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") {
    const text = value.trim();
    return text === "~" || text === "null" ? "" : text;
  }
  if (!Array.isArray(value)) return undefined;
  const items = value.map(itemText).filter((item) => item !== "");
  return kind === "hint" ? `[${items.join(", ")}]` : items.join("; ");
}

/** The entries without blanks and repeats, or undefined for a map. */
export function toList(value: YamlValue, kind: Kind): string[] | undefined {
  if (value === null) return [];
  if (isMap(value)) return undefined;
  const unique = new Set<string>();
  if (typeof value === "string") addParts(unbracketed(value), kind, unique);
  else {
    // Inside a YAML list only a comma still separates: `- Read, Write` is two, `- my tool` is one.
    const listed = kind === "words" ? "phrases" : "lines";
    for (const item of value) {
      for (const entry of Array.isArray(item) ? item : [item]) addParts(itemText(entry), listed, unique);
    }
  }
  return [...unique];
}

function addParts(text: string, kind: Kind, into: Set<string>): void {
  for (const part of /[\s,]/.test(text) ? split(text, kind) : [text]) {
    const item = part.trim();
    if (item !== "") into.add(item);
  }
}

function itemText(item: YamlValue): string {
  if (typeof item === "string") return item.trim();
  if (!isMap(item)) return "";
  return named(item) ?? pairText(item);
}

function named(item: YamlMap): string | undefined {
  for (const key of ["name", "path", "id"]) {
    const value = item[key];
    if (typeof value === "string") return value.trim();
  }
  return undefined;
}

/** `- compare: two files` was meant as a phrase and parsed as a map. */
function pairText(item: YamlMap): string {
  const [key, ...others] = Object.keys(item);
  if (key === undefined || others.length > 0) return "";
  const value = item[key];
  return typeof value === "string" ? `${key}: ${value}` : "";
}

function unbracketed(text: string): string {
  return /^\s*\[[\s\S]*\]\s*$/.test(text) ? text.trim().slice(1, -1) : text;
}

/** Splits at the separators outside of brackets, so that `Bash(git add:*)` and `*.{ts,tsx}` stay whole. */
function split(text: string, kind: Kind): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === "(" || char === "{" || char === "[") depth++;
    else if (char === ")" || char === "}" || char === "]") depth = Math.max(0, depth - 1);
    else if (char === "\n" || (depth === 0 && separates(char, kind))) {
      parts.push(text.slice(start, index));
      start = index + 1;
      if (char === "\n") depth = 0;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function separates(char: string, kind: Kind): boolean {
  if (kind === "lines") return false;
  return char === "," || (kind === "words" && (char === " " || char === "\t"));
}
