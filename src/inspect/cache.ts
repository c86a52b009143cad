// Keeps inspections between runs, by digest of the package. Another build of the rules starts with an empty cache.

import { readFileSync, statSync } from "node:fs";
import { unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { isRecord, jsonIn } from "../text/json.ts";
import { CATEGORIES } from "./categories.ts";
import type { Inspection } from "./types.ts";
import { verdictOf } from "./verdict.ts";

/** Older inspections are dropped first. A clean package takes about 150 bytes. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** What is computed from the rest is not kept. */
type Kept = Pick<Inspection, "findings" | "addresses" | "scripts" | "unscanned">;

export class InspectionCache {
  /** Names the rules. */
  readonly build: string;
  private readonly path: string;
  private entries: Map<string, Kept> | undefined;
  private changed = false;

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

  /** Writes what was added; what another process added meanwhile is kept too. A cache that cannot be written is not missed. */
  save(): void {
    if (!this.changed) return;
    const entries = [...new Map([...this.read(), ...this.loaded()])].slice(-MAX_ENTRIES);
    const text = JSON.stringify({ build: this.build, entries: Object.fromEntries(entries) });
    unlessMissing(
      () => writeFileAtomically(this.path, text, { mode: 0o600, sync: false }),
      ["ENOENT", "ENOTDIR", "EACCES", "EROFS", "ENOSPC", "EPERM", "EISDIR", "EEXIST"],
    );
    this.changed = false;
  }

  private loaded(): Map<string, Kept> {
    this.entries ??= this.read();
    return this.entries;
  }

  private read(): Map<string, Kept> {
    const codes = ["ENOENT", "ENOTDIR", "EACCES", "EISDIR", "EPERM", "ELOOP"];
    const text = unlessMissing(() => {
      const stats = statSync(this.path);
      return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(this.path, "utf8") : "";
    }, codes);
    const data = jsonIn(text ?? "");
    if (!isRecord(data) || data.build !== this.build || !isRecord(data.entries)) return new Map();
    return new Map(Object.entries(data.entries).filter((entry): entry is [string, Kept] => isKept(entry[1])));
  }
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
