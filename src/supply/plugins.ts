// Reads the marketplace and plugin files of a source: which folder belongs to which plugin, and which plugins are elsewhere.

import { posix } from "node:path";
import { isRecord, jsonIn } from "../text/json.ts";
import { SUPPLY_LIMITS } from "./limits.ts";
import type { SourceTree } from "./tree.ts";

const MARKETPLACE = /^(?:.*\/)?\.(?:claude|cursor|github)-?(?:plugin)?\/marketplace\.json$/;
const PLUGIN = /^(?:(.*)\/)?\.(?:claude|codex|cursor)-plugin\/plugin\.json$/;

interface Plugins {
  /** The plugin that a folder belongs to. */
  of(folder: string): string | undefined;
  readonly elsewhere: readonly { readonly plugin: string; readonly source: string }[];
}

interface PluginFolder {
  readonly plugin: string;
  readonly folder: string;
}

export async function readPlugins(tree: SourceTree): Promise<Plugins> {
  const wanted = tree.entries.filter(
    ({ path, kind, size }) =>
      (kind === "file" || kind === "executable") &&
      size <= SUPPLY_LIMITS.registryBytes &&
      (MARKETPLACE.test(path) || PLUGIN.test(path)),
  );
  const texts = await tree.read(wanted.map(({ path }) => path));
  const folders: PluginFolder[] = [];
  const elsewhere: { plugin: string; source: string }[] = [];
  for (const [path, bytes] of texts) {
    const data = jsonIn(Buffer.from(bytes).toString("utf8"));
    if (!isRecord(data)) continue;
    const own = PLUGIN.exec(path);
    if (own) {
      if (typeof data.name === "string") folders.push({ plugin: data.name, folder: own[1] ?? "" });
      continue;
    }
    const root = posix.dirname(posix.dirname(path));
    for (const entry of Array.isArray(data.plugins) ? data.plugins : [])
      if (isRecord(entry)) takeEntry(entry, root === "." ? "" : root, folders, elsewhere);
  }
  // The innermost folder decides; of two for one folder the one that the marketplace names.
  folders.sort((a, b) => b.folder.length - a.folder.length);
  return {
    of: (folder) =>
      folders.find((each) => each.folder !== "" && isWithin(each.folder, folder))?.plugin ??
      folders.find((each) => each.folder === "")?.plugin,
    elsewhere,
  };
}

/** One plugin of a marketplace: in a folder, in listed folders, or in another repository. */
function takeEntry(
  entry: Readonly<Record<string, unknown>>,
  root: string,
  folders: PluginFolder[],
  elsewhere: { plugin: string; source: string }[],
): void {
  const { name, source, skills } = entry;
  if (typeof name !== "string") return;
  if (isRecord(source)) {
    const { repo, url, path } = source;
    const address = typeof repo === "string" ? repo : typeof url === "string" ? url : undefined;
    const below = typeof path === "string" && typeof repo === "string" ? `/${path.replace(/^\.\//, "")}` : "";
    if (address !== undefined) elsewhere.push({ plugin: name, source: `${address}${below}` });
    return;
  }
  const base = inTree(root, typeof source === "string" ? source : ".");
  if (base === undefined) return;
  const listed = (Array.isArray(skills) ? skills : [skills]).flatMap((path) =>
    typeof path === "string" ? (inTree(base, path) ?? []) : [],
  );
  for (const folder of listed.length > 0 ? listed : [base]) folders.push({ plugin: name, folder });
}

/** A path of the tree; undefined if it leads out of it. */
function inTree(base: string, path: string): string | undefined {
  const joined = posix.normalize(posix.join(base, path)).replace(/\/$/, "");
  if (joined.startsWith("..") || posix.isAbsolute(path)) return undefined;
  return joined === "." ? "" : joined;
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
