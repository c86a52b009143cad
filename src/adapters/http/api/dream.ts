// The operations that improve the library: dreams, proposals, and measuring recall.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import * as z from "zod";
import {
  casesFrom,
  EVAL_RUNS,
  type EvalReport,
  keepRun,
  OWN_CASES,
  PASSES,
  readCases,
  readRuns,
  regressions,
  SPEC,
} from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { HTTP_LIMITS } from "../limits.ts";
import { type Api, operation } from "./operation.ts";
import {
  AcceptedSchema,
  booleanText,
  ChangedSchema,
  DreamAccountSchema,
  DreamResultSchema,
  EvidenceSchema,
  elsewhere,
  JobSchema,
  nameParams,
  ProposalSchema,
} from "./schemas.ts";

const text = z.string();
const number = z.int().min(1);
const numberParams = z.strictObject({ number: z.coerce.number().int().min(1) });
const figures = z.looseObject({ messages: z.int(), hit1: z.number(), mrr: z.number(), shown3: z.number() });
const share = z.number().nullable();
const Report = z.looseObject({
  groups: z.record(text, figures),
  macro: figures,
  falseAlarms: share,
  forbiddenFirst: share,
  failures: z
    .array(
      z.looseObject({
        query: text,
        source: text.optional(),
        kind: z.enum(["not-shown", "false-alarm", "forbidden-first"]),
        skills: z.array(text),
        shown: z.array(text),
      }),
    )
    .optional(),
  unknown: z.array(text).optional().describe("Right answers that no skill of the library is."),
});

const Run = Report.extend({ at: z.int().describe("Milliseconds since 1970.") });
const names = z.array(text);

export const DREAM_OPERATIONS = [
  operation("post /api/skills/{name}/what-if", {
    id: "whatIf",
    command: "what-if",
    reads: true,
    summary:
      "Which stored messages would lead elsewhere if a skill had another text, and whether it could be saved. Changes nothing.",
    params: nameParams,
    bodyBytes: HTTP_LIMITS.skillBytes,
    body: z.strictObject({
      description: text.max(SPEC.descriptionChars * 4).optional(),
      content: text.optional().describe("A whole SKILL.md, or the procedure alone; stays unless given."),
    }),
    answer: z.looseObject({
      refusal: z
        .looseObject({ code: text, message: text })
        .optional()
        .describe("Why it could not be saved; then nothing is tried."),
      tried: z.int(),
      moved: z.array(z.looseObject({ message: text, before: names, after: names })),
    }),
    async run({ params: { name }, body }, { engine }) {
      const skill = await engine.library.named(name);
      const content = body.content ?? engine.library.bodyOf(skill);
      const save = { name: skill.name, content, description: body.description, force: true };
      const refused = await engine.learned.refusalOf([{ save }]);
      if (refused) {
        const refusal = { code: refused.code, message: refused.message };
        return { refusal, tried: 0, moved: [] };
      }
      return engine.dreams.whatIf(skill.name, body);
    },
  }),
  operation("get /api/turns", {
    id: "listTurnsToReview",
    summary:
      "The turns of the last month that look bad, newest first: corrected, failed, or nothing recalled.",
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
    answer: z.looseObject({
      turns: z.array(
        z.looseObject({
          session: text,
          turn: z.int(),
          at: z.int(),
          message: text,
          used: names,
          failed: names,
          corrections: names.describe("What the person said against the answer."),
          endedBadly: z.boolean().describe("Corrected or failed; otherwise the message recalled nothing."),
        }),
      ),
    }),
    run: async ({ query }, { engine }) => ({ turns: await engine.dreams.turnsToReview(query) }),
  }),
  operation("post /api/dream", {
    id: "dream",
    command: "dream",
    summary: "Review what happened and propose how the library should change.",
    job: true,
    refuses: [502],
    body: z.strictObject({
      apply: z.boolean().exactOptional().describe("Accept the proposals that pass all checks, as one batch."),
      force: z.boolean().exactOptional().describe("Run even if nothing is new."),
    }),
    answer: DreamResultSchema.extend({ regressions: z.array(z.looseObject({ number, title: text })) }),
    async run({ body }, { engine }, { progress }) {
      let done = 0;
      const result = await engine.dreams.run({
        ...body,
        onPass: ({ pass, state }) =>
          progress({ done: ++done, total: PASSES.length, note: `${pass}: ${state}` }),
      });
      return { ...result, regressions: (await engine.dreams.account()).regressions };
    },
  }),
  operation("get /api/dream", {
    id: "dreamStatus",
    summary: "What became of the proposals of earlier dreams, and the dream that is running.",
    answer: z.looseObject({ account: DreamAccountSchema, jobs: z.array(JobSchema) }),
    run: async (_, { engine, jobs }) => ({
      account: await engine.dreams.account(),
      jobs: jobs.list().filter(({ operation: id }) => id === "dream"),
    }),
  }),
  operation("get /api/dream/report", {
    id: "dreamReport",
    summary: "What a dream would start from: gaps, overlaps, skills at risk. Changes nothing.",
    answer: EvidenceSchema,
    run: (_, { engine }) => engine.dreams.report(),
  }),
  operation("get /api/dream/questions", {
    id: "dreamQuestions",
    command: "dream prepare",
    summary: "The prompts of the passes, for an agent that answers them itself.",
    answer: z.looseObject({
      questions: z.array(
        z.looseObject({
          pass: z.enum(PASSES),
          system: text,
          prompt: text,
          tokens: z.int(),
          idle: text.optional().describe("Why this pass has nothing to do."),
        }),
      ),
    }),
    run: async (_, { engine }) => ({ questions: await engine.dreams.prompts() }),
  }),
  operation("post /api/dream/submit", {
    id: "submitDream",
    command: "dream submit",
    summary: "Propose changes from an answer to one of the prompts, with the same checks.",
    bodyBytes: HTTP_LIMITS.skillBytes,
    body: z.strictObject({
      plan: z.union([text.min(1), z.looseObject({})]).describe("The answer to a prompt, as text or JSON."),
      pass: z.enum(PASSES).exactOptional(),
    }),
    answer: DreamResultSchema,
    run: ({ body: { plan, ...options } }, { engine }) =>
      engine.dreams.submit(typeof plan === "string" ? plan : JSON.stringify(plan), options),
  }),
  operation("get /api/proposals", {
    id: "listProposals",
    command: "proposals list",
    summary: "List the proposals that nobody has decided yet.",
    query: z.strictObject({ all: booleanText.optional().describe("Also decided and stale ones.") }),
    answer: z.looseObject({ proposals: z.array(ProposalSchema), account: DreamAccountSchema }),
    run: async ({ query }, { engine }) => ({
      proposals: await engine.dreams.proposals(query.all ? undefined : "open"),
      account: await engine.dreams.account(),
    }),
  }),
  operation("post /api/proposals/accept", {
    id: "acceptProposals",
    command: "proposals accept",
    summary: "Make the changes, as one batch that can be undone.",
    refuses: [404, 409],
    body: z.union([
      z.strictObject({ numbers: z.array(number).min(1).max(1_000) }),
      z.strictObject({ all: z.literal(true) }),
    ]),
    answer: AcceptedSchema,
    run: ({ body }, { engine }) => engine.dreams.accept("all" in body ? "all" : body.numbers),
  }),
  operation("get /api/proposals/{number}", {
    id: "showProposal",
    command: "proposals show",
    summary: "One proposal with its reasons, its routes and its diff.",
    params: numberParams,
    answer: ProposalSchema,
    run: ({ params }, { engine }) => engine.dreams.proposal(params.number),
  }),
  operation("post /api/proposals/{number}/reject", {
    id: "rejectProposal",
    command: "proposals reject",
    summary: "Reject a proposal; the same change is not proposed again.",
    refuses: [409],
    params: numberParams,
    body: z.strictObject({ note: text.max(2_000).optional() }),
    answer: ProposalSchema,
    run: ({ params, body }, { engine }) => engine.dreams.reject(params.number, body.note),
  }),
  operation("post /api/proposals/{number}/undo", {
    id: "undoProposal",
    summary: "Undo what an accepted proposal changed, with the rest of its batch.",
    refuses: [409],
    params: numberParams,
    answer: z.looseObject({ undone: z.array(ChangedSchema) }),
    async run({ params }, { engine }) {
      const { number: asked, state, batch } = await engine.dreams.proposal(params.number);
      if (batch !== undefined) return engine.dreams.undo(batch);
      const message = `Proposal ${asked} is ${state}: there is nothing to undo.`;
      throw new RepertoireError("proposal-not-accepted", message, asked);
    },
  }),
  operation("get /api/cases", {
    id: "listCases",
    summary:
      "The messages with known answers: those that were corrected, and those that went well by the journal.",
    answer: z.looseObject({
      file: text,
      cases: z.array(z.looseObject({ query: text, gold: names, not: names, source: text })),
      successes: z.array(z.looseObject({ message: text, skills: names })),
    }),
    async run(_, { engine }) {
      const file = join(engine.turns.dataDirectory, OWN_CASES);
      const cases = existsSync(file) ? readCases(file) : [];
      return { file, cases, successes: await engine.journal.successes() };
    },
  }),
  operation("get /api/eval/runs", {
    id: "listRuns",
    summary: "The latest runs of evaluations, newest first, with their failures.",
    answer: z.looseObject({ runs: z.array(Run) }),
    run: (_, { engine }) => ({ runs: readRuns(runsFile(engine)) }),
  }),
  operation("post /api/eval", {
    id: "evaluate",
    reads: true,
    command: "eval",
    summary: "Measure recall on messages with known answers, or on those that went well by the journal.",
    job: true,
    bodyBytes: HTTP_LIMITS.uploadBytes,
    body: z.strictObject({
      cases: z
        .array(
          z.strictObject({
            query: text.min(1),
            gold: z.array(text).optional().describe("Skills that should be recalled."),
            not: z.array(text).optional().describe("Skills that must not come first."),
            source: text.optional().describe("Figures are per source."),
            length: text.optional(),
          }),
        )
        .min(1)
        .max(20_000)
        .optional()
        .describe("Unless given, the messages after which a skill was activated with success."),
      libraries: z
        .record(text, z.array(text))
        .exactOptional()
        .describe("Source -> the only skills to recall among."),
      duplicates: z.record(text, text).exactOptional().describe("A copy -> the skill it counts as."),
      baseline: Report.optional().describe("An earlier answer, to compare with."),
      keep: z
        .boolean()
        .exactOptional()
        .describe("Keep the run, to compare later ones with it; not if the server only looks."),
      elsewhere: elsewhere.optional(),
    }),
    answer: Report.extend({ regressions: z.array(text) }),
    async run({ body }, { engine, others: otherEngines, readOnly }, { progress }) {
      const { cases, baseline, keep, elsewhere: other, ...options } = body;
      const measured = other === undefined ? engine : await otherEngines.at(other);
      const known =
        cases ??
        (await engine.journal.successes()).map(({ message, skills }) => ({ query: message, gold: skills }));
      const report = await measured.evaluate(casesFrom(known, "cases"), {
        ...options,
        async onProgress(done, total) {
          progress({ done, total });
          await others();
        },
      });
      if (keep && !readOnly) keepRun(runsFile(engine), report, engine.clock.now().getTime());
      const earlier = baseline as EvalReport | undefined;
      return { ...report, regressions: earlier ? regressions(report, earlier) : [] };
    },
  }),
];

function runsFile({ turns }: Api["engine"]): string {
  return join(turns.dataDirectory, EVAL_RUNS);
}
