// Asks the whole engine: mentions, triggers, bundled skills, see-also, threshold and section all count. One index serves
// every library, because each library is the view of an agent.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openRepertoire, type Repertoire } from "../src/engine/engine.ts";
import { lookupKey } from "../src/model/name.ts";
import type { Requirements } from "../src/model/skill.ts";
import type { Match } from "../src/model/turn.ts";

/** The library of all skills. */
export const ALL = "all skills";

export interface ShownSkill {
  /** The skill and the copies that it replaces. */
  readonly names: readonly string[];
  readonly origin: "bundled" | "see-also" | "other";
}

export interface Answer {
  /** The best ten without the threshold and without see-also, each with its copies. */
  readonly ranked: readonly (readonly string[])[];
  /** What a person's prompt gets, best first. */
  readonly shown: readonly ShownSkill[];
  /** An `adaptive` section of 2,000 tokens. */
  readonly section: string;
  /** Tokens that the message added to the section of an empty message. */
  readonly tokens: number;
  /** Milliseconds of the recall. */
  readonly ms: number;
}

export interface EvalEngineOptions {
  /** The ids of each library but `ALL`. */
  readonly libraries?: ReadonlyMap<string, readonly string[]>;
  /** Whether the skills that ship with Repertoire take part; true by default. */
  readonly bundled?: boolean;
  /** "off" leaves the trained encoder out, as hooks do; otherwise all skills are encoded first. */
  readonly encoder?: "auto" | "off";
  /** A folder that keeps the index and the encoder's vectors for the next run. */
  readonly cache?: string | undefined;
  readonly onEncoded?: ((done: number, total: number) => void) | undefined;
}

const PROMPT = { style: "adaptive", budget: { tokens: 2_000 } } as const;

export class EvalEngine {
  private readonly repertoire: Repertoire;
  private readonly home: string;
  private readonly bundled: ReadonlySet<string>;
  private readonly catalogTokens = new Map<string, number>();

  private constructor(repertoire: Repertoire, home: string, bundled: ReadonlySet<string>) {
    this.repertoire = repertoire;
    this.home = home;
    this.bundled = bundled;
  }

  /** Opens a folder of skills and the libraries within it. */
  static async open(skills: string, options: EvalEngineOptions = {}): Promise<EvalEngine> {
    const { libraries = new Map(), bundled: withBundled = true, encoder = "auto", cache } = options;
    const home = mkdtempSync(join(tmpdir(), "repertoire-evals-"));
    const sources = { add: [{ path: resolve(skills) }], bundled: withBundled };
    const shared = { sources, recall: { encoder }, ...(cache && { cache: resolve(cache) }) };
    const common = { home, dir: home, telemetry: false } as const;
    // The first one only scans, to learn what skills require; the second one finds its snapshot.
    const scan = openRepertoire({ ...common, env: {}, config: shared });
    const listed = (await scan.library.list()).skills.map(({ skill }) => skill);
    await scan.close();
    const bundled = listed.filter(({ source }) => source === "bundled").map(({ name }) => name);
    const agents = Object.fromEntries(
      [...libraries].map(([name, ids]) => [name, { skills: [...ids.map(lookupKey), ...bundled] }]),
    );
    const env = satisfying(
      listed.map(({ manifest }) => manifest.requires),
      join(home, "bin"),
    );
    const repertoire = openRepertoire({ ...common, env, config: { ...shared, agents } });
    const engine = new EvalEngine(repertoire, home, new Set(bundled));
    await repertoire.library.index({ encode: Infinity, onProgress: options.onEncoded });
    // Twice, because the second recall of a process brings the index into memory.
    for (let i = 0; i < 2; i++) await repertoire.turn({ message: "warm up" }).recall();
    return engine;
  }

  /** Recalls a message in a library, with the threshold and without, and writes its section. */
  async ask(message: string, library: string): Promise<Answer> {
    const agent = library === ALL ? undefined : library;
    const before = await this.tokensOfCatalog(library);
    const turn = this.repertoire.turn({ message });
    // First, because a message is recalled faster the second time.
    const { matches, ms } = await turn.recall({ agent });
    const section = await turn.prompt({ agent, ...PROMPT });
    const ranked = await this.repertoire.turn({ message }).recall({ agent, limit: 10, threshold: 0 });
    return {
      ranked: ranked.matches.filter(({ via }) => via === undefined).map(namesOf),
      shown: matches.map((match) => ({ names: namesOf(match), origin: this.originOf(match) })),
      section: section.text,
      tokens: section.tokens - before,
      ms,
    };
  }

  async close(): Promise<void> {
    await this.repertoire.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  private originOf({ name, via }: Match): ShownSkill["origin"] {
    if (via !== undefined) return "see-also";
    return this.bundled.has(name) ? "bundled" : "other";
  }

  /** The first question to a library also makes its view of the index, which is not part of a message's time. */
  private async tokensOfCatalog(library: string): Promise<number> {
    const known = this.catalogTokens.get(library);
    if (known !== undefined) return known;
    const agent = library === ALL ? undefined : library;
    await this.repertoire.turn({ message: "warm up" }).recall({ agent });
    const { tokens } = await this.repertoire.turn({ message: "" }).prompt({ agent, ...PROMPT });
    this.catalogTokens.set(library, tokens);
    return tokens;
  }
}

function namesOf({ name, duplicates = [] }: Match): readonly string[] {
  return [name, ...duplicates];
}

/** An environment with every program and variable that skills require, so that no figure depends on the machine. */
function satisfying(requirements: readonly Requirements[], bin: string): Record<string, string> {
  mkdirSync(bin, { recursive: true });
  const programs = requirements.flatMap(({ bins, anyBins }) => [...bins, ...anyBins]);
  for (const program of new Set(programs)) {
    if (!/^[\w.+-]+$/.test(program)) continue;
    writeFileSync(join(bin, program), "");
    chmodSync(join(bin, program), 0o755);
  }
  const variables = requirements.flatMap(({ env }) => env).map((name) => [name, "set"]);
  return { ...Object.fromEntries(variables), PATH: bin };
}
