// The tools that save, load and delete learned skills, and report how the work with skills ended.

import * as z from "zod";
import { OUTCOMES } from "../journal/journal.ts";
import type { Changed } from "../learn/learn.ts";
import { forLine } from "../text/escape.ts";
import { activated } from "./skill-tools.ts";
import { type AgentToolResult, row, type ToolRow, text, texts } from "./tool.ts";

const NAME = text(
  "The skill's name: lower case, hyphens between words, / between levels; for example plan-meeting or mcp/email.",
);

const LEARN_TASK =
  "Look back over this conversation for a procedure that worked and will be needed again. If there is none, say so and save nothing. Otherwise search with recall_skills for a skill that covers it: change that one rather than add a second. Write the steps for somebody who was not here, with what went wrong and how it was noticed, without names, secrets or one-off details; then call save_skill once.";

/** Returns the prompt of the person's `learn` command. */
export function learnTask(rest: string): string {
  return rest === "" ? LEARN_TASK : `${LEARN_TASK}\n\nTask: ${rest}`;
}

export const LEARNED_TOOLS: readonly ToolRow[] = [
  row({
    name: "save_skill",
    effect: "write",
    description:
      "Save a procedure that worked as a skill, or change a skill that you saved. Give the whole new text. Every save is kept as a version, so nothing is lost.",
    schema: z.strictObject({
      name: NAME,
      content: text(
        "The procedure in Markdown, or a whole SKILL.md. Its first paragraph says what it is for.",
      ),
      description: z
        .string()
        .describe("What it does and when to use it, in words that users type.")
        .exactOptional(),
      summary: z.string().describe("One line of at most 15 words.").exactOptional(),
      see_also: texts("Names of related skills.").exactOptional(),
      reason: z.string().describe("Why you save it, for the history.").exactOptional(),
    }),
    async run({ see_also: seeAlso = [], ...request }, { engine, context }) {
      const related = seeAlso.length > 0 ? { seeAlso } : {};
      const author = authorOf(context.agent);
      const changed = await engine.learned.save({ ...request, ...related, author });
      return changeResult(
        changed,
        `${changed.result === "created" ? "Created" : "Saved"} "${changed.name}".`,
      );
    },
  }),
  row({
    name: "get_skill",
    effect: "load",
    description:
      "Load a skill's full instructions by its name or an old name. The first time in a task, a person may be asked for consent.",
    schema: z.strictObject({ name: NAME }),
    async run({ name }, scope) {
      const { engine, context } = scope;
      const { text: instructions, payload, content, tools, diagnostics } = await activated(name, scope);
      const skill = (await engine.view(context.agent)).require(payload.name, "model");
      // The text that was agreed to, not the one that is on disk by now.
      return {
        text: instructions,
        data: { ...payload, ...(await engine.learned.text(skill)), content, tools, diagnostics },
      };
    },
  }),
  row({
    name: "delete_skill",
    effect: "delete",
    description: "Delete a skill that was saved here. It is archived; a person can restore it.",
    schema: z.strictObject({
      name: NAME,
      reason: z.string().describe("Why, for the history.").exactOptional(),
    }),
    async run({ name, ...reason }, { engine, context }) {
      const changed = await engine.learned.delete(name, { ...reason, author: authorOf(context.agent) });
      return changeResult(
        changed,
        `Deleted "${changed.name}"; "repertoire restore ${changed.name}" brings it back.`,
      );
    },
  }),
  row({
    name: "report_outcome",
    effect: "write",
    description:
      "Report how the work with the skills of this turn ended: success if the user's goal was reached, failure if a skill's own steps misled you, neutral if something else decided it.",
    schema: z.strictObject({
      outcome: z.enum(OUTCOMES).describe("How it ended."),
      skill: text(
        "Only this skill; without it, every skill activated since the last message or recall.",
      ).exactOptional(),
      note: z.string().describe("What happened, in one sentence.").exactOptional(),
      turn: z.int().min(1).describe("An earlier turn of this session, by its number.").exactOptional(),
    }),
    async run(report, { engine, context }) {
      const skills = await engine.reportOutcome(report, context);
      const noted = `Noted for ${skills.map(forLine).join(", ")}.`;
      return {
        text: skills.length === 0 ? "No skill was activated in this turn." : noted,
        data: { outcome: report.outcome, skills },
      };
    },
  }),
  row({
    name: "should_have_been",
    effect: "write",
    description:
      "Say which skill the user's message should have recalled, once you know that another one was right. The next message like it finds that skill.",
    schema: z.strictObject({
      name: NAME,
      message: text("The message; the user's current one unless given.").exactOptional(),
    }),
    async run({ name, ...message }, { engine, context }) {
      const corrected = await engine.shouldHaveBeen({ skill: name, ...message }, context);
      const instead = corrected.insteadOf.map(forLine).join(", ");
      const noted = `Noted: it should have been ${forLine(corrected.skill)}`;
      return { text: instead === "" ? `${noted}.` : `${noted}, not ${instead}.`, data: corrected };
    },
  }),
];

/** The author in the history: changes of different agents can be told apart by their names. */
function authorOf(agent: string | undefined): string {
  return agent === undefined ? "agent" : `agent:${agent}`;
}

function changeResult(changed: Changed, done: string): AgentToolResult {
  const notices = changed.notices.map(({ message }) => `Note: ${forLine(message)}`);
  const unchanged = `"${changed.name}" has this content already; nothing was changed.`;
  return {
    text: [changed.result === "unchanged" ? unchanged : done, ...notices].join("\n"),
    data: changed,
  };
}
