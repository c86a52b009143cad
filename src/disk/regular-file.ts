// How a file is opened that somebody else may have put there: only a regular file of bounded size, without waiting for anybody,
// and on request only if no link leads out of a folder.

import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { codeOf, RepertoireError } from "../model/errors.ts";
import { grouped } from "../text/numbers.ts";
import { isInside } from "./inside.ts";

interface OpenOptions {
  /** The folder that the file must be in, after all links. */
  readonly within?: string | undefined;
  /** True if the path is real: a link that has taken the file's place meanwhile is refused. */
  readonly isReal?: boolean | undefined;
  /** True if it was a regular file a moment ago: it is not looked at again before it is opened. */
  readonly isListed?: boolean | undefined;
}

/** A regular file while it is open. */
interface OpenFile {
  readonly size: number;
  readonly mode: number;
  /** The first bytes, as many as there are up to this number. */
  start(length: number): Buffer;
}

/** Opened without blocking, so that a FIFO cannot hang the process, and never as the terminal of the process. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/**
 * Opens a regular file for `use` and closes it. Fails with `file-not-regular` or `file-link-outside`, or as `openSync` does.
 *
 * @example
 * const head = withRegularFile(path, { within: project }, (file) => file.start(1024));
 */
export function withRegularFile<T>(path: string, options: OpenOptions, use: (file: OpenFile) => T): T {
  const { within, isReal = false, isListed = false } = options;
  const real = within === undefined ? path : realPathInside(path, within);
  // Looked at before it is opened: opening some devices does something, and a writer waits for a FIFO's reader.
  if (!isListed) mustBeRegular(path, statSync(real));
  const file = openSync(real, FLAGS | (isReal || within !== undefined ? NO_LINK : 0));
  try {
    const stats = fstatSync(file);
    mustBeRegular(path, stats);
    if ((isReal || within !== undefined) && realpathSync.native(real) !== real) throw linkOutside(path);
    return use({ size: stats.size, mode: stats.mode, start: (length) => startOf(file, length) });
  } finally {
    closeSync(file);
  }
}

/**
 * The whole content of a regular file. Fails with `file-too-large` beyond `maxBytes`.
 *
 * @example
 * const text = readBounded(path, { maxBytes: 1024 * 1024, within: project }).toString("utf8");
 */
export function readBounded(path: string, options: OpenOptions & { readonly maxBytes: number }): Buffer {
  return withRegularFile(path, options, (file) => {
    if (file.size > options.maxBytes) throw tooLarge(path, file.size, options.maxBytes);
    return file.start(file.size);
  });
}

/** Everything from an open input such as standard input, which may be a pipe. */
export function readInput(file: number, maxBytes: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(PART_BYTES);
    const count = readWaiting(file, part);
    if (count === 0) return Buffer.concat(parts, length);
    length += count;
    if (length > maxBytes) throw tooLarge("the input", length, maxBytes);
    parts.push(part.subarray(0, count));
  }
}

const PART_BYTES = 64 * 1024;

/** A terminal, or a pipe that somebody set so, answers "try again" as long as nothing was typed or written. */
function readWaiting(file: number, part: Buffer): number {
  for (;;) {
    try {
      return readSync(file, part, 0, part.length, null);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
    }
  }
}

const AGAIN_MS = 20;

function startOf(file: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function realPathInside(path: string, folder: string): string {
  const real = realpathSync.native(path);
  if (isInside(realpathSync.native(folder), real)) return real;
  throw linkOutside(path);
}

function mustBeRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return;
  const kind = stats.isDirectory()
    ? "a folder"
    : stats.isFIFO()
      ? "a FIFO"
      : stats.isSocket()
        ? "a socket"
        : "a device";
  const message = `${path} is ${kind}, not a regular file. Put a file in its place, or remove it.`;
  throw new RepertoireError("file-not-regular", message, path);
}

function linkOutside(path: string): RepertoireError {
  const message = `${path} is a link that leads out of its folder. Put a copy of the file in its place.`;
  return new RepertoireError("file-link-outside", message, path);
}

function tooLarge(path: string, size: number, maxBytes: number): RepertoireError {
  const message = `${path} has ${grouped(size)} bytes; more than ${grouped(maxBytes)} are not read. Make it smaller.`;
  return new RepertoireError("file-too-large", message, path);
}
