// Owns the language model's summary of a saved skill: asked for in the background, written only if the skill is still
// the one that was summarised. A failed call leaves the first sentence that the save wrote.

import { messageOf } from "../model/errors.ts";
import { skillFileOf } from "../package/package.ts";
import { readSkillText, withMetadata } from "../parse/parse.ts";
import type { LanguageModel } from "./language-model.ts";
import { askForSummary } from "./summary.ts";
import type { VersionBook } from "./version-book.ts";
import { placeOf } from "./version-place.ts";
import type { VersionRecord } from "./version-store.ts";

export class SummaryWriter {
  private readonly book: VersionBook;
  private readonly model: (() => Promise<LanguageModel | undefined>) | undefined;
  private readonly running = new Set<Promise<void>>();

  constructor(parts: { book: VersionBook; model?: () => Promise<LanguageModel | undefined> }) {
    this.book = parts.book;
    this.model = parts.model;
  }

  /** Returns at once. */
  improve(version: VersionRecord): void {
    if (this.model === undefined) return;
    const work: Promise<void> = this.write(version)
      .catch((error) => {
        process.emitWarning(`No summary for "${version.name}": ${messageOf(error)}`, {
          code: "summary-failed",
        });
      })
      .finally(() => this.running.delete(work));
    this.running.add(work);
  }

  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async write(version: VersionRecord): Promise<void> {
    const model = await this.model?.();
    const main = skillFileOf(await this.book.filesOf(version));
    if (model === undefined || main === undefined) return;
    const lesson = readSkillText(main.bytes, main.path);
    const summary = await askForSummary(model, { name: version.name, content: lesson.body });
    if (summary === undefined) return;
    await this.book.exclusive(async () => {
      const place = placeOf(version);
      const head = await this.book.head(place);
      if (head?.id !== version.id || !this.book.isRecorded(head)) return;
      const text = withMetadata(lesson, { summary });
      const files = this.book
        .onDisk(place)
        .map((file) => (file.path === main.path ? { ...file, bytes: Buffer.from(text) } : file));
      await this.book.apply([{ place, action: "save", files }], {
        author: `model:${model.id}`,
        reason: "summary",
        batch: version.batch,
      });
    });
  }
}
