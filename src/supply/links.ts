// Makes a skill visible to agents that look elsewhere: a link in their folder of skills that leads to the skill's own folder.

import { existsSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostFolders } from "../discover/discover.ts";
import { RepertoireError } from "../model/errors.ts";
import { lastSegment } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { didYouMean, nearTo } from "../text/near.ts";
import { leadsTo, makeLink } from "./surroundings.ts";

export interface LinkRequest {
  /** Names of agents; unless given, all whose settings folder is on this machine. */
  readonly hosts?: readonly string[] | undefined;
  /** In the project's folders of these agents instead of the person's. */
  readonly project?: boolean | undefined;
  /** Remove the links instead. */
  readonly off?: boolean | undefined;
}

export interface LinkReport {
  readonly host: string;
  readonly path: string;
  /** `own`: the skill is in that folder itself; `taken`: something else is there. */
  readonly result: "linked" | "unlinked" | "there" | "own" | "taken" | "none";
}

/** Makes or removes the links of one skill. */
export function linkSkillFor(
  skill: Skill,
  { home, project }: { readonly home: string; readonly project: string },
  { hosts, project: inProject = false, off = false }: LinkRequest,
): LinkReport[] {
  const scope = inProject ? "project" : "user";
  const known = hostFolders({ home, project }).filter((each) => each[scope] !== undefined);
  for (const host of hosts ?? []) {
    if (known.some((each) => each.host === host)) continue;
    const names = known.map((each) => each.host);
    throw new RepertoireError(
      "host-unknown",
      `"${host}" is not an agent that is known.${didYouMean(nearTo(host, names))} Known: ${names.join(", ")}.`,
      host,
    );
  }
  return known
    .filter(({ host, [scope]: folder }) => hosts?.includes(host) ?? existsSync(dirname(folder!)))
    .map(({ host, [scope]: folder }) => {
      const path = join(folder!, lastSegment(skill.name));
      return { host, path, result: linked(path, skill.directory, off) };
    });
}

function linked(path: string, directory: string, off: boolean): LinkReport["result"] {
  if (path === directory) return "own";
  const isOurs = leadsTo(path) === directory;
  if (off) {
    if (isOurs) unlinkSync(path);
    return isOurs ? "unlinked" : "none";
  }
  if (isOurs) return "there";
  return makeLink(path, directory) ? "linked" : "taken";
}
