// Escapes text of others for its target: a Markdown line, XML text, an XML attribute, a body inside an envelope, or any other
// place that a model reads. Everywhere the tokens are escaped that models and hosts use to begin and end a turn.

import { isPlain, lazyPattern } from "./patterns.ts";

/** The elements that Repertoire wraps around text of a skill. A body may neither open nor close one of them. */
export const ENVELOPES = [
  "skill_content",
  "available_skills",
  "skill_files",
  "sub_skills",
  "sub_skill",
  "skill",
] as const;

/** Invisible characters that can hide or reorder text: zero-width, bidi, tags, fillers, annotations. */
const invisible = lazyPattern("[\\p{DI}\\uFFF9-\\uFFFB]+", "gu");
const LONE_SURROGATE = /[\uD800-\uDFFF]/gu;
/** Not allowed in XML 1.0, escaped or not. */
const noncharacter = lazyPattern("[\\p{NChar}]", "gu");
/** All white space and control characters, line separators included. */
const blank = lazyPattern("[\\p{Z}\\p{Cc}]+", "gu");
/** The start of a tag, a comment or a processing instruction. */
const TAG_START = /<(?=\s?[/!?A-Za-z])/g;

/** Characters removed from a body: control, bidi and tag characters, but not line feeds, tabs and joiners. */
const BODY_CONTROL =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029]/g;

// Matches a tag even with invisible characters between its letters, and blanks and slashes before them.
// No two adjacent runs share a character, so matching stays linear.
const GAP = "\\p{DI}\\p{Cc}\\p{Z}";
/** Those of them that are ASCII. */
const PLAIN_GAP = "\\x00-\\x20\\x7f";

/** A pattern with gaps: for all of Unicode it takes tens of milliseconds to compile, so ASCII has one of its own. */
function withGaps(source: (gap: string) => string, flags: string): (text: string) => RegExp {
  const plain = lazyPattern(source(PLAIN_GAP), flags);
  let whole: RegExp | undefined;
  return (text) => {
    if (isPlain(text)) return plain();
    whole ??= new RegExp(source(GAP), `${flags}u`);
    return whole;
  };
}

const looseNames = (names: readonly string[], gap: string) =>
  names.map((name) => looseName(name, gap)).join("|");
const envelopeTag = withGaps((gap) => `<(?=[${gap}/\\\\_-]*(?:${looseNames(ENVELOPES, gap)}))`, "gi");
const cardHead = lazyPattern(
  "^([\\p{DI}\\p{Zs}\\t]*)\\[(?=[\\p{DI}\\p{Zs}\\t]*skill[\\p{DI}\\p{Zs}\\t]*:)",
  "gimu",
);

/**
 * Tags with which chat templates and hosts mark what a person, a model, a tool or the host itself says. The names are loose:
 * `_` also stands for `-` and for nothing.
 */
const TURN_TAGS = [
  "system",
  "system_reminder",
  "system_prompt",
  "system_message",
  "assistant",
  "human",
  "developer",
  "tool_result",
  "tool_results",
  "tool_use",
  "tool_call",
  "tool_calls",
  "tool_response",
  "tool_output",
  "function_call",
  "function_calls",
  "function_result",
  "function_results",
  "function_response",
  "invoke",
  "antml",
  "start_of_turn",
  "end_of_turn",
  "end_of_text",
  "begin_of_text",
  "think",
  "thinking",
  "bos",
  "eos",
  "sys",
  "user_prompt_submit_hook",
  "command_name",
  "command_message",
  "local_command_stdout",
] as const;

/** Marks of chat templates in square brackets. */
const TURN_BRACKETS = [
  "INST",
  "TOOL_CALLS",
  "TOOL_RESULTS",
  "TOOL_CONTENT",
  "AVAILABLE_TOOLS",
  "SYSTEM_PROMPT",
  "MODEL_SETTINGS",
] as const;

/** A special token such as `<|im_end|>`, also with the full-width bar; longer ones are in no vocabulary. */
const special = (gap: string) => `<(?=[${gap}]*[|\uFF5C][^<>\\s]{1,64}[|\uFF5C][${gap}]*>)`;
const turnTag = withGaps(
  (gap) =>
    `${special(gap)}|<(?=[${gap}/\\\\]*(?:${looseNames(TURN_TAGS, gap)})[${gap}]*(?:[>/:=]|[a-z_]+=|$))`,
  "gi",
);
const turnBracket = withGaps(
  (gap) => `\\[(?=[${gap}/]*(?:${looseNames(TURN_BRACKETS, gap)})[${gap}]*\\])`,
  "g",
);
/**
 * A speaker's name with a colon at the start of a line, which ends a turn in the format of text completion. `User:` and
 * `System:` count behind an empty line only: elsewhere they are keys of YAML.
 */
const turnLine = lazyPattern(
  "^([\\p{DI}\\p{Zs}\\t]*(?:Human|HUMAN|Assistant|ASSISTANT)[\\p{DI}\\p{Zs}\\t]*|### (?:Instruction|Response)|(?<=(?:^|\\n)\\n)(?:User|System)):",
  "gmu",
);
/** Inside a line only these two, as they are written there. */
const TURN_WORD = /\b(Human|Assistant):/g;
/** The end of a sentence in old vocabularies; in capitals it is a type parameter. */
const SENTENCE = /<(?=\/?s>)/g;
/** Most texts have none of these words, and the pattern is slow to compile. */
const SPEAKER = /Human|HUMAN|Assistant|ASSISTANT|###|User|System/;

/** Text in which no token can begin or end a turn of a conversation; it reads the same. */
function withoutTurns(text: string): string {
  let safe = text;
  if (safe.includes("<")) safe = safe.replace(turnTag(safe), "&lt;").replace(SENTENCE, "&lt;");
  if (safe.includes("[")) safe = safe.replace(turnBracket(safe), "&#91;");
  if (safe.includes(":") && SPEAKER.test(safe)) safe = safe.replace(turnLine(), "$1\\:");
  return safe;
}

function looseName(name: string, gap: string): string {
  const words = name.split("_").map((word) => [...word].join(`[${gap}]*`));
  return words.join(`[${gap}_-]*`);
}

/** One visible line: without line breaks, control and invisible characters, and with single spaces. */
export function oneLine(text: string): string {
  if (/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) return text;
  return text
    .replace(LINE_BREAK, " ")
    .replace(invisible(), "")
    .replace(LONE_SURROGATE, "\uFFFD")
    .replace(noncharacter(), "\uFFFD")
    .replace(blank(), " ")
    .trim();
}

/** For an entry of a Markdown list: one line without tags. */
export function forLine(text: string): string {
  return withoutTurns(oneLine(text)).replace(TURN_WORD, "$1\\:").replace(TAG_START, "&lt;");
}

/** For a code span in a Markdown line, such as a path. */
export function forCode(text: string): string {
  return `\`${withoutTurns(oneLine(text)).replaceAll("`", "'")}\``;
}

/** For the text of an XML element: one line, escaped. */
export function forXmlText(text: string): string {
  const escaped = oneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return withoutTurns(escaped).replace(TURN_WORD, "$1\\:");
}

/** For an XML attribute in either kind of quotes. */
export function forXmlAttribute(text: string): string {
  return forXmlText(text).replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** For whatever a model reads outside an envelope, such as a file or the output of a script: as written, but for tokens of turns. */
export function forModel(text: string): string {
  return withoutTurns(plainBody(text));
}

/** A key as programs write them, which can hold no token. */
const PLAIN_KEY = /^[\w$-]*$/;

/** The same for every text in the data of a tool, and for its keys. The copy holds what JSON keeps. */
export function dataForModel<T>(data: T): T {
  const safe = (_key: string, value: unknown) => {
    if (typeof value === "string") return forEnvelope(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    if (Object.keys(value).every((key) => PLAIN_KEY.test(key))) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [forEnvelope(key), inner]));
  };
  return data === undefined ? data : (JSON.parse(JSON.stringify(data), safe) as T);
}

/** For a body inside an envelope: Markdown as written, with the tags of envelopes escaped. */
export function forEnvelope(body: string): string {
  const safe = forModel(body);
  return safe.includes("<") ? safe.replace(envelopeTag(safe), "&lt;") : safe;
}

/** For a part of a body on a card: as in an envelope, with lines that look like the head of a card escaped. */
export function forCard(body: string): string {
  return forEnvelope(body).replace(cardHead(), "$1\\[");
}

function plainBody(body: string): string {
  return body.replace(LINE_BREAK, "\n").replace(BODY_CONTROL, "").replace(LONE_SURROGATE, "\uFFFD");
}
