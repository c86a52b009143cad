// `npm run test:hosts`: runs the real hosts against a fake model and prints a table. Takes names of hosts, and --record to
// keep what was seen: the table, and what hooks were given.

import { spawnSync } from "node:child_process";

const words = process.argv.slice(2);
const hosts = words.filter((word) => !word.startsWith("--"));
const run = (command, args, env = {}) => {
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) process.exit(status ?? 1);
};
run(process.execPath, ["scripts/build.mjs", "--no-types"]);
run("npx", ["vitest", "run", "--root", ".", "--config", "test/hosts/vitest.config.ts"], {
  REPERTOIRE_HOSTS: hosts.join(" "),
  REPERTOIRE_RECORD: words.includes("--record") ? "1" : "",
});
