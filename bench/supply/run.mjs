// How long do five everyday jobs take beside `skills` and `openskills`? The same collection, in turns, on the clock and in processor
// time: node bench/supply/run.mjs [GIT REPOSITORY] [--rounds N] [--jobs "list,add one"]. Needs `npm run build`, bash and git; the tools
// are installed once, in this folder.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { writeLibrary } from "../library.mjs";
import { median, ratioOf } from "../timing.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const REPERTOIRE =
  process.env.REPERTOIRE_BIN ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, jobs: { type: "string" } },
});
const rounds = Number(values.rounds);
const MEASURE = `TIMEFORMAT="%3R %3U %3S"; exec 4>&2; { time "$@" 2>&4; } 2>&3`;
const wanted = values.jobs?.split(",").map((job) => job.trim());

if (!existsSync(join(HERE, "node_modules")))
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: HERE, stdio: "inherit" });

const root = mkdtempSync(join(tmpdir(), "repertoire-supply-"));
try {
  const repository = bareCopy(positionals[0] === undefined ? ownCollection() : resolve(positionals[0]));
  const url = String(pathToFileURL(repository));
  const [one] = packagesOf(repository);
  measure(toolsFor(url, one));
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** What each tool is called with for the same job. */
function toolsFor(url, one) {
  const program = (path) => [process.execPath, path];
  const skills = program(join(HERE, "node_modules", "skills", "bin", "cli.mjs"));
  const openskills = program(join(HERE, "node_modules", "openskills", "dist", "cli.js"));
  const repertoire = program(REPERTOIRE);
  const agent = ["--agent", "claude-code", "-y"];
  return {
    repertoire: {
      "add one": [...repertoire, "add", url, one, "--yes", "--to", "project"],
      "add all": [...repertoire, "add", url, "--all", "--yes", "--to", "project"],
      list: [...repertoire, "list"],
      update: [...repertoire, "update", "--yes"],
      remove: [...repertoire, "remove", one],
    },
    skills: {
      "add one": [...skills, "add", url, "--skill", one, ...agent],
      "add all": [...skills, "add", url, "--skill", "*", ...agent],
      list: [...skills, "list"],
      update: [...skills, "update", "-y"],
      remove: [...skills, "remove", one, "-y"],
    },
    openskills: {
      // It has no way to name one skill of a repository: it takes all.
      "add all": [...openskills, "install", url, "--yes"],
      list: [...openskills, "list"],
      update: [...openskills, "update"],
      remove: [...openskills, "remove", one],
    },
  };
}

/** Adding starts in a new home each time, the other jobs with all skills. Updating does nothing new: the source did not move on. */
function measure(tools) {
  const [homeOf, add] = [(tool) => join(root, tool, "full"), (jobs) => jobs["add one"] ?? jobs["add all"]];
  for (const [tool, jobs] of Object.entries(tools)) run(jobs["add all"], homeOf(tool));
  for (const job of Object.keys(tools.repertoire)) {
    if (wanted && !wanted.includes(job)) continue;
    const times = Object.fromEntries(Object.keys(tools).map((tool) => [tool, []]));
    for (let round = 0; round < rounds; round++)
      for (const [tool, jobs] of Object.entries(tools)) {
        if (jobs[job] === undefined) continue;
        const isNew = job.startsWith("add");
        const home = isNew ? join(root, tool, `${job.replace(" ", "-")}-${round}`) : homeOf(tool);
        if (job === "remove" && round > 0) run(add(jobs), home);
        times[tool].push(run(jobs[job], home));
        if (isNew) rmSync(home, { recursive: true });
      }
    for (const other of ["skills", "openskills"])
      if (times[other].length > 0) print(job, other, times.repertoire, times[other]);
  }
}

/** Under a name that ends in .git: one of the tools takes other addresses for names of a code host. */
function bareCopy(repository) {
  const copy = join(root, "collection.git");
  execFileSync("git", ["clone", "--quiet", "--bare", repository, copy], { stdio: "ignore" });
  return copy;
}

/** Milliseconds on the clock and of processor time, with the processes that it starts. */
function run(command, home) {
  mkdirSync(join(home, "project"), { recursive: true });
  const { status, output } = spawnSync("bash", ["-c", MEASURE, "bash", ...command], {
    cwd: join(home, "project"),
    env: { PATH: process.env.PATH, HOME: home, DISABLE_TELEMETRY: "1", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    encoding: "utf8",
  });
  const isRefusal = status === 1 && command.includes(REPERTOIRE);
  if (status !== 0 && !isRefusal)
    throw new Error(`${command.slice(1).join(" ")} ended with ${status}:\n${output[1]}\n${output[2]}`);
  const [real, user, system] = output[3].trim().split(" ").map(Number);
  return { clock: real * 1000, processor: (user + system) * 1000 };
}

function print(job, other, ours, theirs) {
  for (const kind of ["clock", "processor"]) {
    const [mine, its] = [ours, theirs].map((times) => times.map((each) => each[kind]));
    const { ratio, low, high } = ratioOf(mine, its);
    const times = `${median(mine).toFixed(0)} ms / ${median(its).toFixed(0)} ms`;
    const verdict = kind === "clock" ? `  (bar 1: ${ratio <= 1 ? "met" : "MISSED"})` : "";
    console.log(
      `${`${job}, repertoire / ${other}, ${kind}`.padEnd(46)} ${times.padEnd(22)} = ${ratio.toFixed(2)}x [${low.toFixed(2)}, ${high.toFixed(2)}]${verdict}`,
    );
  }
}

/** A repository with twenty skills of the benchmarks' own. */
function ownCollection() {
  const folder = join(root, "own");
  writeLibrary(join(folder, "skills"), 20);
  writeFileSync(join(folder, "README.md"), "# A collection\n");
  const git = (...args) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m", "skills");
  return folder;
}

function packagesOf(repository) {
  const paths = execFileSync("git", ["-C", repository, "ls-tree", "-r", "--name-only", "HEAD"], {
    encoding: "utf8",
  });
  return paths.split("\n").flatMap((path) => /([^/]+)\/SKILL\.md$/.exec(path)?.[1] ?? []);
}
