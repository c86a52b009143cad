// `repertoire stats [NAME]`: how skills have done, from the journal.

import { type DreamAccount, type SkillStats, type SkillSummary, sparkline } from "../../../engine/engine.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import type { Io } from "../io.ts";

export const registerStats: Register = (program, action) => {
  program
    .command("stats [name]")
    .description("how often skills were recalled, shown and activated, and how it went")
    .action(
      action(({ io, open }, name: string | undefined) =>
        withEngine(open(), async ({ journal, dreams }) => {
          if (name === undefined)
            tellLibrary(io, { skills: await journal.stats(), dreams: await dreams.account() });
          else tellSkill(io, await journal.statsOf(name));
          return EXIT.ok;
        }),
      ),
    );
};

interface LibraryStats {
  readonly skills: readonly SkillSummary[];
  readonly dreams: DreamAccount;
}

function tellLibrary(io: Io, answer: LibraryStats): void {
  const { skills, dreams } = answer;
  io.answer(answer, () => {
    if (skills.length === 0) return io.line("The journal is empty: nothing was recalled or used yet.");
    const rows = skills.map(({ name, recalled, shown, activated, succeeded, failed, lastUsedAt }) => [
      name,
      ...[recalled, shown, activated, succeeded, failed].map(String),
      day(lastUsedAt),
    ]);
    io.table([["NAME", "RECALLED", "SHOWN", "ACTIVATED", "SUCCEEDED", "FAILED", "LAST USED"], ...rows]);
    const { accepted, rejected, open, acceptanceRate, regressions } = dreams;
    if (accepted + rejected + open === 0) return;
    const rate =
      acceptanceRate === undefined ? "" : ` (${Math.round(acceptanceRate * 100)}% of those decided)`;
    io.line(
      `dreams: ${accepted} accepted, ${rejected} rejected, ${open} open${rate}; ${regressions.length} did worse afterwards`,
    );
  });
}

function tellSkill(io: Io, stats: SkillStats): void {
  io.answer(stats, () => {
    const { name, recalled, shown, activated, succeeded, failed, trend, companions, versions } = stats;
    io.line(io.colour.bold(name));
    io.line(
      `recalled ${recalled} -> shown ${shown} -> activated ${activated} -> succeeded ${succeeded} (failed ${failed})`,
    );
    io.line(
      `last used ${day(stats.lastUsedAt)}; activations a week: ${sparkline(trend)} (${trend.at(-1) ?? 0} this week)`,
    );
    if (companions.length > 0)
      io.line(`used together with ${companions.map((each) => `${each.name} (${each.sessions})`).join(", ")}`);
    for (const { digest, activated: times, succeeded: good, failed: bad, rate, deprioritised } of versions) {
      const note = deprioritised ? "; ranked lower, because it mostly failed" : "";
      io.line(
        `  ${digest.slice(0, 12)}  activated ${times}, succeeded ${good}, failed ${bad}, rate ${rate.toFixed(2)}${note}`,
      );
    }
  });
}

function day(at: number): string {
  return at === 0 ? "never" : new Date(at).toISOString().slice(0, 10);
}
