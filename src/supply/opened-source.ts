// A source that is open: lists its packages, lets a person choose, and offers what was chosen.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../disk/disk.ts";
import { type Library, matchesAny } from "../library/library.ts";
import { isRepertoireError, RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import { snapshotPackage, walkPackage } from "../package/package.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import type { SupplyAddress } from "./address.ts";
import { type LockedPackage, readLock } from "./lock.ts";
import { type OfferContent, type PackageOffer, sheetFor } from "./offer.ts";
import { type Collection, describePackages, type FoundPackage, readFound } from "./packages.ts";
import type { SourceTree, SupplyProgress } from "./tree.ts";

interface SourceNeeds {
  /** The folder of skills that packages would be written to. */
  readonly root: string;
  readonly library: () => Promise<Library>;
  /** The id of a source by its root. */
  readonly sourceAt: (root: string) => string | undefined;
  /** Names the rules of inspection. */
  readonly rules: string;
  readonly now: () => Date;
  readonly onProgress?: SupplyProgress | undefined;
}

export interface ListedPackage {
  readonly name: SkillName;
  readonly path: string;
  readonly plugin?: string | undefined;
  readonly description: string;
  /** Whether the folder of skills has a package of this name. */
  readonly installed: boolean;
}

export class OpenedSource {
  readonly address: SupplyAddress;
  /** Plugins that its marketplace names and that are somewhere else. */
  readonly elsewhere: readonly { readonly plugin: string; readonly source: string }[];
  /** How many packages it has. */
  readonly count: number;
  private readonly tree: SourceTree;
  private readonly packages: readonly FoundPackage[];
  private readonly needs: SourceNeeds;
  private readonly contents = new Map<PackageOffer, OfferContent>();

  constructor(
    address: SupplyAddress,
    tree: SourceTree,
    { packages, elsewhere }: Collection,
    needs: SourceNeeds,
  ) {
    this.address = address;
    this.tree = tree;
    this.packages = packages;
    this.elsewhere = elsewhere;
    this.count = packages.length;
    this.needs = needs;
  }

  get commit(): string | undefined {
    return this.tree.commit;
  }

  /**
   * Every package with its description.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const names = (await source.list()).map(({ name }) => name);
   */
  async list(): Promise<ListedPackage[]> {
    const described = await describePackages(this.tree, this.packages);
    return this.packages.map((found) => ({
      name: found.name,
      path: found.path,
      plugin: found.plugin,
      description: described.get(found)!.description,
      installed: isThere(directoryOf(this.needs.root, found.name)),
    }));
  }

  /**
   * The names of the packages that these words mean: names, globs, plugins or folders. Fails for a word that means none.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const names = await source.choose(["write-*"]);
   */
  async choose(words: readonly string[]): Promise<SkillName[]> {
    const chosen = new Set<FoundPackage>();
    for (const word of words) {
      const meant = (await this.meant(word)) ?? [];
      if (meant.length === 0) throw this.notFound(word);
      for (const found of meant) chosen.add(found);
    }
    return [...chosen].map(({ name }) => name);
  }

  /**
   * The folder of the package that a word means.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const path = await source.pathOf("write-changelog");
   */
  async pathOf(word: string): Promise<string> {
    const [name] = await this.choose([word]);
    return this.packages.find((found) => found.name === name)!.path;
  }

  /**
   * Reads and inspects packages, all unless names are given. Writes nothing.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const verdicts = (await source.offers()).map(({ sheet }) => sheet?.verdict);
   */
  async offers(names?: readonly SkillName[]): Promise<PackageOffer[]> {
    const wanted = this.packages.filter(({ name }) => names === undefined || names.includes(name));
    const library = await this.needs.library();
    const offers: PackageOffer[] = [];
    for (const [at, found] of wanted.entries()) {
      offers.push(await this.offer(found, library));
      this.needs.onProgress?.("inspecting packages", at + 1, wanted.length);
    }
    return offers;
  }

  /**
   * The package at a path of the source, under a name that a lock gave it. Whether its place is free is not looked at.
   * A package with the digest `known` is not inspected again: it is there already.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const offer = await source.offerAt("", "changelog");
   */
  async offerAt(path: string, name: SkillName, known?: string): Promise<PackageOffer | undefined> {
    const found = this.packages.find((each) => each.path === path);
    return found && this.read(found, name, known);
  }

  /**
   * What would be written.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const [offer] = await source.offers();
   * const { files } = source.contentOf(offer!);
   */
  contentOf(offer: PackageOffer): OfferContent {
    return this.contents.get(offer)!;
  }

  /**
   * Removes what was fetched.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * source.close();
   */
  close(): void {
    this.tree.close();
  }

  private async offer(found: FoundPackage, library: Library): Promise<PackageOffer> {
    const offer = await this.read(found, found.name);
    const directory = directoryOf(this.needs.root, offer.name);
    if (!offer.sheet) return offer;
    const isSame = isThere(directory) && digestAt(directory) === offer.sheet.digest;
    const placed: PackageOffer = {
      ...offer,
      state: isSame ? "there" : "new",
      refusal: isThere(directory) && !isSame ? this.taken(offer.name) : undefined,
      covers: this.coveredBy(offer.name, library),
    };
    this.contents.set(placed, this.contentOf(offer));
    return placed;
  }

  /** Reads and inspects a package. */
  private async read(found: FoundPackage, name: SkillName, known?: string): Promise<PackageOffer> {
    const { path, plugin } = found;
    const about = { name, path, plugin, state: "new" } as const;
    try {
      const read = await readFound(this.tree, found);
      if (read.digest === known) return { ...about, state: "there" };
      const { source, ref } = this.address as { source: string; ref?: string };
      const sheet = await sheetFor({ name, ...read }, { source, path: path || "." });
      const offer: PackageOffer = { ...about, sheet };
      const locked: LockedPackage = {
        source,
        ref,
        commit: this.tree.commit,
        path: path || undefined,
        digest: read.digest,
        inspected: { verdict: sheet.verdict, rules: this.needs.rules },
        at: this.needs.now().toISOString(),
      };
      this.contents.set(offer, { files: read.files, locked });
      return offer;
    } catch (thrown) {
      if (!isRepertoireError(thrown)) throw thrown;
      return { ...about, refusal: { code: thrown.code, message: thrown.message } };
    }
  }

  private taken(name: SkillName): PackageOffer["refusal"] {
    const locked = readLock(this.needs.root)[name];
    const next =
      locked?.source === this.address.source
        ? `It was added from there before: repertoire update ${name} brings what is new.`
        : `Remove it first (repertoire remove ${name}), or add this one to another place with --to.`;
    return { code: "skill-exists", message: `There is another "${name}" in ${this.needs.root}. ${next}` };
  }

  /** The skill that would be used no longer, if it is another one. */
  private coveredBy(name: SkillName, library: Library): PackageOffer["covers"] {
    const known = library.skills.get(name);
    const own = this.needs.sourceAt(this.needs.root);
    if (known === undefined || own === undefined || known.source === own) return undefined;
    return { name: known.name, source: known.source };
  }

  private async meant(word: string): Promise<readonly FoundPackage[] | undefined> {
    const key = lookupKey(word);
    const path = word
      .replace(/^\.\//, "")
      .replace(/\/+$/, "")
      .replace(/\/SKILL\.md$/i, "");
    const ways: ((found: FoundPackage) => boolean)[] = [
      ({ name }) => name === key,
      ({ path: own }) => own === path,
      ({ plugin }) => plugin !== undefined && lookupKey(plugin) === key,
      ({ name }) => name.split("/").at(-1) === key,
      ({ name }) => /[*?]/.test(word) && matchesAny([word], name),
    ];
    for (const fits of ways) {
      const meant = this.packages.filter(fits);
      if (meant.length > 0) return meant;
    }
    const described = await describePackages(this.tree, this.packages);
    return this.packages.filter((found) => lookupKey(described.get(found)!.displayName) === key);
  }

  private notFound(word: string): RepertoireError {
    const names = this.packages.flatMap(({ name, plugin }) => (plugin === undefined ? name : [name, plugin]));
    const hint =
      didYouMean(nearTo(word, names)) ||
      ` It has ${names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""}.`;
    return new RepertoireError(
      "package-not-found",
      `${this.address.source} has no skill "${word}".${hint}`,
      word,
    );
  }
}

/** The folder of a skill in a folder of skills. */
export function directoryOf(root: string, name: SkillName): string {
  return join(root, ...name.split("/"));
}

/**
 * Whether a skill's place is taken: by a package, by files of somebody else, or by a link, even one that leads nowhere. A folder
 * that holds only other skills, or nothing, is free.
 */
export function isThere(path: string): boolean {
  const stats = unlessMissing(() => lstatSync(path), ["ENOENT", "ENOTDIR"]);
  if (!stats?.isDirectory()) return stats !== undefined;
  return !walkPackage(path, (folder) => readdirSync(folder, { withFileTypes: true })).next().done;
}

/** The digest of a package on disk; undefined if there is none that can be read whole. */
export function digestAt(directory: string): string | undefined {
  try {
    return snapshotPackage(directory).digest;
  } catch (thrown) {
    if (!isRepertoireError(thrown)) throw thrown;
    return undefined;
  }
}
