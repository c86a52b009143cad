// Makes a home folder and a project for the walks through the designs, and opens what users open: the library as the
// package exports it, and the command line. Nothing of the machine's own skills or environment takes part.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

import { run } from "../../../src/adapters/cli/main.ts";
import { type Clock, openRepertoire, type Repertoire, type Store, sqliteStore } from "../../../src/index.ts";

import { temporaryTree } from "../../skill-tree.ts";

export interface OpenHow {
  readonly values?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

export interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Files by their path below the root, in which `p` is the project and `home` the home folder. */
export function designWorkspace(files: Readonly<Record<string, string>>) {
  const root = temporaryTree({ "p/.keep": "", "home/.keep": "", ...files });
  const [project, home] = [join(root, "p"), join(root, "home")];
  return {
    root,
    project,
    home,
    path: (path: string) => join(root, path),
    write(path: string, text: string): void {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: (path: string) => rmSync(join(root, path), { recursive: true }),
    /** A new engine, as a new process would have it; without the skills that ship unless they are asked for. */
    open({ values = {}, env = {}, clock }: OpenHow = {}): Repertoire {
      const engine = openRepertoire({
        dir: project,
        home,
        env,
        values: { "sources.bundled": false, ...values },
        clock,
      });
      onTestFinished(() => engine.close());
      return engine;
    },
    /** The store of the home folder, as another process opens it. */
    store(clock: Clock = { now: () => new Date() }): Store {
      const store = sqliteStore({ directory: join(home, ".repertoire"), clock });
      onTestFinished(() => store.close());
      return store;
    },
    async cli(...args: string[]): Promise<Told> {
      const told = { out: "", err: "" };
      const code = await run(["--dir", project, "--home", home, ...args], {
        out: (text) => {
          told.out += text;
        },
        err: (text) => {
          told.err += text;
        },
        terminal: false,
        width: 100,
      });
      return { code, ...told };
    },
  };
}

/** The names recalled for a message, best first, see-also included. */
export async function recalledFor(engine: Repertoire, message: string): Promise<string[]> {
  return (await engine.turn({ message }).recall()).matches.map(({ name }) => name);
}

/** A clock that stands still until it is set. */
export function settableClock(at: number): Clock & { at: number } {
  const clock = { at, now: () => new Date(clock.at) };
  return clock;
}

export const DAY_MS = 24 * 60 * 60 * 1000;
