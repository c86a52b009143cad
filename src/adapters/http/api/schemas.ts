// The schemas that several operations share. Answers have at least the fields that are listed here.

import * as z from "zod";
import { EVENT_KINDS, PROPOSAL_STATES, VERDICTS, VERSION_ACTIONS } from "../../../engine/engine.ts";
import { FRAMES } from "../../../model/frame.ts";
import { SKILL_STATES } from "../../../model/skill.ts";
import { JOB_STATES } from "../jobs.ts";

/** Schemas that the OpenAPI document names. */
export const NAMED = new Map<z.ZodType, string>();

function named<S extends z.ZodRawShape>(name: string, shape: S): z.ZodObject<S, z.core.$loose> {
  const schema = z.looseObject(shape);
  NAMED.set(schema, name);
  return schema;
}

const text = z.string();
const texts = z.array(text);
const count = z.int().min(0);
const time = count.describe("Milliseconds since 1970.");

export const skillName = z
  .string()
  .min(1)
  .max(300)
  .describe("The skill's name; a slash in it is sent as %2F.");
export const nameParams = z.strictObject({ name: skillName });
export const booleanText = z.stringbool();
export const task = z
  .string()
  .min(1)
  .max(200)
  .default("http")
  .describe("The task that consents belong to; it lasts until it is ended.");
export const session = z.string().min(1).max(200).describe("Your id of the conversation.");
export const reason = z.string().max(500).describe("Why, for the history.");
export const frame = z.enum(FRAMES);

export const elsewhere = z
  .strictObject({
    project: text.min(1).max(4_000).optional().describe("The folder of another project."),
    settings: z
      .record(text, z.unknown())
      .optional()
      .describe('Configuration keys with other values, such as {"recall.threshold": 0.4}.'),
  })
  .describe("Answers as another project, or with other settings, to compare. Nothing is recorded.");

export const ErrorSchema = named("Error", {
  error: z.looseObject({
    code: text.describe("Stable, for programs."),
    message: text.describe("What happened and what to do next."),
    value: z.unknown().optional().describe("What was refused."),
    issues: z.array(z.object({ path: text, message: text })).optional(),
  }),
});

export const DiagnosticSchema = named("Diagnostic", {
  code: text,
  severity: z.enum(["error", "warning", "info"]),
  path: text,
  line: z.int().optional(),
  message: text,
  fix: text.describe("The next step for the owner of the file."),
});

export const SourceSchema = named("Source", {
  id: text,
  root: text,
  scope: text,
  exists: z.boolean(),
  skills: count,
  agents: texts.describe("The hosts that list its skills by themselves, without Repertoire."),
});

export const ListedSkillSchema = named("ListedSkill", {
  name: text,
  displayName: text,
  description: text,
  source: text,
  path: text,
  state: z.enum(SKILL_STATES),
  reason: text.optional(),
  digest: text
    .optional()
    .describe("SHA-256 of the package, to which consent is bound; absent if it cannot be read."),
  withheld: z
    .boolean()
    .optional()
    .describe("Inspection found something dangerous: the description is a notice."),
  verdict: z.enum(VERDICTS).optional(),
  tokens: count.describe("Of its name and description."),
});

/** The parts of a score, which add up to the last digit. */
export const scored = {
  score: z.number().describe("Evidence and boosts together; matches are in this order."),
  evidence: z.number().describe("0 to 1, compared with the threshold."),
  boosts: z.number().describe("What the frame, failures and being named add."),
  reasons: z.array(
    z.looseObject({
      signal: text,
      value: z.number(),
      note: text,
      boost: z.literal(true).optional().describe("Set if the value is added to the evidence."),
    }),
  ),
};

export const MatchSchema = named("Match", {
  name: text,
  ...scored,
  via: text.optional().describe("The skill whose see-also this is."),
  duplicates: texts.optional(),
});

const FindingSchema = named("Finding", {
  code: text.describe("The rule's id."),
  severity: z.enum(["low", "medium", "high"]),
  category: text.describe("Of the OWASP Agentic Skills Top 10."),
  path: text,
  line: count.optional(),
  excerpt: text.describe("The evidence, escaped."),
  message: text.describe("Why this is a danger."),
  fix: text.describe("What to do."),
});

const UnscannedFileSchema = named("UnscannedFile", {
  path: text.describe("Empty for the whole package."),
  reason: text,
});

export const InspectedPackageSchema = named("InspectedPackage", {
  name: text,
  path: text,
  kind: z.enum(["folder", "file"]),
  digest: text.optional().describe("Absent if the package could not be read whole."),
  files: count,
  verdict: z.enum(VERDICTS),
  findings: z.array(FindingSchema),
  known: z.array(FindingSchema).describe("Findings that the person knows; they do not count."),
  unscanned: z.array(UnscannedFileSchema),
  scripts: texts,
  addresses: texts,
});

export const InspectionSummarySchema = named("InspectionSummary", {
  verdict: z.enum(VERDICTS).describe("The worst of all packages."),
  counts: z.record(z.enum(VERDICTS), count),
  left: count.describe("Packages that were not inspected yet."),
  worrying: z.array(
    z.looseObject({
      ...{ name: text, path: text, verdict: z.enum(VERDICTS), rules: texts },
      gravest: text.optional().describe("The gravest finding in words."),
    }),
  ),
});

export const ConsentSheetSchema = named("ConsentSheet", {
  name: text,
  description: text,
  source: text,
  path: text,
  digest: text.describe("Of the whole package: what a consent is given to."),
  files: count,
  bytes: count,
  scripts: texts,
  toolsets: texts,
  requestedTools: texts,
  environment: texts,
  addresses: texts,
  verdict: z.enum(VERDICTS),
  findings: z.array(FindingSchema),
  unscanned: z.array(UnscannedFileSchema),
  changed: z.looseObject({ changed: texts, added: texts, removed: texts }).optional(),
});

export const ChangedSchema = named("Changed", {
  name: text,
  result: z.enum(["created", "updated", "unchanged", "archived", "renamed", "restored", "undone"]),
  path: text,
  version: text.optional(),
  batch: text.optional().describe("What one undo takes back together."),
  digest: text.optional(),
  summary: text.optional(),
  notices: z.array(z.looseObject({ code: text, message: text })),
});

export const VersionSchema = named("Version", {
  id: text,
  name: text,
  action: z.enum(VERSION_ACTIONS),
  at: time,
  author: text,
  reason: text.optional(),
  batch: text.optional(),
  parent: text.optional(),
  diff: text.optional(),
});

export const JournalEventSchema = named("JournalEvent", {
  seq: count,
  kind: z.enum(EVENT_KINDS),
  at: time,
  session: text.optional(),
  turn: count.optional(),
  skill: text.optional(),
  digest: text.optional(),
  details: z.looseObject({}),
});

export const ProposalSchema = named("Proposal", {
  number: z.int().min(1),
  kind: text,
  title: text,
  state: z.enum(PROPOSAL_STATES),
  at: time,
  decidedAt: time.optional(),
  note: text.optional(),
  batch: text.optional(),
  payload: z.looseObject({
    by: text.optional(),
    evidence: texts.optional(),
    diff: text.optional(),
    tried: count.optional().describe("Stored messages that were recalled with and without the change."),
    lost: z
      .array(z.looseObject({ name: text, clauses: texts }))
      .optional()
      .describe("What would be said nowhere any more."),
    routes: z.array(z.looseObject({ message: text, before: texts, after: texts })).optional(),
  }),
});

export const DreamAccountSchema = named("DreamAccount", {
  open: count,
  accepted: count,
  rejected: count,
  stale: count,
  undone: count,
  acceptanceRate: z.number().optional(),
  regressions: z.array(z.looseObject({ number: count, title: text })),
});

const refusals = z.array(z.looseObject({ code: text, message: text }));

export const AcceptedSchema = named("Accepted", {
  accepted: z.array(ProposalSchema),
  batch: text.optional(),
  declined: z.array(z.looseObject({ number: count, title: text, refusals })),
});

const pair = { a: text, b: text, sessions: texts };

export const EvidenceSchema = named("Evidence", {
  sessions: count,
  skills: count,
  gaps: z.array(z.looseObject({ topic: texts, messages: texts })),
  overlaps: z.array(z.looseObject({ ...pair, words: z.number(), meaning: z.number() })),
  coUse: z.array(z.looseObject(pair)),
  atRisk: z.array(z.looseObject({ name: text })),
  neverUsed: z.array(z.looseObject({ name: text })),
});

export const DreamResultSchema = named("DreamResult", {
  skipped: text.optional().describe("Why nothing was done."),
  thinking: z.enum(["model", "rules", "handoff"]),
  evidence: EvidenceSchema,
  passes: z.array(z.looseObject({ pass: text, state: text })),
  proposals: z.array(ProposalSchema),
  declined: z.array(z.looseObject({ title: text, refusals })),
  known: z.array(ProposalSchema),
  applied: AcceptedSchema.optional(),
});

export const JobSchema = named("Job", {
  id: text,
  operation: text,
  state: z.enum(JOB_STATES),
  startedAt: time,
  endedAt: time.optional(),
  progress: z
    .looseObject({ done: count.optional(), total: count.optional(), note: text.optional() })
    .optional(),
  result: z.unknown().optional().describe("What the operation answers, once it is done."),
  error: z.unknown().optional(),
});
