// `repertoire prompt [MESSAGE]`: the exact text that an agent's prompt would get.

import { InvalidArgumentError } from "commander";
import { type Budget, STYLES, type Style } from "../../../model/turn.ts";
import { answerQuickly } from "../../answer-quickly.ts";
import { refreshBehind } from "../../refresh-behind.ts";
import { EXIT, type Register } from "../command.ts";
import { accepting } from "../options.ts";

interface PromptFlags {
  readonly style?: Style;
  readonly budget?: Budget;
}

export const registerPrompt: Register = (program, action) => {
  program
    .command("prompt [message...]")
    .description("print the text that an agent's prompt gets for a message")
    .option("--style <style>", STYLES.join(", "), accepting(STYLES))
    .option(
      "--budget <n>",
      "limit for the text: tokens, or characters with a `c` after the number (8000c)",
      budget,
    )
    .action(
      action(async ({ io, flags, openOptions }, words: string[], options: PromptFlags) => {
        const message = words.join(" ");
        const { answer, turns } = await answerQuickly(openOptions(), async (engine) => ({
          section: await engine.prompt({ message }, options),
          findings: await engine.reader.read((snapshot) => snapshot.diagnostics()),
        }));
        const { section, findings } = answer;
        const { text, style, tokens, chars, shown, omitted } = section;
        io.answer({ section: text, style, tokens, chars, shown, omitted }, () => {
          if (text !== "") io.line(text);
          io.note(
            io.colour.dim(
              `${style}: ${shown.length} skills shown, ${omitted} not, about ${tokens} tokens (${chars} characters).`,
            ),
          );
          io.findings(findings, (line) => io.note(line));
        });
        await refreshBehind(turns, flags);
        return EXIT.ok;
      }),
    );
};

function budget(text: string): Budget {
  const [, digits, unit] = /^([1-9]\d{0,8})(c?)$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError("Accepted: a number of tokens (2000) or characters (8000c).");
  return unit === "c" ? { chars: Number(digits) } : { tokens: Number(digits) };
}
