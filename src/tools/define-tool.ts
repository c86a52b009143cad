// Owns what skill authors import as `repertoire/tools`: `defineTool`, `Tool.define` and zod's `z`.
// Does not own loading or calling tools: `toolsets.ts` and `registry.ts` do.
//
// A toolset runs inside the host's own process, with all that the host may do, once a person has consented to the
// package. It is not isolated; a job that should be is a script.

import { z } from "zod";

export { z };

/** What a tool is told about its call. */
export interface ToolContext {
  readonly skill: string;
  /** The folder of the package's private copy. */
  readonly mount: string;
  /** Aborted when the caller gives up or the time is over; pass it on to whatever waits. */
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

/** Names a tool of a toolset. A mistake in it is reported when the toolset is loaded. */
export function defineTool<Parameters extends z.ZodType>(
  name: string,
  spec: ToolSpec<Parameters>,
): DefinedTool<Parameters> {
  return { ...spec, name };
}

export const Tool = { define: defineTool };
