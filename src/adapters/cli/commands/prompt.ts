// `repertoire prompt [MESSAGE]`: the exact text that an agent's prompt would get.

import { InvalidArgumentError } from "commander";
import { type Budget, CONTEXTS, type ContextMode, STYLES, type Style } from "../../../model/turn.ts";
import { answerQuickly, refreshBehind } from "../../answer-quickly.ts";
import { accepting, type Verb } from "../command.ts";
import { countOf } from "../io.ts";

export const promptVerb: Verb = {
  use: "prompt [message...]",
  usesProject: true,
  about: "print the text that an agent's prompt gets for a message",
  options: [
    ["--style <style>", STYLES.join(", "), accepting(STYLES)],
    [
      "--session <id>",
      "the session that the message belongs to: what it recalled before stays, and the turn is recorded",
    ],
    [
      "--context <context>",
      "what becomes of the text: append (nothing is shown twice) or rebuild (each text replaces the one before)",
      accepting(CONTEXTS),
    ],
    ["--budget <n>", "limit for the text: tokens, or characters with a `c` after the number (8000c)", budget],
  ],
  async run(
    { io, flags, openOptions },
    words: string[],
    {
      session,
      ...options
    }: {
      readonly session?: string;
      readonly style?: Style;
      readonly context?: ContextMode;
      readonly budget?: Budget;
    },
  ) {
    const { answer, turns } = await answerQuickly(openOptions(), async (engine) => ({
      section: await engine.prompt({ message: words.join(" "), session }, options),
      findings: await engine.reader.read((snapshot) => snapshot.findingCounts()),
    }));
    const { text, style, tokens, chars, shown, omitted } = answer.section;
    io.answer({ section: text, style, tokens, chars, shown, omitted }, () => {
      if (text !== "") io.line(text);
      io.note(
        io.colour.dim(
          `${style}: ${countOf(shown.length, "skill", "skills")} shown, ${omitted} not, about ${countOf(tokens, "token", "tokens")} (${chars} characters).`,
        ),
      );
      io.findingCount(answer.findings);
    });
    await refreshBehind(turns, flags);
  },
};

function budget(text: string): Budget {
  const [, digits, unit] = /^([1-9]\d{0,8})(c?)$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError("Accepted: a number of tokens (2000) or characters (8000c).");
  return unit === "c" ? { chars: Number(digits) } : { tokens: Number(digits) };
}
