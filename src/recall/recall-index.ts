// Owns the index of the library as recall uses it: brought up to date skill by skill, kept on disk together with the
// facts that tell whether it is still true. Does not own the index's structure (`text/`) nor the scan (`discover/`).

import { existsSync, statSync } from "node:fs";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import type { IndexDocument } from "../search/search.ts";
import { SearchIndex } from "../search/search.ts";
import type { Embedder } from "./embedder.ts";
import type { BackgroundIdf } from "./features-message.ts";
import {
  documentDigest,
  headText,
  type IndexedSkill,
  MARK,
  sectionTexts,
  toDocument,
  unpackEvidence,
  unpackSkill,
} from "./skill-document.ts";

/** What the scan saw, so that a later process can tell whether it would see the same. */
export interface ScanFacts {
  /** Folders above skills, with their modification times. */
  readonly containers: readonly (readonly [path: string, mtimeMs: number])[];
  /** Roots of sources that did not exist. */
  readonly missing: readonly string[];
  /** When the scan was made, in milliseconds. */
  readonly scannedAt: number;
}

export interface IndexSettings {
  readonly embedder: Embedder;
  readonly background: BackgroundIdf;
}

export interface UpdateInput {
  readonly skills: readonly IndexedSkill[];
  readonly readBody: (skill: Skill) => string;
  readonly facts: ScanFacts;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Skills read and embedded at a time: bounds memory while a large library is indexed. */
const BATCH = 1024;

/** Unpacked skills kept: about 2 MB of text, and every one that a busy session meets. */
const UNPACKED = 4096;

export class RecallIndex {
  readonly text: SearchIndex;
  private readonly settings: IndexSettings;
  private readonly unpacked = new Map<number, IndexedSkill>();
  /** By whom they are for: one that asks again finds its view made. */
  private views = new WeakMap<(name: SkillName) => boolean, RecallIndex>();
  private facts: ScanFacts = { containers: [], missing: [], scannedAt: 0 };

  private constructor(text: SearchIndex, settings: IndexSettings) {
    this.text = text;
    this.settings = settings;
  }

  static empty(settings: IndexSettings): RecallIndex {
    const { id, dimensions } = settings.embedder;
    return new RecallIndex(new SearchIndex({ embedder: id, dims: dimensions }), settings);
  }

  /** The index on disk, or an empty one when there is none or it cannot be trusted. */
  static open(path: string, settings: IndexSettings): RecallIndex {
    const { id, dimensions } = settings.embedder;
    const opened = SearchIndex.open(path, { embedder: id, dims: dimensions });
    if ("problem" in opened) return RecallIndex.empty(settings);
    const index = new RecallIndex(opened.index, settings);
    index.facts = { ...index.facts, ...(JSON.parse(opened.index.stamp || "{}") as Partial<ScanFacts>) };
    return index;
  }

  get scannedAt(): number {
    return this.facts.scannedAt;
  }

  /** Whether a scan would find the same folders: cheap, and blind only to edits inside known files. */
  isCurrent(roots: readonly string[]): boolean {
    const { containers, missing, scannedAt } = this.facts;
    if (scannedAt === 0 || this.text.damage !== undefined) return false;
    const seen = new Set([...containers.map(([path]) => path), ...missing]);
    if (!roots.every((root) => seen.has(root))) return false;
    return (
      missing.every((root) => !existsSync(root)) &&
      containers.every(([path, mtimeMs]) => statSync(path, { throwIfNoEntry: false })?.mtimeMs === mtimeMs)
    );
  }

  /** Brings the index to this state of the library and says whether anything had to change. */
  async update(input: UpdateInput): Promise<boolean> {
    const { skills, onProgress } = input;
    const known = this.digests();
    const wanted = new Set(skills.map(({ skill }) => skill.name));
    const remove = [...known.keys()].filter((key) => !wanted.has(key));
    const changed = skills.filter((entry) => known.get(entry.skill.name) !== documentDigest(entry));
    if (remove.length > 0) this.change({ remove });
    for (let from = 0; from < changed.length; from += BATCH) {
      await this.upsert(changed.slice(from, from + BATCH), input.readBody);
      onProgress?.(Math.min(from + BATCH, changed.length), changed.length);
    }
    this.facts = input.facts;
    return changed.length + remove.length > 0;
  }

  /** How many of these skills an update would have to read. */
  unread(skills: readonly IndexedSkill[]): number {
    const known = this.digests();
    return skills.filter((entry) => known.get(entry.skill.name) !== documentDigest(entry)).length;
  }

  private digests(): Map<string, string> {
    return new Map(this.text.documents().map(({ key, digest }) => [key, digest]));
  }

  save(path: string): void {
    this.text.save(path, JSON.stringify(this.facts));
    this.views = new WeakMap();
  }

  /** The same index for one who may see some skills only: it answers like a library of these alone. */
  among(allows: (name: SkillName) => boolean): RecallIndex {
    let view = this.views.get(allows);
    if (view === undefined) {
      view = new RecallIndex(this.text.filter(allows), this.settings);
      this.views.set(allows, view);
    }
    return view;
  }

  get hasPatterns(): boolean {
    return this.text.marked(MARK.pattern).length > 0;
  }

  /** Skills whose triggers or paths may fit, whatever their text says. */
  withinReach(words: ReadonlySet<string>, hasFiles: boolean): number[] {
    const marks = [...words].map(MARK.trigger);
    if (hasFiles) marks.push(MARK.path);
    return [...new Set([MARK.pattern, ...marks].flatMap((mark) => this.text.marked(mark)))];
  }

  /** The document of a skill, by its identity or else its alias, both as look-up keys. */
  find(key: string): number | undefined {
    return this.text.find(key) ?? this.text.marked(MARK.alias(key)).at(-1);
  }

  /** The skill behind a document; the last few thousand that were asked for are kept unpacked. */
  skill(doc: number): IndexedSkill {
    let known = this.unpacked.get(doc);
    if (known === undefined) {
      if (this.unpacked.size >= UNPACKED) this.unpacked.clear();
      known = unpackSkill(this.text.payload(doc));
      this.unpacked.set(doc, known);
    }
    return known;
  }

  /** For a process that recalls again and again: what was read piece by piece is brought into memory. */
  warmUp(): void {
    this.text.load();
  }

  evidence(doc: number): Uint8Array {
    return unpackEvidence(this.text.payload(doc));
  }

  private async upsert(batch: readonly IndexedSkill[], readBody: (skill: Skill) => string): Promise<void> {
    const { embedder, background } = this.settings;
    const bodies = batch.map(({ skill }) => readBody(skill));
    const sections = bodies.map(sectionTexts);
    const texts = batch.flatMap(({ skill }, i) => [headText(skill), ...sections[i]!]);
    const vectors = embedder.dimensions > 0 ? await embedder.embed(texts) : [];
    let at = 0;
    const documents = batch.map((entry, i) => {
      const own = vectors.slice(at, at + 1 + sections[i]!.length);
      at += 1 + sections[i]!.length;
      return toDocument({
        ...entry,
        body: bodies[i]!,
        vectors: { head: own[0], sections: own.slice(1) },
        background,
      });
    });
    this.change({ upsert: documents });
  }

  /** Numbers of documents change with every update, and what was kept under them is void. */
  private change(changes: { upsert?: Iterable<IndexDocument>; remove?: Iterable<string> }): void {
    this.text.update(changes);
    this.unpacked.clear();
    this.views = new WeakMap();
  }
}
