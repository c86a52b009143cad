// Catalogs: collections of skills that are not installed, kept on this machine so that they can be searched without a network. Of
// each skill the SKILL.md is kept, and where it came from.

import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBounded, unlessMissing } from "../disk/disk.ts";
import { RepertoireError } from "../model/errors.ts";
import { lastSegment, type SkillName, toSkillName } from "../model/name.ts";
import { isSkillFile, PACKAGE_LIMITS, SKILL_FILE } from "../package/package.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { readAddress } from "./address.ts";
import { type OpeningNeeds, openSource } from "./open-source.ts";
import { findPackages } from "./packages.ts";
import type { SupplyProgress } from "./tree.ts";

/** What is kept about a catalog, beside its skills. */
const ABOUT = "catalog.json";
const ABOUT_BYTES = 64 * 1024 * 1024;

export interface CatalogReport {
  /** The address, as `add` takes it. */
  readonly source: string;
  /** Where its skills are kept. */
  readonly folder: string;
  /** Absent if it was never fetched. */
  readonly skills?: number | undefined;
  readonly commit?: string | undefined;
  readonly fetchedAt?: string | undefined;
  /** Why it could not be fetched, if it was asked for. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

interface CatalogNeeds extends Pick<OpeningNeeds, "env" | "fetchDir"> {
  /** Where all catalogs are kept. */
  readonly folder: string;
  readonly dir: string;
  readonly home: string;
  /** The addresses of the configured catalogs. */
  readonly sources: () => readonly string[];
  readonly now: () => Date;
}

export class Catalogs {
  private readonly needs: CatalogNeeds;

  constructor(needs: CatalogNeeds) {
    this.needs = needs;
  }

  /**
   * The configured catalogs.
   *
   * @example
   * const sources = (await skills.catalogs.list()).map(({ source }) => source);
   */
  list(): CatalogReport[] {
    return this.needs.sources().map((source) => this.report(source));
  }

  /**
   * Fetches catalogs, all unless one is named, and keeps what they have now.
   *
   * @example
   * await skills.catalogs.refresh();
   */
  async refresh(
    options: { readonly source?: string | undefined; readonly onProgress?: SupplyProgress | undefined } = {},
  ): Promise<CatalogReport[]> {
    const all = this.needs.sources();
    const { source } = options;
    if (source !== undefined && !all.includes(source))
      throw new RepertoireError(
        "catalog-unknown",
        `"${source}" is not a catalog.${didYouMean(nearTo(source, all)) || ` Catalogs: ${all.join(", ") || "none"}.`}`,
        source,
      );
    const reports: CatalogReport[] = [];
    for (const each of source === undefined ? all : [source])
      reports.push(await this.fetch(each, options.onProgress));
    return reports;
  }

  private report(source: string): CatalogReport {
    const folder = this.folderOf(source);
    const path = join(folder, ABOUT);
    const bytes = unlessMissing(() => readBounded(path, { maxBytes: ABOUT_BYTES }), ["ENOENT", "ENOTDIR"]);
    const about = bytes && jsonIn(bytes.toString("utf8"));
    if (!isRecord(about) || typeof about.skills !== "number") return { source, folder };
    const text = (value: unknown) => (typeof value === "string" ? value : undefined);
    return {
      source,
      folder,
      skills: about.skills,
      commit: text(about.commit),
      fetchedAt: text(about.fetchedAt),
    };
  }

  private folderOf(source: string): string {
    const key = createHash("sha256").update(source).digest("hex").slice(0, 12);
    return join(this.needs.folder, key);
  }

  /** A catalog that cannot be fetched stays as it was. */
  private async fetch(source: string, onProgress?: SupplyProgress): Promise<CatalogReport> {
    try {
      await this.keep(source, onProgress);
      return this.report(source);
    } catch (thrown) {
      if (!(thrown instanceof RepertoireError)) throw thrown;
      return { ...this.report(source), failure: { code: thrown.code, message: thrown.message } };
    }
  }

  private async keep(source: string, onProgress?: SupplyProgress): Promise<void> {
    const { dir, home, env, fetchDir, now } = this.needs;
    const address = readAddress(source, { dir, home });
    const tree = await openSource(address, { env, fetchDir, onProgress });
    const staging = join(fetchDir, `${process.pid}-catalog-${Math.random().toString(36).slice(2)}`);
    try {
      const { packages } = await findPackages(tree, address.path);
      let skills = 0;
      for (const [at, { name, path, entries }] of packages.entries()) {
        const own = path === "" ? SKILL_FILE : `${path}/${SKILL_FILE}`;
        const main = entries.find((entry) => entry.path.toLowerCase() === own.toLowerCase());
        onProgress?.("reading skills", at + 1, packages.length);
        if (!main || !isSkillFile(lastSegment(main.path)) || main.size > PACKAGE_LIMITS.skillFileBytes)
          continue;
        skills += this.write(staging, name, (await tree.read([main.path])).get(main.path)!) ? 1 : 0;
      }
      mkdirSync(staging, { recursive: true, mode: 0o700 });
      const about = { source, commit: tree.commit, fetchedAt: now().toISOString(), skills };
      writeFileSync(join(staging, ABOUT), JSON.stringify(about));
      const folder = this.folderOf(source);
      mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
      rmSync(folder, { recursive: true, force: true });
      renameSync(staging, folder);
    } finally {
      tree.close();
      rmSync(staging, { recursive: true, force: true });
    }
  }

  /** Returns whether the name can be one of a skill. */
  private write(staging: string, name: SkillName, bytes: Uint8Array): boolean {
    const safe = toSkillName(name);
    if (!safe.ok) return false;
    const folder = join(staging, ...safe.name.split("/"));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, SKILL_FILE), bytes);
    return true;
  }
}
