// Bundles a program of `evals/` and runs it in the package's folder: npm run evals -- NAME [arguments].

import { spawnSync } from "node:child_process";
import { bundleProgram } from "./bundle.mjs";

/** The files of `evals/` that are programs. */
const PROGRAMS = [
  "all",
  "run",
  "fit",
  "fit-confidence",
  "fit-intent",
  "fit-topics",
  "fit-terms",
  "fit-inspect",
  "use",
  "inspect",
  "dream",
];

const [name, ...rest] = process.argv.slice(2);
if (!PROGRAMS.includes(name)) {
  console.error(`Usage: npm run evals -- ${PROGRAMS.join("|")} [arguments]; see evals/README.md.`);
  process.exit(2);
}
// Inside the package, so that its dependencies and its data are found.
const program = `node_modules/.cache/repertoire-evals/${name}.mjs`;
await bundleProgram(`evals/${name}.ts`, program);
const { status, signal } = spawnSync(process.execPath, [program, ...rest], {
  stdio: "inherit",
});
process.exit(signal ? 1 : (status ?? 1));
