// Owns writing the starters that a host's providers bring, and the provider of those that ship with the package.
// What becomes of each is `learn/starters.ts`'s to decide.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import { skillFileOf } from "../package/package.ts";
import { packageRoot } from "../package-root.ts";
import { parseSkill } from "../parse/parse.ts";
import type { Drafts } from "./drafts.ts";
import type { LessonPlaces } from "./places.ts";
import { learnedName } from "./skill-name.ts";
import { fateOf, type Starter, type StarterFate, type StarterProvider, starterAuthor } from "./starters.ts";
import type { VersionBook } from "./version-book.ts";

/** Guides to the tools that Repertoire itself offers. */
const BUNDLED = ["skills-and-rules", "memory-systems", "mcp-tool-guide"] as const;

/**
 * The starters of the package. The bundled source serves them as they are, so they are written to the learned source
 * only when a host that leaves that source out asks for them.
 */
export const bundledStarters: StarterProvider = {
  id: "repertoire",
  skills: () =>
    BUNDLED.map((name) => {
      const path = join(packageRoot(), "skills", name, "SKILL.md");
      const content = readFileSync(path, "utf8");
      return { name, content, version: parseSkill(content, path).skill?.manifest.version ?? "1" };
    }),
};

export class Starters {
  private readonly engine: Repertoire;
  private readonly book: VersionBook;
  private readonly places: LessonPlaces;
  private readonly drafts: Drafts;

  constructor(parts: { engine: Repertoire; book: VersionBook; places: LessonPlaces; drafts: Drafts }) {
    this.engine = parts.engine;
    this.book = parts.book;
    this.places = parts.places;
    this.drafts = parts.drafts;
  }

  /** Under the lock: looks at what became of the starter, and writes it where it is new or untouched. */
  async seed(starter: Starter, provider: StarterProvider): Promise<StarterFate> {
    const place = this.places.home(learnedName(starter.name));
    const main = skillFileOf(this.book.onDisk(place));
    const fate = fateOf(starter, {
      history: await this.book.history(place),
      digestOnDisk: main && this.book.digestOf(main),
      elsewhere: this.engine.library.skills.has(place.name),
    });
    if (fate !== "seed" && fate !== "follow") return fate;
    const author = starterAuthor(provider);
    const managed = { provenance: "starter", "starter-version": starter.version };
    const { change } = await this.drafts.save({ ...starter, author, managed });
    if (change) {
      const seeding = { ...change, data: { starter: starter.version } };
      await this.book.apply([seeding], {
        author,
        reason: `starter ${starter.version}`,
        batch: this.book.newId(),
      });
    }
    return fate;
  }
}
