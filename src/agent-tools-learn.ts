// Owns the tools with which a model keeps what it learned: save, load, delete, and say how it went. Rows of the one
// table that all hosts serve (`agent-tools.ts`). Does not own learned skills: `lessons.ts` does.

import type { Arguments } from "./agent-tool-arguments.ts";
import type { AgentToolResult, AgentToolRow } from "./agent-tools.ts";
import { OUTCOMES, type Outcome } from "./journal/events.ts";
import { eventOf, recordOutcome } from "./journal/turn-events.ts";
import type { Changed, Lessons } from "./learn/learned-skills.ts";
import type { Clock } from "./model/clock.ts";
import { RepertoireError } from "./model/errors.ts";
import type { Store } from "./stores/store.ts";
import { forLine } from "./text/escape.ts";

export interface LearnParts {
  readonly learned: Lessons;
  readonly store: Pick<Store, "journal" | "sessions">;
  readonly clock: Clock;
}

const text = (description: string) => ({ type: "string", description });
const NAME = text(
  "The skill's name: lower-case, hyphens, / between levels; for example plan-meeting or mcp/email.",
);

const LEARN_TASK =
  "Look back over this conversation for a procedure that worked and will be needed again. If there is none, say so and save nothing. Otherwise search with recall_skills for a skill that covers it: change that one rather than add a second. Write the steps for somebody who was not here, with what went wrong and how it was noticed, without names, secrets or one-off details; then call save_skill once.";

/** What the person's `learn` command tells the agent. */
export function learnTask(rest: string): string {
  return rest === "" ? LEARN_TASK : `${LEARN_TASK}\n\nTask: ${rest}`;
}

/** Served together with the other rows: `agent-toolbox.ts`. */
export function learnToolRows(parts: LearnParts): readonly AgentToolRow[] {
  const { learned, store, clock } = parts;
  return [
    {
      name: "save_skill",
      effect: "keeps",
      description:
        "Keep a procedure that worked as a skill, or change one you saved. Give the whole new text; every save is a version, so nothing is lost.",
      properties: {
        name: NAME,
        content: text(
          "The procedure in Markdown, or a whole SKILL.md. Its first paragraph says what it is for.",
        ),
        description: text("What it does and when to use it, in words that users type."),
        summary: text("One line of at most 15 words."),
        see_also: { type: "array", items: { type: "string" }, description: "Names of related skills." },
        reason: text("Why you save it, for the history."),
      },
      required: ["name", "content"],
      async run(args, { context }) {
        const seeAlso = args.texts("see_also");
        const changed = await learned.save({
          name: args.text("name"),
          content: args.text("content"),
          ...optional(args, ["description", "summary", "reason"]),
          ...(seeAlso.length > 0 && { seeAlso }),
          author: authorOf(context.agent),
        });
        return told(changed, `${changed.result === "created" ? "Created" : "Saved"} "${changed.name}".`);
      },
    },
    {
      name: "get_skill",
      effect: "runs",
      description:
        "Load a skill's full instructions by its name, old names included. The same as activate_skill.",
      properties: { name: NAME },
      required: ["name"],
      async run(args, { host, context }) {
        const asked = args.text("name");
        const isThere = host.view(context.agent).library.find(asked) !== undefined;
        const name = isThere ? asked : await learned.resolve(asked);
        const { payload, text: words } = await host.tasks.activate(name, context);
        const skill = host.view(context.agent).require(payload.name, "model");
        const { content, ...facts } = await learned.history.text(skill);
        return { text: words, data: { ...payload, ...facts, content } };
      },
    },
    {
      name: "delete_skill",
      effect: "removes",
      description: "Delete a skill that was saved here. It is archived; a person can restore it.",
      properties: { name: NAME, reason: text("Why, for the history.") },
      required: ["name"],
      async run(args, { context }) {
        const changed = await learned.delete(args.text("name"), {
          ...optional(args, ["reason"]),
          author: authorOf(context.agent),
        });
        return told(
          changed,
          `Deleted "${changed.name}"; "repertoire restore ${changed.name}" brings it back.`,
        );
      },
    },
    {
      name: "report_outcome",
      effect: "keeps",
      description:
        "Say how the work with the skills of this turn ended: success when the user's goal was reached, failure when a skill's own steps misled you, neutral when something else decided it.",
      properties: {
        outcome: { type: "string", enum: [...OUTCOMES], description: "How it ended." },
        skill: text("Only this skill; without it, every skill activated since the last message or recall."),
        note: text("What happened, in a sentence."),
      },
      required: ["outcome"],
      async run(args, { host, context }) {
        const { session, agent, host: by } = context;
        const result = outcomeOf(args.text("outcome"));
        const turn = session === undefined ? undefined : (await store.sessions.read(session)).turn;
        const who = { ...(agent !== undefined && { agent }), ...(by !== undefined && { host: by }) };
        const at = clock.now().getTime();
        const now = {
          at,
          ...(session !== undefined && { session }),
          ...(turn !== undefined && { turn }),
          ...who,
        };
        const details = { result, ...optional(args, ["note"]) };
        const named = args.optionalText("skill");
        if (named === undefined) {
          if (session === undefined || turn === undefined) throw noSession();
          const skills = await recordOutcome(store.journal, { ...now, session, turn }, details);
          const words =
            skills.length === 0
              ? "No skill was activated in this turn."
              : `Noted for ${skills.map(forLine).join(", ")}.`;
          return { text: words, data: { outcome: result, skills } };
        }
        const { name, digest } = host.view(agent).require(named, "model");
        await store.journal.append([eventOf(now, { kind: "outcome", skill: { name, digest }, details })]);
        return { text: `Noted for ${name}.`, data: { outcome: result, skills: [name] } };
      },
    },
  ];
}

/** An agent's name tells its changes apart in the history. */
function authorOf(agent: string | undefined): string {
  return agent === undefined ? "agent" : `agent:${agent}`;
}

function told(changed: Changed, done: string): AgentToolResult {
  const notices = changed.notices.map(({ message }) => `Note: ${forLine(message)}`);
  const words =
    changed.result === "unchanged" ? `"${changed.name}" says that already; nothing was changed.` : done;
  return { text: [words, ...notices].join("\n"), data: changed };
}

function optional<K extends string>(args: Arguments, keys: readonly K[]): { [key in K]?: string } {
  const pairs = keys.map((key) => [key, args.optionalText(key)] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined && value !== "")) as {
    [key in K]?: string;
  };
}

function outcomeOf(word: string): Outcome {
  const outcome = OUTCOMES.find((each) => each === word);
  if (outcome) return outcome;
  throw new RepertoireError(
    "invalid-arguments",
    `report_outcome takes ${OUTCOMES.join(", ")} as "outcome". Call it again like that.`,
    word,
  );
}

function noSession(): RepertoireError {
  return new RepertoireError(
    "no-session",
    "The host has not said which session this is, so it is not known which skills are meant. Name the skill, or go on without reporting.",
  );
}
