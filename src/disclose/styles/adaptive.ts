// The default style: a catalog that shrinks to its budget and is the same at every turn, then the turn's matches.

import { forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { type Cost, matchReserve, minus, textCost } from "../budget.ts";
import { NOTHING, type Rendered, shrink } from "../fit.ts";
import { DISCLOSE_LIMITS, TOOL } from "../limits.ts";
import { entryWith, listEntry, omissionNotice, turnNotice } from "../lines.ts";
import type { MatchedSkill, Selection } from "../select.ts";
import type { StyleRequest } from "./style.ts";

const CATALOG_HEAD = `## Skills

Before work that one of these skills covers, call ${TOOL.activate} with its name and follow what it returns.

`;
const MATCHES_HEAD = `\n\n### For this message

Likely to help now; ${TOOL.activate} gives the instructions:

`;

export function adaptive({ selection, limit }: StyleRequest): Rendered {
  // The reserve is kept even without matches, because the catalog must not depend on the turn.
  const catalog = shrink({
    skills: selection.skills,
    entry: listEntry,
    head: CATALOG_HEAD,
    notice: omissionNotice,
    limit: minus(limit, matchReserve(limit)),
  });
  const described = new Set(catalog.shown.filter(({ level }) => level === "full").map(({ name }) => name));
  const matches = matchesBlock(selection, described, minus(limit, textCost(catalog.text)));
  return { text: catalog.text + matches.text, shown: [...catalog.shown, ...matches.shown] };
}

/**
 * The block of matches. A match that does not fit is still in the catalog, by name or in its count. A match that the
 * catalog describes in full is not described again.
 */
function matchesBlock(
  { relevant, related }: Selection,
  described: ReadonlySet<string>,
  room: Cost,
): Rendered {
  const recalled = new Map([...relevant, ...related].map((one) => [one.skill, one]));
  const block = shrink({
    skills: [...recalled.keys()],
    entry: (skill, wanted) => {
      const level = wanted === "full" && described.has(skill.name) ? "short" : wanted;
      return entryWith(skill, { level, suffix: suffixOf(recalled.get(skill), level) });
    },
    head: MATCHES_HEAD,
    notice: turnNotice,
    limit: room,
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
    .filter((reason) => reason.value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, DISCLOSE_LIMITS.reasons)
    .map((reason) => clip(oneLine(`${reason.signal} ${reason.note}`), DISCLOSE_LIMITS.reason));
  return reasons.length === 0 ? "" : ` [why: ${forLine(reasons.join("; "))}]`;
}
