// What is known about a package outside its folder: its entry in the lock, and the links that show it to other agents. Both
// follow each change and each undo of the package.

import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { unlessMissing } from "../disk/disk.ts";
import type { BesidePackage, PackagePlace, PackageSurroundings } from "../learn/learn.ts";
import type { SkillName } from "../model/name.ts";
import { type LockedPackage, readLock, writeLock } from "./lock.ts";

/** What a version keeps about a package. */
interface KnownPackage extends BesidePackage {
  readonly locked?: LockedPackage | undefined;
  /** Links that lead to the package's folder. */
  readonly links?: readonly string[] | undefined;
}

/** `hostFolders` are the folders of skills of all agents, where links may be. */
export function packageSurroundings(hostFolders: () => readonly string[]): PackageSurroundings {
  return {
    read(place, moved = place): KnownPackage | undefined {
      const locked = readLock(place.root)[nameIn(place)];
      const links = foldersLinkedTo(place, hostFolders()).map((folder) => linkIn(folder, moved));
      if (locked === undefined && links.length === 0) return undefined;
      return { locked, links: links.length > 0 ? links : undefined };
    },
    write(states) {
      const locks = new Map<string, Map<SkillName, LockedPackage | undefined>>();
      for (const state of states) {
        const known = state.beside as KnownPackage | undefined;
        const changes = locks.get(state.root) ?? new Map<SkillName, LockedPackage | undefined>();
        locks.set(state.root, changes.set(nameIn(state), known?.locked));
        if (!existsSync(state.directory))
          for (const folder of foldersLinkedTo(state, hostFolders())) unlinkSync(linkIn(folder, state));
        else for (const link of known?.links ?? []) makeLink(link, state.directory);
      }
      for (const [root, changes] of locks) writeLock(root, changes);
    },
  };
}

function nameIn({ directory, root }: PackagePlace): SkillName {
  return relative(root, directory).split(sep).join("/");
}

/** The folders with a link to the package's folder, under its own name. */
function foldersLinkedTo(place: PackagePlace, folders: readonly string[]): string[] {
  return folders.filter(
    (folder) => folder !== place.root && leadsTo(linkIn(folder, place)) === place.directory,
  );
}

function linkIn(folder: string, place: PackagePlace): string {
  return join(folder, ...nameIn(place).split("/"));
}

/** Where a link leads; undefined if there is no link. */
export function leadsTo(path: string): string | undefined {
  const stats = unlessMissing(() => lstatSync(path), ["ENOENT", "ENOTDIR", "EACCES"]);
  return stats?.isSymbolicLink() ? resolve(dirname(path), readlinkSync(path)) : undefined;
}

/** Makes a link to a folder; leaves what is there already. Returns whether the link is there now. */
export function makeLink(link: string, directory: string): boolean {
  mkdirSync(dirname(link), { recursive: true });
  try {
    const target = relative(dirname(link), directory);
    symlinkSync(process.platform === "win32" ? directory : target, link, "junction");
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    return leadsTo(link) === directory;
  }
}
