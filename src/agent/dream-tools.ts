// The tools with which an agent does the thinking of a dream: read the questions, submit a plan, list the proposals.
// Only a person accepts a proposal.

import * as z from "zod";
import type { Dreams } from "../dream/dream.ts";
import { RepertoireError } from "../model/errors.ts";
import { row, type ToolRow, text } from "./tool.ts";

type Question = Awaited<ReturnType<Dreams["prompts"]>>[number];

const NO_QUESTIONS = "There is nothing to think about: no gaps, no overlaps, nothing that did badly.";

export const DREAM_TOOLS: readonly ToolRow[] = [
  row({
    name: "dream_questions",
    effect: "read",
    description:
      "Get the open questions about the skill library: gaps, overlaps and skills that did badly, with the format of the answer.",
    schema: z.strictObject({}),
    async run(_, { engine }) {
      const questions = await engine.dreams.prompts();
      return { text: questionsText(questions) || NO_QUESTIONS, data: { questions } };
    },
  }),
  row({
    name: "submit_dream",
    effect: "write",
    description:
      "Submit a plan for one question of dream_questions. It is checked and stored as proposals; a person accepts them.",
    schema: z.strictObject({ plan: text("The answer, as the JSON that the question asks for.") }),
    async run({ plan }, { engine }) {
      const { proposals: staged, declined } = await engine.dreams.submit(plan);
      const lines = [
        ...staged.map(({ number, title }) => `proposed ${number}: ${title}`),
        ...declined.map(
          ({ title, refusals }) => `refused: ${title}: ${refusals.map(({ message }) => message).join(" ")}`,
        ),
      ];
      const end =
        staged.length > 0
          ? "A person lists them with `repertoire proposals list`, and accepts or rejects them."
          : "Nothing was staged.";
      return { text: [...lines, end].join("\n"), data: { staged, declined } };
    },
  }),
  row({
    name: "list_proposals",
    effect: "read",
    description: "List the proposed changes to the skill library that wait for a person's decision.",
    schema: z.strictObject({}),
    async run(_, { engine }) {
      const proposals = await engine.dreams.proposals("open");
      const lines = proposals.map(({ number, title }) => `${number}: ${title}`);
      return { text: lines.join("\n") || "No proposal is open.", data: { proposals } };
    },
  }),
];

/** The questions that have something to ask, one after the other; empty if there are none. */
function questionsText(questions: readonly Question[]): string {
  return questions
    .filter(({ idle }) => idle === undefined)
    .map(({ pass, system, prompt }) => `# Question: ${pass}\n\n${system}\n\n${prompt}`)
    .join("\n\n");
}

/** Returns the prompt of the person's `dream` command. */
export async function dreamTask(dreams: Pick<Dreams, "prompts">): Promise<string> {
  const questions = questionsText(await dreams.prompts());
  if (questions === "") throw new RepertoireError("dream-nothing-new", NO_QUESTIONS);
  return `${questions}\n\nAnswer each question with the JSON it asks for, submit it with submit_dream (or write it to a file and run \`repertoire dream submit FILE\`), and tell the person which proposals came of it.`;
}
