// Known findings: those that a person has looked at, for one content of a package. They are quiet, but counted.

import { readFileSync, statSync } from "node:fs";
import { unlessMissing } from "../disk/disk.ts";
import { RepertoireError } from "../model/errors.ts";
import { isRecord } from "../text/json.ts";
import type { Finding } from "./types.ts";

/** By digest of a package: the rules whose findings are known. */
export type KnownFindings = ReadonlyMap<string, ReadonlySet<string>>;

/** Enough for thousands of packages; a larger file is a mistake. */
const MAX_BYTES = 1024 * 1024;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Reads `{"known": {"<digest>": ["rule-id", …]}}`. A missing file knows nothing. Only the person's own file and one that they name
 * may be read here: a package or a project must not silence findings about itself.
 */
export function readKnownFindings(path: string): KnownFindings {
  const text = unlessMissing(() => readText(path), ["ENOENT", "ENOTDIR"]);
  if (text === undefined) return new Map();
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw new RepertoireError("config-not-json", `${path} is not valid JSON. Correct it or remove it.`, path);
  }
  const known = isRecord(data) ? data.known : undefined;
  const entries = isRecord(known) ? Object.entries(known) : undefined;
  if (!entries?.every(isEntry)) {
    throw new RepertoireError(
      "config-invalid",
      `${path} must have the form {"known": {"DIGEST": ["rule-id"]}}, with whole digests of 64 characters as \`repertoire inspect --json\` prints them.`,
      path,
    );
  }
  return new Map(entries.map(([digest, codes]) => [digest, new Set(codes)]));
}

function readText(path: string): string {
  const stats = statSync(path);
  if (stats.isFile() && stats.size <= MAX_BYTES) return readFileSync(path, "utf8");
  throw new RepertoireError(
    "config-unreadable",
    `${path} must be a regular file of at most ${MAX_BYTES} bytes.`,
    path,
  );
}

function isEntry(entry: [string, unknown]): entry is [string, string[]] {
  const [digest, codes] = entry;
  return DIGEST.test(digest) && Array.isArray(codes) && codes.every((code) => typeof code === "string");
}

/** Splits findings into those that count and those that are known for this digest. */
export function withoutKnown(
  findings: readonly Finding[],
  codes: ReadonlySet<string> | undefined,
): { findings: readonly Finding[]; known: readonly Finding[] } {
  if (!codes) return { findings, known: [] };
  return {
    findings: findings.filter(({ code }) => !codes.has(code)),
    known: findings.filter(({ code }) => codes.has(code)),
  };
}
