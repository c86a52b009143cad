// The cards style: head lines and the first H2 section of the body, for three skills in a few hundred tokens.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import type { Skill } from "../../model/skill.ts";
import { forCard, forLine, oneLine } from "../../text/escape.ts";
import { clip, closeFence, cutPoints, firstH2Section, opening } from "../../text/markdown.ts";
import { type Cost, fits, minus, plus, shareOf, textCost, tokensIn } from "../budget.ts";
import { NOTHING, type Rendered } from "../fit.ts";
import { DISCLOSE_LIMITS } from "../limits.ts";
import { turnNotice } from "../lines.ts";
import type { MatchedSkill, Selection } from "../select.ts";
import type { StyleRequest } from "./style.ts";

const RULE = "\n---\n";
const GAP = "\n\n";

type CardsRequest = Pick<StyleRequest, "selection" | "limit" | "bodyOf" | "tools">;

interface Cards {
  readonly cards: readonly { readonly skill: Skill; readonly text: string }[];
  /** How many more there would be if there were room. */
  readonly left: number;
}

/** As many of the best cards as fit; the rest is counted. */
export function cards(request: CardsRequest): Rendered {
  const { cards: placed, left } = cardsOf(request);
  const notice = turnNotice(request.tools);
  if (placed.length === 0) return left === 0 ? NOTHING : { text: notice(left, true), shown: [] };
  const shown = placed.map(({ skill }) => ({
    name: skill.name,
    level: request.bodyOf(skill) === undefined ? ("short" as const) : ("card" as const),
  }));
  return {
    text: placed.map(({ text }) => text).join(GAP) + (left === 0 ? "" : GAP + notice(left, false)),
    shown,
  };
}

/** The cards of a section, which are also those of working memory. */
export function cardsOf({ selection, limit, bodyOf, tools }: CardsRequest): Cards {
  const top = mostRelevant(selection, limit).map(({ skill }) => skill);
  const sections = top.map((skill) => sectionOf(skill, bodyOf(skill), tools));
  const notice = turnNotice(tools);
  for (let count = top.length; count > 0; count--) {
    const left = top.length - count;
    const room = minus(limit, textCost(left === 0 ? "" : GAP + notice(left, false)));
    const texts = cardTexts(top.slice(0, count), { sections, limit: room, cutNote: cutNote(tools) });
    if (texts !== undefined && fits(textCost(texts.join(GAP)), room))
      return { cards: texts.map((text, rank) => ({ skill: top[rank]!, text })), left };
  }
  return { cards: [], left: top.length };
}

function cutNote({ activate }: NamedTools): string {
  return activate === undefined ? "[cut]" : `[cut; ${activate} gives the rest]`;
}

/**
 * The turn's best match, then the others of this turn and of earlier ones by relevance. A larger budget than usual has room
 * for more cards of earlier turns.
 */
function mostRelevant({ relevant, related, kept }: Selection, limit: Cost): readonly MatchedSkill[] {
  const current = [...relevant, ...related].slice(0, DISCLOSE_LIMITS.cards);
  const [best, ...others] = current;
  const earlier = kept.filter(({ skill }) => !current.some((one) => one.skill === skill));
  const room = Math.max(DISCLOSE_LIMITS.cards, Math.floor(tokensIn(limit) / DISCLOSE_LIMITS.cardTokens));
  const rest = [...others, ...earlier].sort(
    ({ match: a }, { match: b }) => Number(b.named ?? false) - Number(a.named ?? false) || b.score - a.score,
  );
  return (best === undefined ? rest : [best, ...rest]).slice(0, room);
}

/** Gives each card an equal share of the room; the rest of a short card's share goes to the longer ones. */
function cardTexts(
  skills: readonly Skill[],
  {
    sections,
    limit,
    cutNote,
  }: { readonly sections: readonly string[]; readonly limit: Cost; readonly cutNote: string },
): readonly string[] | undefined {
  const texts: string[] = [];
  let room = minus(limit, textCost(GAP.repeat(skills.length - 1)));
  const shortestFirst = skills
    .map((skill, rank) => ({ skill, rank, section: sections[rank] ?? "" }))
    .sort((a, b) => a.section.length - b.section.length);
  for (const [placed, { skill, rank, section }] of shortestFirst.entries()) {
    const text = cardText(skill, { section, limit: shareOf(room, skills.length - placed), cutNote });
    if (text === undefined) return undefined;
    texts[rank] = text;
    room = minus(room, textCost(text));
  }
  return texts;
}

/** Drops head lines from the last to the first until the card fits; undefined if not even the first line fits. */
function cardText(
  skill: Skill,
  { section, limit, cutNote }: { readonly section: string; readonly limit: Cost; readonly cutNote: string },
): string | undefined {
  const lines = headLines(skill);
  for (let count = lines.length; count > 0; count--) {
    const head = lines.slice(0, count).join("\n");
    const room = minus(limit, textCost(head + RULE));
    if (section === "" && fits(textCost(head), limit)) return head;
    const part = cutSection(section, room, cutNote);
    if (section !== "" && part !== undefined) return head + RULE + part;
  }
  const bare = lines[0] ?? "";
  return fits(textCost(bare), limit) ? bare : undefined;
}

function headLines({ name, manifest }: Skill): string[] {
  const { domain = "", tools, triggers } = manifest;
  const about = clip(oneLine(domain), DISCLOSE_LIMITS.cardItem);
  return [
    `[Skill: ${forLine(name)}]`,
    about === "" ? "" : `Domain: ${forLine(about)}`,
    listLine("Tools", tools),
    listLine("Triggers", [...triggers.keywords, ...triggers.verbs]),
  ].filter((line) => line !== "");
}

function listLine(label: string, items: readonly string[]): string {
  const clean = items
    .map((item) => clip(oneLine(item), DISCLOSE_LIMITS.cardItem))
    .filter((item) => item !== "");
  if (clean.length === 0) return "";
  const more = clean.length - DISCLOSE_LIMITS.cardItems;
  const tail = more > 0 ? `, +${more} more` : "";
  return `${label}: ${forLine(clean.slice(0, DISCLOSE_LIMITS.cardItems).join(", "))}${tail}`;
}

function consentNote({ activate }: NamedTools): string {
  return activate === undefined
    ? "[instructions: not without consent]"
    : `[instructions: ${activate}, which asks for consent]`;
}

/** The first H2 section, or else the opening of the body, or else the description. Without consent the description. */
function sectionOf(skill: Skill, body: string | undefined, tools: NamedTools): string {
  if (body === undefined) {
    const description = forCard(oneLine(skill.manifest.description)).trim();
    return [description, consentNote(tools)].filter((line) => line !== "").join("\n");
  }
  const clean = forCard(body);
  const section = firstH2Section(clean) || opening(clean) || forCard(skill.manifest.description);
  return closeFence(section.trim());
}

/** The section, cut after a sentence or line to fit the limit; undefined if not even the note fits. */
function cutSection(section: string, limit: Cost, note: string): string | undefined {
  if (fits(textCost(section), limit)) return section;
  let cost = textCost(`\n${note}`);
  if (!fits(cost, limit)) return undefined;
  let end = 0;
  for (const point of cutPoints(section)) {
    cost = plus(cost, textCost(section.slice(end, point)));
    if (!fits(cost, limit)) break;
    end = point;
  }
  return end === 0 ? note : `${section.slice(0, end).trimEnd()}\n${note}`;
}
