// npm run simulate [-- SEEDS]: the simulation of failing disks with many seeds, 10,000 unless given.

import { spawnSync } from "node:child_process";

const [seeds = "10000"] = process.argv.slice(2);
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "test/simulation"], {
  stdio: "inherit",
  env: { ...process.env, REPERTOIRE_SEEDS: seeds },
});
process.exit(status ?? 1);
