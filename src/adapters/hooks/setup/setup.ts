// Sets a host up: plans the changes, writes them, and undoes them byte for byte.

import { createHash } from "node:crypto";
import { realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside, readBounded, writeFileAtomically } from "../../../engine/engine.ts";
import { codeOf, RepertoireError } from "../../../model/errors.ts";
import { type Edit, unfit } from "./edits.ts";
import { hostEdits, type SetupHost, type SetupMode, type SetupPlaces } from "./hosts.ts";

/** One file as it is and as it will be; `undefined` means that there is no file. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What a file was before we touched it, and what we made of it. */
interface KeptFile {
  readonly path: string;
  readonly before: string | null;
  readonly afterDigest: string;
}

/** What undo needs to know of a setup. */
interface Kept {
  readonly mode: SetupMode;
  readonly files: readonly KeptFile[];
  /** The folders that we made, outermost first. */
  readonly folders: readonly string[];
}

const NOTHING_KEPT: Kept = { mode: "complement", files: [], folders: [] };

/** An edit, and whether the mode wants it. */
interface WantedEdit {
  readonly edit: Edit;
  readonly wanted: boolean;
}

/** Returns what setup would write in a mode, by default that of the last setup; nothing if the host is set up already. Fails before anything is written. */
export function planSetup(
  host: SetupHost,
  places: SetupPlaces,
  chosen?: SetupMode | undefined,
): FileChange[] {
  const kept = readKept(host, places);
  const mode = chosen ?? kept.mode;
  return changesOf(wantedEdits(host, places, { mode, kept }), places, (edits, { path, text }) => {
    const { before } = keptOf(kept, path);
    return edits.reduce<string | undefined>((now, { edit, wanted }) => {
      if (wanted) return edit.add(now);
      return now === undefined ? undefined : edit.remove(now, before);
    }, text);
  });
}

/** Returns what undo would write: a file that was not edited since gets its old bytes, others lose only our entries. */
export function planUndo(host: SetupHost, places: SetupPlaces): FileChange[] {
  const kept = readKept(host, places);
  const edits = wantedEdits(host, places, { mode: kept.mode, kept });
  return changesOf(edits, places, (ours, { path, text }) => originalOf(ours, { kept, path, text }));
}

/**
 * Writes a plan of `planSetup`. What a file was is kept only where taking our entries out would not give it back to
 * the byte: hosts keep private things in these files, and a copy is one more place to guard.
 */
export function applySetup(
  host: SetupHost,
  places: SetupPlaces,
  {
    changes,
    mode: chosen,
  }: { readonly changes: readonly FileChange[]; readonly mode?: SetupMode | undefined },
): void {
  const earlier = readKept(host, places);
  const mode = chosen ?? earlier.mode;
  const edits = grouped(wantedEdits(host, places, { mode, kept: earlier }));
  const files = changes.flatMap(({ path, before, after }): KeptFile[] => {
    const ours = edits.get(path) ?? [];
    const original = originalOf(ours, { kept: earlier, path, text: before });
    if (after === undefined || withoutOurs(ours, after, undefined) === original) return [];
    return [{ path, before: original ?? null, afterDigest: digestOf(after) }];
  });
  const others = earlier.files.filter(({ path }) => !changes.some((change) => change.path === path));
  const record = keptPath(host, places);
  const written = changes.filter(({ after }) => after !== undefined).map(({ path }) => path);
  const folders = [...earlier.folders, ...[...written, record].flatMap(missingFolders)];
  const kept = { mode, files: [...others, ...files], folders: [...new Set(folders)] };
  const isWorthKeeping =
    mode !== "complement" || kept.files.length > 0 || written.flatMap(missingFolders).length > 0;
  checkUnchanged(changes, places);
  if (isWorthKeeping || earlier.folders.length > 0) writeWhole(record, `${JSON.stringify(kept, null, 2)}\n`);
  else rmSync(record, { force: true });
  writeAll(changes);
}

/** Writes a plan of `planUndo`, removes the folders that we made and left empty, and forgets. */
export function applyUndo(
  host: SetupHost,
  places: SetupPlaces,
  { changes }: { readonly changes: readonly FileChange[] },
): void {
  const { folders } = readKept(host, places);
  checkUnchanged(changes, places);
  writeAll(changes);
  rmSync(keptPath(host, places), { force: true });
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) removeIfEmpty(folder);
}

/** Whether a host's files have our entries, and the mode of the last setup. */
export function setupState(
  host: SetupHost,
  places: SetupPlaces,
): { readonly mode: SetupMode; readonly server: boolean; readonly hooks: boolean } {
  const { mode } = readKept(host, places);
  const { server, hooks } = hostEdits(host, places, mode);
  const areThere = (edits: readonly Edit[]) =>
    edits.length > 0 &&
    edits.every((edit) => {
      const text = readIfThere(edit.path, places);
      return text !== undefined && edit.has(text);
    });
  return { mode, server: areThere(server), hooks: areThere(hooks) };
}

/** All edits of a host. One that the mode does not want is removed; the host's own switches only if we set them. */
function wantedEdits(
  host: SetupHost,
  places: SetupPlaces,
  { mode, kept }: { readonly mode: SetupMode; readonly kept: Kept },
): readonly WantedEdit[] {
  const { server, hooks, replacing } = hostEdits(host, places, mode);
  const replaces = mode === "replace";
  return [
    ...server.map((edit) => ({ edit, wanted: true })),
    ...hooks.map((edit) => ({ edit, wanted: mode !== "off" })),
    ...(replaces || kept.mode === "replace" ? replacing : []).map((edit) => ({ edit, wanted: replaces })),
  ];
}

/** The text without our entries. A file that was not edited since we wrote it gets its old bytes. */
function originalOf(
  edits: readonly WantedEdit[],
  { kept, path, text }: { readonly kept: Kept; readonly path: string; readonly text: string | undefined },
): string | undefined {
  const { file, before } = keptOf(kept, path);
  if (text === undefined) return undefined;
  if (file && digestOf(text) === file.afterDigest) return before;
  return withoutOurs(edits, text, before);
}

function withoutOurs(
  edits: readonly WantedEdit[],
  text: string,
  before: string | undefined,
): string | undefined {
  return edits.reduceRight<string | undefined>(
    (now, { edit }) => (now === undefined ? undefined : edit.remove(now, before)),
    text,
  );
}

function keptOf(
  kept: Kept,
  path: string,
): { readonly file?: KeptFile | undefined; readonly before?: string | undefined } {
  const file = kept.files.find((one) => one.path === path);
  return { file, before: file?.before ?? undefined };
}

function grouped(edits: readonly WantedEdit[]): ReadonlyMap<string, readonly WantedEdit[]> {
  const paths = new Set(edits.map(({ edit }) => edit.path));
  return new Map([...paths].map((path) => [path, edits.filter(({ edit }) => edit.path === path)]));
}

function changesOf(
  edits: readonly WantedEdit[],
  places: SetupPlaces,
  change: (
    edits: readonly WantedEdit[],
    file: { readonly path: string; readonly text: string | undefined },
  ) => string | undefined,
): FileChange[] {
  return [...grouped(edits)]
    .map(([path, ours]) => {
      const before = readIfThere(path, places);
      return { path, before, after: change(ours, { path, text: before }) };
    })
    .filter(({ before, after }) => before !== after)
    .map(writable);
}

/** Refuses a read-only file: replacing it by a rename would ignore that its owner protected it. */
function writable(change: FileChange): FileChange {
  const mode = statSync(change.path, { throwIfNoEntry: false })?.mode ?? OWNER_WRITES;
  if (mode & OWNER_WRITES) return change;
  throw unfit(change.path, "it is read-only", "Make it writable, then run this again.");
}

const OWNER_WRITES = 0o200;

/** A host may have written a file since the plan was shown. */
function checkUnchanged(changes: readonly FileChange[], places: SetupPlaces): void {
  for (const { path, before } of changes) {
    if (readIfThere(path, places) === before) continue;
    throw new RepertoireError(
      "setup-changed",
      `${path} has just changed; nothing was written. Run it again.`,
      path,
    );
  }
}

function writeAll(changes: readonly FileChange[]): void {
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

/** The folders above a path that do not exist yet, outermost first. */
function missingFolders(path: string): string[] {
  const folder = dirname(path);
  if (folder === path || statSync(folder, { throwIfNoEntry: false })) return [];
  return [...missingFolders(folder), folder];
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (thrown) {
    // Somebody else has put something there, or has removed it.
    if (!["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"].includes(codeOf(thrown))) throw thrown;
  }
}

function readKept(host: SetupHost, places: SetupPlaces): Kept {
  const text = readIfThere(keptPath(host, places), places);
  if (text === undefined) return NOTHING_KEPT;
  const kept = JSON.parse(text) as Kept | Kept["files"];
  return "files" in kept ? kept : { ...NOTHING_KEPT, files: kept };
}

function keptPath(host: SetupHost, { home }: SetupPlaces): string {
  return join(home, ".repertoire", "setup", `${host}.json`);
}

/** Hosts keep histories in these files, too. */
const HOST_FILE_BYTES = 8 * 1024 * 1024;

/** Follows a link inside the person's home, or inside the project for a file of the project. */
function readIfThere(path: string, { home, dir }: SetupPlaces): string | undefined {
  // The project may be in the home folder, or the other way round: the nearer one counts. A variable may lead elsewhere.
  const holders = [home, dir, dirname(path)].filter((folder) => isInside(folder, path));
  const [within] = holders.sort((a, b) =>
    a === dirname(path) ? 1 : b === dirname(path) ? -1 : b.length - a.length,
  );
  let bytes: Buffer;
  try {
    bytes = readBounded(path, { maxBytes: HOST_FILE_BYTES, within });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw unfit(path, "it is not UTF-8", "Save it as UTF-8 first.");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
