// What skill authors import as `repertoire/tools`: `defineTool`, `Tool.define` and zod's `z`.
//
// After a person has consented to the package, its toolsets run in a process of their own, in the sandbox.

import { z } from "zod";

export { z };

/** The context of a tool call. */
export interface ToolContext {
  readonly skill: string;
  /** The folder of the package's private copy. */
  readonly mount: string;
  /** Aborted if the caller aborts or the time limit is reached; pass it to everything that waits. */
  readonly signal: AbortSignal;
}

export interface ToolOutput {
  readonly title: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly output: string;
}

export interface ToolSpec<Parameters extends z.ZodType = z.ZodType> {
  readonly description: string;
  /** An object schema: `z.object({ city: z.string() })`. */
  readonly parameters: Parameters;
  /** Returns the output as text, or with a title and metadata. */
  execute(
    args: z.output<Parameters>,
    context: ToolContext,
  ): string | Partial<ToolOutput> | Promise<string | Partial<ToolOutput>>;
}

export interface DefinedTool<Parameters extends z.ZodType = z.ZodType> extends ToolSpec<Parameters> {
  readonly name: string;
}

/**
 * Defines a tool of a toolset. Errors in it are reported when the toolset is loaded.
 *
 * @example
 * import { defineTool, z } from "repertoire/tools";
 * defineTool("greet", {
 *   description: "Greets a person by name.",
 *   parameters: z.object({ name: z.string() }),
 *   execute: ({ name }) => `Hello, ${name}!`,
 * });
 */
export function defineTool<Parameters extends z.ZodType>(
  name: string,
  spec: ToolSpec<Parameters>,
): DefinedTool<Parameters> {
  return { ...spec, name };
}

export const Tool = { define: defineTool };
