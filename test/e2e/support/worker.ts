// Builds a test's other process once and runs it, collecting what it printed.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";

export interface Ended {
  readonly lines: readonly Record<string, unknown>[];
  readonly status: number | NodeJS.Signals | null;
  readonly errors: string;
}

export interface Worker {
  readonly folder: string;
  start(
    args: readonly string[],
    onLine?: () => void,
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> };
  dispose(): void;
}

export async function buildWorker(source: string): Promise<Worker> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-learn-"));
  const script = join(folder, "worker.mjs");
  await build({
    entryPoints: [resolve(source)],
    outfile: script,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    // Some packages are CommonJS and require the modules of Node.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    external: ["ai", "@ai-sdk/*", "jiti", "libsql", "better-sqlite3"],
    // The worker stands outside the package, but finds what the package finds.
    define: {
      "import.meta.filename": JSON.stringify(resolve("src/stores/sqlite/driver.ts")),
      "import.meta.dirname": JSON.stringify(resolve("src/stores/sqlite")),
    },
    alias: { chokidar: resolve("node_modules/chokidar/index.js") },
  });
  return {
    folder,
    start(args, onLine = () => {}) {
      const child = spawn(process.execPath, [script, ...args]);
      let output = "";
      let errors = "";
      child.stdout.on("data", (data) => {
        output += data;
        onLine();
      });
      child.stderr.on("data", (data) => {
        errors += data;
      });
      const ended = new Promise<Ended>((settle) => {
        child.on("close", (code, signal) => {
          const lines = output.split("\n").slice(0, -1);
          settle({ lines: lines.map((line) => JSON.parse(line)), status: code ?? signal, errors });
        });
      });
      return { child, ended };
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
