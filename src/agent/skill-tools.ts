// The tools that find and use skills.

import * as z from "zod";
import { asksForList } from "../disclose/disclose.ts";
import type { LibraryView } from "../library/library.ts";
import type { Match } from "../model/turn.ts";
import { forEnvelope, forLine } from "../text/escape.ts";
import type { ScriptResult } from "../tools/tools.ts";
import { count, row, type ToolRow, type ToolScope, text, texts } from "./tool.ts";

/** Skills in one answer of list_skills: about 8,000 tokens. */
const LISTED = 200;

const SKILL = text("The skill's name, for example plan-meeting or mcp/email.");

export const SKILL_TOOLS: readonly ToolRow[] = [
  row({
    name: "recall_skills",
    effect: "read",
    description: ({ activate }) =>
      `Find the skills that fit the current task. Returns each skill's name, its description and why it fits.${activate === undefined ? "" : ` Load one with ${activate}.`}`,
    schema: z.strictObject({
      message: text("The task, in the user's words or your own."),
      limit: z.int().min(1).max(50).describe("Maximum number of skills.").exactOptional(),
    }),
    async run(args, { engine, context, beginsTurns }) {
      if (asksForList(args.message)) return listed(await engine.view(context.agent), {}, context.served);
      const { matches, seen = [] } = await engine.recall({ ...args, beginsTurn: beginsTurns }, context);
      const view = await engine.view(context.agent);
      const found = matches.flatMap((match) => {
        const skill = view.active(match.name);
        return skill ? [{ match, description: skill.manifest.description }] : [];
      });
      // A skill is described once per session, then only named. If all were described before, the model has lost them.
      const isNew = ({ match }: { match: Match }) => !seen.includes(match.name);
      const described = found.some(isNew) ? isNew : () => true;
      const lines = found.map((one) =>
        described(one)
          ? matchLine(one.match, one.description)
          : `- ${forLine(one.match.name)} (${one.match.score.toFixed(2)}), described before`,
      );
      return {
        text: lines.join("\n") || "No skill fits. Continue without one.",
        data: { matches: found.map(({ match }) => match), seen },
      };
    },
  }),
  row({
    name: "activate_skill",
    effect: "load",
    description:
      "Load a skill's full instructions before you follow it. The first time in a task, a person may be asked for consent.",
    schema: z.strictObject({ name: SKILL }),
    async run({ name }, scope) {
      const { text: instructions, payload, tools, diagnostics } = await activated(name, scope);
      return { text: instructions, data: { ...payload, tools, diagnostics } };
    },
  }),
  row({
    name: "read_skill_file",
    effect: "read",
    description: "Read a text file of an activated skill, such as a reference or a template.",
    schema: z.strictObject({
      name: SKILL,
      path: text("Path relative to the skill's base directory, for example references/format.md."),
      offset: count("The character to start at, to continue a long file that was cut.").exactOptional(),
    }),
    async run({ name, path, ...offset }, { engine, context }) {
      const part = await engine.tasks.readFile(name, path, { ...context, ...offset });
      const rest =
        part.next === undefined
          ? ""
          : `\n[cut: ${part.length - part.next} more characters; go on with offset ${part.next}]`;
      return { text: forEnvelope(part.text) + rest, data: part };
    },
  }),
  row({
    name: "run_skill_script",
    effect: "run",
    description:
      "Run a script of an activated skill in a sandbox. It has no network and no access to the user's files unless the user's settings allow them.",
    schema: z.strictObject({
      name: SKILL,
      script: text("Path relative to the skill's base directory, for example scripts/report.py."),
      args: texts("The script's arguments.").exactOptional(),
      stdin: z.string().describe("Text for the script's standard input.").exactOptional(),
    }),
    async run({ name, script, args = [], stdin }, { engine, context, signal }) {
      const result = await engine.tasks.run(name, script, { ...context, args, stdin, signal });
      return { text: scriptText(result), data: result, isError: !result.ok };
    },
  }),
  row({
    name: "list_skills",
    effect: "read",
    description: "List the skills that you may use, one line each.",
    schema: z.strictObject({
      prefix: text("Only names that start with this, for example mcp/.").exactOptional(),
      offset: count("Number of skills to skip.").exactOptional(),
    }),
    run: async (part, { engine, context }) => listed(await engine.view(context.agent), part, context.served),
  }),
];

/** Activates a skill and lets its tools join the task; the text names them. */
export async function activated(name: string, { engine, context }: Pick<ToolScope, "engine" | "context">) {
  const { payload, text: instructions, content } = await engine.tasks.activate(name, context);
  const { tools, diagnostics } = await engine.tasks.tools(payload.name, context);
  const brought = tools.map((tool) => `- ${forLine(tool.name)}: ${forLine(tool.description)}`);
  const parts = [
    instructions,
    ...(brought.length > 0 ? [`Tools of this skill:\n${brought.join("\n")}`] : []),
    ...diagnostics.map(({ message }) => `Not available: ${forLine(message)}`),
  ];
  return { text: parts.join("\n\n"), payload, content, tools, diagnostics };
}

/** The skills that an agent may use, one line each. */
function listed(
  view: Pick<LibraryView, "visible">,
  { prefix = "", offset = 0 }: { readonly prefix?: string; readonly offset?: number },
  served: readonly string[] = [],
) {
  const all = view.visible().filter(({ name }) => name.startsWith(prefix.toLowerCase()));
  const part = all.slice(offset, offset + LISTED);
  const more = all.length - offset - part.length;
  const lines = part.map(
    ({ name, manifest: { summary, brief } }) => `- ${forLine(name)}: ${forLine(summary ?? brief)}`,
  );
  const ways = [
    served.includes("list_skills") ? `list_skills with offset ${offset + LISTED}` : "",
    served.includes("recall_skills") ? "search with recall_skills" : "",
  ].filter((way) => way !== "");
  if (more > 0) lines.push(`… and ${more} more${ways.length > 0 ? `: ${ways.join(", or ")}` : ""}`);
  const skills = part.map(({ name, displayName, manifest: { description } }) => {
    return { name, displayName, description };
  });
  return { text: lines.join("\n") || "No skill is visible.", data: { skills, total: all.length } };
}

function matchLine({ name, score, reasons, via }: Match, description: string): string {
  const why =
    via === undefined ? reasons.map(({ signal, note }) => `${signal}: ${note}`) : [`goes with ${via}`];
  return `- ${forLine(name)} (${score.toFixed(2)}): ${forLine(description)} [${forLine(why.slice(0, 2).join("; "))}]`;
}

function scriptText({ ok, stdout, stderr, message, isolation }: ScriptResult): string {
  const parts = ok && stdout !== "" ? [] : [message];
  if (stdout !== "") parts.push(forEnvelope(stdout).trimEnd());
  if (stderr !== "") parts.push(`[standard error]\n${forEnvelope(stderr).trimEnd()}`);
  return [...parts, `[isolation: ${isolation}]`].join("\n");
}
