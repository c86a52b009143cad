// Reads a text file of an activated package for a model, in parts.

import { RepertoireError } from "../model/errors.ts";
import type { PackageSnapshot } from "../package/package.ts";
import { PAYLOAD_LIMITS } from "./limits.ts";

export interface FilePart {
  readonly path: string;
  readonly text: string;
  /** Length of the whole file in characters. */
  readonly length: number;
  readonly offset: number;
  /** The offset of the next part; absent at the end. */
  readonly next?: number | undefined;
}

/** Reads one part of a file. Only files of the consented snapshot are found, so no path leads out of the package. */
export function readTextFile(snapshot: PackageSnapshot, wanted: string, offset = 0): FilePart {
  const path = wanted.replace(/^(?:\.\/)+/, "");
  const file = snapshot.files.get(path);
  if (!file) throw noSuchFile(snapshot, wanted);
  const text = asText(file.bytes);
  if (text === undefined) {
    throw new RepertoireError(
      "file-binary",
      `${path} is not a text file (${file.bytes.length} bytes). Use a script of the skill to work with it.`,
      path,
    );
  }
  const start = Math.min(Math.max(0, Math.floor(offset)), text.length);
  const part = text.slice(start, start + PAYLOAD_LIMITS.readChars);
  const next = start + part.length;
  return {
    path,
    text: part,
    length: text.length,
    offset: start,
    next: next < text.length ? next : undefined,
  };
}

function asText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function noSuchFile({ files }: PackageSnapshot, wanted: string): RepertoireError {
  const listed = [...files.keys()].slice(0, PAYLOAD_LIMITS.files);
  const more = files.size - listed.length;
  return new RepertoireError(
    "file-not-found",
    `The skill has no file "${wanted}". Files: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    wanted,
  );
}
