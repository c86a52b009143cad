// `repertoire recall MESSAGE` and `repertoire why NAME MESSAGE`: which skills matter for a message, and the reasons.

import { FRAMES, type Frame } from "../../../model/frame.ts";
import type { Match, Reason } from "../../../model/turn.ts";
import type { Io } from "../io.ts";
import { oneOf, positiveInteger } from "../options.ts";
import { EXIT, type Register } from "../program.ts";
import { refreshBehind } from "../refresh-behind.ts";

interface RecallFlags {
  readonly explain?: boolean;
  readonly k?: number;
  readonly frame?: Frame;
  readonly session?: string;
  readonly files?: string[];
}

export const registerRecall: Register = (program, action) => {
  program
    .command("recall <message...>")
    .description("say which skills matter for a message, and why; exits 1 when none does")
    .option("--explain", "show every reason")
    .option("-k <n>", "at most this many skills", positiveInteger)
    .option("--frame <frame>", FRAMES.join(", "), oneOf(FRAMES))
    .option("--session <id>", "remember what was shown, and do not show it again")
    .option("--files <path...>", "files that are open")
    .action(
      action(async ({ io, flags, open }, words: string[], options: RecallFlags) => {
        const repertoire = open();
        const turn = { message: words.join(" "), ...pick(options) };
        const answer = await repertoire.recall(turn, {
          shows: true,
          ...(options.k !== undefined && { limit: options.k }),
        });
        io.answer(answer, () => {
          io.line(
            io.colour.dim(
              `frame ${answer.frame.name} (${answer.frame.confidence}); ${answer.considered} skills considered; ${answer.ms} ms`,
            ),
          );
          for (const match of answer.matches) printMatch(io, match, options.explain === true);
          if (answer.matches.length === 0) {
            io.line(
              answer.abstained
                ? "No skill fits this message."
                : "What fits was shown in this session already.",
            );
          }
        });
        await refreshBehind(repertoire, flags);
        return answer.matches.length > 0 ? EXIT.ok : EXIT.findings;
      }),
    );
  program
    .command("why <name> <message...>")
    .description("say why a skill is or is not recalled for a message")
    .option("--frame <frame>", FRAMES.join(", "), oneOf(FRAMES))
    .option("--files <path...>", "files that are open")
    .action(
      action(async ({ io, open }, name: string, words: string[], options: RecallFlags) => {
        const explanation = await open().why(name, { message: words.join(" "), ...pick(options) });
        io.answer(explanation, () => {
          const { place, score, threshold, recalled } = explanation;
          io.line(
            `${io.colour.bold(explanation.name)}: ${recalled ? io.colour.green("recalled") : io.colour.yellow("not recalled")}, ${place === undefined ? "not among those considered" : `place ${place}`}, score ${score.toFixed(2)} (threshold ${threshold.toFixed(2)})`,
          );
          for (const reason of explanation.reasons) io.line(reasonLine(io, reason));
          for (const line of explanation.fellShort) io.line(`- ${line}`);
          if (explanation.ahead.length > 0)
            io.line(
              `Ahead of it: ${explanation.ahead.map((one) => `${one.name} ${one.score.toFixed(2)}`).join(", ")}`,
            );
          if (explanation.wouldMatch.length > 0)
            io.line(`What would lead to it: ${explanation.wouldMatch.join("; ")}`);
        });
        return EXIT.ok;
      }),
    );
};

function pick({ frame, session, files }: RecallFlags) {
  return { ...(frame && { frame }), ...(session !== undefined && { session }), ...(files && { files }) };
}

function printMatch(io: Io, match: Match, explain: boolean): void {
  const via = match.via === undefined ? "" : io.colour.dim(` (see also of ${match.via})`);
  io.line(`${match.score.toFixed(2)}  ${io.colour.bold(match.name)}${via}`);
  const reasons = [...match.reasons].sort((a, b) => b.value - a.value);
  for (const reason of explain ? reasons : reasons.slice(0, 2)) io.line(reasonLine(io, reason));
  if (match.duplicates) io.line(io.colour.dim(`        also stands for ${match.duplicates.join(", ")}`));
}

function reasonLine(io: Io, { signal, value, note }: Reason): string {
  return io.colour.dim(`      ${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)} ${signal}: ${note}`);
}
