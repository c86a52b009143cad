// The index style: every skill with its summary once per session, then at each turn the names of the matches.

import type { Skill } from "../../model/skill.ts";
import { forLine, oneLine } from "../../text/escape.ts";
import { clip } from "../../text/markdown.ts";
import { type Cost, fits, minus, NO_COST, textCost } from "../budget.ts";
import { type Entry, NOTHING, pack, type Rendered } from "../fit.ts";
import { DISCLOSE_LIMITS } from "../limits.ts";
import { briefLine, type OmissionNotice, omissionNotice, turnNotice } from "../lines.ts";
import type { Selection } from "../select.ts";
import type { StyleRequest } from "./style.ts";

const GAP = "\n\n";

/** The turn's names are few and matter most, so they are placed first and the index gets the rest of the limit. */
export function indexStyle({ selection, limit, standing, tools }: StyleRequest): Rendered {
  const notice = omissionNotice(tools);
  const noticeRoom = standing ? textCost(notice(selection.skills.length, true) + GAP) : NO_COST;
  const turn = turnNames(selection, { limit: minus(limit, noticeRoom), notice: turnNotice(tools) });
  if (!standing) return turn.shown.length > 0 ? turn : unfitNotice(selection, turnNotice(tools));
  const use = tools.activate === undefined ? "" : ` (use ${tools.activate} to load full instructions)`;
  const index = pack({
    skills: selection.skills,
    entry,
    head: `Available skills${use}:\n`,
    notice,
    limit: turn.text === "" ? limit : minus(limit, textCost(GAP + turn.text)),
  });
  if (turn.text === "") return index;
  return { text: index.text + GAP + turn.text, shown: [...index.shown, ...turn.shown] };
}

function entry(skill: Skill): Entry {
  const summary = clip(oneLine(skill.manifest.summary ?? ""), DISCLOSE_LIMITS.summary) || briefLine(skill);
  const name = forLine(skill.name);
  if (summary === "") return { text: `- ${name}\n`, level: "name" };
  return { text: `- ${name}: ${forLine(summary)}\n`, level: "short" };
}

/** Both lines with as many names as fit; the related ones are cut first. */
function turnNames(
  selection: Selection,
  { limit, notice }: { readonly limit: Cost; readonly notice: OmissionNotice },
): Rendered {
  const relevant = selection.relevant.slice(0, DISCLOSE_LIMITS.namesPerTurn).map(({ skill }) => skill.name);
  const related = selection.related.slice(0, DISCLOSE_LIMITS.namesPerTurn).map(({ skill }) => skill.name);
  const total = relevant.length + related.length;
  for (let count = total; count > 0; count--) {
    const first = relevant.slice(0, count);
    const second = related.slice(0, count - first.length);
    const lines = [
      first.length > 0 ? `Relevant skills for this message: ${first.map(forLine).join(", ")}` : "",
      second.length > 0 ? `Related skills (see-also): ${second.map(forLine).join(", ")}` : "",
      count < total ? notice(total - count, false) : "",
    ];
    const text = lines.filter((line) => line !== "").join("\n");
    if (fits(textCost(text), limit)) {
      return { text, shown: [...first, ...second].map((name) => ({ name, level: "name" })) };
    }
  }
  return NOTHING;
}

function unfitNotice({ relevant, related }: Selection, notice: OmissionNotice): Rendered {
  const count = relevant.length + related.length;
  if (count === 0) return NOTHING;
  return { text: notice(count, true), shown: [] };
}
