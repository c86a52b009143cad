// Runs the benchmarks, one after the other: npm run bench [-- --corpus FOLDER] [--only NAME].

import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";

/** Whether each takes the folder of skills. */
const BENCHES = {
  scan: true,
  recall: true,
  sandbox: false,
  toolsets: false,
  journal: false,
  hook: true,
  prompt: true,
  changes: false,
  loop: false,
  fleet: true,
  dashboard: true,
};

const { values } = parseArgs({ options: { corpus: { type: "string" }, only: { type: "string" } } });
for (const [name, takesCorpus] of Object.entries(BENCHES)) {
  if (values.only !== undefined && values.only !== name) continue;
  console.log(`\n# ${name}`);
  const script = new URL(`./${name}/run.mjs`, import.meta.url).pathname;
  execFileSync(
    process.execPath,
    ["--expose-gc", script, ...(takesCorpus && values.corpus ? [values.corpus] : [])],
    {
      stdio: "inherit",
    },
  );
}
