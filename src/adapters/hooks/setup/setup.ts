// Sets a host up: plans the changes, writes them, and undoes them byte for byte.

import { createHash } from "node:crypto";
import { realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBounded, writeFileAtomically } from "../../../engine/engine.ts";
import { codeOf, RepertoireError } from "../../../model/errors.ts";
import { type Edit, unfit } from "./edits.ts";
import { HOST_TABLE, type SetupHost, type SetupPlaces } from "./hosts.ts";

/** One file as it is and as it will be; `undefined` means that there is no file. */
interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a file was before we touched it, and what we made of it. */
interface Kept {
  readonly path: string;
  readonly before: string | null;
  readonly afterDigest: string;
}

/** Returns what setup would write; nothing if the host is set up already. Fails before anything is written. */
export function planSetup(host: SetupHost, places: SetupPlaces): FileChange[] {
  return changesOf(host, places, (edit, before) => edit.add(before));
}

/** Returns what undo would write: a file that was not edited since gets its old bytes, others lose only our entries. */
export function planUndo(host: SetupHost, places: SetupPlaces): FileChange[] {
  const kept = readKept(host, places);
  return changesOf(host, places, (edit, now) => {
    const known = kept.find(({ path }) => path === edit.path);
    if (known && now !== undefined && digestOf(now) === known.afterDigest) return known.before ?? undefined;
    return now === undefined ? undefined : edit.remove(now, known?.before ?? undefined);
  });
}

/**
 * Writes a plan of `planSetup`. What a file was is kept only where taking our entries out would not give it back to
 * the byte: hosts keep private things in these files, and a copy is one more place to guard.
 */
export function applySetup(host: SetupHost, places: SetupPlaces, changes: readonly FileChange[]): void {
  const earlier = readKept(host, places);
  const edits = HOST_TABLE[host].edits(places);
  const kept = changes.flatMap(({ path, before, after = "" }): Kept[] => {
    const known = earlier.find((one) => one.path === path);
    const untouched = known && before !== undefined && digestOf(before) === known.afterDigest;
    const original = untouched ? (known.before ?? undefined) : before;
    if (edits.find((edit) => edit.path === path)?.remove(after) === original) return [];
    return [{ path, before: original ?? null, afterDigest: digestOf(after) }];
  });
  const others = earlier.filter(({ path }) => !changes.some((change) => change.path === path));
  const all = [...others, ...kept];
  if (all.length > 0) writeWhole(keptPath(host, places), `${JSON.stringify(all, null, 2)}\n`);
  writeAll(changes, places);
}

/** Writes a plan of `planUndo`, and forgets. */
export function applyUndo(host: SetupHost, places: SetupPlaces, changes: readonly FileChange[]): void {
  writeAll(changes, places);
  rmSync(keptPath(host, places), { force: true });
}

function changesOf(
  host: SetupHost,
  places: SetupPlaces,
  change: (edit: Edit, before: string | undefined) => string | undefined,
): FileChange[] {
  return HOST_TABLE[host]
    .edits(places)
    .map((edit) => {
      const before = readIfThere(edit.path, places);
      return { path: edit.path, before, after: change(edit, before) };
    })
    .filter(({ before, after }) => before !== after)
    .map(writable);
}

/** Who took the right to write away meant it: a rename would go around that. */
function writable(change: FileChange): FileChange {
  const mode = statSync(change.path, { throwIfNoEntry: false })?.mode ?? OWNER_WRITES;
  if (mode & OWNER_WRITES) return change;
  throw unfit(change.path, "it is read-only", "Make it writable, then run this again.");
}

const OWNER_WRITES = 0o200;

/** All files are looked at again first: a host may have written one since the plan was shown. */
function writeAll(changes: readonly FileChange[], places: SetupPlaces): void {
  for (const { path, before } of changes) {
    if (readIfThere(path, places) === before) continue;
    throw new RepertoireError(
      "setup-changed",
      `${path} has just changed; nothing was written. Run it again.`,
      path,
    );
  }
  for (const { path, after } of changes) {
    if (after === undefined) rmSync(path, { force: true });
    else writeWhole(path, after);
  }
}

/** Old or new, never half; a link stays a link, and the file keeps its mode. */
function writeWhole(path: string, text: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  writeFileAtomically(stats ? realpathSync(path) : path, text, { mode: stats?.mode ?? 0o600 });
}

function readKept(host: SetupHost, places: SetupPlaces): readonly Kept[] {
  const text = readIfThere(keptPath(host, places), places);
  return text === undefined ? [] : (JSON.parse(text) as Kept[]);
}

function keptPath(host: SetupHost, { home }: SetupPlaces): string {
  return join(home, ".repertoire", "setup", `${host}.json`);
}

/** Hosts keep histories in these files, too. */
const HOST_FILE_BYTES = 8 * 1024 * 1024;

/** Follows a link inside the person's home, or inside the project for a file of the project. */
function readIfThere(path: string, { home, dir }: SetupPlaces): string | undefined {
  // The project may be in the home folder, or the other way round: the nearer one counts.
  const isInProject = path.startsWith(dir) && (dir.length > home.length || !path.startsWith(home));
  let bytes: Buffer;
  try {
    bytes = readBounded(path, { maxBytes: HOST_FILE_BYTES, within: isInProject ? dir : home });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw unfit(path, "it is not UTF-8", "Save it as UTF-8 first.");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
