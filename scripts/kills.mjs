// node scripts/kills.mjs [KILLS] [--lanes 2] [--seed 1] [--verb VERB]: kills the real program (dist/) while it changes a home, 1,000
// times unless given, and looks at what is left. Needs strace (apt install strace).
//
// Half of the kills come at a random time, half at a system call that changes the disk, by its number. A change that was reported
// must be there, one that was not must be there whole or not at all. After each kill the next process changes something, an add or
// an update is simply repeated, no file may be left that an undisturbed change does not leave, and `doctor` finds nothing (asked after
// every fourth).

import { readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  AttackedHomes,
  CALLS,
  callsBelow,
  difference,
  filesBelow,
  needStrace,
  VERBS,
} from "./attacks/home.mjs";

/** What may be there or not, whoever was killed; the bytes of changes that were not made go after a day. */
const PASSING = [/^\.repertoire\/versions\/blobs\//, /^\.repertoire\/cache\//, /\.db-(?:wal|shm)$/];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    lanes: { type: "string", default: String(availableParallelism()) },
    seed: { type: "string", default: "1" },
    verb: { type: "string" },
  },
});
const wanted = Number(positionals[0] ?? 1_000);
let randomState = Number(values.seed);

needStrace();
const homes = new AttackedHomes();
await homes.prepare();
const verbs = [];
for (const verb of values.verb ? [values.verb] : Object.keys(VERBS)) verbs.push(await undisturbed(verb));

const counts = new Map();
const problems = [];
let next = 0;
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
homes.dispose();
console.log("| verb | kills | old state | new state | ended before |\n|---|---|---|---|---|");
for (const [verb, { kills, old, made, ended }] of counts)
  console.log(`| ${verb} | ${kills} | ${old} | ${made} | ${ended} |`);
const killed = [...counts.values()].reduce((sum, { kills }) => sum + kills, 0);
console.log(`\n${killed} kills, ${problems.length} problems.`);
for (const problem of problems) console.log(`- ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** What the change does when nobody disturbs it. */
async function undisturbed(verb) {
  const original = homes.copy(`${verb}-before`);
  const { state: before } = await homes.look(original);
  const clean = homes.copy(`${verb}-clean`);
  const begun = performance.now();
  const { status, stdout, stderr } = await homes.change(clean, verb);
  const took = performance.now() - begun;
  if (status !== 0) throw new Error(`${verb} fails undisturbed: ${stdout}${stderr}`);
  const { state: after } = await homes.look(clean);
  if (after === before) throw new Error(`${verb} changes nothing.`);
  const traced = homes.copy(`${verb}-traced`);
  const trace = join(homes.folder, `${verb}.trace`);
  const calls = `trace=${Object.keys(CALLS).join(",")}`;
  await homes.change(traced, verb, ["strace", "-f", "-y", "-o", trace, "-e", calls]);
  const names = new Set([...namesIn(original), ...namesIn(clean)]);
  for (const home of [original, clean]) rmSync(home, { recursive: true, force: true });
  return { verb, before, after, took, names, calls: callsBelow(traced, readFileSync(trace, "utf8")) };
}

async function lane() {
  for (let number = next++; killedSoFar() < wanted && number < 3 * wanted; number = next++) {
    const about = verbs[number % verbs.length];
    const { verb } = about;
    const count = counts.get(verb) ?? { kills: 0, old: 0, made: 0, ended: 0 };
    counts.set(verb, count);
    const home = homes.copy(`${verb}-${number}`);
    const { how, status, signal } = await kill(home, about);
    if (signal !== null) count.kills++;
    else count.ended++;
    const { found, state } = await afterwards(home, about, status === 0 && signal === null);
    if (state === about.after) count.made++;
    else count.old++;
    for (const problem of found) {
      problems.push(`${verb}, ${how}: ${problem}`);
      console.log(`- ${problems.at(-1)}`);
    }
    if (found.length === 0) rmSync(home, { recursive: true, force: true });
    if ((number + 1) % 100 === 0) console.log(`${killedSoFar()} kills, ${problems.length} problems`);
  }
}

function killedSoFar() {
  return [...counts.values()].reduce((sum, { kills }) => sum + kills, 0);
}

async function kill(home, { verb, took, calls }) {
  if (random() < 0.5) {
    const { call, number } = calls[Math.floor(random() * calls.length)];
    const inject = `inject=${call}:signal=KILL:when=${number}`;
    const strace = ["strace", "-f", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
    return { how: `${call} ${number}`, ...(await homes.change(home, verb, strace)) };
  }
  // The first part of it is the start of Node, which changes nothing.
  const at = took * (0.4 + 0.8 * random());
  const changing = homes.change(home, verb);
  await Promise.race([sleep(at), changing]);
  changing.kill();
  return { how: `after ${at.toFixed(0)} ms`, ...(await changing) };
}

/** What the next process finds, and what is wrong with it. */
async function afterwards(home, { verb, before, after, names }, wasReported) {
  const found = [];
  const looked = await homes.look(home);
  if (looked.problem) return { found: [`the next change fails: ${looked.problem}`] };
  const allowed = wasReported ? [after] : [before, after];
  if (!allowed.includes(looked.state)) found.push(`then ${difference(looked.state, allowed[0])}`);
  if (VERBS[verb].repeats) {
    const { status, stdout, stderr } = await homes.change(home, verb);
    if (status !== 0) found.push(`repeated, it ends with ${status}: ${(stdout + stderr).slice(0, 400)}`);
    const { state } = await homes.look(home);
    if (state !== after) found.push(`repeated, it leaves ${difference(state ?? "", after)}`);
  }
  const left = [...namesIn(home)].filter((name) => !names.has(name));
  if (left.length > 0) found.push(`left behind: ${left.slice(0, 5).join(", ")}`);
  const doctor = next % 4 === 0 ? await homes.run(home, ["doctor"]) : { status: 0 };
  if (doctor.status !== 0) found.push(`doctor: ${(doctor.stdout + doctor.stderr).slice(0, 400)}`);
  return { found, state: looked.state };
}

/** The files of a home, with N for what differs in each run; of what passes, only the temporary files. */
function namesIn(home) {
  const names = filesBelow(home)
    .map((path) => path.slice(home.length + 1))
    .filter((path) => path.endsWith(".repertoire-tmp") || !PASSING.some((passing) => passing.test(path)));
  return new Set(names.map((name) => name.replace(/[0-9a-f]*\d[0-9a-f]*/g, "N")));
}

function random() {
  randomState = (Math.imul(randomState, 1664525) + 1013904223) >>> 0;
  return randomState / 2 ** 32;
}
