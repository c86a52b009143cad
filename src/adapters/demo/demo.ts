// A made-up library with a made-up history, in a temporary folder: for a person who wants to look around first. The history is
// made by the engine itself, with a clock that starts weeks ago.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type OpenOptions, openRepertoire, type Repertoire } from "../../engine/engine.ts";
import { DEMO_SESSIONS, DEMO_SKILLS, type DemoSkill } from "./demo-data.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export async function makeDemo(
  options: OpenOptions,
): Promise<{ readonly engine: Repertoire; readonly remove: () => void }> {
  const root = mkdtempSync(join(tmpdir(), "repertoire-demo-"));
  const places = { ...options, dir: join(root, "project"), home: join(root, "home"), configFile: undefined };
  for (const skill of DEMO_SKILLS.filter(({ learned }) => !learned)) write(places.dir, skill);
  mkdirSync(places.home, { recursive: true });
  await liveThrough(places);
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

async function liveThrough(places: OpenOptions): Promise<void> {
  const clock = { at: Date.now() - 40 * DAY_MS, now: () => new Date(clock.at) };
  const engine = openRepertoire({ ...places, clock, encoder: "off" });
  try {
    for (const { name, description, body } of DEMO_SKILLS.filter(({ learned }) => learned)) {
      await engine.learned.save({ name, description, content: body, author: "agent" });
      clock.at += DAY_MS;
    }
    for (const [index, { daysAgo, host, turns }] of DEMO_SESSIONS.entries()) {
      const session = `demo-${index + 1}`;
      clock.at = Date.now() - daysAgo * DAY_MS - index * MINUTE_MS;
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
  } finally {
    await engine.close();
  }
}
