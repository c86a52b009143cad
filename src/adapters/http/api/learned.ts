// The operations on learned skills: save, delete, rename, restore, undo, pin, history.

import * as z from "zod";
import { SPEC } from "../../../engine/engine.ts";
import { HTTP_LIMITS } from "../limits.ts";
import { operation } from "./operation.ts";
import { booleanText, ChangedSchema, nameParams, reason, skillName, VersionSchema } from "./schemas.ts";

const text = z.string();
const why = z.strictObject({ reason: reason.optional() });

const pin = (on: boolean) =>
  operation(`post /api/skills/{name}/${on ? "pin" : "unpin"}`, {
    id: on ? "pinSkill" : "unpinSkill",
    command: on ? "pin" : "unpin",
    summary: on
      ? "Protect a learned skill: only the person may change it."
      : "Let agents change a pinned skill again.",
    params: nameParams,
    answer: ChangedSchema,
    run: ({ params }, { engine }) => engine.learned.pin(params.name, on),
  });

export const LEARNED_OPERATIONS = [
  operation("put /api/skills/{name}", {
    id: "saveSkill",
    command: "save",
    summary: "Save a procedure as a learned skill, or change one. Every save is a version.",
    refuses: [409],
    params: nameParams,
    bodyBytes: HTTP_LIMITS.skillBytes,
    body: z.strictObject({
      content: text.min(1).describe("A whole SKILL.md, or the procedure alone."),
      description: text.max(SPEC.descriptionChars).optional(),
      summary: text.max(300).optional(),
      seeAlso: z.array(text).max(100).optional(),
      see_also: z.array(text).max(100).optional().describe("The same as seeAlso."),
      reason: reason.optional(),
      project: z.boolean().optional().describe("Into the project instead of the home folder."),
      allowUnsafe: z.boolean().optional().describe("Save it even if it looks dangerous."),
      force: z
        .boolean()
        .optional()
        .describe("Save it even if it is then used instead of a skill of another source."),
    }),
    answer: ChangedSchema,
    run: ({ params, body }, { engine }, { author }) =>
      engine.learned.save({ name: params.name, author, ...body }),
  }),
  operation("delete /api/skills/{name}", {
    id: "deleteSkill",
    command: "delete",
    summary: "Delete a learned skill; its versions are kept and restore brings it back.",
    params: nameParams,
    query: why,
    answer: ChangedSchema,
    run: ({ params, query }, { engine }) => engine.learned.delete(params.name, query),
  }),
  operation("post /api/skills/{name}/rename", {
    id: "renameSkill",
    command: "rename",
    summary: "Rename a learned skill; its old name still finds it.",
    refuses: [409],
    params: nameParams,
    body: why.extend({ to: skillName }),
    answer: ChangedSchema,
    run: ({ params, body: { to, ...by } }, { engine }) => engine.learned.rename(params.name, to, by),
  }),
  operation("post /api/skills/{name}/restore", {
    id: "restoreSkill",
    command: "restore",
    summary: "Restore a deleted skill, or an earlier version of one.",
    refuses: [409],
    params: nameParams,
    body: why.extend({ version: text.min(1).optional() }),
    answer: ChangedSchema,
    run: ({ params, body }, { engine }) => engine.learned.restore(params.name, body),
  }),
  pin(true),
  pin(false),
  operation("post /api/undo", {
    id: "undo",
    command: "undo",
    summary: "Undo the last change of the learned skills or of one skill, or a batch or version.",
    refuses: [409],
    body: why.extend({
      target: text.min(1).optional().describe("A name, or the id of a batch or version."),
      dryRun: z.boolean().optional().describe("Say what would be undone (`would`), and change nothing."),
    }),
    answer: z.looseObject({
      undone: z.array(ChangedSchema).optional(),
      would: z.array(VersionSchema).optional(),
      settings: z.array(z.string()).optional().describe("Proposals whose settings are taken back."),
    }),
    async run({ body: { target, dryRun, ...by } }, { engine }) {
      if (!dryRun) return engine.dreams.undo(target, by);
      const { versions, settings } = await engine.dreams.nextUndo(target);
      return { would: versions, settings: settings.map(({ title }) => title) };
    },
  }),
  operation("post /api/redo", {
    id: "redo",
    command: "redo",
    summary: "Make the change again that was undone last, of all learned skills or of one.",
    refuses: [409],
    body: why.extend({
      name: text.min(1).optional(),
      dryRun: z.boolean().optional().describe("Say what would be done again (`would`), and change nothing."),
    }),
    answer: z.looseObject({
      redone: z.array(ChangedSchema).optional(),
      would: z.array(VersionSchema).optional(),
    }),
    run: async ({ body: { name, dryRun, ...by } }, { engine }) =>
      dryRun
        ? { would: await engine.learned.next("redo", name) }
        : { redone: await engine.learned.redo(name, by) },
  }),
  operation("get /api/skills/{name}/history", {
    id: "showHistory",
    command: "history",
    summary: "The versions of a learned skill, newest first: who changed it, when and why.",
    params: nameParams,
    query: z.strictObject({
      diff: booleanText.optional().describe("With the changes of each version."),
      limit: z.coerce.number().int().min(1).optional(),
    }),
    answer: z.looseObject({
      name: text,
      state: z.enum(["there", "archived", "renamed", "edited-outside"]),
      to: text.optional(),
      versions: z.array(VersionSchema),
      total: z.int(),
    }),
    run: ({ params, query }, { engine }) => engine.learned.history(params.name, query),
  }),
  operation("get /api/archive", {
    id: "listArchived",
    command: "archive",
    summary: "List the learned skills that were deleted and can be restored.",
    answer: z.looseObject({ archived: z.array(VersionSchema) }),
    run: async (_, { engine }) => ({ archived: await engine.learned.archived() }),
  }),
];
