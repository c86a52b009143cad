#!/usr/bin/env node
// Owns the process: arguments in, exit code out. `hook`, `recall` and `prompt` run at every message, so they get a bundle
// of their own, loaded as compiled code; every other verb loads the whole command line. Built as CommonJS: Node starts its
// module loader only where it is needed.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type * as Quick from "./quick.ts";
import { verbOf } from "./verb.ts";

/** The bundle's name has its content in it, so that compiled code is never run for another source. */
declare const QUICK_BUNDLE: string;

const args = process.argv.slice(2);
if (args[0] === "hook" || ["recall", "prompt"].includes(verbOf(args) ?? "")) void runQuickly();
else void import("./main.ts").then(({ main }) => main(args));

async function runQuickly(): Promise<void> {
  const file = join(__dirname, QUICK_BUNDLE);
  const compiled = `${file}.${process.version}-${process.arch}.compiled`;
  const cachedData = readIfThere(compiled);
  const source = `(function (module, require, __filename, __import) {${readFileSync(file, "latin1")}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as typeof Quick };
  script.runInThisContext()(module, createRequire(file), file, (specifier: string) => import(specifier));
  const { exit, answered } = await module.exports.run(args);
  process.exitCode = exit;
  // Taken after an answer, the compiled code holds all that the next one will use.
  if (answered && (cachedData === undefined || script.cachedDataRejected)) keep(compiled, script);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** A package that cannot be written to works as well, only slower. */
function keep(path: string, script: Script): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, path);
  } catch {
    return;
  }
}
