// Owns the operations on the library as a whole: look, check, make, switch, index.

import * as z from "zod";
import { TEMPLATES } from "../../../engine/engine.ts";
import type { ListedSkill } from "../../../model/skill.ts";
import { operation } from "./operation.ts";
import {
  booleanText,
  DiagnosticSchema,
  ListedSkillSchema,
  nameParams,
  SourceSchema,
  skillName,
} from "./schemas.ts";

const area = "library";
const text = z.string();
const diagnostics = z.array(DiagnosticSchema);

const switchTo = (on: boolean) =>
  operation({
    id: on ? "enableSkill" : "disableSkill",
    command: on ? "enable" : "disable",
    method: "post",
    path: `/api/skills/{name}/${on ? "enable" : "disable"}`,
    area,
    summary: `Switch a skill ${on ? "on" : "off"} in the person's configuration.`,
    params: nameParams,
    answer: z.looseObject({ name: text, enabled: z.boolean(), file: text }),
    async run({ params }, { engine }) {
      const { name, file } = await engine.library.setEnabled(params.name, on);
      return { name, enabled: on, file };
    },
  });

export const LIBRARY_OPERATIONS = [
  operation({
    id: "listSkills",
    command: "list",
    method: "get",
    path: "/api/skills",
    area,
    summary: "List the skills with their states.",
    query: z.strictObject({
      all: booleanText.optional().describe("Also those that another covers or that the agent may not see."),
    }),
    answer: z.looseObject({ skills: z.array(ListedSkillSchema), diagnostics }),
    async run({ query }, { engine }) {
      const { skills, diagnostics: findings } = await engine.library.list();
      return { skills: (query.all ? skills : skills.filter(isManaged)).map(listed), diagnostics: findings };
    },
  }),
  operation({
    id: "createSkill",
    command: "new",
    method: "post",
    path: "/api/skills",
    area,
    summary: "Make a new skill from a template, in the project or in the person's home folder.",
    status: 201,
    refuses: [409],
    body: z.strictObject({
      name: skillName,
      template: z.enum(TEMPLATES).default("basic"),
      description: text.max(1024).optional(),
      user: z.boolean().optional().describe("In the home folder instead of the project."),
    }),
    answer: z.looseObject({ name: text, directory: text, files: z.array(text) }),
    run: ({ body: { name, ...options } }, { engine }) => engine.learned.create(name, options),
  }),
  operation({
    id: "showSkill",
    command: "show",
    method: "get",
    path: "/api/skills/{name}",
    area,
    summary: "Show one skill: front matter, instructions, files, sub-skills and findings.",
    params: nameParams,
    answer: z.looseObject({
      skill: z.looseObject({ name: text, state: text, description: text, digest: text, body: text }),
      files: z.array(text),
      subSkills: z.array(text),
      diagnostics,
    }),
    async run({ params }, { engine }) {
      const { skill, body, subSkills, ...rest } = await engine.library.show(params.name);
      const { manifest, ...place } = skill;
      return {
        skill: { ...place, ...manifest, body },
        files: rest.files,
        subSkills: subSkills.map(({ name }) => name),
        diagnostics: rest.diagnostics,
      };
    },
  }),
  switchTo(true),
  switchTo(false),
  operation({
    id: "checkSkills",
    command: "check",
    method: "get",
    path: "/api/check",
    area,
    summary: "Check a skill, a folder of skills, or all skills.",
    query: z.strictObject({
      path: text.min(1).optional().describe("Below the project's folder, or absolute."),
      profile: z.enum(["lenient", "strict"]).default("lenient"),
    }),
    answer: z.looseObject({ checked: z.int(), errors: z.int(), warnings: z.int(), diagnostics }),
    async run({ query }, { engine }) {
      const { checked, diagnostics: findings } = await engine.library.check(query);
      const count = (wanted: string) => findings.filter(({ severity }) => severity === wanted).length;
      return { checked, errors: count("error"), warnings: count("warning"), diagnostics: findings };
    },
  }),
  operation({
    id: "listSources",
    command: "sources",
    method: "get",
    path: "/api/sources",
    area,
    summary: "List the places that skills come from, lowest precedence first.",
    answer: z.looseObject({ sources: z.array(SourceSchema) }),
    run: async (_, { engine }) => ({ sources: await engine.library.sources() }),
  }),
  operation({
    id: "doctor",
    command: "doctor",
    method: "get",
    path: "/api/doctor",
    area,
    summary: "Say what was found where, what is broken and how to mend it.",
    answer: z.looseObject({
      node: text,
      config: z.array(text),
      cache: text.nullable(),
      sources: z.array(SourceSchema),
      counts: z.record(text, z.int()),
      diagnostics,
    }),
    async run(_, { engine }) {
      const findings = await engine.library.findings();
      const sources = (await engine.library.sources()).filter(({ exists }) => exists);
      const counts = { active: 0, unavailable: 0, disabled: 0, shadowed: 0, hidden: 0 };
      for (const { state } of (await engine.library.list()).skills) counts[state]++;
      const { files: config, cacheDir: cache = null } = engine.config;
      return { node: process.version, config, cache, sources, counts, diagnostics: findings };
    },
  }),
  operation({
    id: "indexSkills",
    command: "index",
    method: "post",
    path: "/api/index",
    area,
    summary: "Scan all sources and bring the recall index up to date.",
    job: true,
    answer: z.looseObject({ skills: z.int(), changed: z.boolean(), ms: z.int() }),
    async run(_, { engine, events }) {
      const started = performance.now();
      const { skills, changed } = await (await engine.turns.indexing()).refresh();
      const answer = { skills, changed, ms: Math.round(performance.now() - started) };
      events.publish("index", answer);
      return answer;
    },
  }),
];

/** What a list shows unless all is asked for. Skills that only the person may invoke stay: they are slash commands. */
function isManaged({ skill, state }: ListedSkill): boolean {
  return state !== "shadowed" && (state !== "hidden" || skill.manifest.userOnly);
}

function listed({ skill, state, reason }: ListedSkill) {
  const { name, displayName, source, path, digest, manifest } = skill;
  const { description } = manifest;
  return { name, displayName, description, source, path, state, reason, digest };
}
