// Finds what a person means by a word that may be a skill's name or a path.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RepertoireError } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { type InspectionPlace, placesAt } from "./inspections.ts";

interface TargetNeeds {
  /** Relative paths are below it. */
  readonly dir: string;
  /** A skill by any of its names, in any state. */
  readonly find: (name: string) => Promise<Skill | undefined>;
  /** The skills whose names are offered for an unknown one. */
  readonly offered: () => Promise<readonly Skill[]>;
}

export class Targets {
  private readonly needs: TargetNeeds;

  constructor(needs: TargetNeeds) {
    this.needs = needs;
  }

  /** A path that exists, or the folder of the skill of this name. */
  async path(asked: string): Promise<string> {
    const path = resolve(this.needs.dir, asked);
    if (existsSync(path)) return path;
    const skill = await this.skill(asked);
    if (skill) return skill.directory;
    throw await this.nothingAt(path, asked);
  }

  /** The package of the skill of this name, or the packages at this path. */
  async places(asked: string): Promise<InspectionPlace[]> {
    const skill = await this.skill(asked);
    if (skill) return [{ name: skill.name, path: skill.directory, kind: "folder" }];
    const path = resolve(this.needs.dir, asked);
    const places = await placesAt(path);
    if (places) return places;
    throw await this.nothingAt(path, asked);
  }

  private async skill(asked: string): Promise<Skill | undefined> {
    return isPath(asked) ? undefined : this.needs.find(asked);
  }

  /** With the names that were perhaps meant: files beside the path, and skills. */
  private async nothingAt(path: string, asked: string): Promise<RepertoireError> {
    const folder = dirname(path);
    const beside = existsSync(folder) ? readdirSync(folder).map((name) => join(dirname(asked), name)) : [];
    const skills = isPath(asked) ? [] : (await this.needs.offered()).map(({ name }) => name);
    const near = nearTo(asked, [...skills, ...beside]);
    return new RepertoireError("path-not-found", `There is nothing at ${path}.${didYouMean(near)}`, asked);
  }
}

/** Whether a text can only be a path, not the name of a skill. */
function isPath(text: string): boolean {
  return /^[.~/\\]|^[a-z]:/i.test(text);
}
