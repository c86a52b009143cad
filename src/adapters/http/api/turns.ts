// The operations of a turn: recall, why, prompt, session, slash commands.

import * as z from "zod";
import { ABSTAIN_BELOW, budgetOf } from "../../../engine/engine.ts";
import { CONTEXTS, STYLES } from "../../../model/turn.ts";
import { ConsentAnswer, withConsent } from "./consent.ts";
import { type Api, operation } from "./operation.ts";
import { elsewhere, frame, MatchSchema, scored, session, skillName, task } from "./schemas.ts";

const text = z.string();
const message = text.min(1).describe("What the user wrote.");
const files = z.array(text).max(1_000).describe("Files that are open.");
const turnFields = {
  id: text.min(1).max(200).describe("Your id of the message: a repeated one recalls nothing.").optional(),
  session: session.optional(),
  frame: frame.optional(),
  files: files.optional(),
  k: z.int().min(1).max(100).describe("At most this many skills.").optional(),
  threshold: z.number().min(0).max(1).describe("Matches with less evidence are left out.").optional(),
};

/** The engine that answers: another one has no part in the session. */
async function answering<T extends { readonly session?: unknown; readonly id?: unknown }>(
  { engine, others }: Api,
  { elsewhere: other, ...turn }: T & { readonly elsewhere?: z.output<typeof elsewhere> | undefined },
) {
  return other === undefined
    ? { engine, turn }
    : { engine: await others.at(other), turn: { ...turn, session: undefined, id: undefined } };
}

export const TURN_OPERATIONS = [
  operation("post /api/recall", {
    id: "recall",
    reads: true,
    command: "recall",
    summary:
      "Recall the skills that matter for a message, with reasons. In a session nothing is recalled twice.",
    body: z.strictObject({
      message,
      ...turnFields,
      explain: z.boolean().default(true).describe("With the reasons of each match."),
      elsewhere: elsewhere.optional(),
    }),
    answer: z.looseObject({
      message: text,
      frame: z.looseObject({ name: text, confidence: z.number() }),
      intent: z.looseObject({ name: text, confidence: z.number() }).optional(),
      matches: z.array(MatchSchema),
      near: z.array(z.looseObject({ name: text, score: z.number() })),
      threshold: z.number().describe("The evidence that a skill needs, unless the message names it."),
      abstained: z.boolean(),
      considered: z.int(),
      ms: z.number(),
    }),
    async run({ body: { k: limit, threshold, explain, ...asked } }, api) {
      const { engine, turn } = await answering(api, asked);
      const recalled = await timed(api, () => engine.turn(turn).recall({ shows: true, limit, threshold }));
      const answer = { ...recalled, threshold: threshold ?? engine.config.recall.threshold ?? ABSTAIN_BELOW };
      const brief = answer.matches.map((match) => ({ ...match, reasons: [] }));
      return explain ? answer : { ...answer, matches: brief };
    },
  }),
  operation("post /api/why", {
    id: "why",
    reads: true,
    command: "why",
    summary: "Explain why a skill is or is not recalled for a message.",
    refuses: [404],
    body: z.strictObject({ name: skillName, message, frame: frame.optional(), files: files.optional() }),
    answer: z.looseObject({
      name: text,
      recalled: z.boolean(),
      place: z.int().optional(),
      ...scored,
      threshold: z.number(),
      ahead: z.array(z.looseObject({ name: text, score: z.number() })),
      fellShort: z.array(text),
      wouldMatch: z.array(text),
      advice: z.array(text).describe("What the skill's author could change."),
    }),
    run: ({ body: { name, ...turn } }, { engine }) => engine.library.why(name, turn),
  }),
  operation("post /api/prompt", {
    id: "prompt",
    reads: true,
    command: "prompt",
    summary: "The exact text that an agent's prompt gets for a message.",
    body: z.strictObject({
      message: text.default("").describe("What the user wrote; without it, the catalog alone."),
      ...turnFields,
      style: z.enum(STYLES).optional(),
      context: z
        .enum(CONTEXTS)
        .optional()
        .describe("What becomes of the text: append shows nothing twice, rebuild replaces the one before."),
      task: task.optional().describe("The task whose consents count if the style shows instructions."),
      budget: z
        .strictObject({ tokens: z.int().min(1).exactOptional(), chars: z.int().min(1).exactOptional() })
        .optional(),
      elsewhere: elsewhere.optional(),
    }),
    answer: z.looseObject({
      section: text,
      style: z.enum(STYLES),
      tokens: z.int(),
      chars: z.int(),
      shown: z.array(z.looseObject({ name: text, level: text })),
      omitted: z.int(),
      budget: z
        .looseObject({ tokens: z.int().optional(), chars: z.int().optional() })
        .describe("What the section may take."),
    }),
    async run({ body: { k: limit, threshold, style, context, budget, task: inTask, ...asked } }, api) {
      const { engine, turn } = await answering(api, asked);
      const options = { limit, threshold, style, context, budget, task: inTask };
      const prompt = await timed(api, () => engine.turn(turn).prompt(options));
      const { text: section, style: chosen, tokens, chars, shown, omitted } = prompt;
      const allowed = budgetOf(chosen, budget ?? engine.config.budget);
      return { section, style: chosen, tokens, chars, shown, omitted, budget: allowed };
    },
  }),
  operation("get /api/sessions/{session}", {
    id: "showSession",
    summary: "The state of a session: skills shown, recalled and activated, and its working memory.",
    params: z.strictObject({ session }),
    answer: z.looseObject({
      id: text,
      turn: z.int(),
      shown: z.array(text),
      recalled: z.array(text),
      activated: z.array(text),
      memory: z.array(z.looseObject({ refId: text, content: text, relevance: z.number() })),
    }),
    async run({ params }, { engine }) {
      const { relevant, ...state } = await engine.turns.sessions.session(params.session);
      return { ...state, memory: await engine.workingMemory(params.session) };
    },
  }),
  operation("post /api/expand", {
    id: "expandCommand",
    command: "expand",
    summary:
      "Expand a slash command to its text, with consent as for an activation. In a session it counts as one.",
    refuses: [404, 409],
    body: z.strictObject({
      text: text.min(1),
      task,
      session: session.optional(),
      consent: ConsentAnswer.optional(),
    }),
    answer: z.looseObject({ name: text, command: text, arguments: text, text }),
    run: ({ body: { text: typed, consent, ...context } }, { engine }) =>
      withConsent(consent, (ask) => engine.commands.expand(typed, { ...context, host: "http", ask })),
  }),
  operation("get /api/commands", {
    id: "listCommands",
    summary: "List the slash commands, all or those with a prefix.",
    query: z.strictObject({ prefix: text.optional() }),
    answer: z.looseObject({
      commands: z.array(
        z.looseObject({
          command: text,
          name: text,
          displayName: text,
          description: text,
          argumentHint: text.optional(),
        }),
      ),
    }),
    run: async ({ query }, { engine }) => ({
      commands: await engine.commands.complete(query.prefix ?? "/"),
    }),
  }),
];

async function timed<T>({ metrics }: Api, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const answer = await work();
  metrics.recall((performance.now() - started) / 1000);
  return answer;
}
