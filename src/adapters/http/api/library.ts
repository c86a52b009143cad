// The operations on the library: list, show, create, switch, check, index.

import * as z from "zod";
import {
  alwaysTokens,
  listedSummary,
  SPEC,
  selectSkills,
  skillDetails,
  TEMPLATES,
  TIDY_RULES,
  VERDICTS,
} from "../../../engine/engine.ts";
import { codeOf } from "../../../model/errors.ts";
import { SKILL_STATES } from "../../../model/skill.ts";
import { STATE_CODES } from "../../../model/state-finding.ts";
import { hostsReading } from "../../hooks/catalog.ts";
import { type Api, operation } from "./operation.ts";
import {
  booleanText,
  DiagnosticSchema,
  InspectedPackageSchema,
  InspectionSummarySchema,
  ListedSkillSchema,
  nameParams,
  SourceSchema,
  skillName,
} from "./schemas.ts";

const text = z.string();
const diagnostics = z.array(DiagnosticSchema);
const EnrichmentPlanSchema = z.looseObject({
  hasModel: z.boolean(),
  enriched: z.int(),
  skills: z.int(),
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cost: z.number().optional().describe("US dollars, if the prices are configured."),
});

const switchTo = (on: boolean) =>
  operation(`post /api/skills/{name}/${on ? "enable" : "disable"}`, {
    id: on ? "enableSkill" : "disableSkill",
    command: on ? "enable" : "disable",
    summary: `Switch a skill ${on ? "on" : "off"} in the person's configuration.`,
    params: nameParams,
    query: z.strictObject({
      project: booleanText.optional().describe("In the project's configuration, for a skill of the project."),
    }),
    answer: z.looseObject({ name: text, enabled: z.boolean(), file: text }),
    async run({ params, query }, { engine }) {
      const { name, file } = await engine.library.setEnabled(params.name, on, { inProject: query.project });
      return { name, enabled: on, file };
    },
  });

const Switches = z
  .record(skillName, z.boolean().nullable())
  .describe("On, off, or (null) as the skill is by default.");

const ChecksSchema = z
  .array(
    z.looseObject({
      check: text,
      level: z.enum(["ok", "note", "warning", "error"]),
      message: text,
      code: z
        .enum(Object.keys(STATE_CODES) as (keyof typeof STATE_CODES)[])
        .optional()
        .describe("What is wrong with something that is kept."),
      path: text.optional(),
      fix: text.optional().describe("The command that fixes it, or what a person does."),
      canFix: z.boolean().describe("Whether `mendState` fixes it."),
      fixed: text.optional().describe("What was done."),
    }),
  )
  .describe("Everything that doctor looks at.");

async function examined(engine: Api["engine"], { fix }: { readonly fix: boolean }) {
  const { examine } = await import("../../doctor.ts");
  const diagnosis = await engine.library.diagnosis();
  const checks = await examine({ engine, diagnosis, env: process.env, fix });
  return { ...diagnosis, sources: withReaders(diagnosis.sources), checks };
}

const withReaders = <S extends Parameters<typeof hostsReading>[0]>(sources: readonly S[]) =>
  sources.map((source) => ({ ...source, agents: hostsReading(source) }));

async function versionsOf({ learned }: Api["engine"], name: string): Promise<number> {
  try {
    return (await learned.history(name, { limit: 1 })).total;
  } catch (thrown) {
    if (codeOf(thrown) === "no-history") return 0;
    throw thrown;
  }
}

export const LIBRARY_OPERATIONS = [
  operation("get /api/skills", {
    id: "listSkills",
    command: "list",
    summary: "List the skills with their states.",
    query: z.strictObject({
      brief: booleanText
        .optional()
        .describe("At once, as the skills were last read: without digests and findings about files."),
      all: booleanText.optional().describe("Also shadowed skills and those that the agent may not see."),
      findings: booleanText.optional().describe("Also the verdict of inspection on each skill."),
      words: text.optional().describe("Only skills whose name or description has these words."),
      source: text.optional().describe("Only skills of this source; may be a glob."),
      state: z.enum(SKILL_STATES).optional(),
      unusedSince: z.coerce
        .number()
        .optional()
        .describe("Only skills not activated since, in milliseconds since 1970."),
    }),
    answer: z.looseObject({ skills: z.array(ListedSkillSchema), diagnostics }),
    async run({ query }, { engine }) {
      const { skills, diagnostics: findings } = query.brief
        ? { skills: await engine.library.glance(), diagnostics: [] }
        : await engine.library.list();
      const used = query.unusedSince === undefined ? [] : await engine.journal.stats();
      const lastUses = new Map(used.map(({ name, lastUsedAt }) => [name, lastUsedAt]));
      const words = query.words?.split(/\s+/).filter(Boolean);
      const wanted = selectSkills(skills, { ...query, words }, lastUses);
      const report = query.findings ? await engine.library.inspect() : undefined;
      const verdicts = new Map(report?.packages.map(({ path, verdict }) => [path, verdict]));
      const digests = await engine.library.digests(query.brief ? [] : wanted.map(({ skill }) => skill));
      return {
        skills: wanted.map((one) => ({
          ...listedSummary(one, digests),
          verdict: verdicts.get(one.skill.directory),
          tokens: alwaysTokens(one.skill),
        })),
        diagnostics: findings,
      };
    },
  }),
  operation("post /api/skills", {
    id: "createSkill",
    command: "new",
    summary: "Create a skill from a template, in the project or in the person's home folder.",
    status: 201,
    refuses: [409],
    body: z.strictObject({
      name: skillName,
      template: z.enum(TEMPLATES).default("basic"),
      description: text.max(SPEC.descriptionChars).optional(),
      user: z.boolean().optional().describe("In the home folder instead of the project."),
    }),
    answer: z.looseObject({ name: text, directory: text, files: z.array(text) }),
    run: ({ body: { name, ...options } }, { engine }) => engine.learned.create(name, options),
  }),
  operation("get /api/skills/{name}", {
    id: "showSkill",
    command: "show",
    summary:
      "Show one skill: front matter, files, sub-skills and findings. Its instructions are included if the person agreed to them for good, or if they ask for them to decide.",
    params: nameParams,
    query: z.strictObject({
      review: booleanText
        .optional()
        .describe("With the instructions, for a person who reads them to decide."),
    }),
    answer: z.looseObject({
      skill: z.looseObject({
        name: text,
        state: text,
        description: text,
        digest: text.optional().describe("SHA-256 of the package, to which consent is bound."),
        body: text.optional(),
      }),
      files: z.array(text),
      subSkills: z.array(text),
      diagnostics,
      inspection: InspectedPackageSchema.optional(),
      messages: z.array(text).optional().describe("Written by a model, for recall."),
      versions: z.int().describe("How many versions its history has; 0 for a skill that was not saved here."),
    }),
    async run({ params: { name }, query: { review = false } }, { engine }) {
      const { skill } = await engine.library.show(name);
      const agreed = await engine.gate.bodies([skill.name], { audience: "person" });
      const report = await engine.library.show(name, { review: review || agreed.has(skill.name) });
      return { ...skillDetails(report), versions: await versionsOf(engine, skill.name) };
    },
  }),
  switchTo(true),
  switchTo(false),
  operation("post /api/switches", {
    id: "switchSkills",
    summary: "Switch several skills in the person's configuration; the answer, sent back, undoes it.",
    refuses: [404],
    body: z.strictObject({ switches: Switches }),
    answer: z.looseObject({ switches: Switches }),
    async run({ body }, { engine: { library } }) {
      const before: Record<string, boolean | null> = {};
      for (const [spelling, on] of Object.entries(body.switches)) {
        const { name } = await library.named(spelling);
        before[name] = library.switchOf(name) ?? null;
        await library.setEnabled(name, on ?? undefined);
      }
      return { switches: before };
    },
  }),
  operation("get /api/check", {
    id: "checkSkills",
    command: "check",
    summary: "Check a skill, a folder of skills, or all skills.",
    query: z.strictObject({
      path: text.min(1).optional().describe("Below the project's folder, or absolute."),
      profile: z.enum(["lenient", "strict"]).default("lenient"),
    }),
    answer: z.looseObject({
      checked: z.int(),
      errors: z.int(),
      warnings: z.int(),
      diagnostics,
      inspection: InspectionSummarySchema,
    }),
    run: ({ query }, { engine }) => engine.library.check(query),
  }),
  operation("get /api/inspect", {
    id: "inspectPackages",
    command: "inspect",
    summary: "Look for dangers in a skill, a package, a file, a folder of packages, or all skills.",
    query: z.strictObject({
      target: text
        .min(1)
        .optional()
        .describe(
          "A skill's name, or a path below the project's folder or absolute; all skills unless given.",
        ),
    }),
    answer: z.looseObject({
      verdict: z.enum(VERDICTS).describe("The worst of all packages."),
      counts: z.record(z.enum(VERDICTS), z.int()),
      packages: z.array(InspectedPackageSchema).describe("Worst first."),
      left: z.int(),
    }),
    run: ({ query }, { engine }) => engine.library.inspect(query),
  }),
  operation("get /api/sources", {
    id: "listSources",
    command: "sources",
    summary: "List the places that skills come from, lowest precedence first.",
    answer: z.looseObject({ sources: z.array(SourceSchema) }),
    run: async (_, { engine }) => ({ sources: withReaders(await engine.library.sources()) }),
  }),
  operation("get /api/doctor", {
    id: "doctor",
    command: "doctor",
    summary: "Report what was found where, what is broken and how to fix it.",
    answer: z.looseObject({
      node: text,
      config: z.array(text),
      cache: text.nullable(),
      project: z.looseObject({
        folder: text,
        shown: z.boolean(),
        trusted: z.boolean(),
        host: text,
        hosts: z.record(text, text).describe("What each host has decided about the folder."),
      }),
      sources: z.array(SourceSchema),
      counts: z.record(text, z.int()),
      diagnostics,
      inspection: InspectionSummarySchema,
      checks: ChecksSchema,
    }),
    run: async (_, { engine }) => ({
      node: process.version,
      ...(await examined(engine, { fix: false })),
    }),
  }),
  operation("post /api/doctor", {
    id: "mendState",
    command: "doctor",
    summary: "Repair what can be repaired without loss, as `doctor --fix` does; damaged files are kept.",
    answer: z.looseObject({ checks: ChecksSchema }),
    run: async (_, { engine }) => ({ checks: (await examined(engine, { fix: true })).checks }),
  }),
  operation("get /api/enrichment", {
    id: "planEnrichment",
    summary:
      "Say how many skills have no example messages, and what it would cost to let the model write them.",
    query: z.strictObject({ limit: z.coerce.number().int().min(1).optional() }),
    answer: EnrichmentPlanSchema,
    run: ({ query }, { engine }) => engine.enrichment.plan(query),
  }),
  operation("post /api/enrichment", {
    id: "enrichSkills",
    summary:
      "Let the configured model write example messages for skills that have none. Costs what the plan says.",
    job: true,
    refuses: [409, 502],
    body: z.strictObject({ limit: z.int().min(1).exactOptional().describe("At most this many skills.") }),
    answer: z.looseObject({
      enriched: z.array(z.looseObject({ name: text, messages: z.array(text) })),
      refused: z.array(z.looseObject({ name: text, reason: text })),
      left: z.int(),
      stopped: text.optional().describe("Why it ended before the last skill."),
    }),
    run: ({ body }, { engine }, { signal, progress }) =>
      engine.enrichment.run({ ...body, signal, onProgress: (done, total) => progress({ done, total }) }),
  }),
  operation("post /api/tidy", {
    id: "tidy",
    command: "tidy",
    summary: "Remove what is older than the settings allow.",
    body: z.strictObject({
      dryRun: z.boolean().exactOptional().describe("Only tell what would be removed."),
    }),
    answer: z.strictObject({
      removed: z.array(z.strictObject({ rule: z.enum(TIDY_RULES), items: z.int(), bytes: z.int() })),
    }),
    run: async ({ body }, { engine }) => ({ removed: [...(await engine.tidy(body))] }),
  }),
  operation("post /api/index", {
    id: "indexSkills",
    command: "index",
    summary: "Scan all sources and bring the recall index up to date.",
    job: true,
    answer: z.looseObject({ skills: z.int(), changed: z.boolean(), ms: z.int() }),
    async run(_, { engine, events }) {
      const answer = await engine.library.index();
      events.publish("index", answer);
      return answer;
    },
  }),
];
