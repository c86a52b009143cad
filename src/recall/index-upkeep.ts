// Owns keeping the recall index true to the library: when the one on disk can be believed, when a scan is due, and
// when a match must be looked at again. Composes stages like the engine does; has no view of messages or scores.

import { closeSync, existsSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Recaller } from "../engine/engine.ts";
import type { Library, Shelf } from "../library/library.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { checksum } from "../search/search.ts";
import type { Embedder } from "./embedder.ts";
import type { BackgroundIdf } from "./features-message.ts";
import { RecallIndex, type ScanFacts } from "./recall-index.ts";
import type { IndexedSkill } from "./skill-document.ts";

export class Indexing {
  private readonly engine: Recaller;
  private readonly settings: { readonly embedder: Embedder; readonly background: BackgroundIdf };
  private index: RecallIndex | undefined;
  /** The library that the index was brought to in this process. */
  private indexed: Library | undefined;
  private running: Promise<{ skills: number; changed: boolean }> | undefined;
  private asked = 0;

  constructor(engine: Recaller, settings: { embedder: Embedder; background: BackgroundIdf }) {
    this.engine = engine;
    this.settings = settings;
  }

  /** The index, believed as long as no folder above a skill has changed; otherwise brought up to date first. */
  async current(): Promise<RecallIndex> {
    const roots = this.engine.sources.map((source) => source.root);
    if (!this.open().isCurrent(roots)) await this.refresh();
    else if (this.engine.shelf?.scanned !== this.indexed) await this.bringUpToDate();
    // The first answer of a process is quickest from the file, every later one from memory.
    if (++this.asked === 2) this.open().warmUp();
    return this.open();
  }

  /** Scans, reads what changed, and keeps the result. Returns how many skills are in the index. */
  async refresh(): Promise<{ skills: number; changed: boolean }> {
    this.shelf.refresh();
    return this.bringUpToDate();
  }

  /** Who has no library can only answer from an index that is true. */
  private get shelf(): Shelf {
    const { shelf } = this.engine;
    if (shelf !== undefined) return shelf;
    throw new RepertoireError(
      "index-stale",
      "The index is not up to date. Run `repertoire index`.",
      this.path,
    );
  }

  /**
   * Answers from the index as it is, and once more from a fresh one when its file proves damaged or when a skill that
   * the answer names has changed.
   */
  async answer<T>(ask: () => Promise<T>, namesIn: (answer: T) => readonly SkillName[]): Promise<T> {
    const first = await this.unlessDamaged(ask);
    if (first !== undefined && this.stillTrue(namesIn(first))) return first;
    await this.refresh();
    return ask();
  }

  private async unlessDamaged<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      return this.isDamaged ? undefined : answer;
    } catch (thrown) {
      if (!this.isDamaged) throw thrown;
      return undefined;
    }
  }

  /** The index in memory, or else the one on disk; an empty one where there is none that can be used. */
  private open(): RecallIndex {
    if (this.isDamaged) this.index = RecallIndex.empty(this.settings);
    this.index ??=
      this.path === undefined ? RecallIndex.empty(this.settings) : RecallIndex.open(this.path, this.settings);
    return this.index;
  }

  private get isDamaged(): boolean {
    return this.index?.text.damage !== undefined;
  }

  /** Two questions at once share one update. */
  private bringUpToDate(): Promise<{ skills: number; changed: boolean }> {
    this.running ??= this.update().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async update(): Promise<{ skills: number; changed: boolean }> {
    const { library } = this.shelf;
    const input = {
      skills: this.indexable(library),
      readBody: (skill: Skill) => this.shelf.body(skill),
      facts: this.facts(Date.now()),
      ...(this.engine.options.onProgress && { onProgress: this.engine.options.onProgress }),
    };
    let changed = await this.open().update(input);
    // Damage may show only while the old index is read.
    if (this.isDamaged) {
      this.index = RecallIndex.empty(this.settings);
      changed = await this.index.update(input);
    }
    this.indexed = library;
    if (this.path !== undefined) {
      this.open().save(this.path);
      rmSync(`${this.path}.refreshing`, { force: true });
    }
    return { skills: input.skills.length, changed };
  }

  /** How many skills an update would have to read now. */
  unread(): number {
    return this.open().unread(this.indexable(this.shelf.library));
  }

  /** Whether the file of each of these skills is the one that was indexed. */
  stillTrue(names: readonly SkillName[]): boolean {
    return names.every((name) => {
      const doc = this.index?.text.find(name);
      return doc === undefined || isUntouched(this.index!.skill(doc));
    });
  }

  /** A skill as it was indexed; undefined before there is an index. */
  skill(name: SkillName): Skill | undefined {
    const doc = this.index?.text.find(name);
    return doc === undefined ? undefined : this.index!.skill(doc).skill;
  }

  /** What is indexed and when all sources were last scanned (milliseconds; 0 for never); brings nothing up to date. */
  state(): { readonly skills: number; readonly scannedAt: number } {
    return { skills: this.open().text.size, scannedAt: this.open().scannedAt };
  }

  /**
   * Whether the caller should have the index brought up to date behind its back: the last whole scan is older than
   * that, and nobody has taken it on yet. One caller gets the yes, so that many messages start one scan.
   */
  claimRefresh(olderThanMs: number): boolean {
    if (this.path === undefined || Date.now() - (this.index?.scannedAt ?? 0) < olderThanMs) return false;
    return claimMark(`${this.path}.refreshing`);
  }

  /** Every winner that the model may ever see, with its file's facts. */
  private indexable(library: Library): IndexedSkill[] {
    const { shelf } = this;
    return [...library.skills.values()]
      .filter(({ manifest }) => !manifest.userOnly)
      .map((skill) => {
        const { size, mtimeMs } = shelf.record(skill.path)!;
        return { skill, size, mtimeMs };
      });
  }

  private facts(scannedAt: number): ScanFacts {
    return {
      containers: [...this.shelf.containers],
      missing: this.engine.sources.map((source) => source.root).filter((root) => !existsSync(root)),
      scannedAt,
    };
  }

  private get path(): string | undefined {
    const { cacheDir } = this.engine.config;
    if (cacheDir === undefined) return undefined;
    const key = checksum(new TextEncoder().encode(JSON.stringify(this.engine.sources)));
    return join(cacheDir, `recall-${key.toString(16).padStart(8, "0")}.index`);
  }
}

/** A mark this old was left by a process that died. */
const MARK_MS = 10 * 60_000;

function claimMark(path: string): boolean {
  const left = statSync(path, { throwIfNoEntry: false });
  if (left !== undefined && Date.now() - left.mtimeMs < MARK_MS) return false;
  try {
    if (left !== undefined) rmSync(path, { force: true });
    closeSync(openSync(path, "wx"));
    return true;
  } catch (thrown) {
    // Somebody was faster, or the folder cannot be written: either way the scan is not ours.
    if (codeOf(thrown) === "") throw thrown;
    return false;
  }
}

function isUntouched({ skill, size, mtimeMs }: IndexedSkill): boolean {
  const stats = statSync(skill.path, { throwIfNoEntry: false });
  return stats !== undefined && stats.size === size && stats.mtimeMs === mtimeMs;
}
