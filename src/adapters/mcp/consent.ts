// Asks for consent over MCP: the client's elicitation asks the person, and the answer counts only for the content that
// was shown; or the host's own approval counts, if the person's settings say so.

import {
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
import type { Clock } from "../../model/clock.ts";
import type { ConsentApproval } from "../../model/consent-approval.ts";
import { RepertoireError } from "../../model/errors.ts";
import { forLine } from "../../text/escape.ts";

/** How long a call waits for the answer to a question that another call has put. */
const WAIT_MS = 5 * 60_000;

/** Undefined if nobody answered. */
type Answer = boolean | undefined;

/**
 * Nobody reads a question and answers it in less. Codex and Copilot decline every question by themselves if they run without a
 * person: at once, but on a busy machine that took more than a quarter of a second.
 */
const READ_MS = 1_000;

const ANSWERS = {
  accept: true,
  decline: false,
  // Also of a person who closes the question, which is not a no either.
  cancel: undefined,
} as const;

interface OpenQuestion {
  readonly askedAt: number;
  readonly answer: Promise<Answer>;
  settle(answer: Answer): void;
}

/** The questions that clients have been given and not answered yet, by task and content. */
export class OpenQuestions {
  private readonly open = new Map<string, OpenQuestion>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The answer to the question, if another call has put it; otherwise it is this call's to put. */
  waitFor(key: string): Promise<Answer> | undefined {
    const known = this.open.get(key);
    if (known) return known.answer;
    let settle = (_: Answer) => {};
    const answer = new Promise<Answer>((resolve) => {
      settle = resolve;
    });
    this.open.set(key, { askedAt: this.now(), answer, settle });
    setTimeout(() => this.settle(key, "cancel"), WAIT_MS).unref();
    return undefined;
  }

  /** Takes the client's answer, for every call that waits for it. */
  settle(key: string, action: keyof typeof ANSWERS): Answer {
    const question = this.open.get(key);
    const isHasty = question !== undefined && this.now() - question.askedAt < READ_MS;
    const answer = action === "decline" && isHasty ? undefined : ANSWERS[action];
    question?.settle(answer);
    this.open.delete(key);
    return answer;
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** One call's question: `ask` answers from what the client sent along, waits for another call's answer, or remembers what is to be asked. */
export function questionFor(ctx: ServerContext, task: string, questions: OpenQuestions) {
  const responses = ctx.mcpReq.inputResponses;
  let unanswered: ConsentSheet | undefined;
  const ask = async (sheet: ConsentSheet): Promise<Answer> => {
    const key = keyOf(sheet);
    const shared = `${task} ${key}`;
    const response = inputResponse(responses, key);
    if (response.kind !== "missing")
      return questions.settle(shared, response.kind === "elicit" ? response.action : "cancel");
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
        // No fields: what the person presses is the answer. A box to tick would have to be ticked, too.
        requestedSchema: { type: "object", properties: {} },
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
    // Hosts show the first lines and fold the rest: what speaks against it comes first.
    `Verdict: ${sheet.verdict}`,
    ...list("Findings", findings),
    ...(sheet.changed ? [`Not what was agreed to before: ${forLine(changesInWords(sheet.changed))}`] : []),
    ...codeInWords(sheet),
    `Source: ${forLine(sheet.source)} (${forLine(sheet.path)}), ${sheet.files} files, ${sheet.bytes} bytes`,
    ...list("Scripts", sheet.scripts),
    ...list("Toolsets", sheet.toolsets),
    ...list("Asks for tools", sheet.requestedTools),
    ...list("Environment", sheet.environment),
    ...list("Addresses", sheet.addresses),
    ...list(
      "Not inspected",
      sheet.unscanned.map(({ path, reason }) => `${path || "package"} (${reason})`),
    ),
    `Digest: ${sheet.digest}`,
  ].join("\n");
}
