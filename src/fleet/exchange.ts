// Carries skills between a folder and the shared library: what is different, which side changed it, and who gets what.
// The folder remembers what both sides last agreed on, so that an edit can be told from an older state.

import { join, resolve } from "node:path";
import { checkedSource, discover } from "../discover/discover.ts";
import { DISK, readBounded, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import type { Changed, PlacedPackage, VersionRecord } from "../learn/learn.ts";
import { isRepertoireError, RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName, toSkillName } from "../model/name.ts";
import {
  type PackageFile,
  packageDigest,
  packagePatch,
  readPackage,
  replacePackages,
  sha256Of,
} from "../package/package.ts";
import { jsonIn } from "../text/json.ts";
import type { SharedLibrary, SharedScope } from "./shared-library.ts";

/** From the folder to the library, the other way, or both. */
export type ExchangeWay = "push" | "pull" | "sync";

export interface ExchangeOptions {
  readonly way: ExchangeWay;
  readonly folder: string;
  /** Only these skills. */
  readonly names?: readonly string[] | undefined;
  /** Changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** With the patch of each difference. */
  readonly diff?: boolean | undefined;
  /** Which side a skill that both have changed gets: the folder's (`ours`) or the library's (`theirs`). Neither is lost. */
  readonly take?: "ours" | "theirs" | undefined;
}

/** What happens to one skill. */
export interface ExchangedSkill {
  readonly name: SkillName;
  /**
   * `same`; to the library or the folder: `created`, `updated`, `deleted`; `conflict`: both have changed it; `left`: the other
   * side changed it, and this way carries nothing there; `refused`: it cannot be read.
   */
  readonly result: "same" | "created" | "updated" | "deleted" | "conflict" | "left" | "refused";
  readonly to?: "library" | "folder" | undefined;
  /** The library's newest version before the exchange. */
  readonly version?: string | undefined;
  readonly author?: string | undefined;
  /** From the side that loses to the side that wins; of a conflict from the library's to the folder's. */
  readonly diff?: string | undefined;
  readonly reason?: string | undefined;
}

export interface ExchangeReport {
  readonly way: ExchangeWay;
  readonly folder: string;
  readonly dryRun: boolean;
  readonly skills: readonly ExchangedSkill[];
}

interface ExchangeNeeds {
  readonly library: SharedLibrary;
  /** The scope that this node writes to. */
  readonly scope: () => Promise<SharedScope>;
  /** The root of the mirror of that scope. */
  readonly root: string;
  /** Makes versions of whole packages. `plan` is called when nobody else changes skills. */
  readonly place: (
    plan: () => Promise<readonly PlacedPackage[]>,
    reason: string,
  ) => Promise<readonly Changed[]>;
}

/** One skill on both sides. */
interface Pair {
  readonly name: SkillName;
  readonly local: readonly PackageFile[];
  readonly head: VersionRecord | undefined;
  /** The digest that both last had; undefined if they never agreed. */
  readonly base: string | undefined;
}

type Verdict = "same" | "to-library" | "to-folder" | "conflict";

/** What the sides last agreed on, by name. */
type Agreed = Record<SkillName, string>;

const AGREED_FILE = ".repertoire-sync.json";
const AGREED_BYTES = 64 * 1024 * 1024;
/** Skills that become versions in one change: others wait for it half a second. */
const AT_ONCE = 100;
const NOTHING = "";

export class Exchange {
  private readonly needs: ExchangeNeeds;

  constructor(needs: ExchangeNeeds) {
    this.needs = needs;
  }

  /**
   * Compares a folder of skills with the shared library and carries over what only one side changed. A skill that both have
   * changed is a conflict, and stays as it is on both sides unless `take` decides.
   *
   * @example
   * const { skills: found } = await skills.exchange.run({ way: "push", folder: "./skills", dryRun: true });
   */
  async run(options: ExchangeOptions): Promise<ExchangeReport> {
    const { way, dryRun = false } = options;
    const folder = resolve(options.folder);
    const library = `${this.needs.library.server} ${(await this.needs.scope()).name}`;
    const agreed = agreedWith(library, folder);
    const { pairs, refused } = await this.pairs(folder, agreed, options.names?.map(lookupKey));
    const skills: ExchangedSkill[] = [...refused];
    const toLibrary: Pair[] = [];
    for (const pair of pairs) {
      const verdict = decided(await this.judge(pair), options.take);
      const told = await this.told(pair, verdict, options);
      skills.push(told);
      if (dryRun || told.to === undefined) {
        if (verdict === "same") agreed[pair.name] = digestOf(pair.local);
      } else if (told.to === "library") toLibrary.push(pair);
      else await this.toFolder(folder, pair, agreed);
    }
    for (let at = 0; at < toLibrary.length; at += AT_ONCE)
      await this.toLibrary(toLibrary.slice(at, at + AT_ONCE), { folder, agreed, skills });
    if (!dryRun) writeAgreed(folder, { library, agreed });
    skills.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { way, folder, dryRun, skills };
  }

  /** Every skill of either side. */
  private async pairs(
    folder: string,
    agreed: Agreed,
    names: readonly SkillName[] | undefined,
  ): Promise<{ pairs: Pair[]; refused: ExchangedSkill[] }> {
    const isMeant = (name: SkillName) => names === undefined || names.includes(name);
    const { found, refused } = skillsBelow(folder, isMeant);
    const heads = await this.needs.library.heads((await this.needs.scope()).id, names);
    const byName = new Map(heads.filter(({ name }) => isMeant(name)).map((head) => [head.name, head]));
    const skipped = new Set(refused.map(({ name }) => name));
    const all = new Set([...found.keys(), ...byName.keys(), ...Object.keys(agreed).filter(isMeant)]);
    const pairs = [...all]
      .filter((name) => !skipped.has(name))
      .sort()
      .map((name) => ({ name, local: found.get(name) ?? [], head: byName.get(name), base: agreed[name] }));
    return { pairs, refused };
  }

  private async judge({ name, local, head, base }: Pair): Promise<Verdict> {
    const [ours, theirs] = [digestOf(local), digestOfVersion(head)];
    if (ours === theirs) return "same";
    if (base !== undefined) {
      if (ours === base) return "to-folder";
      return theirs === base ? "to-library" : "conflict";
    }
    if (ours === NOTHING) return "to-folder";
    if (head === undefined) return "to-library";
    // They never agreed. What the folder has may be an earlier version; an edit of one cannot be told from another skill.
    const versions = await this.needs.library.history((await this.needs.scope()).id, name);
    return versions.some((version) => digestOfVersion(version) === ours) ? "to-folder" : "conflict";
  }

  private async told(pair: Pair, verdict: Verdict, options: ExchangeOptions): Promise<ExchangedSkill> {
    const { name, head, local } = pair;
    const facts = { name, version: head?.id, author: head?.author };
    if (verdict === "same") return { ...facts, result: "same" };
    const theirs = options.diff ? await this.filesOf(head) : [];
    const patch = (before: readonly PackageFile[], after: readonly PackageFile[]) =>
      options.diff ? packagePatch(before, after) : undefined;
    if (verdict === "conflict") return { ...facts, result: "conflict", diff: await patch(theirs, local) };
    const to = verdict === "to-library" ? "library" : "folder";
    if (options.way !== "sync" && (options.way === "push") !== (to === "library"))
      return {
        ...facts,
        result: "left",
        reason: to === "library" ? "changed in the folder" : "changed in the library",
      };
    const [from, into] = to === "library" ? [local, head?.files ?? []] : [head?.files ?? [], local];
    const result = from.length === 0 ? "deleted" : into.length === 0 ? "created" : "updated";
    const diff = to === "library" ? await patch(theirs, local) : await patch(local, theirs);
    return { ...facts, result, to, diff };
  }

  private async toFolder(folder: string, { name, local, head }: Pair, agreed: Agreed): Promise<void> {
    const files = await this.filesOf(head);
    // An edit that gives way is in the library before it goes.
    const ours = digestOf(local);
    if (ours !== NOTHING && ours !== agreed[name]) await this.keepEdit(name, local, files);
    const directory = join(folder, ...name.split("/"));
    await replacePackages(DISK, [{ directory, root: folder, next: files }]);
    agreed[name] = digestOf(files);
  }

  /** Makes a version of an edit, unless there is one, and one of what is there now again, so that both are in the history. */
  private async keepEdit(
    name: SkillName,
    edit: readonly PackageFile[],
    now: readonly PackageFile[],
  ): Promise<void> {
    const versions = await this.needs.library.history((await this.needs.scope()).id, name);
    if (versions.some((version) => digestOfVersion(version) === digestOf(edit))) return;
    const { root } = this.needs;
    await this.needs.place(
      async () => [{ name, root, files: edit }],
      "kept before the library's version was taken",
    );
    await this.needs.place(async () => [{ name, root, files: now }], "the library's version, again");
  }

  private async toLibrary(
    pairs: readonly Pair[],
    { folder, agreed, skills }: { folder: string; agreed: Agreed; skills: ExchangedSkill[] },
  ): Promise<void> {
    const { library, root } = this.needs;
    const { id: scope } = await this.needs.scope();
    const late = new Set<SkillName>();
    await this.needs.place(async () => {
      // Somebody may have changed a skill since it was compared.
      const heads = await library.heads(
        scope,
        pairs.map(({ name }) => name),
      );
      const idOf = new Map(heads.map(({ name, id }) => [name, id]));
      for (const { name, head } of pairs) if (idOf.get(name) !== head?.id) late.add(name);
      return pairs
        .filter(({ name }) => !late.has(name))
        .map(({ name, local }) => ({ name, root, files: local }));
    }, `pushed from ${folder}`);
    for (const { name, local } of pairs)
      if (!late.has(name)) agreed[name] = digestOf(local);
      else {
        const at = skills.findIndex((skill) => skill.name === name);
        skills[at] = { ...skills[at]!, result: "conflict", to: undefined, reason: "changed meanwhile" };
      }
  }

  private async filesOf(version: VersionRecord | undefined): Promise<PackageFile[]> {
    const wanted = version?.files ?? [];
    if (wanted.length === 0) return [];
    const bytes = await this.needs.library.bytes([...new Set(wanted.map(({ sha256 }) => sha256))]);
    return wanted.map(({ path, sha256, executable }) => {
      const found = bytes.get(sha256);
      if (found === undefined)
        throw new RepertoireError(
          "version-damaged",
          `${path} of version ${version!.id} of "${version!.name}" is missing from the shared library. Choose another version: repertoire history ${version!.name}.`,
          version!.id,
        );
      return { path, bytes: found, executable };
    });
  }
}

function decided(verdict: Verdict, take: ExchangeOptions["take"]): Verdict {
  if (verdict !== "conflict" || take === undefined) return verdict;
  return take === "ours" ? "to-library" : "to-folder";
}

/** The packages below a folder by name, and those that cannot be read. */
function skillsBelow(folder: string, isMeant: (name: SkillName) => boolean) {
  const found = new Map<SkillName, PackageFile[]>();
  const refused: ExchangedSkill[] = [];
  const scan = discover([{ ...checkedSource(folder), rootSkill: false }]);
  let step = scan.next();
  while (!step.done) step = scan.next();
  for (const { directory, relativePath } of step.value.files) {
    const named = toSkillName(relativePath);
    if (!named.ok) refused.push({ name: relativePath, result: "refused", reason: named.code });
    else if (isMeant(named.name))
      try {
        found.set(named.name, readPackage(DISK, directory));
      } catch (error) {
        if (!isRepertoireError(error)) throw error;
        refused.push({ name: named.name, result: "refused", reason: error.message });
      }
  }
  return { found, refused };
}

/** What a folder last agreed on with a library. With another one it agrees on nothing. */
function agreedWith(library: string, folder: string): Agreed {
  const path = join(folder, AGREED_FILE);
  const read = () => readBounded(path, { maxBytes: AGREED_BYTES }).toString("utf8");
  const found = jsonIn(unlessMissing(read, ["ENOENT", "ENOTDIR"]) ?? "") as
    | { readonly library?: unknown; readonly skills?: unknown }
    | undefined;
  const { skills } = found ?? {};
  return found?.library === library && typeof skills === "object" ? { ...(skills as Agreed) } : {};
}

function writeAgreed(folder: string, { library, agreed }: { library: string; agreed: Agreed }): void {
  const rows = Object.entries(agreed).filter(([, digest]) => digest !== NOTHING);
  const skills = Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = `${JSON.stringify({ library, skills }, null, 1)}\n`;
  writeFileAtomically(join(folder, AGREED_FILE), text, { mode: 0o644 });
}

function digestOf(files: readonly PackageFile[]): string {
  return files.length === 0
    ? NOTHING
    : marksDigest(files.map(({ bytes, ...file }) => ({ ...file, sha256: sha256Of(bytes) })));
}

function digestOfVersion(version: VersionRecord | undefined): string {
  return version === undefined || version.files.length === 0 ? NOTHING : marksDigest(version.files);
}

function marksDigest(
  files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly executable?: boolean | undefined;
  }[],
): string {
  return packageDigest(
    Object.fromEntries(
      files.map(({ path, sha256, executable }) => [path, sha256 + (executable ? "+x" : "")]),
    ),
  );
}
