// A library of skills that an agent saved, and sessions that used them, for walks through dreams. Everything is real: the
// engine as the package exports it, its store, its clock set to the end of the history.

import { NOW, type SeedSession, type SeedSkill, seedHistory } from "../../dream-history.ts";
import { DAY_MS, designWorkspace, settableClock } from "./design-workspace.ts";

export type { SeedSession };

export interface DreamStart {
  readonly skills?: readonly SeedSkill[];
  readonly sessions?: readonly SeedSession[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  /** When the skills were saved. */
  readonly savedDaysAgo?: number;
}

export async function dreaming(start: DreamStart = {}) {
  const { skills = [], sessions = [], values = {}, files = {}, savedDaysAgo = 40 } = start;
  const clock = settableClock(NOW - savedDaysAgo * DAY_MS);
  const space = designWorkspace(files);
  const engine = space.open({ clock, values: { "embedder.kind": "none", ...values } });
  const { learned, dreams } = engine;
  for (const { author = "agent", ...skill } of skills)
    await learned.save({ ...skill, author, summary: "One" });
  clock.at = NOW;
  const library = await engine.library.current();
  await seedHistory(space.store(clock), sessions, (name) => library.skills.get(name)?.digest ?? "");
  const prompts = async () => {
    const all = await dreams.prompts();
    const of = (pass: string) => all.find((each) => each.pass === pass)!;
    return { gap: of("gap"), consolidate: of("consolidate"), optimize: of("optimize") };
  };
  return { space, engine, clock, learned, dreams, prompts };
}

/** Sessions of one message each, a day apart, newest last. */
export function sessionsOf(
  messages: readonly string[],
  more: Partial<SeedSession["turns"][number]> = {},
): SeedSession[] {
  return messages.map((message, at) => ({
    session: `s${at + 1}`,
    daysAgo: messages.length - at,
    turns: [{ message, recalled: [], ...more }],
  }));
}

/** A procedure of about this many characters. */
export function procedure(title: string, chars = 400): string {
  return `# ${title}\n\n${`Do the next thing for ${title}. `.repeat(100)}`.slice(0, chars).trimEnd();
}
