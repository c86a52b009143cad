// Recognizes messages that only tell the agent to go on ("yes, do it"), so that the message before them is used.

import { inAlphabet, isPlain } from "../text/patterns.ts";

/** Words that agree or point back; none of them has a topic. */
const WORDS = [
  "yes|yeah|yep|yup|sure|ok|okay|k|go|do|please|pls|it|that|this|ahead|on|for|so|then|now|all|right|alright|sounds",
  "good|great|perfect|fine|correct|exactly|continue|proceed|next|again|try|retry|more|keep|going|let's|lets|and|with",
  "you|can|the|first|second|third|one|option|both|same|agree|agreed|confirm|confirmed|approve|approved|lgtm",
  "ja|genau|bitte|mach|machen|wir|das|weiter|gut|los",
  "oui|d'accord|vas-y|continuer|continuez|fais-le|s'il te plait|s'il te plaît",
  "si|sí|claro|dale|hazlo|adelante|continua|continúa|va bene|certo|fallo|procedi|avanti|sim|pode|faca|faça|isso",
  "continuar|да|давай|продолжай",
].join("|");

/** Written without spaces, so no word boundary follows. */
const UNSPACED = "好的?|是的?|继续|做吧|可以|はい|お願いします|続けて";

const goOn = inAlphabet(
  ({ letters, digits, signs }) =>
    `^(?:(?:(?:${WORDS})(?![${letters}${digits}])|${UNSPACED})[\\s${signs}]*){1,8}$`,
  "i",
);

/** A longer message has a topic. */
const MAX_CHARS = 60;

/** Whether the message begins and ends like one of the words: most do not, and need no look at the whole pattern. */
function mayGoOn(text: string): boolean {
  if (!isPlain(text)) return true;
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return `|${WORDS}`.includes(`|${words[0]}`) && `${WORDS}|`.includes(`${words.at(-1)}|`);
}

/** Whether the message only tells the agent to go on. */
export function isContinuation(message: string): boolean {
  const text = message.trim().replaceAll("’", "'");
  return text.length <= MAX_CHARS && mayGoOn(text) && goOn(text).test(text);
}

/** The message to recall for: the previous one if this one only says to go on. */
export function effectiveMessage(message: string, before: string | undefined): string {
  return before !== undefined && isContinuation(message) ? before : message;
}
