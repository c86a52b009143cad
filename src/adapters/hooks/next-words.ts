// What a person's next message says about the turn before it: that it went wrong, that it went well, or nothing.

import { isCorrection, type Outcome } from "../../engine/engine.ts";

/** Praise is short and says so at once; what follows a longer one is a new request. */
const PRAISE =
  /^\s*(?:thanks?\b|thank you|thx\b|perfect|great\b|excellent|awesome|wonderful|brilliant|well done|nice(?: one| work)?\b|(?:that|this|it)(?:'s| is)? (?:works?|worked|perfect|great|right|correct|exactly)|works\b|danke|super\b|perfekt|merci|parfait|gracias|perfecto|grazie|perfetto|obrigad[oa]|谢谢|ありがとう)/i;
const PRAISE_CHARS = 80;

/** Praise that takes it back: "great, but the dates are wrong". */
const BUT = /\b(?:but|however|except|although|aber|mais|pero|ma|mas)\b|但是|でも/i;

export function outcomeIn(message: string): Outcome | undefined {
  if (isCorrection(message)) return "failure";
  const isPraise = message.length <= PRAISE_CHARS && PRAISE.test(message) && !BUT.test(message);
  return isPraise ? "success" : undefined;
}
