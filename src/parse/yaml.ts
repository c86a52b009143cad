// Owns reading YAML safely: caps before and while parsing, every scalar kept as text, nothing constructed.
// Does not own mending broken YAML (`repair.ts`) or what the keys mean (`dialects.ts`).

import { FAILSAFE_SCHEMA, type LoadOptions, load, YAMLException } from "js-yaml";
import type { ParseCode } from "./codes.ts";
import { LIMITS } from "./limits.ts";

/** A YAML value: text, list, map (null prototype) or nothing. */
export type YamlValue = string | null | YamlValue[] | YamlMap;
export interface YamlMap {
  [key: string]: YamlValue;
}

export type YamlResult =
  | { readonly ok: true; readonly value: YamlValue }
  | { readonly ok: false; readonly code: ParseCode; readonly reason: string; readonly line: number };

export interface YamlOptions {
  /** A later key replaces an earlier one of the same name, as most loaders do. */
  readonly duplicates?: "refuse" | "last";
}

class Refusal extends Error {
  readonly code: ParseCode;
  readonly line: number;
  constructor(code: ParseCode, reason: string, line: number) {
    super(reason);
    this.code = code;
    this.line = line;
  }
}

/** Reads one YAML document. Line numbers count from 1 in `text`. */
export function readYaml(text: string, { duplicates = "refuse" }: YamlOptions = {}): YamlResult {
  if (flowDepth(text) > LIMITS.depth) return refused("yaml-too-deep", tooDeep(), 1);
  let nodes = 0;
  const options: LoadOptions & { maxDepth: number } = {
    schema: FAILSAFE_SCHEMA,
    json: duplicates === "last",
    maxDepth: LIMITS.depth * 2,
    listener(event, state) {
      const { depth, line, anchor, tag } = state as unknown as ParserState;
      if (event === "open") {
        if (++nodes > LIMITS.nodes)
          throw new Refusal("yaml-too-many-nodes", `more than ${LIMITS.nodes} values`, line + 1);
        if (depth > LIMITS.depth) throw new Refusal("yaml-too-deep", tooDeep(), line + 1);
      } else if (anchor != null) {
        throw new Refusal("yaml-anchor", `anchor &${anchor}`, line + 1);
      } else if (tag != null && tag !== "?") {
        throw new Refusal("yaml-tag", `tag ${tag}`, line + 1);
      }
    },
  };
  try {
    return { ok: true, value: detached(load(text, options)) };
  } catch (thrown) {
    if (thrown instanceof Refusal) return refused(thrown.code, thrown.message, thrown.line);
    if (thrown instanceof YAMLException)
      return refused(codeFor(thrown.reason), thrown.reason, (thrown.mark?.line ?? 0) + 1);
    return refused("yaml-invalid", thrown instanceof Error ? thrown.message : String(thrown), 1);
  }
}

/** The fields of the parser's state that the caps look at. */
interface ParserState {
  readonly depth: number;
  readonly line: number;
  readonly anchor: string | null | undefined;
  readonly tag: string | null | undefined;
}

function codeFor(reason: string): ParseCode {
  if (reason === "duplicated mapping key") return "yaml-duplicate-key";
  if (reason.startsWith("nesting exceeded")) return "yaml-too-deep";
  if (reason.startsWith("unidentified alias")) return "yaml-anchor";
  if (reason.includes(" tag")) return "yaml-tag";
  return "yaml-invalid";
}

function refused(code: ParseCode, reason: string, line: number): YamlResult {
  return { ok: false, code, reason, line };
}

const tooDeep = () => `nested more than ${LIMITS.depth} levels deep`;

/** How deep `[` and `{` nest, quotes ignored: keeps floods from the parser, whose own cap is the exact one. */
function flowDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index) | 0x20;
    if (char === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d && depth > 0) depth--;
  }
  return deepest;
}

/** A copy without prototypes, so that a key such as `constructor` is only ever data. */
function detached(value: unknown): YamlValue {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(detached);
  if (typeof value !== "object" || value === null) return null;
  const copy: YamlMap = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = detached((value as Record<string, unknown>)[key]);
  return copy;
}

export function isMap(value: YamlValue | undefined): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
