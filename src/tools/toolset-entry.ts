// Resolves a toolset entry of a manifest, `toolsets/index:MyTools`, to a module inside the package.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../disk/disk.ts";
import { realPathOrNothing, unsafePath } from "./package-path.ts";
import type { EntryProblem, ToolsetEntry } from "./toolset-protocol.ts";

const SCHEME = /^(node|bun|deno|npm|jsr|file|data|blob|https?):/i;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const MODULE = /\.[cm]?[jt]s$/;
/** Tried in this order for a path without an extension. */
const EXTENSIONS = [".ts", ".mts", ".js", ".mjs", ".cjs"];
const FORM = 'Write "toolsets/index:ExportName" with a path inside the package.';

/** The module of an entry, or why there is none. Nothing of it is executed. */
export async function resolveEntry(mountPath: string, written: string): Promise<ToolsetEntry | EntryProblem> {
  const colon = written.lastIndexOf(":");
  const path = (colon < 0 ? written : written.slice(0, colon)).trim();
  const exported = colon < 0 ? "default" : written.slice(colon + 1).trim();
  const unsafe = SCHEME.test(written) ? "the path must be relative to the package" : unsafePath(path);
  if (unsafe) return rejected(written, unsafe);
  if (!IDENTIFIER.test(exported)) {
    return {
      code: "toolset-entry-invalid",
      message: `"${exported}" in the toolset "${written}" is not a name that a module can export.`,
      fix: FORM,
    };
  }
  const mount = await realPathOrNothing(mountPath);
  for (const candidate of mount === undefined ? [] : candidates(path)) {
    const file = await realPathOrNothing(join(mount ?? "", candidate));
    if (file === undefined) continue;
    if (!isInside(mount ?? "", file)) return rejected(written, "it is a link that leaves the package");
    if ((await stat(file)).isFile() && MODULE.test(file)) return { written, path: candidate, file, exported };
  }
  return {
    code: "toolset-not-found",
    message: `The package has no module for the toolset "${written}".`,
    fix: `Add ${candidates(path).slice(0, 3).join(" or ")}, or correct the entry.`,
  };
}

function candidates(path: string): string[] {
  if (MODULE.test(path)) return [path];
  return [
    ...EXTENSIONS.map((ending) => path + ending),
    ...EXTENSIONS.map((ending) => `${path}/index${ending}`),
  ];
}

function rejected(written: string, why: string): EntryProblem {
  return {
    code: "toolset-path-refused",
    message: `The toolset "${written}" is rejected: ${why}.`,
    fix: FORM,
  };
}
