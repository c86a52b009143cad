// Builds the command line once for the tests of the hosts, so that they run it as a host does: in its own process.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";

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
    program.bin = join(folder, "bin.cjs");
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    // The program stands outside the package, but finds its data where the package does.
    await bundle(folder, { modulePath: resolve("src/index.ts") });
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    get bin(): string {
      return program.bin;
    },
    run(
      args: readonly string[],
      options: {
        readonly input?: string;
        readonly home: string;
        readonly env?: Readonly<Record<string, string>>;
      },
    ): Promise<Ended> {
      const child = spawn(process.execPath, [program.bin, ...args], {
        env: { PATH: process.env.PATH, HOME: options.home, REPERTOIRE_HOME: options.home, ...options.env },
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
