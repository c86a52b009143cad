// The operations within a task: activate with consent, read, run, call, end; and what is trusted in every task.

import { resolve } from "node:path";
import * as z from "zod";
import { ApiError } from "../errors.ts";
import { HTTP_LIMITS } from "../limits.ts";
import { ConsentAnswer, consentNeeded, trustSeen, withConsent } from "./consent.ts";
import { operation } from "./operation.ts";
import { ConsentSheetSchema, DiagnosticSchema, nameParams, session, skillName, task } from "./schemas.ts";

const text = z.string();
const texts = z.array(text);
const inTask = { task, session: session.optional() };
const paths = texts.max(100);

/** Whoever holds the token is the person. */
const PERSON = { audience: "person", host: "http" } as const;

/** Refusals of a script that never ran; a script that ran and failed is an answer. */
const NOT_RUN = ["not-consented", "not-found", "no-sandbox"] as const;

const Trusted = z.looseObject({ digest: text, skill: text, at: z.int(), source: text.optional() });

export const TASK_OPERATIONS = [
  operation("post /api/skills/{name}/activate", {
    id: "activateSkill",
    command: "activate",
    summary:
      "Activate a skill: returns its instructions. Without consent it answers 409 with the sheet to show to the person.",
    refuses: [409],
    params: nameParams,
    body: z.strictObject({ ...inTask, consent: ConsentAnswer.optional() }),
    answer: z.looseObject({
      name: text,
      instructions: text,
      mountPath: text.describe("The copy as a model names it: private:/.skills/NAME."),
      baseDirectory: text.describe("The copy on disk."),
      files: texts,
      subSkills: z.array(z.looseObject({ name: text })),
      digest: text,
      risk: z.enum(["risky", "safe"]),
      alreadyActivated: z.boolean(),
      text: text.describe("The whole text for a model."),
    }),
    run({ params, body: { consent, ...context } }, { engine }) {
      return withConsent(consent, async (ask) => {
        if (consent?.scope === "always") await trustSeen(engine.consents, params.name, consent.digest);
        const activation = await engine.tasks.activate(params.name, { ...context, ...PERSON, ask });
        return { ...activation.payload, text: activation.text };
      });
    },
  }),
  operation("get /api/skills/{name}/sheet", {
    id: "lookAtSkill",
    summary: "What there is to agree to in a skill: the sheet, without a refusal.",
    refuses: [404],
    params: nameParams,
    answer: ConsentSheetSchema,
    run: ({ params }, { engine }) => engine.consents.look(params.name),
  }),
  operation("get /api/skills/{name}/file", {
    id: "readSkillFile",
    summary: "Read a text file of an activated skill, in parts.",
    params: nameParams,
    query: z.strictObject({
      ...inTask,
      path: text.min(1),
      offset: z.coerce.number().int().min(0).optional(),
    }),
    answer: z.looseObject({
      path: text,
      text,
      length: z.int(),
      offset: z.int(),
      next: z.int().optional().describe("Where the next part begins."),
    }),
    run: ({ params, query: { path, ...context } }, { engine }) =>
      engine.tasks.readFile(params.name, path, { ...context, ...PERSON }),
  }),
  operation("post /api/skills/{name}/run", {
    id: "runScript",
    command: "run",
    summary: "Run a script of an activated skill in the sandbox.",
    params: nameParams,
    bodyBytes: HTTP_LIMITS.scriptBytes,
    body: z.strictObject({
      ...inTask,
      script: text.min(1),
      args: texts.max(100).optional(),
      stdin: text.optional(),
      network: z.boolean().optional().describe("Let it use the network."),
      read: paths.optional().describe("Let it read these files or folders."),
      write: paths.optional().describe("Let it read and write these folders."),
      timeout: z.int().min(1).max(3_600).optional().describe("Stop it after this many seconds."),
    }),
    answer: z.looseObject({
      ok: z.boolean(),
      code: text.optional(),
      exitCode: z.int().nullable(),
      stdout: text,
      stderr: text,
      truncated: z.boolean(),
      isolation: z.enum(["bubblewrap", "sandbox-exec", "none"]),
      durationMs: z.number(),
      message: text,
    }),
    async run({ params, body }, { engine }, { signal }) {
      const { script, network, read, write, timeout, ...call } = body;
      const absolute = (given?: readonly string[]) => given?.map((path) => resolve(engine.config.dir, path));
      const result = await engine.tasks.run(params.name, script, {
        ...call,
        ...PERSON,
        signal,
        policy: {
          ...(network && { network }),
          read: absolute(read),
          write: absolute(write),
          timeoutMs: timeout === undefined ? undefined : timeout * 1000,
        },
      });
      const refused = NOT_RUN.find((code) => code === result.code);
      if (refused) throw new ApiError(refused, result.message, { value: script });
      return result;
    },
  }),
  operation("get /api/skills/{name}/tools", {
    id: "listSkillTools",
    command: "tools",
    summary: "List the tools that an activated skill brings.",
    params: nameParams,
    query: z.strictObject(inTask),
    answer: z.looseObject({
      tools: z.array(
        z.looseObject({ name: text, skill: text, description: text, inputSchema: z.looseObject({}) }),
      ),
      diagnostics: z.array(DiagnosticSchema),
    }),
    run: ({ params, query }, { engine }) => engine.tasks.tools(params.name, { ...query, ...PERSON }),
  }),
  operation("post /api/skills/{name}/tools/{tool}", {
    id: "callSkillTool",
    summary: "Call a tool of an activated skill.",
    params: z.strictObject({ name: skillName, tool: text.min(1).max(200) }),
    bodyBytes: HTTP_LIMITS.scriptBytes,
    body: z.strictObject({ ...inTask, args: z.record(text, z.unknown()).default({}) }),
    answer: z.looseObject({ ok: z.boolean(), output: text, code: text.optional(), truncated: z.boolean() }),
    async run({ params, body: { args, ...context } }, { engine }, { signal }) {
      const call = { tool: params.tool, args };
      const { result } = await engine.tasks.callOf(params.name, call, { ...context, ...PERSON, signal });
      if (result.code !== "unknown-tool") return result;
      throw new ApiError(result.code, result.output, { value: params.tool });
    },
  }),
  operation("get /api/tasks", {
    id: "listTasks",
    command: "task list",
    summary: "List the open tasks with their skills.",
    answer: z.looseObject({
      tasks: z.array(
        z.looseObject({
          id: text,
          startedAt: z.int(),
          skills: z.array(z.looseObject({ name: text, digest: text, at: z.int() })),
        }),
      ),
    }),
    run: async (_, { engine }) => ({ tasks: await engine.tasks.list() }),
  }),
  operation("delete /api/tasks/{task}", {
    id: "endTask",
    command: "task end",
    summary: "End a task: its consents and private copies are removed.",
    params: z.strictObject({ task: text.min(1).max(200) }),
    answer: z.looseObject({ ended: text }),
    async run({ params: { task } }, { engine }) {
      await engine.tasks.endExisting(task);
      return { ended: task };
    },
  }),
  operation("get /api/trust", {
    id: "listTrusted",
    summary: "List what is trusted in every task.",
    answer: z.looseObject({ trusted: z.array(Trusted) }),
    run: async (_, { engine }) => ({ trusted: await engine.consents.trusted() }),
  }),
  operation("post /api/trust", {
    id: "trustSkill",
    command: "trust",
    summary:
      "Trust a skill in its current content, in every task. Without the digest it answers 409 with the sheet to read.",
    refuses: [404, 409],
    body: z.strictObject({ name: skillName, digest: text.min(1).optional() }),
    answer: Trusted.extend({ sheet: ConsentSheetSchema }),
    async run({ body: { name, digest } }, { engine }) {
      if (digest !== undefined) return trustSeen(engine.consents, name, digest);
      throw consentNeeded(await engine.consents.look(name), undefined);
    },
  }),
  operation("delete /api/trust/{trusted}", {
    id: "revokeTrust",
    summary: "Stop trusting a skill or a digest.",
    params: z.strictObject({ trusted: text.min(1).max(300).describe("A name or a digest.") }),
    answer: z.looseObject({ revoked: z.int() }),
    run: async ({ params }, { engine }) => ({
      revoked: await engine.consents.revoke(params.trusted),
    }),
  }),
];
