// Reads and edits the JSON files that hold the configuration. Comments are allowed in them, and edits keep them.

import { dirname, join, resolve } from "node:path";
import type { ModificationOptions } from "jsonc-parser";
import { readBounded, writeFileAtomically } from "../disk/disk.ts";
import { codeOf, messageOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { withoutComments } from "../text/json.ts";
import { configSchema } from "./keys.ts";
import { isObject } from "./kinds.ts";

export const CONFIG_FILE = "repertoire.config.json";

/**
 * The schema is copied beside the person's file and named by a relative path. Editors resolve it without the internet;
 * a path into the package would break when the package or Node moves, and on other machines that share the file.
 */
const SCHEMA_LINK = "./config.schema.json";

export function userConfigPath(home: string): string {
  return join(home, ".repertoire", CONFIG_FILE);
}

/** Nobody writes more by hand; the largest part would be lists of names. */
const CONFIG_BYTES = 1024 * 1024;

interface ReadOptions {
  readonly required?: boolean | undefined;
  /** The folder that a link must not lead out of: a project must not show us files of others. */
  readonly within?: string | undefined;
}

/** The file's text and its JSON object, or undefined if it does not exist and is not required. */
export function readConfigFile(path: string, { required = false, within }: ReadOptions = {}) {
  let text: string;
  try {
    const bytes = readBounded(path, { maxBytes: CONFIG_BYTES, within });
    text = bytes.toString("utf8").replace(/^\ufeff/, "");
  } catch (thrown) {
    if (!required && (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR")) return undefined;
    throw new RepertoireError(
      "config-unreadable",
      `The configuration ${path} cannot be read: ${messageOf(thrown)}. Correct the path or the file's permissions.`,
      path,
    );
  }
  let values: unknown;
  const json = withoutComments(text);
  if (isTooDeep(json)) {
    throw new RepertoireError(
      "config-invalid",
      `${path} is nested deeper than any key (${NESTING} levels). Correct it or remove the file.`,
      path,
    );
  }
  try {
    values = JSON.parse(json);
  } catch (thrown) {
    throw new RepertoireError(
      "config-not-json",
      `${path} is not valid JSON: ${messageOf(thrown)}. Correct it or remove the file.`,
      path,
    );
  }
  if (isObject(values)) return { text, values };
  throw new RepertoireError(
    "config-not-object",
    `${path} must contain a JSON object such as {"style": "cards"}.`,
    path,
  );
}

/** Deeper than any key of the configuration. Whoever walks a value may do so recursively. */
const NESTING = 32;

function isTooDeep(json: string): boolean {
  let depth = 0;
  for (const [found] of json.matchAll(/"(?:[^"\\]|\\.)*"?|[[{\]}]/g)) {
    if (found === "[" || found === "{") depth++;
    else if (found === "]" || found === "}") depth--;
    if (depth > NESTING) return true;
  }
  return false;
}

/** Adds or removes a related skill in `recall.links` of the person's file, and returns the path. */
export async function linkSkill(
  home: string,
  { from, to, on }: { readonly from: SkillName; readonly to: SkillName; readonly on: boolean },
): Promise<string> {
  const { applyEdits, modify } = await import("jsonc-parser");
  const path = userConfigPath(home);
  const { text, values } = readConfigFile(path) ?? { text: "{}\n", values: {} };
  const isDotted = isObject(values["recall.links"]);
  const group = isObject(values.recall) ? values.recall : {};
  const links = isDotted ? values["recall.links"] : group.links;
  const known = isObject(links) && Array.isArray(links[from]) ? (links[from] as unknown[]) : [];
  const others = known.filter((each) => each !== to);
  const next = on ? [...others, to] : others;
  const at = isDotted ? ["recall.links", from] : ["recall", "links", from];
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  replaceFile(
    path,
    applyEdits(text, modify(text, at, next.length > 0 ? next : undefined, { formattingOptions })),
  );
  return path;
}

/** Adds a catalog to the person's file, or removes it, and returns the path. */
export async function switchCatalog(home: string, source: string, on: boolean): Promise<string> {
  const { applyEdits, modify } = await import("jsonc-parser");
  const path = userConfigPath(home);
  const { text, values } = readConfigFile(path) ?? { text: "{}\n", values: {} };
  const known = Array.isArray(values.catalogs) ? values.catalogs : [];
  const others = known.filter((each) => each !== source);
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const next = on ? [...others, source] : others;
  replaceFile(path, applyEdits(text, modify(text, ["catalogs"], next, { formattingOptions })));
  return path;
}

/**
 * Adds a skill to `enable` or `disable` in the person's file, removes it from the other list, and returns the path. Without
 * `on` it is removed from both, so that the skill is as it is by default. A project's file can only disable, so that switching
 * on removes the skill from its list.
 */
export async function switchSkill(
  { home, project }: { readonly home: string; readonly project?: string | undefined },
  name: SkillName,
  on: boolean | undefined,
): Promise<string> {
  // Loaded here, because a host's hook reads the configuration and never edits it.
  const { applyEdits, findNodeAtLocation, modify, parseTree } = await import("jsonc-parser");
  const path = project === undefined ? userConfigPath(home) : join(project, CONFIG_FILE);
  const { text: before, values } = readConfigFile(path) ?? { text: "{}\n", values: {} };
  let text = before;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length };
  const edit = (at: (string | number)[], value: unknown, options: ModificationOptions = {}) => {
    text = applyEdits(text, modify(text, at, value, { formattingOptions, ...options }));
  };
  const removeItem = (list: string, index: number) => {
    const tree = parseTree(text);
    const node = tree && findNodeAtLocation(tree, [list, index]);
    if (node && index > 0) text = withoutItem(text, node);
    else edit([list, index], undefined);
  };
  const list = (key: string) => (Array.isArray(values[key]) ? (values[key] as unknown[]) : undefined);
  const take = (from: string) => {
    for (const [index, entry] of [...(list(from) ?? []).entries()].reverse())
      if (entry === name) removeItem(from, index);
  };
  const put = (to: string) => {
    if (!list(to)) edit([to], [name]);
    // At the front: at the end, a comment behind the last item would move behind the new one.
    else if (!list(to)?.includes(name)) edit([to, 0], name, { isArrayInsertion: true });
  };
  for (const key of ["enable", "disable"]) {
    const isMeant = on !== undefined && key === (on ? "enable" : "disable");
    if (isMeant && on && project !== undefined) continue;
    if (isMeant) put(key);
    else if (on === undefined && list(key)?.every((entry) => entry === name)) edit([key], undefined);
    else take(key);
  }
  const { $schema = SCHEMA_LINK } = values;
  if (project !== undefined) {
    if (text !== before) replaceFile(path, text);
    return path;
  }
  if (values.$schema === undefined) edit(["$schema"], $schema, { getInsertionIndex: () => 0 });
  if ($schema === SCHEMA_LINK) {
    replaceFile(resolve(dirname(path), SCHEMA_LINK), `${JSON.stringify(configSchema(), null, 2)}\n`);
  }
  replaceFile(path, text);
  return path;
}

/** Removes an item and the comma before it. jsonc-parser damages the text if the last item is on the line of the "]". */
function withoutItem(text: string, { offset, length }: { offset: number; length: number }): string {
  const comma = withoutComments(text).lastIndexOf(",", offset);
  const [between, rest] = [text.slice(comma + 1, offset), text.slice(offset + length)];
  const kept = /^\s*$/.test(between) || /^[ \t]*\r?\n/.test(rest) ? between.trimEnd() : between;
  return text.slice(0, comma) + kept + rest;
}

function replaceFile(path: string, text: string): void {
  try {
    writeFileAtomically(path, Buffer.from(text));
  } catch (thrown) {
    throw new RepertoireError("config-unwritable", `${path} cannot be written: ${messageOf(thrown)}.`, path);
  }
}
