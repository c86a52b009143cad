// A year of a home that agents use all day, on a real store with a clock of its own: prints how large the home is. As a program:
// agents, days and messages a day of each agent as arguments.

import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DISK } from "../../src/disk/disk.ts";
import type { NewEvent } from "../../src/journal/journal.ts";
import { SkillPlaces } from "../../src/learn/places.ts";
import { SkillVersions } from "../../src/learn/versions.ts";
import { openSqliteStore } from "../../src/stores/sqlite/store.ts";
import { Random } from "./random.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2020, 0, 1);
const SKILLS = 200;
const SESSIONS_A_DAY = 4;
/** Skills that a day changes, by people, agents and dreams. */
const SAVES_A_DAY = 10;
const WORDS =
  "please look at the report of this week and send it to everybody who works with the new customers".split(
    " ",
  );

const [agents = 10, days = 365, messages = 40] = process.argv.slice(2).map(Number);
const random = new Random(1);
const home = mkdtempSync(join(tmpdir(), "repertoire-year-"));
const directory = join(home, ".repertoire");
let now = START;
const clock = { now: () => new Date(now) };
const store = openSqliteStore({ directory, clock });
const places = new SkillPlaces({ home, project: join(home, "project"), sources: [] });
const versions = new SkillVersions({ store, files: DISK, clock, places });

console.log(`${agents} agents, ${messages} messages a day each\n`);
console.log("| day | events | database | versions | sessions | whole home, MB |\n|---|---|---|---|---|---|");
let events = 0;
for (let day = 1; day <= days; day++) {
  await spend(day);
  now = START + day * DAY_MS;
  await store.tidy();
  if (day % 73 === 0 || day === days) print(day);
}
store.close();
rmSync(home, { recursive: true, force: true });

async function spend(day: number): Promise<void> {
  for (let agent = 0; agent < agents; agent++) {
    for (let turn = 0; turn < messages; turn++) {
      now += Math.floor(DAY_MS / agents / messages / 2);
      take(`s-${day}-${agent}-${turn % SESSIONS_A_DAY}`, 1 + Math.floor(turn / SESSIONS_A_DAY));
    }
  }
  for (let save = 0; save < SAVES_A_DAY; save++) {
    const name = `skill-${random.below(SKILLS)}`;
    const bytes = Buffer.from(`---\nname: ${name}\n---\n\n${text(150 + random.below(400))}\n`);
    await versions.exclusive(() =>
      versions.apply([{ place: { name }, action: "save", files: [{ path: "SKILL.md", bytes }] }], {
        author: "agent",
      }),
    );
  }
  // What a killed process leaves; files have the time of the machine, not that of the clock.
  writeFileSync(
    join(directory, `.tallies.json.${String(day).padStart(12, "0")}.repertoire-tmp`),
    text(1_000),
  );
  for (const path of filesBelow(directory))
    if (/repertoire-tmp$|\/(?:inbox|sessions)\//.test(path) && statSync(path).mtimeMs > now)
      utimesSync(path, now / 1000, now / 1000);
}

function take(session: string, turn: number): void {
  const skill = `skill-${random.below(SKILLS)}`;
  const about = { at: now, session, turn, skill, digest: "d".repeat(64) };
  const all: NewEvent[] = [
    { ...about, kind: "recalled", details: { score: random.next(), frame: "task", rank: 1 } },
    { ...about, kind: "shown", details: {} },
  ] as unknown as NewEvent[];
  if (random.chance(0.5)) all.push({ ...about, kind: "activated", details: {} } as unknown as NewEvent);
  const message = text(10 + random.below(60));
  store.record(all, [
    { session, turn, role: "user", text: message, at: now },
    { session, turn, role: "assistant", text: text(40 + random.below(100)), at: now },
  ]);
  store.sessions.begin(session, { key: `${turn}`, message });
  store.sessions.markShown(session, [skill]);
  events += all.length;
}

function text(words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join(" ");
}

function print(day: number): void {
  const size = (paths: readonly string[]) => paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1e6;
  const all = filesBelow(home);
  const of = (part: string) => size(all.filter((path) => path.slice(directory.length + 1).startsWith(part)));
  const cells = [of("repertoire."), of("versions"), of("sessions"), size(all)].map((each) => each.toFixed(1));
  console.log(`| ${day} | ${events} | ${cells.join(" | ")} |`);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
