// Whether a version log larger than a string can be (512 MB) is read: the tables over it are filled, asked, lost, and filled again.
// node bench/changes/log.mjs [--megabytes 600] [--skills 2000]

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeHome } from "./home.mjs";

const { values } = parseArgs({
  options: {
    megabytes: { type: "string", default: "600" },
    skills: { type: "string", default: "2000" },
  },
});
/** Bytes of one line of the log, about. */
const LINE = 325;
const skills = Number(values.skills);
const versions = Math.ceil((Number(values.megabytes) * 1e6) / LINE / skills);
const home = mkdtempSync(join(tmpdir(), "repertoire-log-"));
const project = join(home, "project");
const state = join(home, ".repertoire");
mkdirSync(project);
writeHome(home, { skills, versions });
const size = () => (statSync(join(state, "versions", "log.jsonl")).size / 1e6).toFixed(0);
console.log(`${skills} skills x ${versions} versions, a log of ${size()} MB\n`);
console.log("| | took s | largest memory, MB | ended with |\n|---|---|---|---|");
await measure("tables from the log", ["history", "skill-7", "--limit", "3"]);
await measure("history", ["history", "skill-7", "--limit", "3"]);
await measure("save", ["save", "greet-people"], "Greets people.\n\n1. Say hello.\n");
await measure("undo", ["undo"]);
for (const suffix of ["", "-wal", "-shm"]) rmSync(join(state, `repertoire.db${suffix}`), { force: true });
await measure("database lost: tables again", ["history", "skill-7", "--limit", "3"]);
await measure("doctor (log against tables)", ["doctor"]);
rmSync(home, { recursive: true, force: true });

async function measure(name, args, input = "") {
  const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;
  const begun = performance.now();
  const child = spawn(process.execPath, [bin, "--json", "--dir", project, ...args], {
    env: { PATH: process.env.PATH, REPERTOIRE_HOME: home },
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(input);
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, largestMemory(child.pid));
  }, 20);
  const code = await new Promise((settle) =>
    child.once("close", (status, signal) => settle(signal ?? status)),
  );
  clearInterval(timer);
  const took = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`| ${name} | ${took} | ${most.toFixed(0)} | ${code} |`);
}

/** What the process has had in memory at most so far; needs Linux. */
function largestMemory(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
