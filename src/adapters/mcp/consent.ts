// Asks for consent over MCP: the client's elicitation asks the person, and the answer counts only for the content that
// was shown; or the host's own approval counts, if the person's settings say so.

import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import {
  type ConsentAsker,
  type ConsentSheet,
  changesInWords,
  codeInWords,
  WHAT_A_PERSON_CAN_DO,
} from "../../engine/engine.ts";
import type { ConsentApproval } from "../../model/consent-approval.ts";
import { RepertoireError } from "../../model/errors.ts";
import { forLine } from "../../text/escape.ts";

/** How long a call waits for the answer to a question that another call has put. */
const WAIT_MS = 5 * 60_000;

/** The questions that clients have been given and not answered yet, by task and content. */
export class OpenQuestions {
  private readonly open = new Map<
    string,
    { readonly answer: Promise<boolean>; settle(agreed: boolean): void }
  >();

  /** The answer to the question, if another call has put it; otherwise it is this call's to put. */
  waitFor(key: string): Promise<boolean> | undefined {
    const known = this.open.get(key);
    if (known) return known.answer;
    let settle = (_: boolean) => {};
    const answer = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    this.open.set(key, { answer, settle });
    setTimeout(() => this.settle(key, false), WAIT_MS).unref();
    return undefined;
  }

  settle(key: string, agreed: boolean): void {
    this.open.get(key)?.settle(agreed);
    this.open.delete(key);
  }
}

/** One call's question: `ask` answers from what the client sent along, waits for another call's answer, or remembers what is to be asked. */
export function questionFor(ctx: ServerContext, task: string, questions: OpenQuestions) {
  const responses = ctx.mcpReq.inputResponses;
  let unanswered: ConsentSheet | undefined;
  const ask = async (sheet: ConsentSheet): Promise<boolean> => {
    const key = keyOf(sheet);
    const shared = `${task} ${key}`;
    if (inputResponse(responses, key).kind !== "missing") {
      const agreed = acceptedContent(responses, key)?.agree === true;
      questions.settle(shared, agreed);
      return agreed;
    }
    const other = questions.waitFor(shared);
    if (other) return other;
    unanswered = sheet;
    return false;
  };
  return {
    ask: Object.assign(ask, { asksOnce: true as const }),
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
export function approvedByHost(approval: ConsentApproval): ConsentAsker | undefined {
  if (approval !== "host") return undefined;
  return ({ name, verdict }) => {
    if (verdict !== "dangerous") return true;
    throw new RepertoireError(
      "consent-required",
      `"${name}" contains something dangerous, which the host's approval does not cover. ${WHAT_A_PERSON_CAN_DO}`,
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
    `Verdict: ${sheet.verdict}`,
    ...list("Findings", findings),
    ...list(
      "Not inspected",
      sheet.unscanned.map(({ path, reason }) => `${path || "package"} (${reason})`),
    ),
  ].join("\n");
}
