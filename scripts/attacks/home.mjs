// A home folder to be attacked, the changes that are made in it, and what the next process finds there.

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
import { tmpdir } from "node:os";
import { join } from "node:path";

const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;

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
export const VERBS = {
  save: { args: ["save", "greet"], input: "Greets people, better than before.\n\n1. Say hello twice.\n" },
  create: { args: ["save", "wave"], input: "Waves at people.\n\n1. Wave.\n" },
  delete: { args: ["delete", "greet"] },
  rename: { args: ["rename", "greet", "welcome"] },
  restore: { args: ["restore", "gone"] },
  undo: { args: ["undo"] },
  accept: { args: ["proposals", "accept", "1"] },
  dream: { args: ["dream", "--apply", "--force"] },
  add: { args: ["add", "OFFERED", "--all", "--yes"], repeats: true },
  update: { args: ["update", "--yes"], repeats: true },
  remove: { args: ["remove", "visit-0"] },
};

/** Calls that change a disk, and the error that each meets in `scripts/faults.mjs`. */
export const CALLS = {
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
  import { openRepertoire } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
  const home = process.env.REPERTOIRE_HOME;
  const skills = openRepertoire({ dir: join(home, "project"), home });
  await skills.learned.save({ name: "next", content: "Comes next.\\n\\n1. Come.\\n" });
  await skills.learned.undo();
  for (const name of ["greet", "gone", "thank", "wave", "welcome", "greet-guests", "visit-0", "offer-0"]) {
    const { versions } = await skills.learned.history(name).catch(() => ({ versions: [] }));
    console.log(name, versions.map(({ action }) => action).join(" "));
  }
  for (const { number, state } of await skills.dreams.proposals()) console.log(number, state);
  await skills.close();
`;

export function needStrace() {
  if (spawnSync("strace", ["-V"]).status === 0) return;
  console.error("strace is not installed: apt install strace (or dnf, apk). Only Linux has it.");
  process.exit(2);
}

export class AttackedHomes {
  folder = mkdtempSync(join(tmpdir(), "repertoire-attacks-"));
  #template = join(this.folder, "template");

  /** A home with skills that have a past, one deleted skill, an open proposal, and added skills that their source has new. */
  async prepare() {
    const home = this.#template;
    mkdirSync(join(home, "project"), { recursive: true });
    const plan = join(home, "plan.json");
    writeFileSync(plan, JSON.stringify(PLAN));
    const visits = join(this.folder, "visits");
    this.#publish(visits, "visit", "Visits people at home.");
    const steps = [
      [["save", "greet"], "Greets people.\n\n1. Say hello.\n"],
      [["save", "gone"], "Is gone.\n\n1. Go.\n"],
      [["save", "thank"], "Thanks people.\n\n1. Say thanks.\n"],
      [["delete", "gone"]],
      [["add", `file://${visits}`, "--all", "--yes"]],
      [["save", "greet"], "Greets people well.\n\n1. Say hello, and the name.\n"],
      [["dream", "submit", plan]],
    ];
    for (const [args, input] of steps) {
      const { status, stdout, stderr } = await this.run(home, args, { input });
      if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stdout}${stderr}`);
    }
    this.#publish(visits, "visit", "Visits people at home, with a present.");
    this.#publish(join(this.folder, "offered"), "offer", "Offers drinks to people.");
  }

  /** Commits a few skills to a repository. */
  #publish(repository, name, description) {
    for (let n = 0; n < 5; n++) {
      mkdirSync(join(repository, `${name}-${n}`), { recursive: true });
      const text = `---\nname: ${name}-${n}\ndescription: ${description}\n---\n\n1. Do it ${n} times.\n`;
      writeFileSync(join(repository, `${name}-${n}`, "SKILL.md"), text);
      writeFileSync(join(repository, `${name}-${n}`, "notes.md"), `Notes of ${description}\n`);
    }
    const identity = ["-c", "user.name=Attacker", "-c", "user.email=attacker@example.org"];
    const commands = [
      ["init", "-q"],
      ["add", "."],
      [...identity, "commit", "-q", "-m", description],
    ];
    for (const args of commands) {
      const { status, stderr } = spawnSync("git", args, { cwd: repository, encoding: "utf8" });
      if (status !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr}`);
    }
  }

  copy(name) {
    const home = join(this.folder, name);
    cpSync(this.#template, home, { recursive: true, preserveTimestamps: true });
    return home;
  }

  /** Makes a change of `VERBS`. */
  change(home, verb, strace) {
    const { args, input } = VERBS[verb];
    const offered = `file://${join(this.folder, "offered")}`;
    const all = args.map((arg) => (arg === "OFFERED" ? offered : arg));
    return this.run(home, all, { input, strace });
  }

  run(home, args, { input, strace = [] } = {}) {
    const program = [process.execPath, bin, "--json", "--dir", join(home, "project"), ...args];
    return started([...strace, ...program], home, input);
  }

  /** Looks, in the next process and after the next change, at the skills, their histories and the proposals; all as one text. */
  async look(home) {
    const looking = await started([process.execPath, "--input-type=module", "-e", LOOK], home);
    if (looking.status !== 0) return { problem: (looking.stdout + looking.stderr).slice(0, 400) };
    const skills = join(home, ".repertoire/skills");
    const files = filesBelow(skills).map(
      (path) => `${path.slice(skills.length)}\n${readFileSync(path, "utf8")}`,
    );
    return { state: [...files.map(withoutDates), looking.stdout].join("\n\n") };
  }

  dispose() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The calls below the home folder, each with its number among the calls of its kind and thread. */
export function callsBelow(home, trace) {
  const seen = new Map();
  const found = new Map();
  for (const line of trace.split("\n")) {
    const [, thread, call, rest] = /^(\d+) +(\w+)\((.*)/.exec(line) ?? [];
    if (call === undefined) continue;
    const number = (seen.get(`${thread} ${call}`) ?? 0) + 1;
    seen.set(`${thread} ${call}`, number);
    if (rest.includes(home)) found.set(`${call} ${number}`, { call, number });
  }
  return [...found.values()];
}

export function filesBelow(path) {
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((each) => statSync(each, { throwIfNoEntry: false })?.isFile())
    .sort();
}

export function difference(now, expected) {
  const lines = new Set(expected.split("\n"));
  const gone = expected.split("\n").filter((line) => !now.split("\n").includes(line));
  const more = now.split("\n").filter((line) => !lines.has(line));
  return `missing ${JSON.stringify(gone.slice(0, 5))}, instead ${JSON.stringify(more.slice(0, 5))}`;
}

function withoutDates(text) {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");
}

function started([program, ...args], home, input = "") {
  const env = { PATH: process.env.PATH, REPERTOIRE_HOME: home, HOME: home };
  const child = spawn(program, args, { env });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].on("data", (part) => {
      output[stream] += part;
    });
  // A program that ends without reading its input closes the pipe.
  child.stdin.on("error", () => {}).end(input);
  const ended = new Promise((settle) => {
    child.once("close", (status, signal) => settle({ ...output, status, signal }));
  });
  return Object.assign(ended, { kill: () => child.kill("SIGKILL") });
}
