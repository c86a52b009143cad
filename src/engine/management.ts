// Owns what a person does with the library outside a turn: look, check, make, switch, list the places.
// Composes stages like the engine does, and like it has no logic of its own.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { switchSkill } from "../config/config.ts";
import { checkedSource, discover } from "../discover/discover.ts";
import { isBelow } from "../disk/disk.ts";
import { scaffold, type Template } from "../learn/learn.ts";
import { buildCatalog, Library, type ParseFile } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill, SkillState } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import { packageFiles, writeNewPackage } from "../package/package.ts";
import { type Profile, parseManifest } from "../parse/parse.ts";
import { readyPatterns, triggerFindings } from "../recall/recall.ts";
import type { Repertoire } from "./engine.ts";

export interface SkillReport {
  readonly skill: Skill & { readonly state: SkillState; readonly reason?: string };
  readonly body: string;
  readonly files: readonly string[];
  /** Direct children. */
  readonly subSkills: readonly Skill[];
  readonly diagnostics: readonly Diagnostic[];
}

export class Management {
  private readonly engine: Repertoire;

  constructor(engine: Repertoire) {
    this.engine = engine;
  }

  /** One skill for a person: its state, instructions, files, direct children and findings. */
  show(name: string): SkillReport {
    const listed = this.engine.view().list();
    const found = this.engine.library.find(name) ?? this.engine.find(name, "person");
    const { state, reason } = listed.find(({ skill }) => skill === found)!;
    return {
      skill: { ...found, state, ...(reason !== undefined && { reason }) },
      body: this.engine.body(found),
      files: packageFiles(found.directory),
      subSkills: this.engine.library.children(found.name),
      diagnostics: this.engine.library.diagnostics.filter(({ path }) => path === found.path),
    };
  }

  /** Findings about the skill or skills at a path, or about all. */
  async check(options: { readonly path?: string; readonly profile: Profile }): Promise<{
    checked: number;
    diagnostics: Diagnostic[];
  }> {
    const sources =
      options.path === undefined
        ? this.engine.sources
        : [checkedSource(resolve(this.engine.config.dir, options.path))];
    const scan = discover(sources);
    const parse: ParseFile = (bytes, path, parseOptions) =>
      parseManifest(bytes, path, { ...parseOptions, profile: options.profile });
    const { skills, diagnostics } = buildCatalog(scan.candidates, {
      records: new Map(),
      parse,
      ...(this.engine.options.onProgress && { onProgress: this.engine.options.onProgress }),
    });
    await readyPatterns();
    const found = [...scan.diagnostics, ...diagnostics, ...triggerFindings(skills)];
    return { checked: scan.candidates.length, diagnostics: [...new Library(skills, found).diagnostics] };
  }

  /** Every finding about the library: broken files, shadowed names, and triggers that conflict or cannot work. */
  async findings(): Promise<Diagnostic[]> {
    await readyPatterns();
    const { library } = this.engine;
    return [...library.diagnostics, ...triggerFindings([...library.skills.values()])];
  }

  /** Every source with how many skills it has. */
  sources(): (Source & { exists: boolean; skills: number })[] {
    const winners = [
      ...this.engine.library.skills.values(),
      ...this.engine.library.shadowed.map(({ skill }) => skill),
    ];
    return this.engine.sources.map((source) => ({
      ...source,
      exists: existsSync(source.root),
      skills: winners.filter((skill) => skill.source === source.id).length,
    }));
  }

  /** Switches a skill on or off in the person's configuration, and at once in this engine. */
  async setEnabled(name: string, on: boolean): Promise<{ name: SkillName; file: string }> {
    const skill = this.engine.library.find(name) ?? this.engine.find(name, "person");
    const { config } = this.engine;
    const file = await switchSkill(config.home, skill.name, on);
    const without = (names: readonly string[]) => names.filter((each) => each !== skill.name);
    const [enable, disable] = [without(config.enable), without(config.disable)];
    (on ? enable : disable).push(skill.name);
    this.engine.config = { ...config, enable, disable };
    return { name: skill.name, file };
  }

  /** Makes a new skill from a template, by default in the project's own source. */
  create(
    name: string,
    options: {
      readonly template: Template;
      readonly description?: string;
      readonly user?: boolean;
      readonly to?: string;
    },
  ) {
    const made = scaffold(name, options);
    const root = options.to
      ? resolve(this.engine.config.dir, options.to)
      : this.rootFor(options.user ? "user" : "project");
    const directory = join(root, made.name);
    const source = this.engine.sources.find((one) => isBelow(one.root, directory))?.id;
    const files = writeNewPackage(directory, made.files);
    return { name: made.name, directory, files, ...(source !== undefined && { source }) };
  }

  /** Our own folder; where the configuration leaves that out, the highest source beside it that it reads. */
  private rootFor(scope: "user" | "project"): string {
    const { dir, home } = this.engine.config;
    const base = scope === "user" ? home : dir;
    const own = join(base, ".repertoire", "skills");
    const read = this.engine.sources.filter((source) => source.scope === scope && isBelow(base, source.root));
    return read.some(({ root }) => root === own) ? own : (read.at(-1)?.root ?? own);
  }
}
