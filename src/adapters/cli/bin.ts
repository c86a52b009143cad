#!/usr/bin/env node
// Owns the process: arguments in, exit code out. Everything else is loaded from here when it is needed.

const [verb, ...words] = process.argv.slice(2);
// A host waits for its hook at every message: it gets its own way in, without the command line's grammar.
if (verb === "hook") {
  const { runHook } = await import("../hooks/main.ts");
  process.stderr.write((await runHook(words)) ?? "");
} else {
  const { run } = await import("./program.ts");
  process.exitCode = await run(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    terminal: process.stdout.isTTY === true,
    width: process.stdout.columns ?? 100,
  });
}

export {};
