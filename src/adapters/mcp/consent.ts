// Asks for consent over MCP: the client's elicitation asks the person, and the answer counts only for the content that
// was shown; or the host's own approval counts, if the person's settings say so.

import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type ConsentAsker, type ConsentSheet, changesInWords, codeInWords } from "../../engine/engine.ts";
import type { ConsentApproval } from "../../model/consent-approval.ts";
import { RepertoireError } from "../../model/errors.ts";
import { forLine } from "../../text/escape.ts";

/** One call's question: `ask` answers from what the client sent along, or remembers what is to be asked. */
export function questionFor(ctx: ServerContext) {
  const responses = ctx.mcpReq.inputResponses;
  let unanswered: ConsentSheet | undefined;
  return {
    ask(sheet: ConsentSheet): boolean {
      const key = keyOf(sheet);
      if (inputResponse(responses, key).kind === "missing") unanswered = sheet;
      return acceptedContent(responses, key)?.agree === true;
    },
    /** Set when the call has to come again with the person's answer. */
    pending(): InputRequiredResult | undefined {
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

/**
 * Where the client cannot ask and the person's settings say that their host does so before each call: the call itself
 * is the yes. The host shows a name and no sheet, so what was found dangerous still needs a person who has read it.
 */
export function approvedByHost(approval: ConsentApproval, task: string): ConsentAsker | undefined {
  if (approval !== "host") return undefined;
  return ({ name, findings }) => {
    const worst = findings.find(({ severity }) => severity === "high");
    if (worst === undefined) return true;
    throw new RepertoireError(
      "consent-required",
      `"${name}" holds something dangerous (${forLine(`${worst.path}: ${worst.message}`)}), which the host's approval does not cover. A person runs \`repertoire activate ${name} --task ${task}\` and answers, or \`repertoire trust ${name}\` to agree to this content for good.`,
      name,
    );
  };
}

/** Names the content: when a byte changes between question and answer, the answer fits no question. */
function keyOf({ digest }: ConsentSheet): string {
  return `consent-${digest}`;
}

/** Entries of one row before the rest is counted. */
const LISTED = 8;

function sheetInWords(sheet: ConsentSheet): string {
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
    ...codeInWords(sheet),
    ...list("Asks for tools", sheet.requestedTools),
    ...list("Environment", sheet.environment),
    ...list("Addresses", sheet.addresses),
    ...(sheet.changed ? [`Not what was agreed to before: ${forLine(changesInWords(sheet.changed))}`] : []),
    ...(findings.length > 0 ? list("Findings", findings) : ["Findings: none"]),
  ].join("\n");
}
