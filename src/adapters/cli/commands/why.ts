// `repertoire why NAME MESSAGE`: why a skill is or is not recalled for a message.

import { FRAMES } from "../../../model/frame.ts";
import { EXIT, type Register } from "../command.ts";
import { accepting } from "../options.ts";
import { type RecallFlags, reasonLine, turnFlags } from "./recall.ts";

export const registerWhy: Register = (program, action) => {
  program
    .command("why <name> <message...>")
    .description("explain why a skill is or is not recalled for a message")
    .option("--frame <frame>", FRAMES.join(", "), accepting(FRAMES))
    .option("--files <path...>", "files that are open")
    .action(
      action(async ({ io, open }, name: string, words: string[], options: RecallFlags) => {
        const explanation = await open().library.why(name, {
          message: words.join(" "),
          ...turnFlags(options),
        });
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
