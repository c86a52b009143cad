// Owns the tools with which an agent does the thinking of a dream: take the questions, hand in a plan, see what was
// proposed. Accepting stays with the person. Rows of the one table that all hosts serve (`agent-tools.ts`).

import type { AgentToolRow } from "./agent-tools.ts";
import type { Dreams } from "./dream/dreams.ts";
import { RepertoireError } from "./model/errors.ts";

const text = (description: string) => ({ type: "string", description });

export function dreamToolRows(dreams: Dreams): readonly AgentToolRow[] {
  return [
    {
      name: "dream_questions",
      effect: "reads",
      description:
        "Get what the skill library needs thought about: gaps, overlaps and skills that did badly, with the form of the answer.",
      properties: {},
      required: [],
      async run() {
        const questions = await dreams.prompts();
        return { text: asQuestions(questions), data: { questions } };
      },
    },
    {
      name: "submit_dream",
      effect: "keeps",
      description:
        "Hand in a plan for one question of dream_questions. It is checked and staged as proposals; a person accepts them.",
      properties: { plan: text("The answer, as the JSON that the question asks for.") },
      required: ["plan"],
      async run(args) {
        const { staged, declined } = await dreams.submit(args.text("plan"));
        const lines = [
          ...staged.map(({ number, title }) => `proposed ${number}: ${title}`),
          ...declined.map(
            ({ title, refusals }) => `refused: ${title}: ${refusals.map(({ message }) => message).join(" ")}`,
          ),
        ];
        const end =
          staged.length > 0
            ? "A person looks at them with `repertoire proposals list` and accepts or rejects."
            : "Nothing was staged.";
        return { text: [...lines, end].join("\n"), data: { staged, declined } };
      },
    },
    {
      name: "list_proposals",
      effect: "reads",
      description: "List the changes to the skill library that wait for a person's decision.",
      properties: {},
      required: [],
      async run() {
        const proposals = await dreams.proposals("open");
        const lines = proposals.map(({ number, title }) => `${number}: ${title}`);
        return { text: lines.join("\n") || "No proposal is open.", data: { proposals } };
      },
    },
  ];
}

type Question = Awaited<ReturnType<Dreams["prompts"]>>[number];

/** The questions that have something to ask, one after the other. */
export function asQuestions(questions: readonly Question[]): string {
  const due = questions.filter(({ idle }) => idle === undefined);
  if (due.length === 0)
    return "There is nothing to think about: no gaps, no overlaps, nothing that did badly.";
  return due.map(({ pass, system, prompt }) => `# Question: ${pass}\n\n${system}\n\n${prompt}`).join("\n\n");
}

/** What the person's `dream` command tells the agent. */
export async function dreamTask(dreams: Dreams): Promise<string> {
  const questions = asQuestions(await dreams.prompts());
  if (questions.startsWith("There is nothing")) throw new RepertoireError("dream-nothing-new", questions);
  return `${questions}\n\nAnswer each question with the JSON it asks for, hand it in with submit_dream (or write it to a file and run \`repertoire dream submit FILE\`), and tell the person which proposals came of it.`;
}
