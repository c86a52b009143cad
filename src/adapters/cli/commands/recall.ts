// `repertoire recall MESSAGE`: which skills matter for a message, and the reasons.

import type { Explanation } from "../../../engine/engine.ts";
import { FRAMES, type Frame } from "../../../model/frame.ts";
import type { Match, Reason, Scored } from "../../../model/turn.ts";
import { oneLine } from "../../../text/escape.ts";
import { lineVisibly } from "../../../text/terminal.ts";
import { answerQuickly, refreshBehind } from "../../answer-quickly.ts";
import { accepting, EXIT, positiveInteger, type Verb } from "../command.ts";
import { countOf, type Io } from "../io.ts";

export interface RecallFlags {
  readonly explain?: boolean;
  readonly k?: number;
  readonly frame?: Frame;
  readonly session?: string;
  readonly files?: string[];
}

export const recallVerb: Verb = {
  use: "recall <message...>",
  usesProject: true,
  about: "show which skills matter for a message, and why; exits 1 when none does",
  options: [
    ["--explain", "show every reason: they add up to the score, evidence and boosts apart"],
    ["-k <n>", "at most this many skills", positiveInteger],
    ["--frame <frame>", FRAMES.join(", "), accepting(FRAMES)],
    ["--session <id>", "remember what was shown, and do not show it again"],
    ["--files <path...>", "files that are open"],
  ],
  async run({ io, flags, openOptions }, words: string[], options: RecallFlags) {
    const { explain = false, k: limit, frame, session, files } = options;
    const turn = { message: words.join(" "), frame, session, files };
    const { answer, turns } = await answerQuickly(openOptions(), (engine) =>
      engine.recall(turn, { shows: true, limit, limitsAll: limit !== undefined }),
    );
    io.answer(answer, () => {
      io.line(
        io.colour.dim(
          `frame ${answer.frame.name} (${answer.frame.confidence}); ${countOf(answer.considered, "skill", "skills")} considered; ${answer.ms} ms`,
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
  io.line(`${match.score.toFixed(3)}  ${io.colour.bold(match.name)}${via}`);
  if (explain) tellScore(io, match);
  else for (const reason of match.reasons.slice(0, 2)) io.line(reasonLine(io, reason));
  if (match.duplicates) io.line(io.colour.dim(`        also covers ${match.duplicates.join(", ")}`));
}

/** Prints the evidence and the boosts of a score, each with the reasons that add up to it. */
export function tellScore(io: Io, { evidence, boosts, reasons }: Scored): void {
  io.line(io.colour.dim(`      evidence ${evidence.toFixed(3)}`));
  for (const reason of reasons) if (!reason.boost) io.line(reasonLine(io, reason));
  const raised = reasons.filter(({ boost }) => boost);
  if (raised.length > 0) io.line(io.colour.dim(`      boosts ${signed(boosts)}`));
  for (const reason of raised) io.line(reasonLine(io, reason));
}

/** Prints why a skill was or was not recalled, and what would change it. */
export function tellWhy(io: Io, explanation: Explanation): void {
  const { name, place, score, threshold, recalled, fellShort, ahead, wouldMatch, advice } = explanation;
  const where = place === undefined ? "not among those considered" : `place ${place}`;
  const verdict = recalled ? io.colour.green("recalled") : io.colour.yellow("not recalled");
  io.line(
    `${io.colour.bold(oneLine(name))}: ${verdict}, ${where}, score ${score.toFixed(3)} (threshold of the evidence ${threshold.toFixed(2)})`,
  );
  tellScore(io, explanation);
  for (const line of [...fellShort, ...advice]) io.line(`- ${oneLine(line)}`);
  if (ahead.length > 0)
    io.line(`Ahead of it: ${ahead.map((one) => `${oneLine(one.name)} ${one.score.toFixed(3)}`).join(", ")}`);
  if (wouldMatch.length > 0) io.line(`What would lead to it: ${oneLine(wouldMatch.join("; "))}`);
}

function reasonLine(io: Io, { signal, value, note }: Reason): string {
  return io.colour.dim(`        ${signed(value)} ${signal}: ${lineVisibly(note)}`);
}

/** As many digits as scores have, so that the printed numbers add up. */
function signed(value: number): string {
  return `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
}
