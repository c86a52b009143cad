// Turns what a tool returned into title, metadata and text that fit into an answer.

import { isRecord } from "../text/json.ts";
import { TOOL_LIMITS } from "./limits.ts";

/** What a tool returned, as plain JSON. */
export interface PlainOutput {
  readonly title: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly output: string;
  /** How many characters of the output were cut off. */
  readonly cut: number;
}

/** Fails for a value that cannot become JSON: a circle, a BigInt. */
export function plainOutput(tool: string, returned: unknown): PlainOutput {
  const parts =
    isRecord(returned) && ("output" in returned || "title" in returned) ? returned : { output: returned };
  const title = typeof parts.title === "string" && parts.title !== "" ? parts.title : tool;
  const text = asText(parts.output);
  const output = text.slice(0, TOOL_LIMITS.outputChars);
  return {
    title: title.slice(0, TOOL_LIMITS.titleChars),
    metadata: plainMetadata(parts.metadata),
    output,
    cut: text.length - output.length,
  };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

/** Metadata that is too long is omitted. */
function plainMetadata(value: unknown): Record<string, unknown> {
  if (!isRecord(value)) return {};
  const text = JSON.stringify(value);
  if (text.length > TOOL_LIMITS.metadataChars) return { leftOut: `${text.length} characters of metadata` };
  return JSON.parse(text);
}
