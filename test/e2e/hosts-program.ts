// Builds the command line once for the tests of the hosts, so that they run it as a host does: in its own process.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Registers the build with the test file; `bin` is known once the tests run. */
export function hostsProgram() {
  const program = { bin: "" };
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "repertoire-program-"));
    program.bin = join(folder, "bin.js");
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    await build({
      entryPoints: { bin: "src/adapters/cli/bin.ts" },
      outdir: folder,
      bundle: true,
      // As the package is built: a hook must not load what only other verbs need.
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      external: ["libsql", "chokidar", "jiti", "zod", "ai", "@ai-sdk/*"],
      banner: {
        js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
      },
      // The program stands outside the package, but finds its data where the package does.
      define: { "import.meta.url": JSON.stringify(pathToFileURL("src/index.ts").href) },
      logLevel: "error",
    });
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    get bin(): string {
      return program.bin;
    },
    run(
      args: readonly string[],
      options: { readonly input?: string; readonly home: string },
    ): Promise<Ended> {
      const child = spawn(process.execPath, [program.bin, ...args], {
        env: { PATH: process.env.PATH, HOME: options.home, REPERTOIRE_HOME: options.home },
        cwd: options.home,
      });
      let out = "";
      let err = "";
      child.stdout.on("data", (part) => {
        out += part;
      });
      child.stderr.on("data", (part) => {
        err += part;
      });
      child.stdin.end(options.input ?? "");
      return new Promise((settle) => {
        child.on("close", (code) => settle({ code, out, err }));
      });
    },
  };
}
