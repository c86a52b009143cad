// Makes and removes temporary folders for a script: a writable copy of its package, or home and /tmp without a sandbox.

import { chmod, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";

export function makeScratch(): Promise<string> {
  return mkdtemp(join(tmpdir(), "repertoire-script-"));
}

/** Copies a package, which may be read-only, to a writable one. */
export async function copyWritable(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
  await openUp(to, { files: true });
}

/** Removes a folder, also if a script has removed the permissions on it. */
export async function discard(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(codeOf(error))) throw error;
    await openUp(folder, { files: false });
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Gives the owner all permissions on every folder below, and with `files` on every file; links are not followed. */
async function openUp(folder: string, { files }: { readonly files: boolean }): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openUp(path, { files });
    else if (files && entry.isFile()) await chmod(path, 0o700);
  }
}
