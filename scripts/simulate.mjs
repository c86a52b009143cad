// npm run simulate [-- SEEDS] [--from 0] [--lanes 2]: the simulation of failing disks with many seeds, 10,000 unless given, in
// several processes. Prints the story of each failing seed; REPERTOIRE_SEED=N npx vitest run test/simulation repeats one.

import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { bundleProgram } from "./bundle.mjs";

/** Seeds that one process runs. */
const SLICE = 250;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string", default: "0" },
    lanes: { type: "string", default: String(availableParallelism()) },
  },
});
const first = Number(values.from);
const end = first + Number(positionals[0] ?? 10_000);
// Inside the package, so that its dependencies are found.
const program = "node_modules/.cache/repertoire-simulation/seeds.mjs";
await bundleProgram("test/simulation/seeds.ts", program);

let next = first;
let done = 0;
let failed = 0;
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
console.log(`${done} seeds (${first} to ${end - 1}), ${failed} failures.`);
process.exitCode = failed > 0 ? 1 : 0;

async function lane() {
  while (next < end) {
    const [from, count] = [next, Math.min(SLICE, end - next)];
    next += count;
    const { status, output } = await run(from, count);
    const stories = output.split("\n").filter((line) => line.startsWith("seed ")).length;
    if (output !== "") console.log(output.trimEnd());
    if (status !== 0) console.log(`seeds ${from} to ${from + count - 1}: the process ended with ${status}`);
    failed += status === 0 ? stories : Math.max(1, stories);
    done += count;
    if (done % 1_000 === 0) console.log(`${done} of ${end - first} seeds, ${failed} failures`);
  }
}

function run(from, count) {
  const child = spawn(process.execPath, [program, String(from), String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (part) => {
    output += part;
  });
  return new Promise((settle) => {
    child.once("close", (code, signal) => settle({ status: code ?? signal, output }));
  });
}
