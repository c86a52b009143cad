// The tools with which an agent writes messages that people might type for skills, so that recall finds the skills by them.

import * as z from "zod";
import { count, row, type ToolRow, text } from "./tool.ts";

const NO_QUESTIONS = "Every visible skill has example messages for its present content.";

export const ENRICHMENT_TOOLS: readonly ToolRow[] = [
  row({
    name: "enrich_questions",
    effect: "read",
    description:
      "Get the next skills that have no example messages, with the format of the answer: messages that a person might type for each of them.",
    schema: z.strictObject({
      limit: count("How many skills at most; 5 by default.").min(1).max(20).optional(),
    }),
    async run({ limit }, { engine, context }) {
      const question = await engine.enrichment.question({ limit, agent: context.agent });
      const asked = question && `${question.system}\n\n${question.prompt}`;
      return { text: asked ?? NO_QUESTIONS, data: { question: question ?? null } };
    },
  }),
  row({
    name: "submit_enrichment",
    effect: "write",
    description:
      "Submit the example messages for the skills of enrich_questions. They are checked and kept for the recall index.",
    schema: z.strictObject({ answer: text("The answer, as the JSON that the question asks for.") }),
    async run({ answer }, { engine, context }) {
      const { agent } = context;
      const result = await engine.enrichment.submit(answer, { by: agent ?? "agent", agent });
      const lines = [
        ...result.enriched.map(({ name, messages }) => `${name}: ${messages.length} messages kept`),
        ...result.refused.map(({ name, reason }) => `refused: ${name}: ${reason}`),
      ];
      return { text: lines.join("\n"), data: result };
    },
  }),
];
