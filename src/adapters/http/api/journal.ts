// The operations on what happened: statistics, events, outcomes.

import { join } from "node:path";
import * as z from "zod";
import { addCase, EVENT_KINDS, OUTCOMES, OWN_CASES, RATINGS } from "../../../engine/engine.ts";
import { lookupKey } from "../../../model/name.ts";
import { HTTP_LIMITS } from "../limits.ts";
import { operation } from "./operation.ts";
import { DreamAccountSchema, JournalEventSchema, nameParams, session, skillName } from "./schemas.ts";

const text = z.string();
const count = z.int().min(0);
const funnel = { recalled: count, shown: count, activated: count, succeeded: count, failed: count };
const number = z.coerce.number().int().min(0);

const Said = z.looseObject({
  session: text,
  turn: count,
  role: z.enum(["user", "assistant"]),
  text,
  at: count,
});

function turnKey({ session: id, turn }: { session?: string | undefined; turn?: number | undefined }): string {
  return JSON.stringify([id, turn]);
}

export const JOURNAL_OPERATIONS = [
  operation("get /api/stats", {
    id: "libraryStats",
    command: "stats",
    summary: "How often skills were recalled, shown and activated, and how it went.",
    answer: z.looseObject({
      skills: z.array(z.looseObject({ name: text, ...funnel, lastUsedAt: count })),
      cost: z.looseObject({
        always: count.describe("Tokens of all names and descriptions."),
        activated: count.describe("Tokens of the instructions of a skill in the middle."),
        skills: z.array(z.looseObject({ name: text, always: count, activated: count })),
        hosts: z.array(z.looseObject({ host: text, shown: count, chars: count })),
      }),
      dreams: DreamAccountSchema,
    }),
    run: async (_, { engine }) => ({
      skills: await engine.journal.stats(),
      cost: await engine.library.cost(),
      dreams: await engine.dreams.account(),
    }),
  }),
  operation("get /api/skills/{name}/stats", {
    id: "skillStats",
    summary: "The statistics of one skill, with its trend, the skills used with it and its versions.",
    params: nameParams,
    answer: z.looseObject({
      name: text,
      ...funnel,
      lastUsedAt: count,
      trend: z.array(count).describe("Activations a week, oldest first."),
      weeks: z
        .array(
          z.looseObject({
            week: z.int().describe("When the week began."),
            ...{ recalled: count, shown: count, activated: count, successes: count, failures: count },
          }),
        )
        .describe("The same weeks with everything that happened in them."),
      companions: z.array(z.looseObject({ name: text, sessions: count })),
      versions: z.array(z.looseObject({ digest: text, rate: z.number(), deprioritised: z.boolean() })),
      messages: z
        .array(z.looseObject({ text, at: count, weight: z.number() }))
        .describe("The messages that recall learned from; a weight below 0 counts against the skill."),
    }),
    run: ({ params }, { engine }) => engine.journal.statsOf(params.name),
  }),
  operation("get /api/skills/{name}/recalls", {
    id: "listRecalls",
    summary: "The latest messages that recalled a skill, and its rivals: skills recalled for the same ones.",
    params: nameParams,
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).optional() }),
    answer: z.looseObject({
      recalls: z.array(
        z.looseObject({
          session: text,
          turn: count,
          at: count,
          message: text.optional().describe("Absent if messages are not recorded."),
          rank: count.describe("Its place among the recalled skills, from 1."),
          recalled: z.array(text).describe("Best first, the skill itself included."),
          used: z.boolean().describe("Whether it was activated in this turn."),
        }),
      ),
      rivals: z.array(
        z.looseObject({
          name: text,
          together: count.describe("Messages that recalled both."),
          ahead: count.describe("Those of them for which it came first."),
        }),
      ),
    }),
    run: ({ params, query }, { engine }) => engine.journal.recallsOf(params.name, query),
  }),
  operation("delete /api/skills/{name}/messages", {
    id: "forgetMessages",
    summary: "Make recall forget the messages that it learned for a skill.",
    params: nameParams,
    answer: z.looseObject({ forgotten: count }),
    run: ({ params }, { engine }) => engine.journal.forgetMessages(params.name),
  }),
  operation("delete /api/messages", {
    id: "forgetAllMessages",
    summary: "Make recall forget the messages that it learned for all skills.",
    answer: z.looseObject({ forgotten: count }),
    run: (_, { engine }) => engine.journal.forgetMessages(),
  }),
  operation("get /api/sessions", {
    id: "listSessions",
    command: "sessions",
    summary: "The latest sessions: what was asked first, which skills were used, how it went.",
    query: z.strictObject({
      since: number.optional().describe("Milliseconds since 1970, inclusive."),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    answer: z.looseObject({
      sessions: z.array(
        z.looseObject({
          session: text,
          host: text.optional(),
          turns: count,
          startedAt: count,
          lastAt: count,
          skills: z.array(text),
          successes: count,
          failures: count,
          firstMessage: text.optional(),
        }),
      ),
    }),
    run: async ({ query }, { engine }) => ({ sessions: await engine.journal.sessions(query) }),
  }),
  operation("get /api/sessions/{session}/conversation", {
    id: "showConversation",
    summary: "What was said in a session, in order, where messages are recorded.",
    params: z.strictObject({ session }),
    answer: z.looseObject({ said: z.array(Said) }),
    run: async ({ params }, { engine }) => ({ said: await engine.journal.conversation(params) }),
  }),
  operation("get /api/missed", {
    id: "listMissed",
    summary: "The latest messages that recalled no skill.",
    query: z.strictObject({
      since: number.optional().describe("Milliseconds since 1970, inclusive."),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    answer: z.looseObject({ missed: z.array(Said) }),
    async run({ query: { since, limit } }, { engine }) {
      const recalls = await engine.journal.query({
        since,
        kinds: ["recalled"],
        newestFirst: true,
        limit: 5_000,
      });
      const turns = new Set(recalls.flatMap((one) => (one.skill === undefined ? [turnKey(one)] : [])));
      const said = turns.size === 0 ? [] : await engine.journal.conversation({ since, role: "user" });
      return {
        missed: said
          .filter((one) => turns.has(turnKey(one)))
          .slice(-limit)
          .reverse(),
      };
    },
  }),
  operation("post /api/sessions/{session}/rating", {
    id: "rateSession",
    command: "sessions rate",
    summary: "Say how a session went. Dreams look again at the skills of poor and fair ones.",
    refuses: [404],
    params: z.strictObject({ session }),
    body: z.strictObject({ rating: z.enum(RATINGS), note: text.max(2_000).optional() }),
    answer: z.looseObject({ session: text, rating: z.enum(RATINGS) }),
    async run({ params, body: { rating, note } }, { engine }) {
      await engine.journal.rateSession({ rating, text: note }, params);
      return { ...params, rating };
    },
  }),
  operation("get /api/journal", {
    id: "listEvents",
    summary: "Events of the journal, newest first.",
    query: z.strictObject({
      session: session.optional(),
      skill: skillName.optional(),
      kind: z.enum(EVENT_KINDS).optional(),
      since: number.optional().describe("Milliseconds since 1970, inclusive."),
      until: number.optional().describe("Milliseconds since 1970, exclusive."),
      after: number.optional().describe("Only events with a higher `seq`."),
      limit: z.coerce.number().int().min(1).max(1_000).default(100),
    }),
    answer: z.looseObject({ events: z.array(JournalEventSchema) }),
    run: async ({ query: { skill, kind, after, ...rest } }, { engine }) => ({
      events: await engine.journal.query({
        ...rest,
        skill: skill === undefined ? undefined : lookupKey(skill),
        kinds: kind && [kind],
        afterSeq: after,
        newestFirst: true,
      }),
    }),
  }),
  operation("get /api/journal/export", {
    id: "exportJournal",
    command: "journal export",
    summary: "The events of a session in order, one JSON object per line.",
    type: "application/x-ndjson",
    query: z.strictObject({ session }),
    answer: text,
    run: ({ query }, { engine }) => engine.journal.exportSession(query.session),
  }),
  operation("post /api/journal/import", {
    id: "importJournal",
    command: "journal import",
    summary: "Import events; damaged and foreign lines are counted and left out.",
    bodyBytes: HTTP_LIMITS.uploadBytes,
    body: z.strictObject({ lines: text.describe("One JSON object per line.") }),
    answer: z.looseObject({ imported: count, known: count, torn: count, foreign: count }),
    run: ({ body }, { engine }) => engine.journal.importLines(body.lines),
  }),
  operation("post /api/outcomes", {
    id: "reportOutcome",
    command: "outcome",
    summary: "Report how a turn of a session ended, for one skill or for all activated in it.",
    refuses: [404, 409],
    body: z.strictObject({
      session,
      outcome: z.enum(OUTCOMES),
      skill: skillName.optional(),
      note: text.max(2_000).optional(),
      turn: z.int().min(1).optional().describe("The turn of the session; the current one unless given."),
    }),
    answer: z.looseObject({ outcome: z.enum(OUTCOMES), skills: z.array(text) }),
    async run({ body: { session: id, ...report } }, { engine }) {
      return { outcome: report.outcome, skills: await engine.journal.reportOutcome(report, { session: id }) };
    },
  }),
  operation("post /api/corrections", {
    id: "correctRecall",
    command: "eval add",
    summary: "Say which skill a message, or the current one of a session, should have led to.",
    refuses: [404],
    body: z.strictObject({
      skill: skillName,
      message: text.min(1).optional(),
      session: session.optional(),
      keep: z.boolean().exactOptional().describe("Also add the message to the evaluation file."),
    }),
    answer: z.looseObject({
      skill: text,
      insteadOf: z.array(text),
      file: text.optional().describe("The evaluation file, if the message was added."),
    }),
    async run({ body: { session: id, keep, ...correction } }, { engine }) {
      const corrected = await engine.journal.shouldHaveBeen(correction, { session: id });
      if (!keep || correction.message === undefined) return corrected;
      const file = join(engine.turns.dataDirectory, OWN_CASES);
      addCase(file, { query: correction.message, gold: [corrected.skill] });
      return { ...corrected, file };
    },
  }),
];
