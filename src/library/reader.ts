// How other rooms get at the library, and the reader for a process that does not scan: it answers from the snapshot on
// disk alone, so that a host's hook loads neither the walk nor the parser.

import { RepertoireError } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import type { Source } from "../model/source.ts";
import type { Library } from "./precedence.ts";
import { type LibrarySnapshot, openLibrarySnapshot, type SnapshotOptions } from "./snapshot.ts";
import { SnapshotDamage } from "./snapshot-file.ts";

/** Takes the instructions of files as a scan reads them, so that nobody opens them again. */
export interface BodySink {
  /** No more bodies are wanted: the scan reads the front matter alone. */
  readonly full: boolean;
  add(skill: Skill, body: string): void;
}

export interface ScanOptions {
  readonly bodies?: BodySink | undefined;
  /** The folders of skills that were changed: known skills elsewhere are not looked at. All are unless given. */
  readonly changed?: readonly string[] | undefined;
  /** Nobody waits for this scan: requests go first. */
  readonly isBehind?: boolean | undefined;
}

/** The library as it is read, with or without a scan. */
export interface LibraryReader {
  /** Lowest precedence first. */
  readonly sources: readonly Source[];
  /** The library: from the snapshot while no folder above a skill has changed, otherwise from a scan. */
  current(): Promise<Library>;
  /** Answers from the snapshot of `current`, and once more after a scan if what is stored proves damaged. */
  read<T>(ask: (snapshot: LibrarySnapshot) => T): Promise<T>;
  /** As `current`, with the facts behind the library. */
  snapshot(bodies?: BodySink): Promise<LibrarySnapshot>;
  /** Walks all sources and reads what changed. */
  rescan(options?: ScanOptions): Promise<LibrarySnapshot>;
  /** What is known without a look at the sources, however old. */
  stored(): LibrarySnapshot | undefined;
  /** The Markdown below a skill's front matter, read from disk now. */
  body(skill: Skill): string;
}

/** Fails with `index-stale` if only a scan can answer. */
export class StoredLibrary implements LibraryReader {
  readonly sources: readonly Source[];
  private readonly options: SnapshotOptions;
  private opened: LibrarySnapshot | undefined;

  constructor(sources: readonly Source[], options: SnapshotOptions) {
    this.sources = sources;
    this.options = options;
  }

  current(): Promise<Library> {
    return this.read((snapshot) => snapshot.library());
  }

  async read<T>(ask: (snapshot: LibrarySnapshot) => T): Promise<T> {
    const snapshot = await this.snapshot();
    try {
      return ask(snapshot);
    } catch (thrown) {
      if (thrown instanceof SnapshotDamage) throw this.stale();
      throw thrown;
    }
  }

  async snapshot(): Promise<LibrarySnapshot> {
    const snapshot = this.stored();
    if (!snapshot?.isCurrent()) throw this.stale();
    return snapshot;
  }

  async rescan(): Promise<LibrarySnapshot> {
    throw this.stale();
  }

  stored(): LibrarySnapshot | undefined {
    this.opened ??= openLibrarySnapshot(this.sources, this.options);
    return this.opened;
  }

  body(): string {
    throw this.stale();
  }

  /** The error of a question that needs more than what is stored. */
  stale(): RepertoireError {
    return new RepertoireError(
      "index-stale",
      "The index is not up to date. Run `repertoire index`.",
      this.options.cacheDir,
    );
  }
}
