// Owns the index's life on disk: one file for the whole, and a small one beside it for the changes since.
// Does not own the format (snapshot.ts), nor what the index answers.

import { rmSync } from "node:fs";
import { LiveSegment } from "./lexical-index-live.ts";
import type { Segment } from "./lexical-index-segment.ts";
import { compacted, type Stack } from "./lexical-index-upkeep.ts";
import {
  openSnapshot,
  type Snapshot,
  type SnapshotLabel,
  type SnapshotProblem,
  writeSnapshot,
} from "./snapshot.ts";
import { DamagedSnapshot } from "./snapshot-bytes.ts";

/** Changes up to this share of the saved index are written beside it, instead of writing it all again. */
const BESIDE_SHARE = 1 / 8;

export interface IndexProblem {
  code: SnapshotProblem["code"] | "index-mismatch" | "index-unwritable";
  message: string;
}

export type Label = Pick<SnapshotLabel, "params" | "embedder" | "dims" | "stamp">;

export interface Stored {
  path: string;
  /** Identity of the whole file, which the changes beside it must name. */
  id: string;
  /** The lowest segments of the stack, as they are in the whole file. */
  segments: Segment[];
  stamp: string;
  close(): void;
}

export function openStored(
  path: string,
  wanted: Label,
): { stack: Stack; stored: Stored } | { problem: IndexProblem } {
  const opened = openSnapshot(path);
  if ("problem" in opened) return opened;
  const whole = opened.snapshot;
  const unlike = difference(whole.label, wanted);
  if (unlike !== undefined) {
    whole.close();
    return { problem: { code: "index-mismatch", message: `${path}: ${unlike}. Rebuild the index.` } };
  }
  const segments = whole.segments.map(({ segment }) => segment);
  const stored = { path, id: whole.id, segments, stamp: whole.label.stamp, close: () => whole.close() };
  const later = openBeside(path, whole, wanted);
  if (later === undefined) {
    return { stack: whole.segments.map(({ segment, dead }) => new LiveSegment(segment, dead)), stored };
  }
  const kept = segments.map((segment, s) => new LiveSegment(segment, later.label.removed?.[s] ?? []));
  const added = later.segments.map(({ segment, dead }) => new LiveSegment(segment, dead));
  const close = () => {
    whole.close();
    later.close();
  };
  return { stack: [...kept, ...added], stored: { ...stored, stamp: later.label.stamp, close } };
}

/** Changes to another whole come from a process that was overtaken; without them the whole is right, only older. */
function openBeside(path: string, whole: Snapshot, wanted: Label): Snapshot | undefined {
  const opened = openSnapshot(besidePath(path));
  if ("problem" in opened) return undefined;
  const later = opened.snapshot;
  if (later.label.base === whole.id && difference(later.label, wanted) === undefined) return later;
  later.close();
  return undefined;
}

function difference(found: Label, wanted: Label): string | undefined {
  if (found.params !== wanted.params) return "made with other parameters";
  if (found.embedder === wanted.embedder && found.dims === wanted.dims) return undefined;
  return `made with embedder "${found.embedder}" of ${found.dims} dimensions, not "${wanted.embedder}" of ${wanted.dims}`;
}

export function fitsBeside(stack: Stack, stored: Stored, path: string): boolean {
  if (stored.path !== path || stored.segments.some((segment, s) => stack[s]?.segment !== segment))
    return false;
  const saved = stored.segments.reduce((sum, s) => sum + s.shape.documents, 0);
  const added = stack.slice(stored.segments.length).reduce((sum, s) => sum + s.size, 0);
  return added <= saved * BESIDE_SHARE;
}

export function saveBeside(stack: Stack, stored: Stored, label: Label): void {
  const kept = stack.slice(0, stored.segments.length);
  const added = stack.slice(stored.segments.length);
  const removed = kept.map((s) => [...s.deadDocs]);
  writeSnapshot(besidePath(stored.path), { ...label, base: stored.id, removed }, added.map(layer));
}

/** Afterwards the stack lies in the new file. Undefined when another process has already put its own there. */
export function saveWhole(
  stack: Stack,
  path: string,
  label: Label,
): { stack: Stack; stored: Stored } | undefined {
  const id = writeSnapshot(path, label, compacted(stack, label.dims).map(layer));
  rmSync(besidePath(path), { force: true });
  const opened = openStored(path, label);
  if ("problem" in opened) throw new DamagedSnapshot(opened.problem.message);
  if (opened.stored.id === id) return opened;
  opened.stored.close();
  return undefined;
}

function layer({ segment, deadDocs }: LiveSegment): { segment: Segment; dead: readonly number[] } {
  return { segment, dead: deadDocs };
}

function besidePath(path: string): string {
  return `${path}.delta`;
}
