// Keeps versions, their bytes and old names in memory.

import { createHash } from "node:crypto";
import {
  type BlobStore,
  followRedirects,
  type RedirectRecord,
  type RedirectStore,
  type VersionRecord,
  type VersionStore,
} from "../../learn/learn.ts";
import type { SkillName } from "../../model/name.ts";
import { sortedBy } from "./sorted.ts";

export function memoryVersions(): VersionStore {
  const versions = new Map<string, VersionRecord>();
  return {
    add(version) {
      if (!versions.has(version.id)) versions.set(version.id, structuredClone(version));
    },
    get: (id) => versions.get(id),
    list({ name, batch, limit = Number.POSITIVE_INFINITY }) {
      const fitting = [...versions.values()].filter(
        (each) => (name === undefined || each.name === name) && (batch === undefined || each.batch === batch),
      );
      return fitting.reverse().slice(0, limit);
    },
    heads() {
      const newest = new Map([...versions.values()].map((each) => [each.name, each]));
      return sortedBy([...newest.values()], ({ name }) => name);
    },
  };
}

export function memoryBlobs(): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    put(bytes) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      if (!blobs.has(sha256)) blobs.set(sha256, bytes.slice());
      return sha256;
    },
    get: (sha256) => blobs.get(sha256)?.slice(),
  };
}

export function memoryRedirects(): RedirectStore {
  const redirects = new Map<SkillName, RedirectRecord>();
  return {
    put: (redirect) => void redirects.set(redirect.from, { ...redirect }),
    resolve: (name) => followRedirects(name, (from) => redirects.get(from)?.to),
    list: () => sortedBy([...redirects.values()], ({ from }) => from),
    remove: (from) => redirects.delete(from),
  };
}
