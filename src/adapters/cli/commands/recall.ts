// `repertoire recall MESSAGE`: which skills matter for a message, and the reasons.

import { FRAMES, type Frame } from "../../../model/frame.ts";
import type { Match, Reason } from "../../../model/turn.ts";
import { answerQuickly } from "../../answer-quickly.ts";
import { refreshBehind } from "../../refresh-behind.ts";
import { EXIT, type Register } from "../command.ts";
import type { Io } from "../io.ts";
import { accepting, positiveInteger } from "../options.ts";

export interface RecallFlags {
  readonly explain?: boolean;
  readonly k?: number;
  readonly frame?: Frame;
  readonly session?: string;
  readonly files?: string[];
}

export const registerRecall: Register = (program, action) => {
  program
    .command("recall <message...>")
    .description("show which skills matter for a message, and why; exits 1 when none does")
    .option("--explain", "show every reason")
    .option("-k <n>", "at most this many skills", positiveInteger)
    .option("--frame <frame>", FRAMES.join(", "), accepting(FRAMES))
    .option("--session <id>", "remember what was shown, and do not show it again")
    .option("--files <path...>", "files that are open")
    .action(
      action(async ({ io, flags, openOptions }, words: string[], options: RecallFlags) => {
        const turn = { message: words.join(" "), ...turnFlags(options) };
        const request = { shows: true, ...(options.k !== undefined && { limit: options.k }) };
        const { answer, turns } = await answerQuickly(openOptions(), (engine) =>
          engine.recall(turn, request),
        );
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
                : "All skills that fit were shown in this session already.",
            );
          }
        });
        await refreshBehind(turns, flags);
        return answer.matches.length > 0 ? EXIT.ok : EXIT.findings;
      }),
    );
};

export function turnFlags({ frame, session, files }: RecallFlags) {
  return { ...(frame && { frame }), ...(session !== undefined && { session }), ...(files && { files }) };
}

function printMatch(io: Io, match: Match, explain: boolean): void {
  const via = match.via === undefined ? "" : io.colour.dim(` (see also of ${match.via})`);
  io.line(`${match.score.toFixed(2)}  ${io.colour.bold(match.name)}${via}`);
  const reasons = [...match.reasons].sort((a, b) => b.value - a.value);
  for (const reason of explain ? reasons : reasons.slice(0, 2)) io.line(reasonLine(io, reason));
  if (match.duplicates) io.line(io.colour.dim(`        also covers ${match.duplicates.join(", ")}`));
}

export function reasonLine(io: Io, { signal, value, note }: Reason): string {
  return io.colour.dim(`      ${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)} ${signal}: ${note}`);
}
