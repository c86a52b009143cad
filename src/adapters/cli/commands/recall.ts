// `repertoire recall MESSAGE`: which skills matter for a message, and the reasons.

import { FRAMES, type Frame } from "../../../model/frame.ts";
import type { Match, Reason } from "../../../model/turn.ts";
import { answerQuickly, refreshBehind } from "../../answer-quickly.ts";
import { accepting, EXIT, positiveInteger, type Verb } from "../command.ts";
import type { Io } from "../io.ts";

export interface RecallFlags {
  readonly explain?: boolean;
  readonly k?: number;
  readonly frame?: Frame;
  readonly session?: string;
  readonly files?: string[];
}

export const recallVerb: Verb = {
  use: "recall <message...>",
  about: "show which skills matter for a message, and why; exits 1 when none does",
  options: [
    ["--explain", "show every reason"],
    ["-k <n>", "at most this many skills", positiveInteger],
    ["--frame <frame>", FRAMES.join(", "), accepting(FRAMES)],
    ["--session <id>", "remember what was shown, and do not show it again"],
    ["--files <path...>", "files that are open"],
  ],
  async run({ io, flags, openOptions }, words: string[], options: RecallFlags) {
    const { explain = false, k: limit, frame, session, files } = options;
    const turn = { message: words.join(" "), frame, session, files };
    const { answer, turns } = await answerQuickly(openOptions(), (engine) =>
      engine.recall(turn, { shows: true, limit }),
    );
    io.answer(answer, () => {
      io.line(
        io.colour.dim(
          `frame ${answer.frame.name} (${answer.frame.confidence}); ${answer.considered} skills considered; ${answer.ms} ms`,
        ),
      );
      for (const match of answer.matches) printMatch(io, match, explain);
      if (answer.matches.length === 0)
        io.line(
          answer.abstained
            ? "No skill fits this message."
            : "All skills that fit were shown in this session already.",
        );
    });
    await refreshBehind(turns, flags);
    return answer.matches.length > 0 ? EXIT.ok : EXIT.findings;
  },
};

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
