// Finds the packages in the files of a source, names them, and reads one whole. Says why a package cannot be taken.

import { posix } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import { lastSegment, lookupKey, type SkillName, toSkillName } from "../model/name.ts";
import {
  type FileMarks,
  fileMark,
  isSkillFile,
  PACKAGE_LIMITS,
  type PackageFile,
  packageDigest,
} from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import { grouped } from "../text/numbers.ts";
import { readPlugins } from "./plugins.ts";
import type { SourceTree, TreeEntry } from "./tree.ts";

/** A package of a source, before its files are read. */
export interface FoundPackage {
  /** What the skill is called once it is there. */
  readonly name: SkillName;
  /** Its folder in the source; empty if the source is the package. */
  readonly path: string;
  /** The plugin of a marketplace that it belongs to. */
  readonly plugin?: string | undefined;
  readonly entries: readonly TreeEntry[];
}

/** What is in a source. */
export interface Collection {
  readonly packages: readonly FoundPackage[];
  /** Plugins that its marketplace names and that are somewhere else, with their addresses. */
  readonly elsewhere: readonly { readonly plugin: string; readonly source: string }[];
}

/**
 * The packages of a source by name: every folder with a SKILL.md. A skill inside another skill's folder keeps the other one's name
 * before its own; of two skills with one name, each gets the name of its plugin or folder before its own.
 */
export async function findPackages(tree: SourceTree, below?: string): Promise<Collection> {
  const inside = tree.entries.filter(
    ({ path }) => (below === undefined || path === below || path.startsWith(`${below}/`)) && !isIgnored(path),
  );
  const folders = foldersOf(inside);
  const known: ReadonlySet<string> = new Set(folders);
  const plugins = await readPlugins(tree);
  const filesOf = entriesByPackage(inside, folders);
  const drafts = folders.map((path) => ({
    path,
    plugin: plugins.of(path),
    entries: filesOf.get(path) ?? [],
    base: baseName(path, known, tree.title),
  }));
  const [root] = drafts;
  if (root?.path === "") drafts[0] = { ...root, base: (await declaredName(tree, root)) ?? root.base };
  const packages = await distinct(tree, drafts);
  return { packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)), elsewhere: plugins.elsewhere };
}

/** The name in the front matter, for a package whose folder has no name of its own. */
async function declaredName(
  tree: SourceTree,
  { path, entries }: Omit<Draft, "base">,
): Promise<string | undefined> {
  const main = entries.find((entry) => isMain(path, entry.path))!;
  const name = parseSkill((await tree.read([main.path])).get(main.path)!, main.path).skill?.manifest
    .declaredName;
  return name !== undefined && toSkillName(name).ok ? name.replaceAll("/", "-") : undefined;
}

interface Draft extends Omit<FoundPackage, "name"> {
  readonly base: string;
}

function isIgnored(path: string): boolean {
  return /(?:^|\/)(?:\.git|node_modules)\//.test(path);
}

/** The folders with a SKILL.md, the outer ones first. A link is not a SKILL.md. */
function foldersOf(entries: readonly TreeEntry[]): string[] {
  const folders = new Set<string>();
  for (const { path, kind } of entries)
    if (isSkillFile(lastSegment(path)) && kind !== "link" && kind !== "module") folders.add(folderOf(path));
  return [...folders].sort((a, b) => (a < b ? -1 : 1));
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

function entriesByPackage(
  entries: readonly TreeEntry[],
  folders: readonly string[],
): ReadonlyMap<string, TreeEntry[]> {
  const found = new Map(folders.map((folder) => [folder, [] as TreeEntry[]]));
  for (const entry of entries) {
    for (let folder = folderOf(entry.path); ; folder = folderOf(folder)) {
      found.get(folder)?.push(entry);
      if (found.has(folder) || folder === "") break;
    }
  }
  return found;
}

/** The folder's name, with those of the skills around it before; the source's title if the source is the package. */
function baseName(path: string, folders: ReadonlySet<string>, title: string): string {
  if (path === "") return title;
  const parts = path.split("/");
  for (let length = 1; length < parts.length; length++) {
    const outer = parts.slice(0, length).join("/");
    if (folders.has(outer)) return parts.slice(length - 1).join("/");
  }
  return parts.at(-1)!;
}

/** Gives each package a name of its own. The same skill in two folders (for two agents) is one. */
async function distinct(tree: SourceTree, drafts: readonly Draft[]): Promise<FoundPackage[]> {
  const byName = new Map<string, Draft[]>();
  for (const draft of drafts) {
    const key = lookupKey(draft.base);
    byName.set(key, [...(byName.get(key) ?? []), draft]);
  }
  const packages: FoundPackage[] = [];
  for (const same of byName.values()) {
    const different = same.length === 1 ? same : await withoutCopies(tree, same);
    const names = different.length === 1 ? [different[0]!.base] : qualifiedNames(different);
    for (const [at, { path, plugin, entries }] of different.entries())
      packages.push({ name: safeName(names[at]!), path, plugin, entries });
  }
  return packages;
}

/** The name with characters that a skill's name may have; as it is if it can have none, so that taking it is refused. */
function safeName(name: string): SkillName {
  const safe = toSkillName(name);
  return safe.ok ? safe.name : name;
}

async function withoutCopies(tree: SourceTree, drafts: readonly Draft[]): Promise<Draft[]> {
  // Folders of agents (`.claude/skills`) come after those that a person names.
  const ordered = drafts.toSorted(
    (a, b) =>
      Number(/(?:^|\/)\./.test(a.path)) - Number(/(?:^|\/)\./.test(b.path)) || a.path.length - b.path.length,
  );
  const texts = new Set<string>();
  const kept: Draft[] = [];
  for (const draft of ordered) {
    const main = draft.entries.find(({ path }) => isMain(draft.path, path))!;
    const text = Buffer.from((await tree.read([main.path])).get(main.path)!).toString("latin1");
    if (!texts.has(text)) kept.push(draft);
    texts.add(text);
  }
  return kept;
}

function isMain(folder: string, path: string): boolean {
  return folderOf(path) === folder && isSkillFile(lastSegment(path));
}

/** What can tell packages of one name apart, best first. */
const QUALIFIED: readonly ((draft: Draft) => string | undefined)[] = [
  ({ plugin, base }) => plugin && `${plugin}/${base}`,
  ({ path, base }) => {
    const outer = path
      .split("/")
      .slice(0, -1)
      .filter((part) => part !== "skills" && !part.startsWith("."));
    return outer.length > 0 ? `${outer.at(-1)}/${base}` : undefined;
  },
  ({ path }) => path,
];

/** The names of packages that would have one name. */
function qualifiedNames(drafts: readonly Draft[]): string[] {
  for (const qualify of QUALIFIED) {
    const names = drafts.flatMap((draft) => qualify(draft) ?? []);
    if (new Set(names.map(lookupKey)).size === drafts.length) return names;
  }
  return drafts.map(({ path }) => path);
}

/** A package whole, as it would be written. */
interface ReadPackage {
  readonly files: readonly PackageFile[];
  readonly marks: FileMarks;
  readonly digest: string;
}

/** Reads a package. Fails if it is not one that may be written: by its names, links, kinds of files, or size. */
export async function readFound(tree: SourceTree, found: FoundPackage): Promise<ReadPackage> {
  const named = toSkillName(found.name);
  if (!named.ok)
    throw new RepertoireError(
      named.code === "name-too-long" ? "package-path-unsafe" : named.code,
      `${found.path || "The package"} cannot be the name of a skill ("${found.name}").`,
      found.name,
    );
  checkSize(found);
  const within = (path: string) => (found.path === "" ? path : path.slice(found.path.length + 1));
  const taken = new Map<string, string>();
  for (const { path, kind } of found.entries) checkPath(within(path), kind, taken);
  const bytes = await tree.read(found.entries.map(({ path }) => path));
  const files = found.entries.map((entry): PackageFile => {
    const source = entry.kind === "link" ? targetOf(entry, bytes, found) : entry;
    const file = { path: within(entry.path), bytes: bytes.get(source.path)! };
    return source.kind === "executable" ? { ...file, executable: true } : file;
  });
  const marks = Object.fromEntries(
    files.map((file) => [file.path, fileMark({ bytes: file.bytes, executable: file.executable === true })]),
  );
  return { files, marks, digest: packageDigest(marks) };
}

function checkSize({ entries, name }: FoundPackage): void {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (entries.length > PACKAGE_LIMITS.files)
    throw new RepertoireError(
      "package-too-many-files",
      `"${name}" has ${grouped(entries.length)} files; more than ${grouped(PACKAGE_LIMITS.files)} are not taken.`,
      name,
    );
  if (bytes > PACKAGE_LIMITS.bytes)
    throw new RepertoireError(
      "package-too-large",
      `"${name}" has ${grouped(bytes)} bytes; more than ${PACKAGE_LIMITS.bytes / 1024 / 1024} MiB are not taken.`,
      name,
    );
}

/** Names that some system cannot have, or takes for something else. */
const UNSAFE_SEGMENT =
  /^\.{1,2}$|^$|^\.git$|^git~\d+$|[\\:*?"<>|\u0000-\u001f\u007f\ufffd\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function checkPath(path: string, kind: TreeEntry["kind"], taken: Map<string, string>): void {
  if (kind === "module" || kind === "special")
    throw new RepertoireError(
      "package-special-file",
      `${path} is ${kind === "module" ? "another repository (a submodule)" : "a special file"}; a package holds regular files only.`,
      path,
    );
  if (
    path.length > 1024 ||
    path.split("/").some((segment) => UNSAFE_SEGMENT.test(segment) || segment.length > 255)
  )
    throw new RepertoireError(
      "package-path-unsafe",
      `${JSON.stringify(path)} is not a safe path for a file.`,
      path,
    );
  const folders = path.split("/").map((_, at, all) => all.slice(0, at + 1).join("/"));
  for (const each of folders) {
    const key = each.normalize("NFC").toLowerCase();
    const other = taken.get(key);
    const isFolder = each !== path;
    if (other !== undefined && (other !== each || !isFolder))
      throw new RepertoireError(
        "package-path-clash",
        `${path} and ${other} are one file on systems that do not tell upper from lower case.`,
        path,
      );
    taken.set(key, each);
  }
}

/** The entry that a link inside the package leads to. */
function targetOf(link: TreeEntry, bytes: ReadonlyMap<string, Uint8Array>, found: FoundPackage): TreeEntry {
  const text = Buffer.from(bytes.get(link.path)!).toString("utf8");
  const path = posix.normalize(posix.join(posix.dirname(link.path), text));
  const target = found.entries.find((entry) => entry.path === path);
  if (!posix.isAbsolute(text) && (target?.kind === "file" || target?.kind === "executable")) return target;
  throw new RepertoireError(
    "package-link-outside",
    `${link.path} is a link to ${text}, which is not a file of the package.`,
    link.path,
  );
}

/** What a SKILL.md says about its skill, for a list. */
export async function describePackages(
  tree: SourceTree,
  packages: readonly FoundPackage[],
): Promise<ReadonlyMap<FoundPackage, { readonly displayName: string; readonly description: string }>> {
  const found = new Map<FoundPackage, { displayName: string; description: string }>();
  for (const each of packages) {
    const main = each.entries.find(({ path }) => isMain(each.path, path))!;
    const isReadable = main.size <= PACKAGE_LIMITS.skillFileBytes;
    const bytes = isReadable ? (await tree.read([main.path])).get(main.path)! : "";
    const manifest = parseSkill(bytes, main.path).skill?.manifest;
    found.set(each, {
      displayName: manifest?.declaredName ?? each.name,
      description: manifest?.description ?? "",
    });
  }
  return found;
}
