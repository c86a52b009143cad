// A made-up library with a made-up history, in a temporary folder: for a person who wants to look around first. The history is
// made by the engine itself, with a clock that starts weeks ago.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  addCase,
  casesFrom,
  EVAL_RUNS,
  keepRun,
  type OpenOptions,
  OWN_CASES,
  openRepertoire,
  type Repertoire,
} from "../../engine/engine.ts";
import { markHeard } from "../hooks/heard.ts";
import { applySetup, planSetup } from "../hooks/setup/setup.ts";
import {
  DEMO_CASES,
  DEMO_EDITS,
  DEMO_PACKAGE,
  DEMO_SESSIONS,
  DEMO_SKILLS,
  type DemoSession,
  type DemoSkill,
} from "./demo-data.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Places {
  readonly home: string;
  readonly dir: string;
}

export async function makeDemo(
  options: OpenOptions,
): Promise<{ readonly engine: Repertoire; readonly remove: () => void }> {
  const root = mkdtempSync(join(tmpdir(), "repertoire-demo-"));
  const places = { ...options, dir: join(root, "project"), home: join(root, "home"), configFile: undefined };
  for (const skill of DEMO_SKILLS.filter(({ learned }) => !learned)) write(places.dir, skill);
  mkdirSync(places.home, { recursive: true });
  await liveThrough(places, join(root, "elsewhere"));
  return {
    engine: openRepertoire(places),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function write(dir: string, { name, description, body, files = {} }: DemoSkill): void {
  const folder = join(dir, "skills", name);
  const text = `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
  for (const [path, content] of Object.entries({ "SKILL.md": text, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

async function liveThrough(places: OpenOptions & Places, elsewhere: string): Promise<void> {
  const clock = { at: Date.now() - 40 * DAY_MS, now: () => new Date(clock.at) };
  const engine = openRepertoire({ ...places, clock, encoder: "off" });
  try {
    for (const { name, description, body } of DEMO_SKILLS.filter(({ learned }) => learned)) {
      await engine.learned.save({ name, description, content: body, author: "agent" });
      clock.at += DAY_MS;
    }
    await bringFrom(elsewhere, engine);
    const steps = [
      ...DEMO_SESSIONS.map((session, index) => ({
        daysAgo: session.daysAgo,
        live: () => liveSession(engine, clock, { ...session, id: `demo-${index + 1}` }),
      })),
      ...DEMO_EDITS.map(({ daysAgo, body, ...edit }) => ({
        daysAgo,
        live: () => engine.learned.save({ ...edit, content: body, author: "person" }),
      })),
    ];
    for (const { daysAgo, live } of steps.sort((one, other) => other.daysAgo - one.daysAgo)) {
      clock.at = Date.now() - daysAgo * DAY_MS;
      await live();
    }
    await measure(engine, clock);
    connect(places);
  } finally {
    await engine.close();
  }
}

async function liveSession(
  engine: Repertoire,
  clock: { at: number },
  { id: session, host, turns }: DemoSession & { readonly id: string },
): Promise<void> {
  for (const { message, used = [], outcome, note } of turns) {
    await engine.turn({ message, session, host }).prompt();
    for (const name of used) {
      const task = engine.task(session, { askConsent: () => true, session, host, audience: "person" });
      await task.activate(name);
    }
    if (outcome !== undefined) await engine.journal.reportOutcome({ outcome, note }, { session, host });
    clock.at += MINUTE_MS;
  }
}

/** Connects Claude Code, whose sessions the history has, in the home folder of the demo. */
function connect({ home, dir }: Places): void {
  const host = "claude-code";
  const places = { home, dir, env: {}, program: ["repertoire"] };
  applySetup(host, places, { changes: planSetup(host, places) });
  markHeard(host, home, { session: "demo", dir, ancestors: [] });
}

/** Adds a skill from a folder, whose source then goes on. */
async function bringFrom(elsewhere: string, { supply }: Repertoire): Promise<void> {
  const { newBody, ...skill } = DEMO_PACKAGE;
  write(elsewhere, skill);
  const source = await supply.open(join(elsewhere, "skills"));
  try {
    await supply.take(source, await source.offers(), { agree: (offers) => offers });
  } finally {
    source.close();
  }
  write(elsewhere, { ...skill, body: newBody });
}

/** Cases that a person corrected, and two runs over them: of last week, and of today. */
async function measure(engine: Repertoire, clock: { at: number }): Promise<void> {
  const folder = engine.turns.dataDirectory;
  const cases = casesFrom(DEMO_CASES, "corrected");
  for (const { query, gold } of DEMO_CASES) addCase(join(folder, OWN_CASES), { query, gold });
  clock.at = Date.now() - 7 * DAY_MS;
  keepRun(join(folder, EVAL_RUNS), await engine.evaluate(cases), clock.at);
  for (const { query, gold } of DEMO_CASES.slice(0, 1))
    await engine.journal.shouldHaveBeen({ skill: gold[0]!, message: query });
  clock.at = Date.now() - DAY_MS;
  const went = (await engine.journal.successes()).map(({ message, skills }) => ({
    ...{ query: message, gold: skills, source: "went well" },
  }));
  const all = [...cases, ...casesFrom(went, "went well")];
  keepRun(join(folder, EVAL_RUNS), await engine.evaluate(all), clock.at);
}
