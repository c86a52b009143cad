// Keeps inspections between runs, by digest of the package. Another build of the rules starts with an empty cache.
//
// Beside it is a short list of the dangerous packages by the digest of their SKILL.md, which every process can afford to read before
// it shows a description.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import { CATEGORIES } from "./categories.ts";
import type { Inspection } from "./types.ts";
import { verdictOf } from "./verdict.ts";

/** Older inspections are dropped first. A clean package takes about 150 bytes. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The list of dangerous packages, beside the cache. */
const DANGERS = "dangerous.json";
const MAX_DANGERS = 5_000;
const MAX_COPIES = 20;
const NONE: ReadonlySet<string> = new Set();

/** What is computed from the rest is not kept. */
type Kept = Pick<Inspection, "findings" | "addresses" | "scripts" | "unscanned">;

export class InspectionCache {
  /** Names the rules. */
  readonly build: string;
  private readonly path: string;
  private entries: Map<string, Kept> | undefined;
  private changed = false;
  /** Digests of dangerous packages by the digest of their SKILL.md. */
  private dangers: Map<string, ReadonlySet<string>> | undefined;
  private found: [skill: string, digest: string][] = [];

  /** `build` names the rules: it differs whenever they do. */
  constructor(path: string, build: string) {
    this.path = path;
    this.build = build;
  }

  has(digest: string): boolean {
    return this.loaded().has(digest);
  }

  get(digest: string): Inspection | undefined {
    const kept = this.loaded().get(digest);
    return kept && { ...kept, verdict: verdictOf(kept) };
  }

  set(digest: string, { findings, addresses, scripts, unscanned }: Inspection): void {
    const entries = this.loaded();
    entries.delete(digest);
    entries.set(digest, { findings, addresses, scripts, unscanned });
    this.changed = true;
  }

  /** Keeps that a package is dangerous, for whoever only knows its SKILL.md so far. */
  addDanger(skill: string, digest: string): void {
    if (!this.dangersOf(skill).has(digest)) this.found.push([skill, digest]);
  }

  /** Reads the list of dangerous packages again when it is next asked for: another process may have added to it. */
  refreshDangers(): void {
    this.dangers = undefined;
  }

  /** The digests of the dangerous packages with this SKILL.md: usually none. */
  dangersOf(skill: string): ReadonlySet<string> {
    this.dangers ??= this.readDangers();
    return this.dangers.get(skill) ?? NONE;
  }

  /** Writes what was added; what another process added meanwhile is kept too. A cache that cannot be written is not missed. */
  save(): void {
    this.saveDangers();
    if (!this.changed) return;
    const entries = [...new Map([...this.read(), ...this.loaded()])].slice(-MAX_ENTRIES);
    const text = JSON.stringify({ build: this.build, entries: Object.fromEntries(entries) });
    write(this.path, text);
    this.changed = false;
  }

  private saveDangers(): void {
    if (this.found.length === 0) return;
    const known = this.readDangers();
    for (const [skill, digest] of this.found)
      known.set(skill, new Set([...(known.get(skill) ?? []), digest]));
    const kept = [...known]
      .slice(-MAX_DANGERS)
      .map(([skill, digests]) => [skill, [...digests].slice(-MAX_COPIES)]);
    write(this.dangersPath, JSON.stringify(Object.fromEntries(kept)));
    this.dangers = known;
    this.found = [];
  }

  private get dangersPath(): string {
    return join(dirname(this.path), DANGERS);
  }

  private readDangers(): Map<string, ReadonlySet<string>> {
    const data = jsonIn(read(this.dangersPath));
    if (!isRecord(data)) return new Map();
    return new Map(
      Object.entries(data)
        .filter((entry): entry is [string, string[]] => isListOf(entry[1], isText))
        .map(([skill, digests]) => [skill, new Set(digests)]),
    );
  }

  private loaded(): Map<string, Kept> {
    this.entries ??= this.read();
    return this.entries;
  }

  private read(): Map<string, Kept> {
    const data = jsonIn(read(this.path));
    if (!isRecord(data) || data.build !== this.build || !isRecord(data.entries)) return new Map();
    return new Map(Object.entries(data.entries).filter((entry): entry is [string, Kept] => isKept(entry[1])));
  }
}

/** The text of a cache that may not be there. */
function read(path: string): string {
  const codes = ["ENOENT", "ENOTDIR", "EACCES", "EISDIR", "EPERM", "ELOOP"];
  const text = unlessMissing(() => {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, "utf8") : "";
  }, codes);
  return text ?? "";
}

function write(path: string, text: string): void {
  unlessMissing(
    () => writeFileAtomically(path, text, { mode: 0o600, sync: false }),
    ["ENOENT", "ENOTDIR", "EACCES", "EROFS", "ENOSPC", "EPERM", "EISDIR", "EEXIST"],
  );
}

function isKept(value: unknown): value is Kept {
  if (!isRecord(value)) return false;
  const { addresses, scripts, findings, unscanned } = value;
  return (
    isListOf(addresses, isText) &&
    isListOf(scripts, isText) &&
    isListOf(unscanned, (one) => isRecord(one) && isText(one.path) && isText(one.reason)) &&
    isListOf(findings, isFinding)
  );
}

function isFinding(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { code, severity, category, path, line, excerpt, message, fix } = value;
  return (
    [code, path, excerpt, message, fix].every(isText) &&
    ["low", "medium", "high"].includes(severity as string) &&
    Object.hasOwn(CATEGORIES, category as string) &&
    (line === undefined || Number.isInteger(line))
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
