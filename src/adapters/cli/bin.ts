#!/usr/bin/env node
// The process: arguments in, exit code out. `hook`, `recall` and `prompt` run at every message, so they have a bundle of
// their own; every other verb is in the bundle of the whole command line. Both are loaded as compiled code. Built as CommonJS,
// so that Node starts its module loader only when it is needed.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { jsonVisibly, visibly } from "../../text/terminal.ts";
import { readHookInput } from "../hooks/input.ts";
import { askWarm } from "../hooks/warm-client.ts";
import { writeOut } from "../write-out.ts";
import { failureOf, wantsJson } from "./failure.ts";
import type * as Whole from "./main.ts";
import type * as Quick from "./quick.ts";
import { verbOf } from "./verb.ts";

/** A bundle's name contains a digest of its content, so compiled code always fits its source. */
declare const QUICK_BUNDLE: string;
declare const WHOLE_BUNDLE: string;

/** The specifier with which the bundle imports the whole engine. */
const WHOLE_ENGINE = "./engine.js";

const args = process.argv.slice(2);
const verb = verbOf(args);

// Node would print the error as it is, with a stack trace, and its message may quote text of others.
process.on("uncaughtException", (thrown: unknown) => {
  // Whoever read our output has seen enough, as `head` does.
  if ((thrown as { readonly code?: unknown } | null)?.code === "EPIPE") process.exit(0);
  const failure = failureOf(thrown, verb);
  if (wantsJson(args)) process.stdout.write(jsonVisibly(`${JSON.stringify({ error: failure })}\n`));
  else process.stderr.write(visibly(`error ${failure.message}\nnext: ${failure.next}\n`));
  process.exit(1);
});

if (args[0] === "hook") void runHookWarmly();
else if (verb === "recall" || verb === "prompt") void runQuickly();
else void runWhole();

/** Lets a server of ours that is warm answer, if there is one; else answers here. */
async function runHookWarmly(): Promise<void> {
  let input: string | undefined;
  const read = () => {
    input ??= readHookInput();
    return input;
  };
  const output = await askWarm({ words: args.slice(1), read, net: () => require("node:net") });
  if (output === undefined) await runQuickly(input);
  else if (output !== "") writeOut(`${output}\n`);
}

async function runQuickly(input?: string | undefined): Promise<void> {
  let isWhole = false;
  // One file for each verb, with the code that this verb uses.
  const { exports, keep } = loadCompiled<typeof Quick>(QUICK_BUNDLE, `.${verb}`, (specifier) => {
    isWhole ||= specifier === WHOLE_ENGINE;
    return import(specifier);
  });
  const { exit, answered } = await exports.run(args, input);
  process.exitCode = exit;
  // After an answer without the whole engine, the compiled code holds all that the next call will use.
  if (answered && !isWhole) keep();
}

async function runWhole(): Promise<void> {
  const { exports, keep } = loadCompiled<typeof Whole>(WHOLE_BUNDLE, "", (specifier) => import(specifier));
  await exports.main(args);
  if (process.exitCode === 0) keep();
}

/** Runs a bundle, with the code that an earlier process compiled if there is some. `keep` saves it for the next one. */
function loadCompiled<Exports>(
  bundle: string,
  part: string,
  load: (specifier: string) => Promise<unknown>,
): { readonly exports: Exports; readonly keep: () => void } {
  const file = join(__dirname, bundle);
  const compiled = `${file}${part}.${process.version}-${process.arch}.compiled`;
  const cachedData = readIfThere(compiled);
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} as Exports };
  // The bundle is beside this file, so both resolve alike; a `require` of its own would load another module of Node.
  script.runInThisContext()(module, require, file, __dirname, load);
  const isNew = cachedData === undefined || script.cachedDataRejected === true;
  return { exports: module.exports, keep: () => isNew && keepCompiled(compiled, script) };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Without write access to the package, every start compiles again. */
function keepCompiled(path: string, script: Script): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, path);
  } catch {
    return;
  }
}
