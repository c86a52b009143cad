// Owns the bytes of all versions, as files named by their SHA-256. Files and not rows, so that a damaged database
// costs no version. Does not own what the bytes belong to: version records do.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../disk/disk.ts";
import type { BlobStore } from "../learn/learn.ts";
import { codeOf } from "../model/errors.ts";

export class BlobFiles implements BlobStore {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  put(bytes: Uint8Array): string {
    const sha256 = sha256Of(bytes);
    if (this.get(sha256) === undefined) writeFileAtomically(this.path(sha256), bytes);
    return sha256;
  }

  get(sha256: string): Uint8Array | undefined {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    try {
      const bytes = readFileSync(this.path(sha256));
      return sha256Of(bytes) === sha256 ? bytes : undefined;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  private path(sha256: string): string {
    return join(this.directory, sha256.slice(0, 2), sha256.slice(2));
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
