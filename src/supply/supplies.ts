// Gets skills from elsewhere, keeps a lock of what they were, and gives them back: add, install, verify, remove.

import { isAbsolute, resolve } from "node:path";
import { DISK } from "../disk/disk.ts";
import type { Changed, LearnedSkills, PlacedPackage } from "../learn/learn.ts";
import type { Library } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import { lookupKey, type SkillName } from "../model/name.ts";
import type { Source } from "../model/source.ts";
import { type PackageFile, readPackage } from "../package/package.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { readAddress, type SupplyAddress } from "./address.ts";
import { FOREIGN_ROOT, type ForeignPackage, foreignHash, readForeignLock } from "./foreign-lock.ts";
import { type LockedPackage, readLock } from "./lock.ts";
import type { Agreement, PackageOffer, PackageRefusal } from "./offer.ts";
import { type OpeningNeeds, openSource } from "./open-source.ts";
import { digestAt, directoryOf, isThere, OpenedSource } from "./opened-source.ts";
import { findPackages } from "./packages.ts";
import type { SupplyProgress } from "./tree.ts";
import { planUpdate, updateConflict } from "./update.ts";

interface SupplyNeeds extends Pick<OpeningNeeds, "fetchDir" | "env"> {
  readonly home: string;
  readonly project: string;
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** Where the skills of the person and of the project are written. */
  readonly roots: Readonly<Record<"user" | "project", string>>;
  readonly learned: Pick<LearnedSkills, "place" | "filesWithDigest">;
  readonly library: () => Promise<Library>;
  /** Names the rules of inspection. */
  readonly rules: string;
  readonly now: () => Date;
}

export interface OpenSourceOptions {
  /** `user`, `project`, or a folder; `user` unless given. */
  readonly to?: string | undefined;
  /** A branch, tag or commit. */
  readonly ref?: string | undefined;
  readonly onProgress?: SupplyProgress | undefined;
}

/** A package of a lock, and where it is. */
interface LockedPlace {
  readonly name: SkillName;
  /** The folder of skills, whose lock it is in. */
  readonly root: string;
  readonly locked: LockedPackage;
}

/** Whether a package is what its lock says. */
export interface VerifiedPackage extends Pick<LockedPlace, "name" | "root"> {
  readonly state: "same" | "edited" | "missing";
  readonly source: string;
  readonly commit?: string | undefined;
}

/** What was done with packages, and what was not, and why. */
export interface SupplyResult {
  readonly changed: readonly Changed[];
  /** Packages that were there already, as they should be. */
  readonly same: readonly SkillName[];
  readonly refused: readonly (PackageRefusal & { readonly name: SkillName })[];
  /** What `undo` takes back. */
  readonly batch?: string | undefined;
}

/** A package to be written, and the digest of the one that it replaces. */
interface WrittenPackage extends PlacedPackage {
  readonly replaces?: string | undefined;
}

export interface UpdateOptions {
  readonly to?: string | undefined;
  /** Say what is new, and write nothing. */
  readonly check?: boolean | undefined;
  readonly agree?: Agreement | undefined;
  readonly onProgress?: SupplyProgress | undefined;
}

export interface InstallOptions {
  readonly to?: string | undefined;
  /** Make everything equal to the locks: edited packages too. */
  readonly frozen?: boolean | undefined;
  readonly agree: Agreement;
  readonly onProgress?: SupplyProgress | undefined;
}

export class Supplies {
  protected readonly needs: SupplyNeeds;

  constructor(needs: SupplyNeeds) {
    this.needs = needs;
  }

  /**
   * Opens a source: fetches it, and writes nothing to any folder of skills. To be closed.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * for (const { name, description } of await source.list()) console.log(name, description);
   * source.close();
   */
  async open(source: string, options: OpenSourceOptions = {}): Promise<OpenedSource> {
    const { project: dir, home } = this.needs;
    await this.settle();
    return this.openAddress(readAddress(source, { dir, home, ref: options.ref }), options);
  }

  /**
   * Writes the offers that a person agrees to, all or none, and their entries in the lock.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * const { changed } = await skills.supply.take(source, await source.offers(), { agree: (offers) => offers });
   * source.close();
   */
  async take(
    source: OpenedSource,
    offers: readonly PackageOffer[],
    { to, agree }: Pick<OpenSourceOptions, "to"> & { readonly agree: Agreement },
  ): Promise<SupplyResult> {
    const root = this.rootFor(to);
    return this.place(offers, agree, (offer) => {
      const { files, locked } = source.contentOf(offer);
      return { name: offer.name, root, files, beside: { locked } };
    });
  }

  /**
   * Makes the folders of skills equal to their locks: brings what is missing, exactly as it was. Fails with `lock-mismatch` if a
   * source no longer has it.
   *
   * @example
   * await skills.supply.install({ frozen: true, agree: (offers) => offers });
   */
  async install({ to, frozen = false, agree, onProgress }: InstallOptions): Promise<SupplyResult> {
    await this.settle();
    const places = this.locked(to);
    const wanted = places.filter((place) => {
      const { state } = verified(place);
      return state === "missing" || (frozen && state === "edited");
    });
    const edited = places.filter((place) => !frozen && verified(place).state === "edited");
    const results: SupplyResult[] = [
      {
        changed: [],
        same: places
          .filter((place) => !wanted.includes(place) && !edited.includes(place))
          .map(({ name }) => name),
        refused: edited.map(({ name, root }) => editedHere(name, root)),
      },
    ];
    for (const group of bySource(wanted, ({ locked }) => [locked.source, locked.commit ?? ""]))
      results.push(await this.installGroup(group, { agree, onProgress }));
    if (to === undefined && !frozen) results.push(await this.installForeign({ agree, onProgress }));
    return combined(results);
  }

  /**
   * Which packages are what their locks say.
   *
   * @example
   * const edited = (await skills.supply.verify()).filter(({ state }) => state === "edited");
   */
  verify(names: readonly string[] = [], to?: string): VerifiedPackage[] {
    const places = this.lockedNamed(names, to).map(verified);
    return [...places, ...(to === undefined ? this.verifiedForeign(names, places) : [])];
  }

  /**
   * Removes packages; their versions are kept, and `undo` brings them back with their entry in the lock and their links.
   *
   * @example
   * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
   * await skills.supply.take(source, await source.offers(), { agree: (offers) => offers });
   * await skills.supply.remove(["write-changelog"]);
   */
  async remove(names: readonly string[], { to }: Pick<OpenSourceOptions, "to"> = {}): Promise<SupplyResult> {
    const places = this.lockedNamed(names, to);
    const changed = await this.needs.learned.place(
      () => places.map(({ name, root }) => ({ name, root, files: [], beside: null })),
      { reason: "removed" },
    );
    return { changed, same: [], refused: [], batch: changed[0]?.batch };
  }

  /**
   * Brings what is new at the sources. Edits made here are merged in; a package with a conflict stays as it is, and `refused` names it.
   * With `check` nothing is written.
   *
   * @example
   * const { offers } = await skills.supply.update([], { check: true });
   * for (const { name, update } of offers) console.log(name, update?.diff);
   */
  async update(
    names: readonly string[],
    { to, check = false, agree, onProgress }: UpdateOptions,
  ): Promise<SupplyResult & { readonly offers: readonly PackageOffer[] }> {
    await this.settle();
    const results: SupplyResult[] = [];
    const offers: PackageOffer[] = [];
    for (const group of bySource(this.lockedNamed(names, to), ({ locked }) => [
      locked.source,
      locked.ref ?? "",
    ])) {
      const written = new Map<PackageOffer, WrittenPackage>();
      const source = await this.openAddress(this.addressOf(group[0]!.locked), { onProgress });
      try {
        const all: PackageOffer[] = [];
        for (const place of group) all.push(await this.updateOffer(source, place, written));
        offers.push(...all.filter(({ update, refusal }) => update && !refusal));
        results.push(
          await this.place(all, check ? () => [] : (agree ?? (() => [])), (offer) => written.get(offer)!),
        );
      } finally {
        source.close();
      }
    }
    const { refused, ...result } = combined(results);
    const isOffer = (name: SkillName) => check && offers.some((offer) => offer.name === name);
    return { ...result, refused: refused.filter(({ name }) => !isOffer(name)), offers };
  }

  private async updateOffer(
    source: OpenedSource,
    place: LockedPlace,
    written: Map<PackageOffer, WrittenPackage>,
  ): Promise<PackageOffer> {
    const { name, root, locked } = place;
    const directory = directoryOf(root, name);
    const about = { name, path: locked.path ?? "", state: "new" } as const;
    const refused = (code: string, message: string, value?: unknown): PackageOffer => ({
      ...about,
      refusal: { code, message, value },
    });
    const found = await source.offerAt(locked.path ?? "", name, locked.digest);
    if (!found)
      return refused(
        "package-not-found",
        `${locked.source} no longer has "${name}" (${locked.path ?? "."}). It stays as it is.`,
      );
    if (!found.sheet) return found;
    if (!isThere(directory))
      return refused(
        "package-edited",
        `"${name}" is missing in ${root}: repertoire install brings it back, repertoire remove forgets it.`,
      );
    const { files: theirs, locked: next } = source.contentOf(found);
    const plan = await planUpdate({
      name,
      directory,
      source: locked.source,
      lockedDigest: locked.digest,
      theirs,
      base: () => this.baseOf(place),
      workDir: this.needs.fetchDir,
    });
    if ("conflicts" in plan) {
      const { code, message, value } = updateConflict(name, plan.conflicts);
      return refused(code, message, value);
    }
    const { sheet, edited, diff, newFindings, files, replaces } = plan;
    const offer: PackageOffer = {
      ...about,
      sheet,
      update: { from: locked.commit, to: next.commit, edited, diff, newFindings },
    };
    written.set(offer, { name, root, files, beside: { locked: next }, replaces });
    return offer;
  }

  /** A package as it was fetched: kept as a version, or fetched again. */
  private async baseOf({ name, root, locked }: LockedPlace): Promise<readonly PackageFile[] | undefined> {
    const kept = await this.needs.learned.filesWithDigest({ name, root }, locked.digest);
    if (kept || locked.commit === undefined) return kept;
    const source = await this.openAddress(this.addressOf(locked), {}, locked.commit);
    try {
      const offer = await source.offerAt(locked.path ?? "", name);
      return offer?.sheet?.digest === locked.digest ? source.contentOf(offer).files : undefined;
    } finally {
      source.close();
    }
  }

  /** Every package of every lock. */
  protected locked(to?: string): LockedPlace[] {
    return this.roots(to).flatMap((root) =>
      Object.entries(readLock(root)).map(([name, locked]) => ({ name, root, locked })),
    );
  }

  /** The packages of these names, all if none is given. Fails for a name that no lock has. */
  protected lockedNamed(names: readonly string[], to?: string): LockedPlace[] {
    const all = this.locked(to);
    if (names.length === 0) return all;
    return names.flatMap((name) => {
      const found = all.filter((place) => place.name === lookupKey(name));
      // The highest place is the one in use.
      if (found.length > 0) return found.slice(-1);
      const known = all.map((place) => place.name);
      const hint =
        didYouMean(nearTo(name, known)) || ` Added skills: ${known.slice(0, 10).join(", ") || "none"}.`;
      throw new RepertoireError(
        "package-not-found",
        `"${name}" was not added from elsewhere.${hint} A skill of your own is deleted with repertoire delete.`,
        name,
      );
    });
  }

  /** Takes back what a killed process left half made, so that it is not taken for somebody's package. */
  private async settle(): Promise<void> {
    await this.needs.learned.place(() => []);
  }

  protected async openAddress(
    address: SupplyAddress,
    { to, onProgress }: OpenSourceOptions,
    commit?: string,
  ): Promise<OpenedSource> {
    const { fetchDir, env, library, rules, now, sources } = this.needs;
    const tree = await openSource(address, { fetchDir, env, onProgress }, commit);
    try {
      const found = await findPackages(tree, address.path);
      if (found.packages.length === 0 && found.elsewhere.length === 0)
        throw new RepertoireError(
          "source-empty",
          `${address.source}${address.path ? ` (${address.path})` : ""} has no SKILL.md.`,
          address.source,
        );
      const sourceAt = (root: string) => sources.find((source) => source.root === root)?.id;
      return new OpenedSource(address, tree, found, {
        root: this.rootFor(to),
        library,
        sourceAt,
        rules,
        now,
        onProgress,
      });
    } catch (thrown) {
      tree.close();
      throw thrown;
    }
  }

  /** Asks, then writes what was agreed to. */
  protected async place(
    offers: readonly PackageOffer[],
    agree: Agreement,
    toPackage: (offer: PackageOffer) => WrittenPackage,
  ): Promise<SupplyResult> {
    const same = offers.filter(({ state }) => state === "there");
    const possible = offers.filter(({ refusal, state }) => refusal === undefined && state === "new");
    const agreed = possible.length === 0 ? [] : await agree(possible);
    const packages = possible.filter((offer) => agreed.includes(offer)).map(toPackage);
    const refused = offers.flatMap((offer) => {
      if (offer.refusal) return { name: offer.name, ...offer.refusal };
      return possible.includes(offer) && !agreed.includes(offer) ? notAgreed(offer) : [];
    });
    const changed =
      packages.length === 0
        ? []
        : await this.needs.learned.place(
            () => {
              for (const each of packages) this.checkFree(each);
              return packages;
            },
            { reason: "added" },
          );
    return { changed, same: same.map(({ name }) => name), refused, batch: changed[0]?.batch };
  }

  /** Somebody else may have written there since the offer was made. */
  private checkFree({ name, root, replaces }: WrittenPackage): void {
    const directory = directoryOf(root, name);
    if (!isThere(directory) || (replaces !== undefined && replaces === digestAt(directory))) return;
    throw new RepertoireError(
      "skill-exists",
      `${directory} was written by somebody else meanwhile. Nothing was written by this command. Try again.`,
      name,
    );
  }

  private async installGroup(
    group: readonly LockedPlace[],
    { agree, onProgress }: Pick<InstallOptions, "agree" | "onProgress">,
  ): Promise<SupplyResult> {
    const { locked } = group[0]!;
    const address = this.addressOf(locked);
    const source = await this.openAddress(address, { onProgress }, locked.commit);
    try {
      const offers = new Map<PackageOffer, LockedPlace>();
      for (const place of group) offers.set(await this.lockedOffer(source, place), place);
      return await this.place([...offers.keys()], agree, (offer) => {
        const { name, root, locked: entry } = offers.get(offer)!;
        const { files } = source.contentOf(offer);
        return { name, root, files, beside: { locked: entry }, replaces: digestAt(directoryOf(root, name)) };
      });
    } finally {
      source.close();
    }
  }

  /** What the lock says, as the source still has it. */
  private async lockedOffer(source: OpenedSource, { name, locked }: LockedPlace): Promise<PackageOffer> {
    const offer = await source.offerAt(locked.path ?? "", name);
    const digest = offer?.sheet?.digest;
    if (offer?.sheet && digest === locked.digest) return offer;
    const refusal = {
      code: "lock-mismatch",
      message: `${locked.source} no longer has "${name}" as the lock says (${locked.digest.slice(0, 12)}, ${digest === undefined ? "it is gone" : `now ${digest.slice(0, 12)}`}).`,
    };
    return { name, path: locked.path ?? "", state: "new", refusal };
  }

  protected addressOf({ source, ref }: Pick<LockedPackage, "source" | "ref">): SupplyAddress {
    const { project: dir, home } = this.needs;
    return readAddress(source, { dir, home, ref });
  }

  /** The folder of skills that is meant. */
  protected rootFor(to: string | undefined): string {
    const { roots, project, home } = this.needs;
    if (to === undefined || to === "user") return roots.user;
    if (to === "project") return roots.project;
    const path = to.replace(/^~(?=[/\\]|$)/, home);
    return isAbsolute(path) ? path : resolve(project, path);
  }

  /** The folders of skills that may have a lock. */
  private roots(to: string | undefined): string[] {
    if (to !== undefined) return [this.rootFor(to)];
    const { sources, roots } = this.needs;
    const own = sources.filter(({ scope }) => scope !== "bundled").map(({ root }) => root);
    return [...new Set([...own, roots.user, roots.project])];
  }

  /** The skills of `npx skills` that are missing, into its folder. */
  private async installForeign({
    agree,
    onProgress,
  }: Pick<InstallOptions, "agree" | "onProgress">): Promise<SupplyResult> {
    const { project } = this.needs;
    const root = resolve(project, FOREIGN_ROOT);
    const missing = readForeignLock(project).filter(
      ({ name }) => !isThere(directoryOf(root, lookupKey(name))),
    );
    const results: SupplyResult[] = [];
    for (const group of bySource(missing, ({ source, ref }) => [source, ref ?? ""]))
      results.push(await this.installForeignGroup(group, root, { agree, onProgress }));
    return combined(results);
  }

  private async installForeignGroup(
    group: readonly ForeignPackage[],
    root: string,
    { agree, onProgress }: Pick<InstallOptions, "agree" | "onProgress">,
  ): Promise<SupplyResult> {
    const { source: text, ref } = group[0]!;
    const source = await this.open(text, { ref, to: root, onProgress });
    try {
      const offers: PackageOffer[] = [];
      for (const { name, path, hash } of group) {
        const found = await source.offerAt(path ?? (await source.pathOf(name)), lookupKey(name));
        const isSame =
          found?.sheet && (hash === undefined || foreignHash(source.contentOf(found).files) === hash);
        const message = `${text} no longer has "${name}" as skills-lock.json says.`;
        const gone = {
          name,
          path: path ?? "",
          state: "new",
          refusal: { code: "lock-mismatch", message },
        } as const;
        offers.push(found && isSame ? found : gone);
      }
      return await this.take(source, offers, { to: root, agree });
    } finally {
      source.close();
    }
  }

  private verifiedForeign(names: readonly string[], known: readonly VerifiedPackage[]): VerifiedPackage[] {
    const { project } = this.needs;
    const root = resolve(project, FOREIGN_ROOT);
    return readForeignLock(project).flatMap(({ name, source, hash }) => {
      const isAsked = names.length === 0 || names.map(lookupKey).includes(lookupKey(name));
      if (!isAsked || known.some((place) => place.root === root && place.name === lookupKey(name))) return [];
      const files = readPackage(DISK, directoryOf(root, lookupKey(name)));
      const state = files.length === 0 ? "missing" : hash === foreignHash(files) ? "same" : "edited";
      return [{ name, root, source, state } as const];
    });
  }
}

function verified({ name, root, locked }: LockedPlace): VerifiedPackage {
  const directory = directoryOf(root, name);
  const { source, commit, digest } = locked;
  const state = !isThere(directory) ? "missing" : digestAt(directory) === digest ? "same" : "edited";
  return { name, root, source, commit, state };
}

/** Groups of what can be fetched at once. */
function bySource<T>(all: readonly T[], keyOf: (each: T) => readonly string[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

function combined(results: readonly SupplyResult[]): SupplyResult {
  return {
    changed: results.flatMap(({ changed }) => changed),
    same: results.flatMap(({ same }) => same),
    refused: results.flatMap(({ refused }) => refused),
    batch: results.findLast(({ batch }) => batch !== undefined)?.batch,
  };
}

function notAgreed({ name, sheet, covers }: PackageOffer): PackageRefusal & { name: SkillName } {
  const why = covers
    ? `it would be used instead of "${covers.name}" from ${covers.source}`
    : sheet?.verdict === "clean" || sheet?.verdict === "notice"
      ? "nobody agreed"
      : `its inspection says: ${sheet?.verdict}`;
  return { name, code: "package-refused", message: `"${name}" was not taken: ${why}.` };
}

function editedHere(name: SkillName, root: string): PackageRefusal & { name: SkillName } {
  const message = `"${name}" in ${root} was edited since it was added, so it stays as it is. --frozen puts the locked one in its place.`;
  return { name, code: "package-edited", message };
}
