// `repertoire prompt [MESSAGE]`: the exact text that an agent's prompt would get.

import { InvalidArgumentError } from "commander";
import { type Budget, STYLES, type Style } from "../../../model/turn.ts";
import { promptAnswer } from "../../answers/library.ts";
import { oneOf } from "../options.ts";
import { EXIT, type Register } from "../program.ts";

export const registerPrompt: Register = (program, action) => {
  program
    .command("prompt [message...]")
    .description("print the text that an agent's prompt gets for a message")
    .option("--style <style>", STYLES.join(", "), oneOf(STYLES))
    .option(
      "--budget <n>",
      "room for the text: tokens, or characters with a `c` behind the number (8000c)",
      budget,
    )
    .action(
      action(async ({ io, open }, words: string[], options: { style?: Style; budget?: Budget }) => {
        const repertoire = open();
        const section = await repertoire.prompt({ message: words.join(" ") }, options);
        const { text, style, tokens, chars, shown, omitted } = section;
        io.answer(promptAnswer(section), () => {
          if (text !== "") io.line(text);
          io.note(
            io.colour.dim(
              `${style}: ${shown.length} skills shown, ${omitted} not, about ${tokens} tokens (${chars} characters).`,
            ),
          );
          io.findings(repertoire.library.diagnostics, (line) => io.note(line));
        });
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
