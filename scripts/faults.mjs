// node scripts/faults.mjs [VERB…] [--lanes 2] [--stride 4]: makes the system calls that a change of a skill makes fail, one after
// the other, on the real program (dist/) and a real disk, and looks at what is left. Needs strace (apt install strace).
//
// Every fsync, rename, mkdir, unlink, truncate and write below the home folder fails once; of SQLite's many writes every fourth.
// A change that reports success must be there; one that reports failure must be absent, now and later; a killed process may leave
// either. After each: the next change works, no temporary file is left, and `doctor` finds nothing.

import { readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AttackedHomes, CALLS, callsBelow, difference, filesBelow, needStrace } from "./attacks/home.mjs";

/** Those of `VERBS` whose every call is tried unless verbs are given. */
const ATTACKED = ["save", "create", "delete", "rename", "restore", "undo", "accept"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lanes: { type: "string", default: String(Math.max(1, availableParallelism() - 1)) },
    stride: { type: "string", default: "4" },
  },
});
needStrace();
const homes = new AttackedHomes();
await homes.prepare();
let runs = 0;
const problems = [];
for (const verb of positionals.length > 0 ? positionals : ATTACKED) await attack(verb);
homes.dispose();
console.log(`${runs} runs, ${problems.length} problems.`);
for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function attack(verb) {
  const { state: before } = await homes.look(homes.copy(`${verb}-before`));
  const clean = homes.copy(`${verb}-clean`);
  const trace = join(homes.folder, `${verb}.trace`);
  const strace = ["strace", "-f", "-y", "-o", trace, "-e", `trace=${Object.keys(CALLS).join(",")}`];
  const { status, stderr } = await homes.change(clean, verb, strace);
  if (status !== 0) throw new Error(`${verb} fails without any fault: ${stderr}`);
  let databaseWrites = 0;
  const faults = callsBelow(clean, readFileSync(trace, "utf8")).filter(
    ({ call }) => call !== "pwrite64" || databaseWrites++ % Number(values.stride) === 0,
  );
  const { state: after } = await homes.look(clean);
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

async function suffer(verb, { call, number }, { before, after }) {
  const home = homes.copy(`${verb}-${call}-${number}`);
  const trace = `trace=${call}`;
  const inject = `inject=${call}:error=${CALLS[call]}:when=${number}`;
  const strace = ["strace", "-f", "-o", "/dev/null", "-e", trace, "-e", inject];
  const { status, signal, stdout, stderr } = await homes.change(home, verb, strace);
  const found = [];
  if (/\n {4}at /.test(stderr)) found.push(`a stack trace: ${stderr.slice(0, 300)}`);
  const code = status === 0 ? undefined : errorCode(stdout + stderr);
  const isUncertain = signal !== null || status > 128 || code === "commit-uncertain";
  if (status !== 0 && !isUncertain && code === undefined)
    found.push(`no code: ${(stdout + stderr).slice(0, 300)}`);
  const allowed = isUncertain ? [before, after] : status === 0 ? [after] : [before];
  const looked = await homes.look(home);
  if (looked.problem) found.push(`the next change fails: ${looked.problem}`);
  else if (!allowed.includes(looked.state))
    found.push(
      `${status === 0 ? "success" : `failure (${code ?? signal ?? status})`}, and then ${difference(looked.state, allowed[0])}`,
    );
  const left = filesBelow(home).filter((path) => path.includes(".repertoire-tmp"));
  if (left.length > 0) found.push(`left behind: ${left.join(", ")}`);
  const doctor = await homes.run(home, ["doctor"]);
  if (doctor.status !== 0) found.push(`doctor: ${(doctor.stdout + doctor.stderr).slice(0, 400)}`);
  rmSync(home, { recursive: true, force: true });
  return found;
}

function errorCode(text) {
  return /"code":\s*"([a-z-]+)"/.exec(text)?.[1];
}
