// The index of the library as recall uses it: brought up to date skill by skill, kept on disk together with the
// generation of the library that it was built for. The skills themselves come from the library.

import { SnapshotDamage } from "../library/library.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type IndexDocument, SearchIndex } from "../search/search.ts";
import { bodySections, descriptionClauses } from "../text/sections.ts";
import type { Embedder } from "./embedder.ts";
import type { SkillEncoder } from "./encoder.ts";
import type { ExampleMessages } from "./example-messages.ts";
import type { BackgroundIdf } from "./features-message.ts";
import type { Glossary } from "./glossary.ts";
import type { IntentModel } from "./intent.ts";
import { documentDigest, headTextOf, MARK, sectionTexts, skillDigest, toDocument } from "./skill-document.ts";
import type { Topics } from "./topics.ts";

export interface IndexSettings {
  readonly embedder: Embedder;
  readonly background: BackgroundIdf;
  /** Rewrites messages of other languages in English words; absent, they are taken as they are. */
  readonly glossary?: Glossary | undefined;
  /** Tells whether a message asks for work; absent, every message does. */
  readonly intent?: IntentModel | undefined;
  /** What skills in general are about, as vectors of `embedder`; absent, nothing is known about it. */
  readonly topics?: Topics | undefined;
  /** Opens the trained encoder; undefined if its weights are not installed or it is switched off. */
  readonly encoder?: (() => Promise<SkillEncoder | undefined>) | undefined;
  /** Messages that a model wrote for skills; absent, skills have none. */
  readonly examples?: Pick<ExampleMessages, "refresh" | "of"> | undefined;
}

export interface UpdateInput {
  readonly skills: readonly Skill[];
  readonly readBody: (skill: Skill) => string;
  /** Names this state of the library. */
  readonly generation?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Lets others go on if they have waited for a while; asked after every skill. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

type SkillLookup = (name: SkillName) => Skill | undefined;

/** Skills read and embedded at a time: few, so that their texts are garbage before they count as old. */
const BATCH = 16;
/** Texts embedded at a time: some milliseconds in this process, and worth a request elsewhere. */
const TEXTS = 64;

export class RecallIndex {
  readonly text: SearchIndex;
  private readonly settings: IndexSettings;
  private lookup: SkillLookup;
  /** By whom they are for: one that asks again finds its view made. */
  private views = new WeakMap<(name: SkillName) => boolean, RecallIndex>();
  private builtFor: string | undefined;
  private changes = 0;

  private constructor(text: SearchIndex, settings: IndexSettings, lookup: SkillLookup) {
    this.text = text;
    this.settings = settings;
    this.lookup = lookup;
  }

  /** `path` is where it will be saved, if it will. */
  static empty(settings: IndexSettings, path?: string): RecallIndex {
    const { id, dimensions } = settings.embedder;
    const text = new SearchIndex({ embedder: id, dims: dimensions, path });
    return new RecallIndex(text, settings, () => undefined);
  }

  /** The index on disk, or an empty one when there is none or it cannot be trusted. `lookup` gives its skills. */
  static open(path: string, settings: IndexSettings, lookup: SkillLookup): RecallIndex {
    const { id, dimensions } = settings.embedder;
    const opened = SearchIndex.open(path, { embedder: id, dims: dimensions });
    if ("problem" in opened) return RecallIndex.empty(settings, path);
    const index = new RecallIndex(opened.index, settings, lookup);
    index.builtFor = opened.index.stamp;
    return index;
  }

  /** The generation of the library that the index was built for; undefined before the first update. */
  get generation(): string | undefined {
    return this.builtFor;
  }

  /** Another number after every change, with which numbers of documents become void. */
  get edition(): number {
    return this.changes;
  }

  /** Brings the index to this state of the library and says whether anything had to change. */
  async update(input: UpdateInput): Promise<boolean> {
    const { skills, onProgress } = input;
    this.settings.examples?.refresh();
    const known = this.digests();
    const wanted = new Map(skills.map((skill) => [skill.name, skill]));
    const remove = [...known.keys()].filter((key) => !wanted.has(key));
    const changed = skills.filter((skill) => known.get(skill.name) !== this.digestOf(skill));
    // Questions are answered meanwhile: they may find what is here already, and what is not yet gone.
    const before = this.lookup;
    this.lookup = (name) => wanted.get(name) ?? before(name);
    if (remove.length > 0) this.change({ remove });
    for (let from = 0; from < changed.length; from += BATCH) {
      await this.upsert(changed.slice(from, from + BATCH), input);
      onProgress?.(Math.min(from + BATCH, changed.length), changed.length);
    }
    this.text.settle();
    this.renumbered();
    this.lookup = (name) => wanted.get(name);
    this.builtFor = input.generation;
    return changed.length + remove.length > 0;
  }

  /** What is wrong with the files of an index; undefined if nothing is, or there is none, or it is of another program. */
  static problemOf(path: string, { embedder: { id, dimensions } }: IndexSettings): string | undefined {
    const opened = SearchIndex.open(path, { embedder: id, dims: dimensions });
    if ("problem" in opened)
      return opened.problem.code === "index-damaged" ? opened.problem.message : undefined;
    const problem = opened.index.verify();
    opened.index.close();
    return problem?.message;
  }

  /** How many of these skills an update would have to read. */
  unread(skills: readonly Skill[]): number {
    const known = this.digests();
    return skills.filter((skill) => known.get(skill.name) !== this.digestOf(skill)).length;
  }

  private digestOf(skill: Skill): string {
    return documentDigest(skill, this.settings.examples?.of(skill));
  }

  private digests(): Map<string, string> {
    return new Map(this.text.documents().map(({ key, digest }) => [key, digest]));
  }

  save(path: string): void {
    this.text.save(path, this.builtFor);
    this.renumbered();
  }

  /** The same index for one who may see some skills only: it answers like a library of these alone. */
  among(allows: (name: SkillName) => boolean): RecallIndex {
    let view = this.views.get(allows);
    if (view === undefined) {
      view = new RecallIndex(this.text.filter(allows), this.settings, (name) => this.lookup(name));
      this.views.set(allows, view);
    }
    return view;
  }

  /** The skills whose triggers have patterns. */
  patterned(): Skill[] {
    return this.text.marked(MARK.pattern).map((doc) => this.skill(doc));
  }

  /** Skills whose triggers or paths may fit, whatever their text says. */
  withinReach(phraseStarts: ReadonlySet<string>, hasFiles: boolean): number[] {
    const marks = [...phraseStarts].map(MARK.trigger);
    if (hasFiles) marks.push(MARK.path);
    return [...new Set([MARK.pattern, ...marks].flatMap((mark) => this.text.marked(mark)))];
  }

  /** The document of a skill, by its identity or else its alias, both as look-up keys. */
  find(key: string): number | undefined {
    return this.text.find(key) ?? this.text.marked(MARK.alias(key)).at(-1);
  }

  /** The skill behind a document. Throws `SnapshotDamage` when the library does not have it. */
  skill(doc: number): Skill {
    const name = this.text.key(doc);
    const skill = this.lookup(name);
    if (skill === undefined) throw new SnapshotDamage(`The library has no skill "${name}".`);
    return skill;
  }

  /** Every document with the digest of its skill. */
  skillDigests(): { readonly doc: number; readonly digest: string }[] {
    return this.text.documents().map(({ doc, digest }) => ({ doc, digest: skillDigest(digest) }));
  }

  /** For a process that recalls again and again: what was read piece by piece is brought into memory. */
  warmUp(): void {
    this.text.load();
  }

  evidence(doc: number): Uint8Array {
    return this.text.payload(doc);
  }

  private async upsert(batch: readonly Skill[], { readBody, pause }: UpdateInput): Promise<void> {
    const { embedder, background, examples } = this.settings;
    const read = [];
    for (const skill of batch) {
      const sections = bodySections(readBody(skill));
      const clauses = descriptionClauses(skill.manifest.description);
      const messages = examples?.of(skill) ?? [];
      const texts = [headTextOf(skill, clauses), ...sectionTexts(sections), ...messages];
      read.push({ skill, sections, clauses, messages, texts });
      await pause?.();
    }
    const texts = embedder.dimensions > 0 ? read.flatMap((one) => one.texts) : [];
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += TEXTS) {
      vectors.push(...(await embedder.embed(texts.slice(from, from + TEXTS))));
      await pause?.();
    }
    const documents: IndexDocument[] = [];
    let at = 0;
    for (const { texts: own, ...input } of read) {
      const [head, ...sections] = vectors.slice(at, at + own.length);
      at += own.length;
      documents.push(toDocument({ ...input, vectors: { head, sections }, background }));
      await pause?.();
    }
    this.change({ upsert: documents });
  }

  /** Numbers of documents change with every update, and what was kept under them is void. */
  private change(changes: { upsert?: Iterable<IndexDocument>; remove?: Iterable<string> }): void {
    this.text.update(changes);
    this.renumbered();
  }

  private renumbered(): void {
    this.changes++;
    this.views = new WeakMap();
  }
}
