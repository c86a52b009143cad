// Defines what a tool for a model is: one row with its zod schema, and how a row becomes a tool that any host can serve.

import * as z from "zod";
import type { TaskContext, Tasks } from "../activate/activate.ts";
import type { Dreams } from "../dream/dream.ts";
import type { Actor, Journal, OutcomeReport } from "../journal/journal.ts";
import type { Enrichment, LearnedSkills } from "../learn/learn.ts";
import type { LibraryView } from "../library/library.ts";
import { type AgentToolAlias, type NamedTools, namedTools } from "../model/agent-tool-alias.ts";
import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { RecallAnswer } from "../recall/recall.ts";
import { forEnvelope, forModel } from "../text/escape.ts";
import type { ActivatedSkills, RegisteredTool } from "../tools/tools.ts";

/** What the tools need of the engine, and nothing else. */
export interface AgentEngine {
  /** The configured other names of `activate_skill`. */
  readonly aliases: readonly AgentToolAlias[];
  /** The configured tools of a host that chooses none; empty for the default ones. */
  readonly serve: readonly string[];
  readonly tasks: Pick<Tasks, "activate"> &
    Pick<ActivatedSkills, "tools" | "readFile" | "run" | "call" | "hasSandbox"> & {
      /** The tools that are loaded in a task so far. */
      registry(task: string): { list(): RegisteredTool[] };
    };
  readonly learned: Pick<LearnedSkills, "save" | "delete" | "currentName" | "text">;
  readonly dreams: Pick<Dreams, "prompts" | "submit" | "proposals">;
  readonly enrichment: Pick<Enrichment, "question" | "submit">;
  view(agent: string | undefined): Promise<LibraryView>;
  recall(request: RecallByModel, context: TaskContext): Promise<RecallAnswer>;
  /** Records how a turn ended, for one skill or for all that were activated in the turn. */
  reportOutcome(report: OutcomeReport, actor: Actor): Promise<readonly SkillName[]>;
  /** Records which skill a message should have led to; without a message, the session's current one. */
  shouldHaveBeen: Journal["shouldHaveBeen"];
}

interface RecallByModel {
  readonly message: string;
  readonly limit?: number | undefined;
  readonly beginsTurn: boolean;
}

export interface AgentToolResult {
  /** The answer for the model. */
  readonly text: string;
  /** The same answer for programs; of a failed call `{ error: { code, message, value } }`. */
  readonly data: unknown;
  /** Set for a mistake or a refusal; the text says what to do next. */
  readonly isError?: boolean | undefined;
}

/**
 * What a call may do: read, load instructions of others behind the consent of a person, write something that can be undone,
 * delete, or run code of others.
 */
export type ToolEffect = "read" | "load" | "write" | "delete" | "run";

/** A tool as hosts serve it to a model. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly effect: ToolEffect;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Never throws. */
  run(args: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<AgentToolResult>;
}

/** What a call works with. */
export interface ToolScope {
  readonly engine: AgentEngine;
  readonly context: TaskContext;
  /** Set for a host that sees no messages: each recall begins a turn of the session. */
  readonly beginsTurns: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface ToolDefinition<S extends z.ZodObject = z.ZodObject>
  extends Omit<AgentTool, "inputSchema" | "run" | "description"> {
  /** What a model reads; a function if it names other tools, which may not be served. */
  readonly description: string | ((tools: NamedTools) => string);
  readonly schema: S;
  /** May throw; the tool made from it does not. */
  run(args: z.output<S>, scope: ToolScope): Promise<AgentToolResult>;
}

/** One row of the tables of tools. */
export interface ToolRow extends ToolDefinition {
  readonly inputSchema: AgentTool["inputSchema"];
}

/** Makes a row: the arguments of `run` are typed by its schema, and its JSON Schema is derived from it. */
export function row<S extends z.ZodObject>(tool: ToolDefinition<S>): ToolRow {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.schema, {
    io: "input",
    override({ jsonSchema }) {
      // Every z.int() has this bound.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...tool, inputSchema };
}

/** A string argument that must not be blank. */
export const text = (description: string) =>
  z
    .string()
    .refine((value) => value.trim() !== "", "must not be blank")
    .describe(description);

/** A whole number from 0. */
export const count = (description: string) => z.int().min(0).describe(description);

/** A list of strings. */
export const texts = (description: string) => z.array(z.string()).describe(description);

/** Turns a row into a tool for one agent in one task. */
export function toolOf(tool: ToolRow, scope: ToolScope): AgentTool {
  const { name, description, effect, inputSchema } = tool;
  return {
    name,
    description:
      typeof description === "string" ? description : description(namedTools(scope.context.served)),
    effect,
    inputSchema,
    async run(args, { signal } = {}) {
      try {
        const result = await tool.run(argumentsOf(tool, args), { ...scope, signal });
        return { ...result, text: forModel(result.text) };
      } catch (thrown) {
        const code = codeOf(thrown) || "unexpected";
        const value = isRepertoireError(thrown) ? thrown.value : undefined;
        const message = forEnvelope(messageOf(thrown));
        return { text: message, data: { error: { code, message, value } }, isError: true };
      }
    },
  };
}

function argumentsOf(tool: ToolRow, given: unknown): Record<string, unknown> {
  const { success, data, error } = tool.schema.safeParse(spelled(tool, withoutEmpty(given ?? {})));
  if (success) return data;
  const problems = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ argument: key, problem: "Unknown argument" }))
      : [{ argument: issue.path.join("."), problem: issue.message }],
  );
  const listed = problems.map(({ argument, problem }) => (argument ? `"${argument}": ${problem}` : problem));
  throw new RepertoireError(
    "invalid-arguments",
    `${tool.name} was not run. ${listed.join(". ")}. Arguments: ${signatureOf(tool)}. Correct this and call it again.`,
    problems,
  );
}

/** Models fill arguments that they do not use with null or an empty string. */
function withoutEmpty(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ""));
}

/** The arguments by the names of the schema: `seeAlso` and `see-also` are `see_also`. */
function spelled({ schema }: ToolRow, given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const plain = (key: string) => key.replace(/[_-]/g, "").toLowerCase();
  const names = new Map(Object.keys(schema.shape).map((name) => [plain(name), name]));
  const entries = Object.entries(given).map(([key, value]) => {
    const name = names.get(plain(key)) ?? key;
    return [Object.hasOwn(given, name) ? key : name, value] as const;
  });
  return Object.fromEntries(entries);
}

function signatureOf({ inputSchema }: ToolRow): string {
  const { properties = {}, required = [] } = inputSchema as z.core.JSONSchema.ObjectSchema;
  const described = Object.entries(properties).map(([name, property]) => {
    const { type } = property as z.core.JSONSchema.BaseSchema;
    return `${name} (${type}${required.includes(name) ? "" : ", optional"})`;
  });
  return described.join(", ") || "none";
}
