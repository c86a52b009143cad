// Owns where learned skills stand: which folder a version belongs to. Does not own the files in it.

import { join } from "node:path";
import type { SkillName } from "../model/name.ts";
import type { VersionRecord } from "./version-store.ts";

/** A learned skill's name and root. Without a root: the home folder's, wherever that is, so that it can move. */
export interface Place {
  readonly name: SkillName;
  readonly root?: string | undefined;
}

/** The folders that learned skills are written to. */
export interface Roots {
  readonly all: readonly string[];
  path(root: string | undefined): string;
}

/** `project` is left out where it is the home folder's own. */
export function rootsOf(home: string, project: string | undefined): Roots {
  return {
    all: project === undefined || project === home ? [home] : [home, project],
    path: (root) => root ?? home,
  };
}

export function placeOf(version: VersionRecord): Place {
  const root = version.data?.root;
  return typeof root === "string" ? { name: version.name, root } : { name: version.name };
}

export function withRoot(
  data: Readonly<Record<string, unknown>> | undefined,
  place: Place,
): Readonly<Record<string, unknown>> | undefined {
  return place.root === undefined ? data : { ...data, root: place.root };
}

export function directoryOf(roots: Roots, place: Place): string {
  return join(roots.path(place.root), ...place.name.split("/"));
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.name === b.name && a.root === b.root;
}
