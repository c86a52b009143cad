// The verbs about what happened: stats, sessions, outcome and journal.

import {
  type LibraryCost,
  OUTCOMES,
  type Outcome,
  RATINGS,
  type Rating,
  readBounded,
  sparkline,
} from "../../../engine/engine.ts";
import { messageOf, RepertoireError } from "../../../model/errors.ts";
import { oneLine } from "../../../text/escape.ts";
import { clip } from "../../../text/markdown.ts";
import { grouped, numberOf } from "../../../text/numbers.ts";
import { accepting, positiveInteger, type Verb } from "../command.ts";
import type { Io } from "../io.ts";
import { day, minute, percent, tellOutcome } from "../tell.ts";

/** Enough to recognise a session by. */
const FIRST_MESSAGE_CHARS = 60;

interface OutcomeFlags {
  readonly session?: string;
  readonly turn?: number;
  readonly note?: string;
}

export const JOURNAL_VERBS: readonly Verb[] = [
  {
    use: "stats [name]",
    about: "how often skills were shown and activated, how it went, and what they cost in tokens",
    examples: ["stats", "stats skill-author"],
    options: [["--forget", "make recall forget the messages that it learned for the skill, or for all"]],
    async run(
      { io, engine: { journal, dreams, library } },
      asked: string | undefined,
      options: { forget?: boolean },
    ) {
      if (options.forget) {
        const answer = await journal.forgetMessages(asked);
        return io.answer(answer, () =>
          io.line(
            `Forgot ${numberOf(answer.forgotten, "message")}${asked === undefined ? "" : ` of ${asked}`}.`,
          ),
        );
      }
      if (asked === undefined) {
        const skills = await journal.stats();
        const cost = await library.cost();
        const activated = new Set(skills.filter((one) => one.activated > 0).map(({ name }) => name));
        const neverUsed = cost.skills.map(({ name }) => name).filter((name) => !activated.has(name));
        const answer = { skills, cost, neverUsed, dreams: await dreams.account() };
        return io.answer(answer, () => {
          if (skills.length === 0) io.line("The journal is empty: nothing was recalled or used yet.");
          else {
            const most = Math.max(...skills.map((one) => one.activated));
            const rows = skills.map((skill) => [
              skill.name,
              ...[skill.shown, skill.activated, skill.succeeded, skill.failed].map(String),
              lastUse(skill.lastUsedAt),
              bar(skill.activated, most),
            ]);
            io.table([["NAME", "SHOWN", "ACTIVATED", "SUCCEEDED", "FAILED", "LAST USED", ""], ...rows]);
          }
          tellCost(io, cost, neverUsed);
          const { accepted, rejected, undone, open, acceptanceRate, regressions } = answer.dreams;
          if (accepted + rejected + undone + open === 0) return;
          const rate = acceptanceRate === undefined ? "" : ` (${percent(acceptanceRate)} of those decided)`;
          io.line(
            `dreams: ${accepted} accepted, ${rejected} rejected, ${undone} undone, ${open} open${rate}; ${regressions.length} did worse afterwards`,
          );
        });
      }
      const stats = await journal.statsOf(asked);
      const { name, recalled, shown, activated, succeeded, failed, trend, companions, versions, messages } =
        stats;
      io.answer(stats, () => {
        io.line(io.colour.bold(name));
        io.line(
          `recalled ${recalled} -> shown ${shown} -> activated ${activated} -> succeeded ${succeeded} (failed ${failed})`,
        );
        io.line(
          `last used ${lastUse(stats.lastUsedAt)}; activations a week: ${sparkline(trend)} (${trend.at(-1) ?? 0} this week)`,
        );
        const together = companions.map((each) => `${each.name} (${each.sessions})`);
        if (together.length > 0) io.line(`used together with ${together.join(", ")}`);
        for (const version of versions) {
          const note = version.deprioritised ? "; ranked lower, because it mostly failed" : "";
          io.line(
            `  ${version.digest.slice(0, 12)}  activated ${version.activated}, succeeded ${version.succeeded}, failed ${version.failed}, rate ${version.rate.toFixed(2)}${note}`,
          );
        }
        if (messages.length > 0)
          io.line(`recall learned from (forget with repertoire stats --forget ${name}):`);
        for (const { text, at, weight } of messages)
          io.line(`  ${day(at)}  ${weight > 0 ? "for" : "against"}  ${text}`);
      });
    },
  },
  {
    use: "sessions",
    about: "list the latest sessions: what was asked, which skills were used, how it went",
    options: [["--limit <n>", "at most this many", positiveInteger, 20]],
    async run({ io, engine }, { limit }: { limit: number }) {
      const sessions = await engine.journal.sessions({ limit });
      io.answer({ sessions }, () => {
        if (sessions.length === 0) return io.line("There is no session yet.");
        const rows = sessions.map(({ session, lastAt, turns, skills, successes, failures, ...about }) => [
          session,
          minute(lastAt),
          String(turns),
          skills.join(", ") || "-",
          successes + failures === 0 ? "-" : `${successes} good, ${failures} bad`,
          clip(oneLine(about.firstMessage ?? ""), FIRST_MESSAGE_CHARS),
        ]);
        io.table([["SESSION", "LAST", "TURNS", "ACTIVATED", "OUTCOMES", "FIRST MESSAGE"], ...rows]);
      });
    },
    verbs: [
      {
        use: "rate",
        about: "say how a session went; dreams look again at the skills of poor and fair ones",
        arguments: [
          ["<session>", "its id", String],
          ["<rating>", RATINGS.join(", "), accepting(RATINGS)],
        ],
        options: [["--note <text>", "what was good or bad"]],
        async run({ io, engine }, session: string, rating: Rating, { note }: { note?: string }) {
          await engine.journal.rateSession({ rating, text: note }, { session });
          io.answer({ session, rating }, () => io.line(`Noted: ${session} was ${rating}.`));
        },
      },
    ],
  },
  {
    use: "outcome",
    about: "say how a turn of a session ended, for one skill or for all that were activated in it",
    arguments: [
      ["<outcome>", OUTCOMES.join(", "), accepting(OUTCOMES)],
      ["[skill]", "only this skill", String],
    ],
    options: [
      ["--session <id>", "the session; `repertoire sessions` lists them"],
      ["--turn <n>", "the turn, from 1 (default: the latest)", positiveInteger],
      ["--note <text>", "what happened, in one sentence"],
    ],
    async run({ io, engine }, outcome: Outcome, skill: string | undefined, options: OutcomeFlags) {
      const { session, turn, note } = options;
      if (session === undefined)
        throw new RepertoireError(
          "no-session",
          "Which session? Add --session ID; `repertoire sessions` lists them.",
        );
      await engine.journal.requireSession(session);
      const skills = await engine.journal.reportOutcome({ outcome, skill, turn, note }, { session });
      io.answer({ outcome, skills }, () => tellOutcome(io, skills));
    },
  },
  {
    use: "journal",
    about: "export or import the journal as JSON lines",
    verbs: [
      {
        use: "export <session>",
        about: "print the events of a session, one JSON object per line",
        async run({ io, engine }, session: string) {
          io.jsonText(await engine.journal.exportSession(session));
        },
      },
      {
        use: "import <file>",
        about: "import events; damaged and foreign lines are counted and left out",
        async run({ io, engine }, file: string) {
          const report = await engine.journal.importLines(textOf(file));
          const { imported, known, torn, foreign } = report;
          io.answer(report, () =>
            io.line(
              `${numberOf(imported, "event")} imported; ${known} known before, ${numberOf(torn, "damaged line")}, ${foreign} foreign.`,
            ),
          );
        },
      },
    ],
  },
];

const BAR_CHARS = 10;

function bar(value: number, most: number): string {
  return "█".repeat(most === 0 ? 0 : Math.ceil((value / most) * BAR_CHARS));
}

/** What the library costs, and what of it a host's own list would have room for. */
function tellCost(
  io: Io,
  { skills, always, activated, hosts }: LibraryCost,
  neverUsed: readonly string[],
): void {
  const tokens = (count: number) => numberOf(count, "token");
  io.line(
    `${numberOf(skills.length, "skill")}, ${neverUsed.length} never activated (repertoire list --unused 30d).`,
  );
  io.line(
    `Listed with their descriptions they cost ${tokens(always)} in every prompt; the instructions of one are about ${tokens(activated)}.`,
  );
  for (const { host, shown, chars } of hosts)
    io.line(
      `${host} by itself has room for ${shown} of ${skills.length} descriptions (${grouped(chars)} characters, if its context has 200,000 tokens).`,
    );
}

function lastUse(at: number): string {
  return at === 0 ? "never" : day(at);
}

/** A journal of some years. */
const JOURNAL_BYTES = 256 * 1024 * 1024;

function textOf(file: string): string {
  try {
    return readBounded(file, { maxBytes: JOURNAL_BYTES }).toString("utf8");
  } catch (thrown) {
    throw new RepertoireError("file-unreadable", `${file} cannot be read: ${messageOf(thrown)}.`, file);
  }
}
