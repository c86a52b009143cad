// Owns what a person does with the library outside a turn: look, check, make, switch, list the places.
// Composes stages like the engine does, and like it has no logic of its own.

import { join, resolve } from "node:path";
import { switchSkill } from "../config/config.ts";
import { isBelow } from "../disk/disk.ts";
import { scaffold, type Template } from "../learn/learn.ts";
import { checkSkills, reportSkill, reportSources, type SkillReport } from "../library/library.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SkillName } from "../model/name.ts";
import { writeNewPackage } from "../package/package.ts";
import type { Profile } from "../parse/parse.ts";
import { readyPatterns, triggerFindings } from "../recall/recall.ts";
import type { Repertoire } from "./engine.ts";

export class Management {
  private readonly engine: Repertoire;

  constructor(engine: Repertoire) {
    this.engine = engine;
  }

  /** One skill for a person: its state, instructions, files, direct children and findings. */
  async show(name: string): Promise<SkillReport> {
    return reportSkill(await this.engine.look(), name, (skill) => this.engine.body(skill));
  }

  /** Findings about the skill or skills at a path, or about all. */
  async check(options: { readonly path?: string | undefined; readonly profile: Profile }) {
    await readyPatterns();
    const { path, profile } = options;
    const { sources, config } = this.engine;
    const where = path === undefined ? { sources } : { path: resolve(config.dir, path) };
    const { onProgress } = this.engine.options;
    return checkSkills(where, { profile, also: triggerFindings, onProgress });
  }

  /** Every finding about the library: broken files, shadowed names, and triggers that conflict or cannot work. */
  async findings(): Promise<Diagnostic[]> {
    await readyPatterns();
    const { library } = await this.engine.look();
    return [...library.diagnostics, ...triggerFindings([...library.skills.values()])];
  }

  /** Every source with how many skills it has. */
  async sources() {
    return reportSources((await this.engine.look()).library, this.engine.sources);
  }

  /** Switches a skill on or off in the person's configuration, and at once in this engine. */
  async setEnabled(name: string, on: boolean): Promise<{ name: SkillName; file: string }> {
    const library = await this.engine.reader.currentFor(name);
    const skill = library.find(name) ?? (await this.engine.find(name, "person"));
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
