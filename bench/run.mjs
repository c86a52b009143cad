// Runs the benchmarks, one after the other: npm run bench [-- --corpus FOLDER] [--only NAME].

import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";

const BENCHES = ["scan"];

const { values } = parseArgs({ options: { corpus: { type: "string" }, only: { type: "string" } } });
for (const name of BENCHES.filter((bench) => values.only === undefined || values.only === bench)) {
  console.log(`\n# ${name}`);
  const script = new URL(`./${name}/run.mjs`, import.meta.url).pathname;
  execFileSync(process.execPath, ["--expose-gc", script, ...(values.corpus ? [values.corpus] : [])], {
    stdio: "inherit",
  });
}
