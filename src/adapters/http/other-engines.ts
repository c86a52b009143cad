// Other projects and settings, opened beside the served engine so that its answers can be compared with theirs.

import { openRepertoire, type Repertoire } from "../../engine/engine.ts";

/** What differs from the served engine. */
interface Elsewhere {
  /** The folder of another project. */
  readonly project?: string | undefined;
  /** Configuration keys, dotted, with other values. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** A page compares two at a time; a few more are kept for going back and forth. */
const KEPT = 3;

export class OtherEngines {
  private readonly engine: Repertoire;
  /** In the order of their last use. */
  private readonly open = new Map<string, Repertoire>();

  constructor(engine: Repertoire) {
    this.engine = engine;
  }

  /**
   * Fails for a folder that does not exist and for settings that are not valid. Nobody watches these folders, so that an engine which
   * is kept looks whether something has changed.
   */
  async at(elsewhere: Elsewhere): Promise<Repertoire> {
    const key = JSON.stringify(elsewhere);
    const { options } = this.engine.turns;
    const kept = this.open.get(key);
    const engine =
      kept ??
      openRepertoire({
        ...options,
        dir: elsewhere.project ?? this.engine.config.dir,
        values: { ...options.values, ...elsewhere.settings },
      });
    this.open.delete(key);
    this.open.set(key, engine);
    const [oldest] = this.open;
    if (oldest && this.open.size > KEPT) {
      this.open.delete(oldest[0]);
      void oldest[1].close();
    }
    await kept?.library.index({ encode: 0 });
    return engine;
  }

  async close(): Promise<void> {
    await Promise.all([...this.open.values()].map((engine) => engine.close()));
    this.open.clear();
  }
}
