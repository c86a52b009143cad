// The default style: a catalog that shrinks to its budget and is the same at every turn, then the turn's matches.

import type { NamedTools } from "../../model/agent-tool-alias.ts";
import type { Skill } from "../../model/skill.ts";
import { forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { type Cost, fits, matchReserve, minus, textCost } from "../budget.ts";
import { NOTHING, type Rendered, type Shown, shrink } from "../fit.ts";
import { DISCLOSE_LIMITS } from "../limits.ts";
import { briefLine, entryWith, listEntry, omissionNotice, turnNotice } from "../lines.ts";
import type { MatchedSkill, Selection } from "../select.ts";
import type { StyleRequest } from "./style.ts";

const NEAR_HEAD = "\n\nNear this message, if nothing above fits: ";

export function adaptive({ selection, limit, standing, counted, tools }: StyleRequest): Rendered {
  const catalog = standing ? catalogOf(selection, { limit, tools, counted }) : NOTHING;
  const described = new Set(catalog.shown.filter(({ level }) => level === "full").map(({ name }) => name));
  const left = minus(limit, textCost(catalog.text));
  const matches = matchesBlock(selection, described, { limit: left, tools });
  const text = catalog.text + matches.text;
  const near = nearBlock(selection, [...catalog.shown, ...matches.shown], minus(limit, textCost(text)));
  const shown = [...catalog.shown, ...matches.shown, ...near.shown];
  const stableChars = catalog.text.trimStart().length;
  return { text: (text + near.text).trimStart(), stableChars, shown };
}

/** Where a part of the section goes, and which tools it may name. */
interface Room {
  readonly limit: Cost;
  readonly tools: NamedTools;
}

/** The room of the catalog, and how many skills it mentions by their number. */
interface CatalogRoom extends Room {
  readonly counted: number;
}

function catalogHead({ activate }: NamedTools): string {
  const use = `Before work that one of these skills covers, call ${activate} with its name and follow what it returns.\n\n`;
  return `## Skills\n\n${activate === undefined ? "" : use}`;
}

function matchesHead({ activate }: NamedTools): string {
  const use = activate === undefined ? "" : `; ${activate} gives the instructions`;
  return `\n\n### For this message\n\nLikely to help now${use}:\n\n`;
}

function catalogOf({ skills }: Selection, { limit, tools, counted }: CatalogRoom): Rendered {
  // The reserve is kept even without matches, because the catalog must not depend on the turn.
  const room = minus(limit, matchReserve(limit));
  const head = catalogHead(tools);
  const layout = { skills, entry: listEntry, head };
  const notice = omissionNotice(tools);
  if (counted === 0) return shrink({ ...layout, notice, limit: room });
  const noticeFor = (shown: number) => `\n${notice(skills.length + counted - shown, shown === 0)}`;
  const listed = shrink({ ...layout, notice: () => "", limit: minus(room, textCost(noticeFor(0))) });
  const { shown } = listed;
  const text = (shown.length === 0 ? head : listed.text).trimEnd();
  return { text: text + (shown.length === 0 ? "\n" : "") + noticeFor(shown.length), shown };
}

/**
 * The line of skills that came close: a model chooses better than any score. Left out if the best match is certain and
 * the catalog names every skill; a skill that is described above is not listed again.
 */
function nearBlock({ skills, relevant, near }: Selection, shown: readonly Shown[], room: Cost): Rendered {
  const named = new Set(shown.map(({ name }) => name));
  const isCertain = (relevant[0]?.match.evidence ?? 0) >= DISCLOSE_LIMITS.certain;
  if (isCertain && skills.every(({ name }) => named.has(name))) return NOTHING;
  const described = new Set(shown.filter(({ level }) => level !== "name").map(({ name }) => name));
  const entries = near
    .filter(({ name }) => !described.has(name))
    .map((skill) => ({ name: skill.name, text: `${forLine(skill.name)} (${forLine(fewWords(skill))})` }));
  const line = (count: number) =>
    `${NEAR_HEAD}${entries
      .slice(0, count)
      .map(({ text }) => text)
      .join(", ")}`;
  let count = entries.length;
  while (count > 0 && !fits(textCost(line(count)), room)) count--;
  if (count === 0) return NOTHING;
  return {
    text: line(count),
    shown: entries.slice(0, count).map(({ name }) => ({ name, level: "short" as const })),
  };
}

function fewWords(skill: Skill): string {
  const words = briefLine(skill).split(" ");
  const few = words.slice(0, DISCLOSE_LIMITS.nearWords).join(" ");
  return words.length > DISCLOSE_LIMITS.nearWords ? `${few.replace(/[,.;:]$/, "")} …` : few;
}

/**
 * The block of matches. A match that does not fit is still in the catalog, by name or in its count. A match that the
 * catalog describes in full is not described again.
 */
function matchesBlock(
  { relevant, related }: Selection,
  described: ReadonlySet<string>,
  { limit, tools }: Room,
): Rendered {
  const recalled = new Map([...relevant, ...related].map((one) => [one.skill, one]));
  const block = shrink({
    skills: [...recalled.keys()],
    entry: (skill, wanted) => {
      const level = wanted === "full" && described.has(skill.name) ? "short" : wanted;
      return entryWith(skill, { level, suffix: suffixOf(recalled.get(skill), level) });
    },
    head: matchesHead(tools),
    notice: turnNotice(tools),
    limit,
  });
  return block.shown.length > 0 ? block : NOTHING;
}

/** Why the skill is here, in a few words. A bare name gets no reasons, only a see-also mark. */
function suffixOf(recalled: MatchedSkill | undefined, level: "full" | "short" | "name"): string {
  if (recalled === undefined) return "";
  const { match, via } = recalled;
  if (match.via !== undefined) return via === undefined ? " [see also]" : ` [see also of ${forLine(via)}]`;
  if (level === "name") return "";
  const reasons = match.reasons
    // That the message names the skill is said by the mention.
    .filter(({ value, signal }) => value > 0 && signal !== "named")
    .sort((a, b) => b.value - a.value)
    .slice(0, DISCLOSE_LIMITS.reasons)
    .map((reason) => clip(oneLine(`${reason.signal} ${reason.note}`), DISCLOSE_LIMITS.reason));
  return reasons.length === 0 ? "" : ` [why: ${forLine(reasons.join("; "))}]`;
}
