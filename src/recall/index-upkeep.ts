// Keeps the recall index up to date with the library: decides when the index on disk can be used, when a scan is due, and
// when a match must be checked again.

import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  DISK,
  PRIVATE_FILE,
  removeQuietly,
  UNREADABLE,
  unlessMissing,
  writeFileAtomically,
} from "../disk/disk.ts";
import type { BodySink, Library, LibraryReader, LibrarySnapshot } from "../library/library.ts";
import { breathe, SnapshotDamage, sourcesKey } from "../library/library.ts";
import { codeOf } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { MENDING_COMMAND, type StateCheckOptions, type StateFinding } from "../model/state-finding.ts";
import { indexFiles } from "../search/search.ts";
import type { SharedVectors } from "./encoder.ts";
import { type EncodeOptions, Encoding } from "./encoding.ts";
import { type IndexSettings, RecallIndex } from "./recall-index.ts";

interface IndexingNeeds extends IndexSettings {
  readonly library: Pick<LibraryReader, "sources" | "snapshot" | "rescan" | "stored" | "body">;
  readonly cacheDir: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /**
   * If an update would have to read more instructions than this, answers come from names, descriptions and triggers alone,
   * and the update is left to a process that nobody waits for. Without it, an update is always made first.
   */
  readonly bodiesUpTo?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

interface Updated {
  readonly skills: number;
  readonly changed: boolean;
}

export class Indexing {
  private readonly needs: IndexingNeeds;
  private index: RecallIndex | undefined;
  /** The library that answers come from. */
  private snapshot: LibrarySnapshot | undefined;
  /** What the last scan has read and the index has not taken yet. */
  private bodies = new ReadBodies();
  private running: Promise<Updated> | undefined;
  /** Made of everything but the instructions, for the library of this generation; never saved. */
  private brief: RecallIndex | undefined;
  /** The vectors of a trained encoder. */
  readonly encoding: Encoding;
  private asked = 0;

  constructor(needs: IndexingNeeds) {
    this.needs = needs;
    this.encoding = new Encoding({
      encoder: needs.encoder,
      cacheDir: needs.cacheDir,
      body: (skill) => needs.library.body(skill),
    });
  }

  /** Encodes the skills that have no vector yet, if they are not more than `most`. Returns how many still have none; 0 without an encoder. */
  async encode(options: EncodeOptions = {}): Promise<number> {
    const snapshot = await this.needs.library.snapshot();
    return this.encoding.encode(indexable(snapshot.library()), options);
  }

  /** Shares the vectors of skills with other machines from now on. */
  async shareVectors(shared: SharedVectors): Promise<void> {
    const snapshot = await this.needs.library.snapshot();
    await this.encoding.shareWith(shared, indexable(snapshot.library()));
  }

  /** The embedder and the background rarities that the index was made with. */
  get settings(): IndexSettings {
    return this.needs;
  }

  /** The index: as it is while no folder above a skill has changed, otherwise brought up to date first. */
  async current(): Promise<RecallIndex> {
    await this.running;
    const snapshot = await this.needs.library.snapshot(this.bodies);
    if (this.open().generation === snapshot.generation) this.snapshot = snapshot;
    else if (this.isTooMuch(snapshot)) return this.briefIndex(snapshot);
    else await this.bringTo(snapshot);
    // The first answer of a process is quickest from the file, every later one from memory.
    if (++this.asked === 2) this.open().warmUp();
    return this.open();
  }

  private isTooMuch(snapshot: LibrarySnapshot): boolean {
    const { bodiesUpTo = Infinity } = this.needs;
    return bodiesUpTo < Infinity && this.open().unread(indexable(snapshot.library())) > bodiesUpTo;
  }

  private async briefIndex(snapshot: LibrarySnapshot): Promise<RecallIndex> {
    const { generation } = snapshot;
    this.snapshot = snapshot;
    if (this.brief?.generation !== generation) {
      this.brief = RecallIndex.empty(this.needs);
      await this.brief.update({ skills: indexable(snapshot.library()), readBody: () => "", generation });
    }
    return this.brief;
  }

  /** Scans, behind all requests or not, reads what changed, and keeps the result. Returns how many skills are in the index. */
  async refresh({ isBehind }: { readonly isBehind?: boolean | undefined } = {}): Promise<Updated> {
    await this.running;
    const snapshot = await this.needs.library.rescan({ bodies: this.bodies, isBehind });
    if (!this.isTooMuch(snapshot)) return this.bringTo(snapshot);
    const { text } = await this.briefIndex(snapshot);
    return { skills: text.size, changed: true };
  }

  /**
   * Answers from the index as it is, and once more from a fresh one when a file behind it proves damaged or when a
   * skill that the answer names has changed.
   */
  async answer<T>(ask: () => Promise<T>, namesIn: (answer: T) => readonly SkillName[]): Promise<T> {
    const first = await this.unlessDamaged(async () => {
      const answer = await ask();
      return this.filesUnchanged(namesIn(answer)) ? answer : undefined;
    });
    if (first !== undefined) return first;
    await this.refresh();
    return ask();
  }

  private async unlessDamaged<T>(ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask();
      return this.isDamaged ? undefined : answer;
    } catch (thrown) {
      if (this.isDamaged || thrown instanceof SnapshotDamage) return undefined;
      throw thrown;
    }
  }

  /** The index in memory, or else the one on disk; an empty one if neither can be used. */
  private open(): RecallIndex {
    if (this.isDamaged) this.index = RecallIndex.empty(this.needs, this.path);
    this.index ??=
      this.path === undefined
        ? RecallIndex.empty(this.needs)
        : RecallIndex.open(this.path, this.needs, (name) => this.snapshot?.skill(name));
    return this.index;
  }

  private get isDamaged(): boolean {
    return this.index?.text.damage !== undefined;
  }

  /** Two questions at once share one update. */
  private bringTo(snapshot: LibrarySnapshot): Promise<Updated> {
    this.running ??= this.update(snapshot).finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async update(snapshot: LibrarySnapshot): Promise<Updated> {
    const { library, onProgress } = this.needs;
    const skills = indexable(snapshot.library());
    const { generation } = snapshot;
    const readBody = (skill: Skill) => this.bodies.take(skill) ?? library.body(skill);
    const isNew = this.open().generation !== generation;
    // Whoever needs no index is answered meanwhile.
    const input = { skills, readBody, generation, onProgress, pause: breathe };
    let changed = await this.open().update(input);
    // Damage may show only while the old index is read.
    if (this.isDamaged) {
      this.index = RecallIndex.empty(this.needs, this.path);
      changed = await this.index.update(input);
    }
    this.bodies = new ReadBodies();
    this.snapshot = snapshot;
    if (this.path !== undefined) {
      if (changed || isNew) this.open().save(this.path);
      removeQuietly(DISK, `${this.path}.refreshing`);
    }
    return { skills: skills.length, changed };
  }

  /** Reads the whole index on disk, and compares it with the library that it says it was made for. */
  async check({ fix = false }: StateCheckOptions = {}): Promise<StateFinding[]> {
    const { path } = this;
    if (path === undefined) return [];
    const problem = RecallIndex.problemOf(path, this.needs);
    const unread = problem === undefined ? await this.unreadOnDisk(path) : 0;
    if (problem === undefined && unread === 0) return [];
    if (fix) {
      for (const file of indexFiles(path)) rmSync(file, { force: true });
      this.index = undefined;
    }
    const rebuilt = fix ? await this.refresh() : undefined;
    return [
      {
        code: problem === undefined ? "index-differs" : "index-damaged",
        severity: "error",
        path,
        message:
          problem ??
          `The index says of ${unread} skills what they no longer say, so that recall may answer wrongly.`,
        fix: MENDING_COMMAND,
        canFix: true,
        fixed: rebuilt && `It was built anew from ${rebuilt.skills} skills.`,
      },
    ];
  }

  /** How many skills the index on disk has otherwise than the library that it names. */
  private async unreadOnDisk(path: string): Promise<number> {
    const snapshot = await this.needs.library.snapshot(this.bodies);
    const stored = RecallIndex.open(path, this.needs, () => undefined);
    this.needs.examples?.refresh();
    const isOf = stored.generation === snapshot.generation;
    const unread = isOf ? stored.unread(indexable(snapshot.library())) : 0;
    stored.text.close();
    return unread;
  }

  /** Whether the file of each of these skills is the one that was indexed. */
  filesUnchanged(names: readonly SkillName[]): boolean {
    return names.every((name) => this.snapshot?.isFileUnchanged(name) ?? true);
  }

  /** A skill as it was indexed; undefined before there is an index. */
  skill(name: SkillName): Skill | undefined {
    return this.snapshot?.skill(name);
  }

  /** What is indexed and when all sources were last scanned (milliseconds; 0 for never); brings nothing up to date. */
  state(): { readonly skills: number; readonly scannedAt: number } {
    const { scannedAt = 0 } = this.needs.library.stored() ?? {};
    return { skills: this.open().text.size, scannedAt };
  }

  /**
   * Whether the caller should have the index brought up to date in the background: the last whole scan is older than
   * that, or its instructions were not read, and nobody has taken it on yet. One caller gets a yes, so that many messages start one scan.
   */
  claimRefresh(olderThanMs: number): boolean {
    const now = this.needs.now?.() ?? Date.now();
    const isYoung = now - (this.needs.library.stored()?.scannedAt ?? 0) < olderThanMs;
    if (this.path === undefined || (isYoung && this.brief === undefined)) return false;
    return claimMark(`${this.path}.refreshing`);
  }

  /** The index on disk without the latest changes, for a machine with the same skills; undefined if there is none. */
  carried(): Uint8Array | undefined {
    const { path } = this;
    return path === undefined ? undefined : unlessMissing(() => readFileSync(path));
  }

  /** Begins with the index of another machine, if there is none here. What differs is brought up to date as ever. */
  adopt(bytes: Uint8Array): void {
    const { path } = this;
    if (path !== undefined && !existsSync(path)) writeFileAtomically(path, bytes, { sync: false });
  }

  private get path(): string | undefined {
    const { cacheDir, library } = this.needs;
    return cacheDir === undefined ? undefined : join(cacheDir, `recall-${sourcesKey(library.sources)}.index`);
  }
}

/** Every winner that the model may ever see. */
function indexable(library: Library): Skill[] {
  return [...library.skills.values()].filter(({ manifest }) => !manifest.userOnly);
}

/** Characters of instructions kept between the scan and the index: some 4,000 skills of usual length. */
const KEPT_CHARACTERS = 32 * 1024 * 1024;

class ReadBodies implements BodySink {
  private readonly kept = new Map<string, { readonly digest: string; readonly body: string }>();
  private characters = 0;

  get full(): boolean {
    return this.characters > KEPT_CHARACTERS;
  }

  add({ path, digest }: Skill, body: string): void {
    this.kept.set(path, { digest, body });
    this.characters += body.length;
  }

  take({ path, digest }: Skill): string | undefined {
    const found = this.kept.get(path);
    this.kept.delete(path);
    return found?.digest === digest ? found.body : undefined;
  }
}

/** A mark this old was left by a process that died. */
const MARK_MS = 10 * 60_000;

function claimMark(path: string): boolean {
  const left = unlessMissing(() => statSync(path, { throwIfNoEntry: false }), UNREADABLE);
  if (left !== undefined && Date.now() - left.mtimeMs < MARK_MS) return false;
  try {
    if (left !== undefined) rmSync(path, { force: true });
    closeSync(openSync(path, "wx", PRIVATE_FILE));
    return true;
  } catch (thrown) {
    // Somebody was faster, or the folder cannot be written: either way the scan is not ours.
    if (codeOf(thrown) === "") throw thrown;
    return false;
  }
}
