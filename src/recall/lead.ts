// Finds the lead of a long message, the part that says what is wanted: its beginning and its closing sentence.

export const LEAD = {
  /** A shorter message is all lead. */
  from: 600,
  /** The lead ends with the line or sentence that reaches this many characters: a title and a paragraph. */
  chars: 400,
  /** Or here at the latest. */
  most: 800,
  /** A closing paragraph or question up to this length belongs to the lead: people paste first and then ask. */
  closing: 300,
} as const;

interface Lead {
  /** The beginning ends here. */
  readonly end: number;
  /** The closing starts here; the text's length if there is none. */
  readonly closing: number;
}

export function leadOf(text: string): Lead {
  if (text.length < LEAD.from) return { end: text.length, closing: text.length };
  const line = text.indexOf("\n", LEAD.chars);
  const sentence = text.indexOf(". ", LEAD.chars);
  const ends = [line, sentence, LEAD.most].filter((at) => at >= 0);
  return { end: Math.min(text.length, ...ends), closing: closingOf(text) };
}

/** The text of the lead. It is embedded instead of the whole message, because a sum of all words would blur the meaning. */
export function leadText(text: string): string {
  const { end, closing } = leadOf(text);
  return closing < text.length ? `${text.slice(0, end)}\n${text.slice(closing)}` : text.slice(0, end);
}

function closingOf(text: string): number {
  const end = text.trimEnd().length;
  const tail = text.slice(Math.max(0, end - LEAD.closing), end);
  const paragraph = /\n\s*\n(?=\p{L}[^\n]*$)/u.exec(tail);
  if (paragraph !== null) return end - tail.length + paragraph.index + paragraph[0].length;
  const question = /(?<=[.!?:]\s|\n)\s*\p{L}[^.!?\n]*\?$/u.exec(tail);
  return question === null ? text.length : end - tail.length + question.index;
}
