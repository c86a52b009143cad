// Owns consent over MCP: the question goes to the person through the client's elicitation, and the answer counts for
// the content that was shown, and for no other. Does not own the decision (`activate/consent.ts`).

import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ConsentAsker, type ConsentSheet, changesInWords } from "../../activate/consent.ts";
import { forLine } from "../../text/escape.ts";

/** One call's question: `ask` answers from what the client sent along, or remembers what is to be asked. */
export interface Question {
  readonly ask: ConsentAsker;
  /** Set when the call has to come again with the person's answer. */
  pending(): InputRequiredResult | undefined;
}

export function questionFor(ctx: ServerContext): Question {
  const responses = ctx.mcpReq.inputResponses;
  let unanswered: ConsentSheet | undefined;
  return {
    ask(sheet) {
      const key = keyOf(sheet);
      if (inputResponse(responses, key).kind === "missing") unanswered = sheet;
      return acceptedContent(responses, key)?.agree === true;
    },
    pending() {
      if (!unanswered) return undefined;
      const consent = inputRequired.elicit({
        message: sheetInWords(unanswered),
        requestedSchema: {
          type: "object",
          properties: { agree: { type: "boolean", title: `Activate ${unanswered.name}`, default: false } },
          required: ["agree"],
        },
      });
      return inputRequired({ inputRequests: { [keyOf(unanswered)]: consent } });
    },
  };
}

/** Names the content: when a byte changes between question and answer, the answer fits no question. */
function keyOf({ digest }: ConsentSheet): string {
  return `consent-${digest}`;
}

/** Entries of one row before the rest is counted. */
const LISTED = 8;

export function sheetInWords(sheet: ConsentSheet): string {
  const list = (label: string, values: readonly string[]) => {
    if (values.length === 0) return [];
    const more = values.length > LISTED ? ` and ${values.length - LISTED} more` : "";
    return [`${label}: ${values.slice(0, LISTED).map(forLine).join(", ")}${more}`];
  };
  const findings = sheet.findings.map(({ severity, path, message }) => `${severity}, ${path}: ${message}`);
  return [
    `Activate the skill ${sheet.name}? ${forLine(sheet.description)}`,
    `Source: ${forLine(sheet.source)} (${forLine(sheet.path)}), ${sheet.files} files, ${sheet.bytes} bytes`,
    `Digest: ${sheet.digest}`,
    ...list("Scripts", sheet.scripts),
    ...list("Toolsets", sheet.toolsets),
    ...list("Asks for tools", sheet.requestedTools),
    ...list("Environment", sheet.environment),
    ...list("Addresses", sheet.addresses),
    ...(sheet.changed ? [`Not what was agreed to before: ${forLine(changesInWords(sheet.changed))}`] : []),
    ...(findings.length > 0 ? list("Findings", findings) : ["Findings: none"]),
  ].join("\n");
}
