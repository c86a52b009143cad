// What does the index of a library cost? Prints processor time, largest memory and bytes of `repertoire index` on a new home
// folder, then warm answers and the cold command: node bench/recall/footprint.mjs PROJECT [MESSAGES.jsonl ...]
//
// PROJECT has the skills in its folder `skills`. Of the messages in files of JSON lines (`query`), the share that recalls
// something is printed. Needs `npm run build`; REPERTOIRE_DIST names another build.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { median, processorTime } from "../timing.mjs";
import { openCorpus } from "./corpus.mjs";

const [project, ...messageFiles] = process.argv.slice(2).map((path) => resolve(path));
const dist = process.env.REPERTOIRE_DIST ?? fileURLToPath(new URL("../../dist", import.meta.url));
const bin = join(dist, "bin.cjs");
const MESSAGES = 40;
const ROUNDS = 5;
const COLD_RUNS = 11;

const folder = mkdtempSync(join(tmpdir(), "bench-footprint-"));
const home = join(folder, "home");
const flags = ["--home", home, "--dir", project];

/** `repertoire index`, which leaves what it has used in a file when it ends. */
function index() {
  const [told, tell] = [join(folder, "used.json"), join(folder, "tell.cjs")];
  const write = `require("node:fs").writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.resourceUsage()))`;
  writeFileSync(tell, `process.on("exit", () => ${write});`);
  spawnSync(process.execPath, ["--require", tell, bin, ...flags, "index"], { stdio: "ignore" });
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(told, "utf8"));
  const seconds = (userCPUTime + systemCPUTime) / 1e6;
  console.log(`index: ${seconds.toFixed(1)} s of processor time, ${Math.round(maxRSS / 1024)} MiB at most`);
}

function bytesOnDisk() {
  const cache = join(home, ".repertoire", "cache");
  const sizes = readdirSync(cache).map((name) => ({ name, bytes: statSync(join(cache, name)).size }));
  for (const { name, bytes } of sizes) console.log(`  ${name}: ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`on disk: ${(sizes.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB`);
}

async function answers(asked) {
  const { openRepertoire } = await import(pathToFileURL(join(dist, "index.js")));
  const engine = openRepertoire({ dir: project, home });
  for (const [kind, messages] of Object.entries(asked)) {
    const times = [];
    for (let round = 0; round <= ROUNDS; round++) {
      for (const message of messages) {
        const begin = performance.now();
        await engine.turns.recall({ message });
        if (round > 0) times.push(performance.now() - begin);
      }
    }
    times.sort((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)]);
    console.log(
      `warm, ${kind}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms (${(p99 / p50).toFixed(1)}x)`,
    );
  }
  for (const file of messageFiles) {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    let spoken = 0;
    for (const line of lines) {
      const { matches } = await engine.turns.recall({ message: JSON.parse(line).query });
      if (matches.length > 0) spoken++;
    }
    const share = ((100 * spoken) / lines.length).toFixed(1);
    console.log(`${basename(file)}: ${spoken} of ${lines.length} recall something (${share}%)`);
  }
  await engine.close();
}

/** With messages that recall something: for the others the command ends with 1. */
function cold(messages) {
  const recall = (message) => [process.execPath, bin, ...flags, "recall", message];
  const answered = [];
  for (const message of messages) {
    if (answered.length === COLD_RUNS) break;
    const [node, ...args] = recall(message);
    if (spawnSync(node, args, { stdio: "ignore" }).status === 0) answered.push(message);
  }
  const [bare, whole] = [[], []];
  for (const message of answered) {
    bare.push(processorTime([process.execPath, "-e", "0"]));
    whole.push(processorTime(recall(message)));
  }
  const ratio = (median(whole) / median(bare)).toFixed(2);
  console.log(`cold recall: ${median(whole).toFixed(0)} ms of processor time, ${ratio}x node -e 0`);
}

try {
  index();
  bytesOnDisk();
  const corpus = openCorpus(join(project, "skills"));
  const short = corpus.messages("short", MESSAGES);
  cold(short);
  await answers({ short, long: corpus.messages("long", MESSAGES) });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
