// The skills whose files this machine is writing: until the change has counted, their files may be of a version that never
// comes to be.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DISK,
  makeFolder,
  PRIVATE_FOLDER,
  removeFile,
  unlessMissing,
  writeFileAtomically,
} from "../disk/disk.ts";
import type { SkillName } from "../model/name.ts";
import { jsonIn } from "../text/json.ts";

export class UnsettledSkills {
  private readonly folder: string;

  /** `folder` is that of the mirror. */
  constructor(folder: string) {
    this.folder = folder;
  }

  names(): Set<SkillName> {
    const text = unlessMissing(() => readFileSync(this.path, "utf8"), ["ENOENT", "ENOTDIR"]);
    const names = jsonIn(text ?? "");
    return new Set(Array.isArray(names) ? names : []);
  }

  add(names: readonly SkillName[]): void {
    makeFolder(this.folder, PRIVATE_FOLDER);
    writeFileAtomically(this.path, JSON.stringify([...new Set([...this.names(), ...names])]));
  }

  clear(): void {
    removeFile(DISK, this.path);
  }

  private get path(): string {
    return join(this.folder, "writing.json");
  }
}
