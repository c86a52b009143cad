// Owns throw-away folders: a writable copy of a package, a private home and /tmp where there is no sandbox.
// Does not own what runs in them.

import { chmod, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";

export function makeScratch(): Promise<string> {
  return mkdtemp(join(tmpdir(), "repertoire-script-"));
}

/** A mounted package may be read-only; its copy is not. */
export async function copyWritable(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await openUp(to, { files: true });
}

/** Also where a script has locked its folders behind it. */
export async function discard(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(codeOf(error))) throw error;
    await openUp(folder, { files: false });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Gives the owner every folder below, and on demand every file; links are not followed. */
async function openUp(folder: string, { files }: { readonly files: boolean }): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openUp(path, { files });
    else if (files && entry.isFile()) await chmod(path, 0o700);
  }
}
