// How skills belong together, from what is known: overlaps, use in the same sessions, see-also, families, rivals.

import type { Evidence, SkillDetails, SkillRecalls, SkillStats } from "./answers.ts";
import type { Tie } from "./charts.tsx";

export function tiesIn({ overlaps, coUse }: Evidence): Tie[] {
  const most = Math.max(1, ...coUse.map(({ sessions }) => sessions.length));
  return [
    ...overlaps.map(
      ({ a, b, words, meaning }): Tie => ({ a, b, kind: "overlap", strength: (words + meaning) / 2 }),
    ),
    ...coUse.map(({ a, b, sessions }): Tie => ({ a, b, kind: "together", strength: sessions.length / most })),
  ];
}

interface AboutSkill {
  readonly details: SkillDetails;
  readonly stats: SkillStats;
  readonly recalls: SkillRecalls;
  /** Absent while it is gathered. */
  readonly evidence: Evidence | undefined;
}

/** The ties of one skill, the strongest first; each neighbour and kind once. */
export function tiesOf(name: string, { details, stats, recalls, evidence }: AboutSkill): Tie[] {
  const { skill, subSkills } = details;
  const parent = name.split("/").slice(0, -1).join("/");
  const seeAlso = Array.isArray(skill.seeAlso) ? (skill.seeAlso as string[]) : [];
  const most = Math.max(1, ...recalls.rivals.map(({ together }) => together));
  const used = Math.max(1, ...stats.companions.map(({ sessions }) => sessions));
  const tie =
    (kind: Tie["kind"], strength: number) =>
    (b: string): Tie => ({ a: name, b, kind, strength });
  return [
    ...(evidence
      ? tiesIn(evidence).filter(({ a, b, kind }) => kind === "overlap" && (a === name || b === name))
      : []
    ).map(({ a, b, kind, strength }) => tie(kind, strength)(a === name ? b : a)),
    ...seeAlso.map(tie("see also", 0.5)),
    ...subSkills.map(tie("family", 0.4)),
    ...(parent === "" ? [] : [tie("family", 0.4)(parent)]),
    ...stats.companions.map(({ name: other, sessions }) => tie("together", sessions / used)(other)),
    ...recalls.rivals.map(({ name: other, together }) => tie("rival", (together / most) * 0.8)(other)),
  ].sort((one, other) => other.strength - one.strength);
}
