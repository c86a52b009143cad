// Keeps the vectors of a trained encoder for the skills of a library, and compares a message with them.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { UNREADABLE, unlessMissing } from "../disk/disk.ts";
import { quiet } from "../library/library.ts";
import { codeOf } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import type { Encoded } from "./candidates.ts";
import { type SharedVectors, type SkillEncoder, SkillVectors, vectorKey } from "./encoder.ts";
import type { Glossed } from "./glossary.ts";
import { leadText } from "./lead.ts";
import type { RecallIndex } from "./recall-index.ts";

const ENCODING = {
  /** The encoder counts from this share of encoded skills on: before, it would prefer those that it knows. */
  covered: 0.98,
  /** Skills encoded between two looks at whether a request is running, and between two saves; one takes about 30 ms. */
  batch: 2,
  saveEvery: 512,
  /** So few skills without a vector are encoded before a message is answered: it takes two seconds once. */
  inline: 60,
  /** Vectors asked for, or given, at once. */
  sharedAtOnce: 2_000,
} as const;

interface EncodingNeeds {
  /** Opens the encoder; absent, there is none. */
  readonly encoder: (() => Promise<SkillEncoder | undefined>) | undefined;
  /** Where the vectors are kept; undefined keeps them in memory. */
  readonly cacheDir: string | undefined;
  readonly body: (skill: Skill) => string;
}

export interface EncodeOptions {
  readonly most?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** A request waits for it; otherwise requests go first. */
  readonly isAwaited?: boolean | undefined;
  /** Stops between two batches. */
  readonly signal?: AbortSignal | undefined;
}

interface Opened {
  readonly encoder: SkillEncoder;
  readonly vectors: SkillVectors;
}

interface Rows {
  /** The state of the index that they are for. */
  readonly edition: number;
  /** The row of each document that has one; undefined if too few have one. */
  readonly encoded: ReadonlyMap<number, number> | undefined;
}

export class Encoding {
  private readonly needs: EncodingNeeds;
  private opened: Promise<Opened | undefined> | undefined;
  private shared: SharedVectors | undefined;
  /** The rows of an index's documents; made anew when skills were encoded or indexed. */
  private rows = new WeakMap<RecallIndex, Rows>();

  constructor(needs: EncodingNeeds) {
    this.needs = needs;
  }

  /** What the encoder says of a message; undefined without an encoder and until nearly all skills are encoded. */
  async of(index: RecallIndex, message: Glossed): Promise<Encoded | undefined> {
    if (this.needs.encoder === undefined) return undefined;
    // Reading the weights takes longer than the rest of a recall: only if they will be of use.
    if (this.opened === undefined && index.text.size > ENCODING.inline && !this.hasFile()) return undefined;
    const opened = await this.open();
    if (opened === undefined) return undefined;
    await this.encodeFew(index, opened.vectors);
    if (this.rowsOf(index, opened.vectors) === undefined) return undefined;
    const cosineOf = opened.vectors.cosines(await opened.encoder.embedMessage(leadText(message.text)));
    // Again: meanwhile an update of the index may have made the numbers of documents void.
    const rows = this.rowsOf(index, opened.vectors);
    if (rows === undefined) return undefined;
    return {
      cosine(doc) {
        const row = rows.get(doc);
        return row === undefined ? 0 : cosineOf(row);
      },
      nearest(limit) {
        const hits = Array.from(rows, ([doc, row]) => ({ doc, score: cosineOf(row) }));
        return hits.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, limit);
      },
    };
  }

  /**
   * Encodes the skills that have no vector yet, if they are not more than `most`. Returns how many still have none; 0 without
   * an encoder.
   */
  async encode(skills: readonly Skill[], options: EncodeOptions = {}): Promise<number> {
    if (this.needs.encoder === undefined) return 0;
    if (options.most === 0 && this.opened === undefined && !this.hasFile()) return skills.length;
    const opened = await this.open();
    if (opened === undefined) return 0;
    const { encoder, vectors } = opened;
    await this.takeShared(opened, skills);
    const missing = skills.filter(({ digest }) => vectors.rowOf(digest) === undefined);
    // Part of a library is of no use: the encoder counts once it knows nearly all skills.
    const wanted = missing.length > (options.most ?? missing.length) ? [] : missing;
    for (let done = 0; done < wanted.length && !options.signal?.aborted; done += ENCODING.batch) {
      await quiet(() => options.isAwaited === true);
      const batch = wanted.slice(done, done + ENCODING.batch);
      const found = await encoder.embedSkills(batch.map((skill) => this.partsOf(skill)));
      batch.forEach((skill, i) => {
        vectors.add(skill.digest, found[i]!);
      });
      this.rows = new WeakMap();
      const now = done + batch.length;
      if (now === wanted.length || now % ENCODING.saveEvery < ENCODING.batch) saveQuietly(vectors);
      options.onProgress?.(now, wanted.length);
    }
    await this.giveShared(opened, wanted);
    return missing.length - wanted.length;
  }

  /**
   * From now on vectors are shared with other machines. Takes over those that they have made, and gives them what this one has;
   * nothing without an encoder.
   */
  async shareWith(shared: SharedVectors, skills: readonly Skill[]): Promise<void> {
    this.shared = shared;
    const opened = await this.open();
    if (opened === undefined) return;
    const given = skills.filter(({ digest }) => opened.vectors.rowOf(digest) !== undefined);
    await this.takeShared(opened, skills);
    await this.giveShared(opened, given);
  }

  private async takeShared({ encoder, vectors }: Opened, skills: readonly Skill[]): Promise<void> {
    const { shared } = this;
    const missing = skills.filter(({ digest }) => vectors.rowOf(digest) === undefined);
    if (shared === undefined || missing.length === 0) return;
    let taken = 0;
    for (let at = 0; at < missing.length; at += ENCODING.sharedAtOnce) {
      const some = missing.slice(at, at + ENCODING.sharedAtOnce);
      const found = await shared.get(
        encoder.id,
        some.map(({ digest }) => vectorKey(digest)),
      );
      for (const { digest } of some) {
        const bytes = found.get(vectorKey(digest));
        if (bytes && vectors.addBytes(digest, bytes)) taken++;
      }
    }
    if (taken === 0) return;
    this.rows = new WeakMap();
    saveQuietly(vectors);
  }

  private async giveShared({ encoder, vectors }: Opened, skills: readonly Skill[]): Promise<void> {
    for (let at = 0; at < skills.length; at += ENCODING.sharedAtOnce) {
      const some = skills.slice(at, at + ENCODING.sharedAtOnce).flatMap(({ digest }) => {
        const bytes = vectors.bytesOf(digest);
        return bytes ? [[vectorKey(digest), bytes] as const] : [];
      });
      await this.shared?.put(encoder.id, new Map(some));
    }
  }

  private partsOf(skill: Skill) {
    const { declaredName, description, whenToUse } = skill.manifest;
    return {
      name: declaredName ?? skill.name,
      description: whenToUse === undefined ? description : `${description} ${whenToUse}`,
      body: this.needs.body(skill),
    };
  }

  private hasFile(): boolean {
    const { cacheDir } = this.needs;
    const names =
      cacheDir === undefined ? [] : (unlessMissing(() => readdirSync(cacheDir), UNREADABLE) ?? []);
    return names.some((name) => name.endsWith(".vectors"));
  }

  private open(): Promise<Opened | undefined> {
    this.opened ??= (this.needs.encoder?.() ?? Promise.resolve(undefined)).then((encoder) => {
      if (encoder === undefined) return undefined;
      const { cacheDir } = this.needs;
      const path = cacheDir === undefined ? undefined : join(cacheDir, `${encoder.id}.vectors`);
      return { encoder, vectors: SkillVectors.open(path, encoder.dimensions) };
    });
    return this.opened;
  }

  /** Encodes the skills of the index that have no vector yet, if they are few. */
  private async encodeFew(index: RecallIndex, vectors: SkillVectors): Promise<void> {
    if (this.rows.get(index)?.edition === index.edition) return;
    const missing = index.skillDigests().filter(({ digest }) => vectors.rowOf(digest) === undefined);
    if (missing.length > 0 && missing.length <= ENCODING.inline)
      await this.encode(
        missing.map(({ doc }) => index.skill(doc)),
        { isAwaited: true },
      );
  }

  /** The rows of the vectors by document, for the index as it is now; undefined if too few skills have one. */
  private rowsOf(index: RecallIndex, vectors: SkillVectors): Rows["encoded"] {
    const { edition } = index;
    const known = this.rows.get(index);
    if (known?.edition === edition) return known.encoded;
    const digests = index.skillDigests();
    const found = new Map<number, number>();
    for (const { doc, digest } of digests) {
      const row = vectors.rowOf(digest);
      if (row !== undefined) found.set(doc, row);
    }
    const isEnough = found.size > 0 && found.size >= ENCODING.covered * digests.length;
    const encoded = isEnough ? found : undefined;
    this.rows.set(index, { edition, encoded });
    return encoded;
  }
}

/** A cache is never fatal: without room or rights, the vectors serve this process and are made again by the next. */
function saveQuietly(vectors: SkillVectors): void {
  try {
    vectors.save();
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
}
