// Owns the tools that a model gets, defined once for all hosts: names, words, schemas, and what each call does.
// Does not own any host's protocol: the adapters serve this table.

import type { TaskContext } from "./activate/activate.ts";
import { Arguments } from "./agent-tool-arguments.ts";
import type { Repertoire } from "./engine/engine.ts";
import type { TaskPart } from "./engine/task-part.ts";
import type { AgentToolAlias } from "./model/agent-tool-alias.ts";
import { codeOf, isRepertoireError, messageOf } from "./model/errors.ts";
import type { Match } from "./model/turn.ts";
import { forLine } from "./text/escape.ts";
import type { ScriptResult } from "./tools/scripts.ts";

export interface AgentToolResult {
  /** For the model. */
  readonly text: string;
  /** The same for programs. */
  readonly data: unknown;
  /** A mistake or a refusal; the text says what to do next. */
  readonly isError?: boolean;
}

/** What a call may do: look, keep something that can be taken back, take away, or run what others wrote. */
export type ToolEffect = "reads" | "keeps" | "removes" | "runs";

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** Without it a host must expect anything. */
  readonly effect?: ToolEffect;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Never throws. */
  run(args: unknown, options?: { readonly signal?: AbortSignal }): Promise<AgentToolResult>;
}

/** What the tools work with. */
export type AgentHost = Pick<Repertoire, "recall" | "view"> & { readonly tasks: TaskPart };

export interface AgentToolsOptions extends Omit<TaskContext, "audience"> {
  /** Also offer tools under the names that other systems use. */
  readonly aliases?: readonly AgentToolAlias[];
  /** Set by a host that sees no messages: each recall begins a turn of the session. */
  readonly beginsTurns?: boolean;
}

/** What a call works with. */
export interface ToolScope {
  readonly host: AgentHost;
  readonly context: TaskContext;
  readonly beginsTurns: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One row of the table; `run` may throw, the tool made from it does not. */
export interface AgentToolRow {
  readonly name: string;
  readonly description: string;
  readonly effect?: ToolEffect;
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly run: (args: Arguments, scope: ToolScope) => Promise<AgentToolResult>;
}

/** Skills that one answer of list_skills names: about 8,000 tokens. */
const LISTED = 200;

const text = (description: string) => ({ type: "string", description });
const count = (description: string) => ({ type: "integer", minimum: 0, description });
const SKILL = text("The skill's name, for example plan-meeting or mcp/email.");

export const AGENT_TOOL_ROWS: readonly AgentToolRow[] = [
  {
    name: "recall_skills",
    effect: "reads",
    description:
      "Find the skills that fit what is to be done now. Returns names, descriptions and why each fits; load one with activate_skill.",
    properties: {
      message: text("What is to be done, in the user's words or yours."),
      limit: { ...count("How many skills at most."), minimum: 1, maximum: 50 },
    },
    required: ["message"],
    async run(args, { host, context, beginsTurns }) {
      const { agent, session, host: by } = context;
      const message = args.text("message");
      const limit = args.number("limit");
      const { matches, seen = [] } = await host.recall(
        { message, ...(session !== undefined && { session }), ...(by !== undefined && { host: by }) },
        {
          asked: beginsTurns ? "as-turn" : "in-turn",
          ...(agent !== undefined && { agent }),
          ...(limit !== undefined && { limit }),
        },
      );
      const view = host.view(agent);
      const found = matches.flatMap((match) => {
        const skill = view.active(match.name);
        return skill ? [{ match, skill }] : [];
      });
      // Described once a session, then named. With nothing new to say, the model has lost the answer: it gets it again.
      const isKnown = ({ match }: { match: Match }) => seen.includes(match.name);
      const named = found.every(isKnown) ? [] : found.filter(isKnown);
      const lines = found.map((one) =>
        named.includes(one)
          ? `- ${forLine(one.match.name)} (${one.match.score.toFixed(2)}), described before`
          : matchLine(one.match, one.skill.manifest.description),
      );
      const words = lines.length === 0 ? "No skill fits this. Go on without one." : lines.join("\n");
      return { text: words, data: { matches: found.map(({ match }) => match), seen } };
    },
  },
  {
    name: "activate_skill",
    effect: "runs",
    description:
      "Load a skill's full instructions before you follow it. The first time in a task a person may be asked for consent.",
    properties: { name: SKILL },
    required: ["name"],
    async run(args, { host, context }) {
      const { payload, text: words } = await host.tasks.activate(args.text("name"), context);
      const { tools, diagnostics } = await host.tasks.tools(payload.name, context);
      const brought = tools.map(({ name, description }) => `- ${forLine(name)}: ${forLine(description)}`);
      const parts = [
        words,
        ...(brought.length > 0 ? [`Tools of this skill:\n${brought.join("\n")}`] : []),
        ...diagnostics.map(({ message }) => `Not available: ${forLine(message)}`),
      ];
      return { text: parts.join("\n\n"), data: { ...payload, tools, diagnostics } };
    },
  },
  {
    name: "read_skill_file",
    effect: "reads",
    description: "Read a text file of an activated skill, such as a reference or a template.",
    properties: {
      name: SKILL,
      path: text("Relative to the skill's base directory, for example references/format.md."),
      offset: count("Where to begin, in characters, when a long file was cut."),
    },
    required: ["name", "path"],
    async run(args, { host, context }) {
      const offset = args.number("offset");
      const part = await host.tasks.readFile(args.text("name"), args.text("path"), {
        ...context,
        ...(offset !== undefined && { offset }),
      });
      const rest =
        part.next === undefined
          ? ""
          : `\n[cut: ${part.length - part.next} more characters; go on with offset ${part.next}]`;
      return { text: part.text + rest, data: part };
    },
  },
  {
    name: "run_skill_script",
    effect: "runs",
    description:
      "Run a script of an activated skill in a sandbox: without network and without the user's files unless the user's settings grant them.",
    properties: {
      name: SKILL,
      script: text("Relative to the skill's base directory, for example scripts/report.py."),
      args: { type: "array", items: { type: "string" }, description: "The script's arguments." },
      stdin: text("Text for the script's standard input."),
    },
    required: ["name", "script"],
    async run(args, { host, context, signal }) {
      const result = await host.tasks.run(args.text("name"), args.text("script"), {
        ...context,
        args: args.texts("args"),
        stdin: args.optionalText("stdin"),
        signal,
      });
      return { text: scriptInWords(result), data: result, ...(!result.ok && { isError: true }) };
    },
  },
  {
    name: "list_skills",
    effect: "reads",
    description: "List the skills that you may use, with one line each.",
    properties: {
      prefix: text("Only names that begin like this, for example mcp/."),
      offset: count("How many to skip."),
    },
    required: [],
    async run(args, { host, context }) {
      const prefix = (args.optionalText("prefix") ?? "").toLowerCase();
      const offset = args.number("offset") ?? 0;
      const all = host
        .view(context.agent)
        .visible()
        .filter(({ name }) => name.startsWith(prefix));
      const listed = all.slice(offset, offset + LISTED);
      const more = all.length - offset - listed.length;
      const lines = listed.map(
        ({ name, manifest: { summary, brief } }) => `- ${forLine(name)}: ${forLine(summary ?? brief)}`,
      );
      if (more > 0) lines.push(`… and ${more} more: offset ${offset + LISTED}, or search with recall_skills`);
      const skills = listed.map(({ name, displayName, manifest: { description } }) => {
        return { name, displayName, description };
      });
      return { text: lines.join("\n") || "No skill is visible.", data: { skills, total: all.length } };
    },
  },
];

/** The tools of one agent in one task. `rows` is open for tools of other parts. */
export function agentTools(
  host: AgentHost,
  { aliases = [], beginsTurns = false, ...context }: AgentToolsOptions,
  rows: readonly AgentToolRow[] = AGENT_TOOL_ROWS,
): AgentTool[] {
  const scope: ToolScope = { host, context: { ...context, audience: "model" }, beginsTurns };
  const tools = rows.map((row) => toolOf(row, scope));
  const activate = tools.find(({ name }) => name === "activate_skill");
  // With all tools served, get_skill is a tool of its own.
  const free = aliases.filter((alias) => !tools.some(({ name }) => name === alias));
  const also = activate ? free.map((name) => ({ ...activate, name })) : [];
  return [...tools, ...also];
}

/** The tools that activated skills have brought to the task, in the same shape. */
export function skillTools(host: AgentHost, context: TaskContext): AgentTool[] {
  return host.tasks
    .registry(context.task)
    .list()
    .map(({ name, description, inputSchema }) => ({
      name,
      description,
      effect: "runs" as const,
      inputSchema,
      async run(args, { signal } = {}) {
        const result = await host.tasks.call(name, args, { ...context, signal });
        return { text: result.output, data: result, ...(!result.ok && { isError: true }) };
      },
    }));
}

function toolOf(row: AgentToolRow, scope: ToolScope): AgentTool {
  const { name, description, effect, properties, required } = row;
  return {
    name,
    description,
    ...(effect && { effect }),
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    async run(args, { signal } = {}) {
      try {
        return await row.run(new Arguments(row, args), { ...scope, signal });
      } catch (thrown) {
        const code = codeOf(thrown) || "unexpected";
        const value = isRepertoireError(thrown) ? thrown.value : undefined;
        return { text: messageOf(thrown), data: { error: { code, value } }, isError: true };
      }
    },
  };
}

function matchLine({ name, score, reasons, via }: Match, description: string): string {
  const why =
    via === undefined ? reasons.map(({ signal, note }) => `${signal}: ${note}`) : [`goes with ${via}`];
  return `- ${forLine(name)} (${score.toFixed(2)}): ${forLine(description)} [${forLine(why.slice(0, 2).join("; "))}]`;
}

function scriptInWords(result: ScriptResult): string {
  const { ok, stdout, stderr, message, isolation } = result;
  const parts = ok && stdout !== "" ? [] : [message];
  if (stdout !== "") parts.push(stdout.trimEnd());
  if (stderr !== "") parts.push(`[standard error]\n${stderr.trimEnd()}`);
  return [...parts, `[isolation: ${isolation}]`].join("\n");
}
