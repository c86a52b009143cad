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

/** As the bundle imports it. */
const WHOLE_ENGINE = "./index.js";

const args = process.argv.slice(2);
const verb = verbOf(args);
if (args[0] === "hook" || verb === "recall" || verb === "prompt") void runQuickly();
else void import("./main.ts").then(({ main }) => main(args));

async function runQuickly(): Promise<void> {
  const file = join(__dirname, QUICK_BUNDLE);
  // Each verb has its own, which holds what the verb uses and nothing else.
  const compiled = `${file}.${verb}.${process.version}-${process.arch}.compiled`;
  const cachedData = readIfThere(compiled);
  const source = `(function (module, require, __filename, __import) {${readFileSync(file, "latin1")}\n})`;
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const module = { exports: {} as typeof Quick };
  let isWhole = false;
  const load = (specifier: string) => {
    isWhole ||= specifier === WHOLE_ENGINE;
    return import(specifier);
  };
  script.runInThisContext()(module, createRequire(file), file, load);
  const { exit, answered } = await module.exports.run(args);
  process.exitCode = exit;
  // Taken after an answer without the whole engine, the compiled code holds all that the next one will use.
  if (answered && !isWhole && (cachedData === undefined || script.cachedDataRejected)) keep(compiled, script);
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
