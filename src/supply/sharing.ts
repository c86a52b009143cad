// Gives skills to others: to other agents on this machine, as a file or folder, or as a repository.

import { resolve } from "node:path";
import type { Skill } from "../model/skill.ts";
import { type LinkReport, type LinkRequest, linkSkillFor } from "./links.ts";
import {
  type ExportReport,
  type ExportRequest,
  exportSkills,
  type PublishReport,
  prepareRepository,
} from "./outgoing.ts";

interface SharingNeeds {
  readonly home: string;
  readonly project: string;
  /** A skill by any of its names; fails with what could be meant. */
  readonly find: (name: string) => Promise<Skill>;
}

export class Sharing {
  private readonly needs: SharingNeeds;

  constructor(needs: SharingNeeds) {
    this.needs = needs;
  }

  /**
   * Makes a skill visible to agents that look elsewhere, by a link in their folders.
   *
   * @example
   * const links = await skills.sharing.link("pdf-tables", { hosts: ["claude"] });
   */
  async link(name: string, request: LinkRequest = {}): Promise<LinkReport[]> {
    const { home, project, find } = this.needs;
    return linkSkillFor(await find(name), { home, project }, request);
  }

  /**
   * Packs skills as a folder, an archive or a plugin. Overwrites nothing.
   *
   * @example
   * const { path } = await skills.sharing.export(["write-changelog"], { to: "write-changelog.skill" });
   */
  async export(names: readonly string[], { to, plugin }: ExportRequest): Promise<ExportReport> {
    return exportSkills(await this.all(names), { to: resolve(this.needs.project, to), plugin });
  }

  /**
   * Makes a folder ready to be pushed as a repository of skills: packages, marketplace file, list in the README. Pushes nothing.
   *
   * @example
   * const { written } = await skills.sharing.publish("shared-skills", ["write-changelog"]);
   */
  async publish(folder: string, names: readonly string[] = []): Promise<PublishReport> {
    return prepareRepository(resolve(this.needs.project, folder), await this.all(names));
  }

  private async all(names: readonly string[]): Promise<Skill[]> {
    const found: Skill[] = [];
    for (const name of names) found.push(await this.needs.find(name));
    return found;
  }
}
