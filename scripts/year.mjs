// node scripts/year.mjs [AGENTS] [DAYS] [MESSAGES]: how large a home becomes that ten agents use for a year, each with 40 messages a
// day, unless given. The clock is simulated, the store is not.

import { spawnSync } from "node:child_process";
import { bundleProgram } from "./bundle.mjs";

// Inside the package, so that its dependencies are found.
const program = "node_modules/.cache/repertoire-simulation/year.mjs";
await bundleProgram("test/simulation/year.ts", program);
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
