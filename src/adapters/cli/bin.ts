#!/usr/bin/env node
// The process: arguments in, exit code out. `hook`, `recall` and `prompt` run at every message, so they have a bundle of
// their own, loaded as compiled code; every other verb loads the whole command line. Built as CommonJS, so that Node starts
// its module loader only when it is needed.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { jsonVisibly, visibly } from "../../text/terminal.ts";
import { readHookInput } from "../hooks/input.ts";
import { askWarm } from "../hooks/warm-client.ts";
import { writeOut } from "../write-out.ts";
import { failureOf, wantsJson } from "./failure.ts";
import type * as Quick from "./quick.ts";
import { verbOf } from "./verb.ts";

/** The bundle's name contains a digest of its content, so compiled code always fits its source. */
declare const QUICK_BUNDLE: string;

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
else void import("./main.ts").then(({ main }) => main(args));

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
  const file = join(__dirname, QUICK_BUNDLE);
  // One file for each verb, with the code that this verb uses.
  const compiled = `${file}.${verb}.${process.version}-${process.arch}.compiled`;
  const cachedData = readIfThere(compiled);
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} as typeof Quick };
  let isWhole = false;
  const load = (specifier: string) => {
    isWhole ||= specifier === WHOLE_ENGINE;
    return import(specifier);
  };
  // The bundle is beside this file, so both resolve alike; a `require` of its own would load another module of Node.
  script.runInThisContext()(module, require, file, __dirname, load);
  const { exit, answered } = await module.exports.run(args, input);
  process.exitCode = exit;
  // After an answer without the whole engine, the compiled code holds all that the next call will use.
  if (answered && !isWhole && (cachedData === undefined || script.cachedDataRejected)) keep(compiled, script);
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** Without write access to the package, every start compiles again. */
function keep(path: string, script: Script): void {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, script.createCachedData());
    renameSync(temporary, path);
  } catch {
    return;
  }
}
