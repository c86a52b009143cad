// The verbs about what happened: stats and journal.

import { readBounded, sparkline } from "../../../engine/engine.ts";
import { messageOf, RepertoireError } from "../../../model/errors.ts";
import type { Verb } from "../command.ts";
import { day, percent } from "../tell.ts";

export const JOURNAL_VERBS: readonly Verb[] = [
  {
    use: "stats [name]",
    about: "how often skills were recalled, shown and activated, and how it went",
    options: [["--forget", "make recall forget the messages that it learned for the skill, or for all"]],
    async run({ io, engine: { journal, dreams } }, asked: string | undefined, options: { forget?: boolean }) {
      if (options.forget) {
        const answer = await journal.forgetMessages(asked);
        return io.answer(answer, () =>
          io.line(`Forgot ${answer.forgotten} messages${asked === undefined ? "" : ` of ${asked}`}.`),
        );
      }
      if (asked === undefined) {
        const answer = { skills: await journal.stats(), dreams: await dreams.account() };
        return io.answer(answer, () => {
          if (answer.skills.length === 0)
            return io.line("The journal is empty: nothing was recalled or used yet.");
          const rows = answer.skills.map((skill) => [
            skill.name,
            ...[skill.recalled, skill.shown, skill.activated, skill.succeeded, skill.failed].map(String),
            lastUse(skill.lastUsedAt),
          ]);
          io.table([["NAME", "RECALLED", "SHOWN", "ACTIVATED", "SUCCEEDED", "FAILED", "LAST USED"], ...rows]);
          const { accepted, rejected, open, acceptanceRate, regressions } = answer.dreams;
          if (accepted + rejected + open === 0) return;
          const rate = acceptanceRate === undefined ? "" : ` (${percent(acceptanceRate)} of those decided)`;
          io.line(
            `dreams: ${accepted} accepted, ${rejected} rejected, ${open} open${rate}; ${regressions.length} did worse afterwards`,
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
              `${imported} events imported; ${known} were known, ${torn} lines damaged, ${foreign} foreign.`,
            ),
          );
        },
      },
    ],
  },
];

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
