// Adjusts the severity of a match by its context: a warning against an attack is not an attack.

import type { Span } from "./match.ts";
import type { Disguise, FindingSeverity, Rule, RuleHit, Unit } from "./types.ts";

const ORDER: readonly FindingSeverity[] = ["low", "medium", "high"];
const LOOK_BACK = 90;
/** The most characters between a negation and what it negates: a verb and a few words. */
const NEGATION_REACH = 40;

const NEGATION =
  /\b(?:never|do not|don't|does not|doesn't|must not|should not|shouldn't|cannot|can't|won't|will not|avoid|refuse(?:s|d)?|instead of|rather than|prevent(?:s|ing)?|block(?:s|ed|ing)?|reject(?:s|ed)?|den(?:y|ies|ied)|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?)\b/g;
const NEGATED = new RegExp(NEGATION.source);
/** "Never forget to run", "do not continue until you ran": negations that ask for the action. */
const FALSE_NEGATION =
  /\b(?:forget|fail|skip|hesitate|worry|mind|until|unless|before|without|except|only|wait|ask|stop|miss|omit|delay|need to|proceed|continue|start|tell|inform)\b/;

/** Words that describe an attack; an attacker does not use them. */
const DESCRIBES =
  /\b(?:injections?|jailbreaks?|attacks?|attackers?|attacking|malicious|malware|adversar\w{0,6}|suspicious|red flags?|detect(?:s|ed|ion|ing)?|vulnerab\w{0,8}|exploit\w{0,5}|anti-?patterns?|unsafe|dangerous|untrusted|hostile|phishing|threats?|blocked|blocklist|denylist|forbidden|prohibited|inert|payloads?)\b|❌|✗|🚫/;
/** Words that introduce a quotation. */
const CITES =
  /\b(?:says?|saying|reads?|contain(?:s|ing)?|phrases?|patterns?|such as|e\.g\.|for example|(?<![./])examples?(?!\.)|like|never|avoid|reject|refuse|scan(?:s|ner|ning)?|audit|sanitiz\w{0,5}|flag(?:s|ged)?|includes?|match(?:es|ing)?|grep)\b/;

function lower(severity: FindingSeverity, steps: number): FindingSeverity {
  return ORDER[Math.max(0, ORDER.indexOf(severity) - steps)]!;
}

function raise(severity: FindingSeverity): FindingSeverity {
  return ORDER[Math.min(2, ORDER.indexOf(severity) + 1)]!;
}

/** Hiding a danger is a danger itself; what is only worth a notice may be split up or in a variable by chance. */
function raisedBy(disguise: Disguise | undefined, severity: FindingSeverity): FindingSeverity {
  return severity === "low" && (disguise === "encoded" || disguise === "spliced") ? "low" : raise(severity);
}

export function worse(a: FindingSeverity, b: FindingSeverity): boolean {
  return ORDER.indexOf(a) > ORDER.indexOf(b);
}

/** The severity in context, or undefined if the text says the opposite of what the rule looks for. */
export function weigh(rule: Rule, hit: RuleHit): FindingSeverity | undefined {
  const severity = rule.grade ? rule.grade(hit) : rule.severity;
  if (severity === undefined) return undefined;
  const { unit, span, file } = hit;
  if (unit.disguise || unit.kind === "hidden")
    return negated(hit) && unit.disguise === undefined ? "low" : raisedBy(unit.disguise, severity);
  if (!rule.ownNegation && negated(hit)) return unit.kind === "code" ? lower(severity, 2) : undefined;
  const quoted = quotedIn(hit);
  const around = surroundings(unit, span);
  const data =
    isPattern(unit.text, span) || /\.yara?$/.test(file.path) || (isPayload(hit) && isExample(hit))
      ? 2
      : isDataEntry(hit) || isPayload(hit)
        ? 1
        : 0;
  if (file.script) {
    const told = file.data && SENTENCE.test(around) ? (isExample(hit) ? 2 : 1) : 0;
    const cited = Math.max(
      told,
      data,
      told > 0 || (quoted && (file.security || DESCRIBES.test(around))) || isComment(hit) ? 1 : 0,
    );
    return lower(severity, cited + (cited > 0 && file.security ? 1 : 0));
  }
  let steps = data;
  // A heading or a description costs an author nothing, so it excuses only what nobody is asked to run.
  if (!unit.ordered) steps += (DESCRIBES.test(unit.heading) ? 1 : 0) + (file.security ? 1 : 0);
  if (unit.kind === "prose" && unit.text.startsWith("|")) steps++;
  if (quoted) steps += DESCRIBES.test(around) || CITES.test(around) ? 2 : unit.scope === "line" ? 0 : 1;
  else if (DESCRIBES.test(around)) steps++;
  return lower(severity, Math.min(steps, 2));
}

/** Words in a row: data describes a command, it does not run it. */
const SENTENCE = /[a-z]{2,20}(?: [a-z']{2,20}){4}/;

/** Sentences that send the agent or the user to run what follows. */
const ORDERS =
  /\b(?:run|execute|invoke|launch|start|install|set ?up|call|use|copy|paste|type|enter|first|then|before|always|must|step \d|do this|following (?:command|script|code|snippet))\b/;
const ORDER_TITLE =
  /\b(?:set ?up|install(?:ation|ing)?|usage|quick ?start|getting started|prerequisites?|requirements?|commands?|steps?|workflow|how to (?:use|run)|instructions|initiali[sz]ation|configuration|run)\b/;

/** Whether the heading and the sentence before a fence describe an attack, and nothing there asks to run it. */
export function isDescription(heading: string, lead: string): boolean {
  const told = lead.split(/(?<=[.!?:])\s/).at(-1) ?? "";
  if (ORDERS.test(told) && !NEGATED.test(told)) return false;
  return DESCRIBES.test(heading) ? !ORDER_TITLE.test(heading) : DESCRIBES.test(lead);
}

/** Whether the sentence before some code, or its heading, asks to run it. */
export function isOrdered(heading: string, lead: string): boolean {
  const told = lead.split(/(?<=[.!?])\s/).at(-1) ?? "";
  if (NEGATED.test(told)) return false;
  return (
    /\b(?:run|execute|invoke|launch|paste|type|enter)\b(?! by\b)/.test(told) ||
    (told === "" &&
      /\b(?:set ?up|install(?:ation|ing)?|quick ?start|getting started|initiali[sz]ation)\b/.test(heading))
  );
}

/** A regular expression describes a text; nobody runs or follows it. */
const REGULAR =
  /\\s[+*{]|\(\?[:i=!<]|\\[wd][+*{]|\.\*|\.\+|\[\^|\\\.|\\\(|(?<! )\|\w[\w ]{0,19}\)\??|\\b\(|\([\w -]{2,40}(?:\|[\w -]{2,40}){2}/;
/** A field that holds an expression to search for. */
const PATTERN_FIELD = /^[\s{,([-]{0,20}["']?(?:pattern|regex|regexp)["']? ?[:=] ?["'r]/;

function isPattern(text: string, span: { readonly start: number; readonly end: number }): boolean {
  return (
    REGULAR.test(text.slice(Math.max(0, span.start - 12), Math.min(span.end, span.start + 300) + 12)) ||
    PATTERN_FIELD.test(text)
  );
}

/** A line that is nothing but strings is an entry of a table, which does nothing by itself; so is an item of a YAML list. */
function isDataEntry({ unit, span, file }: RuleHit): boolean {
  if (unit.kind !== "code" || unit.disguise || unit.ordered || unit.scope === "block") return false;
  if (isListed(unit.text, span)) return true;
  if (!file.script && unit.text.startsWith("- ")) return true;
  return (
    (file.followed === true || !file.script) &&
    /^[([{]{0,2} ?(?:["'\w.-]{1,60} ?[:=] ?)?[rbfu]{0,2}["'`][^\n]{0,400}["'`] ?[)\]}]{0,3},(?: ?#.{0,200}| ?\/\/.{0,200})?$/.test(
      unit.text,
    ) &&
    !/\b(?:run|exec|execsync|spawn|system|popen|call|eval) ?\(/.test(unit.text)
  );
}

/** Whether a match is inside a string behind something else that ends there, as a test writes what an attacker may enter: `"x; rm -rf /"`. */
function isPayload({ unit, span }: RuleHit): boolean {
  if (unit.kind !== "code") return false;
  const before = unit.text.slice(Math.max(0, span.start - 80), span.start);
  const opened = /(["'\x60])[^"'\x60]{0,60}(?:;|\||&&|\$\(|['"\x60]) ?$/.exec(before);
  if (!opened || count(unit.text.slice(0, span.start - before.length + opened.index), opened[1]!) % 2 === 1)
    return false;
  if (!/^[^\n]{0,80}["'\x60]/.test(unit.text.slice(span.end - 1))) return false;
  return !RUNS_TEXT.test(before.slice(0, opened.index));
}

const RUNS_TEXT =
  /(?:\b(?:run|exec|execsync|execfile|spawn|system|popen|call|eval|check_output|getoutput|sh|shell|command|cmd)\w{0,12} ?[(:=] ?[[frb]{0,3}|["']?(?:-c|-e|-lc|\/c)["']?,? ?|\|\s?)$/;

/** Tests and documents show what must not happen. */
function isExample({ file }: RuleHit): boolean {
  return !file.script || isTestFile(file.path);
}

export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|specs?|evals?|fixtures?)\/|(?:^|\/)tests?[._]|[._](?:test|spec)\./.test(
    path,
  );
}

/** Whether a match is one of several strings side by side that are not the arguments of a command. */
function isListed(text: string, span: { readonly start: number; readonly end: number }): boolean {
  return (
    /["'`], ?[rbfu]{0,2}["'`][^"'`]{0,60}$/.test(text.slice(Math.max(0, span.start - 80), span.start)) &&
    /^[^"'`]{0,80}["'`] ?[,\])}]/.test(text.slice(span.end, span.end + 90)) &&
    !/\b(?:run|exec|execsync|execfile|spawn|system|popen|call|eval)\w{0,12} ?\(|["'](?:args|command|cmd)["']|["'](?:-c|-e|-lc|\/c)["']/.test(
      text,
    )
  );
}

/** A command in a comment is not run; what a comment tells an agent is looked for in paragraphs. */
function isComment({ unit, file }: RuleHit): boolean {
  return unit.scope === "line" && file.followed === true && /^(?:# |\/\/ |\* )/.test(unit.text);
}

const ADDRESS =
  /\b[a-z]{2,6}:\/\/[^\s"'\x60)]{1,200}|(?<=[\s"'\x60@])(?:[a-z0-9-]{1,60}\.){1,5}[a-z]{2,10}\b/g;

/** The words around a match. The name of a server is not one of them: `https://evil.example` in a command describes nothing. */
function surroundings({ kind, text }: Unit, { start, end }: Span): string {
  const around = `${text.slice(Math.max(0, start - 120), start)} … ${text.slice(end, end + 80)}`;
  return kind === "code" ? around.replace(ADDRESS, " ") : around;
}

function negated({ unit, span }: RuleHit): boolean {
  const before = unit.text.slice(Math.max(0, span.start - LOOK_BACK), span.start);
  const clause = before.slice(
    Math.max(
      before.lastIndexOf(". "),
      before.lastIndexOf("; "),
      before.lastIndexOf("! "),
      before.lastIndexOf("\n"),
    ) + 1,
  );
  let last: RegExpMatchArray | undefined;
  for (const match of clause.matchAll(NEGATION)) last = match;
  if (last?.index === undefined) return false;
  const between = clause.slice(last.index + last[0].length);
  return between.length <= NEGATION_REACH && !FALSE_NEGATION.test(between);
}

/** What runs the text in the quotation marks that follow. */
const RUNS_QUOTED =
  /(?:-c|-e|\b(?!has_any|has_all|contains|startswith|endswith|in)\w{1,30} ?\(|[^\w ] ?\() ?["'`] ?$/;

function quotedIn({ unit, span }: RuleHit): boolean {
  const before = unit.text.slice(Math.max(0, span.start - 60), span.start);
  if (unit.kind === "code") return /["'`] ?$/.test(before) && !RUNS_QUOTED.test(before);
  const after = unit.text.slice(span.end, span.end + 60);
  if (/(?:^|[\s(])["“] ?$/.test(before) && after.includes('"')) return true;
  return ['"', "'", "`", "/"].some((quote) => count(before, quote) % 2 === 1 && after.includes(quote));
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}
