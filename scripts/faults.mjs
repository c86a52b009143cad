// node scripts/faults.mjs [VERB…] [--lanes 2] [--stride 4]: makes the system calls that a change of a skill makes fail, one after
// the other, on the real program (dist/) and a real disk, and looks at what is left. Needs strace (apt install strace).
//
// Every fsync, rename, mkdir, unlink, truncate and write below the home folder fails once; of SQLite's many writes every fourth.
// A change that reports success must be there; one that reports failure must be absent, now and later; a killed process may leave
// either. After each: the next change works, no temporary file is left, and `doctor` finds nothing.

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const bin = new URL("../dist/bin.cjs", import.meta.url).pathname;

const PLAN = {
  toSave: [
    {
      name: "greet-guests",
      content:
        "Greets guests who arrive at the door. Use when guests arrive.\n\n1. Open the door and look who is there.\n2. Say hello and their names.\n3. Take their coats and ask what they would like to drink.\n",
      sourceNames: [],
    },
  ],
  toDelete: [],
};

/** Each changes the home that `prepare` makes. */
const VERBS = {
  save: { args: ["save", "greet"], input: "Greets people, better than before.\n\n1. Say hello twice.\n" },
  create: { args: ["save", "wave"], input: "Waves at people.\n\n1. Wave.\n" },
  delete: { args: ["delete", "greet"] },
  rename: { args: ["rename", "greet", "welcome"] },
  restore: { args: ["restore", "gone"] },
  undo: { args: ["undo"] },
  accept: { args: ["proposals", "accept", "1"] },
};

/** The calls, and the error that each meets. */
const CALLS = {
  fsync: "EIO",
  fdatasync: "EIO",
  rename: "ENOSPC",
  mkdir: "EACCES",
  unlink: "EACCES",
  ftruncate: "EIO",
  write: "ENOSPC",
  pwrite64: "ENOSPC",
};

/** What the next process does and sees: a change, its undo, and what is known then. */
const LOOK = `
  import { join } from "node:path";
  import { openRepertoire } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
  const home = process.env.REPERTOIRE_HOME;
  const skills = openRepertoire({ dir: join(home, "project"), home });
  await skills.learned.save({ name: "next", content: "Comes next.\\n\\n1. Come.\\n" });
  await skills.learned.undo();
  for (const name of ["greet", "gone", "thank", "wave", "welcome", "greet-guests"]) {
    const { versions } = await skills.learned.history(name).catch(() => ({ versions: [] }));
    console.log(name, versions.map(({ action }) => action).join(" "));
  }
  for (const { number, state } of await skills.dreams.proposals()) console.log(number, state);
  await skills.close();
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lanes: { type: "string", default: String(Math.max(1, availableParallelism() - 1)) },
    stride: { type: "string", default: "4" },
  },
});
if (spawnSync("strace", ["-V"]).status !== 0) {
  console.error("strace is not installed: apt install strace (or dnf, apk). Only Linux has it.");
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "repertoire-faults-"));
const template = join(folder, "template");
await prepare(template);
let runs = 0;
const problems = [];
for (const verb of positionals.length > 0 ? positionals : Object.keys(VERBS)) await attack(verb);
rmSync(folder, { recursive: true, force: true });
console.log(`${runs} runs, ${problems.length} problems.`);
for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** A home with skills that have a past, one deleted skill, and an open proposal. */
async function prepare(home) {
  mkdirSync(join(home, "project"), { recursive: true });
  const plan = join(home, "plan.json");
  writeFileSync(plan, JSON.stringify(PLAN));
  const steps = [
    [["save", "greet"], "Greets people.\n\n1. Say hello.\n"],
    [["save", "gone"], "Is gone.\n\n1. Go.\n"],
    [["save", "thank"], "Thanks people.\n\n1. Say thanks.\n"],
    [["delete", "gone"]],
    [["save", "greet"], "Greets people well.\n\n1. Say hello, and the name.\n"],
    [["dream", "submit", plan]],
  ];
  for (const [args, input] of steps) {
    const { status, stderr } = await run(home, args, { input });
    if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
  }
}

async function attack(verb) {
  const { args, input } = VERBS[verb];
  const { state: before } = await state(copyOf(verb, "before"));
  const clean = copyOf(verb, "clean");
  const trace = join(folder, `${verb}.trace`);
  const strace = ["strace", "-f", "-y", "-o", trace, "-e", `trace=${Object.keys(CALLS).join(",")}`];
  const { status, stderr } = await run(clean, args, { input, strace });
  if (status !== 0) throw new Error(`${verb} fails without any fault: ${stderr}`);
  const faults = faultsIn(readFileSync(trace, "utf8"), clean);
  const { state: after } = await state(clean);
  if (faults.length === 0) throw new Error(`${verb}: strace shows no call below ${clean}.`);
  console.log(`${verb}: ${faults.length} faults`);
  const lane = async () => {
    for (let fault = faults.shift(); fault; fault = faults.shift()) {
      const found = await suffer(verb, fault, { before, after });
      runs++;
      for (const problem of found) problems.push(`${verb}, ${fault.call} ${fault.number}: ${problem}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
}

/** The calls below the home folder, each with its number among the calls of its kind and thread. */
function faultsIn(trace, home) {
  const seen = new Map();
  const faults = new Map();
  let databaseWrites = 0;
  for (const line of trace.split("\n")) {
    const [, thread, call, rest] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call === undefined) continue;
    const number = (seen.get(`${thread} ${call}`) ?? 0) + 1;
    seen.set(`${thread} ${call}`, number);
    if (!rest.includes(home)) continue;
    if (call === "pwrite64" && databaseWrites++ % Number(values.stride) !== 0) continue;
    faults.set(`${call} ${number}`, { call, number });
  }
  return [...faults.values()];
}

async function suffer(verb, { call, number }, { before, after }) {
  const { args, input } = VERBS[verb];
  const home = copyOf(verb, `${call}-${number}`);
  const trace = `trace=${call}`;
  const inject = `inject=${call}:error=${CALLS[call]}:when=${number}`;
  const strace = ["strace", "-f", "-o", "/dev/null", "-e", trace, "-e", inject];
  const { status, signal, stdout, stderr } = await run(home, args, { input, strace });
  const found = [];
  if (/\n {4}at /.test(stderr)) found.push(`a stack trace: ${stderr.slice(0, 300)}`);
  const code = status === 0 ? undefined : errorCode(stdout + stderr);
  const isUncertain = signal !== null || status > 128 || code === "commit-uncertain";
  if (status !== 0 && !isUncertain && code === undefined)
    found.push(`no code: ${(stdout + stderr).slice(0, 300)}`);
  const allowed = isUncertain ? [before, after] : status === 0 ? [after] : [before];
  const looked = await state(home);
  if (looked.problem) found.push(`the next change fails: ${looked.problem}`);
  else if (!allowed.includes(looked.state))
    found.push(
      `${status === 0 ? "success" : `failure (${code ?? signal ?? status})`}, and then ${difference(looked.state, allowed[0])}`,
    );
  const left = filesBelow(home).filter((path) => path.includes(".repertoire-tmp"));
  if (left.length > 0) found.push(`left behind: ${left.join(", ")}`);
  const doctor = await run(home, ["doctor"]);
  if (doctor.status !== 0) found.push(`doctor: ${(doctor.stdout + doctor.stderr).slice(0, 400)}`);
  rmSync(home, { recursive: true, force: true });
  return found;
}

/** Looks, in the next process and after the next change, at the skills, their histories and the proposals; all as one text. */
async function state(home) {
  const looking = await started([process.execPath, "--input-type=module", "-e", LOOK], home);
  if (looking.status !== 0) return { problem: (looking.stdout + looking.stderr).slice(0, 400) };
  const skills = join(home, ".repertoire/skills");
  const files = filesBelow(skills).map(
    (path) => `${path.slice(skills.length)}\n${readFileSync(path, "utf8")}`,
  );
  return { state: [...files.map(withoutDates), looking.stdout].join("\n\n") };
}

function withoutDates(text) {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");
}

function difference(now, expected) {
  const lines = new Set(expected.split("\n"));
  const gone = expected.split("\n").filter((line) => !now.split("\n").includes(line));
  const more = now.split("\n").filter((line) => !lines.has(line));
  return `missing ${JSON.stringify(gone.slice(0, 5))}, instead ${JSON.stringify(more.slice(0, 5))}`;
}

function errorCode(text) {
  return /"code":\s*"([a-z-]+)"/.exec(text)?.[1];
}

function copyOf(verb, name) {
  const home = join(folder, `${verb}-${name}`);
  cpSync(template, home, { recursive: true, preserveTimestamps: true });
  return home;
}

function filesBelow(path) {
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((each) => statSync(each).isFile())
    .sort();
}

function environment(home) {
  return { PATH: process.env.PATH, REPERTOIRE_HOME: home };
}

function run(home, args, { input, strace = [] } = {}) {
  const program = [process.execPath, bin, "--json", "--dir", join(home, "project"), ...args];
  return started([...strace, ...program], home, input);
}

function started([program, ...args], home, input = "") {
  const child = spawn(program, args, { env: environment(home) });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].on("data", (part) => {
      output[stream] += part;
    });
  // A program that ends without reading its input closes the pipe.
  child.stdin.on("error", () => {}).end(input);
  return new Promise((settle) => {
    child.once("close", (status, signal) => settle({ ...output, status, signal }));
  });
}
