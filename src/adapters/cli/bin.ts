#!/usr/bin/env node
// Owns the process: arguments in, exit code out. Everything else is loaded from here when it is needed.

import { run } from "./program.ts";

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  terminal: process.stdout.isTTY === true,
  width: process.stdout.columns ?? 100,
});
