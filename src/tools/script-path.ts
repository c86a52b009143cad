// Finds the file of a script inside a mounted package.

import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import { isInside } from "../disk/disk.ts";
import { EXTENSIONS } from "./interpreter.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { realPathOrNothing, unsafePath } from "./package-path.ts";

type LocatedScript =
  | {
      readonly ok: true;
      /** The mount and the script as real paths. */
      readonly mount: string;
      readonly file: string;
      readonly firstLine: string;
    }
  | { readonly ok: false; readonly message: string };

/** Finds a script by path (`scripts/report.py`) or name (`report.py`). Files outside the package are not found. */
export async function locateScript(mountPath: string, script: string): Promise<LocatedScript> {
  const mount = await realPathOrNothing(mountPath);
  if (mount === undefined) {
    return refused(`The package is not mounted at ${mountPath}. Activate the skill again.`);
  }
  const problem = unsafePath(script);
  if (problem) {
    return refused(`"${script}" is not a script of the package: ${problem}. ${await choices(mount)}`);
  }
  for (const candidate of [script, join("scripts", script)]) {
    const file = await realPathOrNothing(join(mount, candidate));
    if (file === undefined) continue;
    if (!isInside(mount, file)) {
      return refused(`"${script}" is a link that leaves the package. ${await choices(mount)}`);
    }
    if (!(await lstat(file)).isFile()) continue;
    return { ok: true, mount, file, firstLine: await readFirstLine(file) };
  }
  return refused(`The package has no script "${script}". ${await choices(mount)}`);
}

function refused(message: string): LocatedScript {
  return { ok: false, message };
}

async function readFirstLine(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(SCRIPT_LIMITS.shebangBytes), 0);
    return buffer.toString("utf8", 0, bytesRead).split("\n", 1)[0] ?? "";
  } finally {
    await handle.close();
  }
}

async function choices(mount: string): Promise<string> {
  const scripts = await runnableFiles(mount);
  if (scripts.length === 0) return "The package has no scripts.";
  const listed = scripts.slice(0, SCRIPT_LIMITS.listedScripts);
  const more = scripts.length - listed.length;
  return `Scripts: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

async function runnableFiles(mount: string): Promise<string[]> {
  const found: string[] = [];
  const folders = [""];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of await readdir(join(mount, folder), { withFileTypes: true })) {
      seen += 1;
      if (seen > SCRIPT_LIMITS.scannedFiles) return found.sort();
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() && EXTENSIONS.has(extname(entry.name)) && !path.startsWith("toolsets/"))
        found.push(path);
    }
  }
  return found.sort();
}
