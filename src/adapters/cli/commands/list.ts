// `repertoire list`: the skills, filtered and sorted, as a table or a tree that fits the terminal.

import {
  alwaysTokens,
  listedSummary,
  type Repertoire,
  type SkillSelection,
  SORTS,
  type Sort,
  selectSkills,
  sortedBy,
  VERDICTS,
} from "../../../engine/engine.ts";
import { countFindings } from "../../../model/diagnostic.ts";
import { type ListedSkill, SKILL_STATES } from "../../../model/skill.ts";
import { numberOf } from "../../../text/numbers.ts";
import { accepting, duration, type Verb } from "../command.ts";
import { type Io, progressDisplay } from "../io.ts";
import { briefly, day, verdictCounts } from "../tell.ts";

interface ListFlags extends Pick<SkillSelection, "all" | "source" | "state"> {
  readonly findings?: boolean;
  readonly unused?: number;
  readonly sort: Sort;
  readonly tree?: boolean;
  readonly digests?: boolean;
}

export const listVerb: Verb = {
  use: "list [words...]",
  usesProject: true,
  about: "list the skills, or those whose name or description has the words",
  examples: ["list", "list git --sort used", "list --unused 30d --source '~/.claude/skills'", "list --tree"],
  options: [
    ["--all", "also skills that another one shadows or that the agent may not see"],
    ["--source <id>", "only skills of this source (`repertoire sources` lists them); may be a glob"],
    ["--state <state>", `only skills in this state: ${SKILL_STATES.join(", ")}`, accepting(SKILL_STATES)],
    ["--unused <time>", "only skills that were not activated for this long, such as 30d", duration],
    ["--sort <by>", SORTS.join(", "), accepting(SORTS), "name"],
    ["--tree", "group by source and by family of names"],
    ["--findings", "also the verdict of inspection on each skill"],
    ["--digests", "with --json, also the digest of each package, for which all of its files are read"],
  ],
  async run({ io, engine }, words: string[], options: ListFlags) {
    const { library } = engine;
    const { skills, diagnostics } = await library.list();
    const facts = await factsFor(io, engine, options);
    const { sort, unused } = options;
    const unusedSince = unused === undefined ? undefined : engine.clock.now().getTime() - unused;
    const selected = selectSkills(skills, { ...options, words, unusedSince }, facts.lastUses);
    const listed = sort === "name" ? selected : sortedBy(selected, facts.rank);
    const digests = await library.digests(io.json && options.digests ? listed.map(({ skill }) => skill) : []);
    const summaries = listed.map((one) => ({
      ...listedSummary(one, digests),
      verdict: facts.verdictOn(one),
      tokens: alwaysTokens(one.skill),
    }));
    io.answer({ skills: summaries, diagnostics }, () => {
      if (options.tree) tellTree(io, listed);
      else if (listed.length > 0) io.table([facts.head, ...listed.map(facts.row)]);
      io.line(summary(skills, listed, words));
      if (facts.report) io.line(verdictCounts(io, facts.report));
      tellUnavailable(io, listed);
      io.findingCount(countFindings(diagnostics));
    });
  },
};

/** What is known about each skill besides its description, as far as the options ask for it. */
async function factsFor(io: Io, { library, journal }: Repertoire, { findings, sort, unused }: ListFlags) {
  const onProgress = progressDisplay(io.streams, "inspecting packages");
  const report = findings || sort === "findings" ? await library.inspect({ onProgress }) : undefined;
  const verdicts = new Map(report?.packages.map(({ path, verdict }) => [path, verdict]));
  const verdictOn = ({ skill }: ListedSkill) => verdicts.get(skill.directory);
  const used = unused !== undefined || sort === "used" ? await journal.stats() : [];
  const lastUses = new Map(used.map(({ name, lastUsedAt }) => [name, lastUsedAt]));
  const activated = new Map(used.map(({ name, activated: times }) => [name, times]));
  const isUsed = sort === "used" || unused !== undefined;
  const columns: readonly (readonly [title: string, isShown: boolean, cell: (one: ListedSkill) => string])[] =
    [
      ["NAME", true, ({ skill }) => skill.name],
      ["STATE", true, ({ state }) => state],
      ["TOKENS", sort === "tokens", ({ skill }) => String(alwaysTokens(skill))],
      ["USED", isUsed, ({ skill }) => String(activated.get(skill.name) ?? 0)],
      ["LAST USED", isUsed, ({ skill }) => lastUse(lastUses.get(skill.name))],
      ["VERDICT", report !== undefined, (one) => verdictOn(one) ?? ""],
      ["SOURCE", true, ({ skill }) => skill.source],
      ["DESCRIPTION", true, ({ skill }) => briefly(skill.manifest.description)],
    ];
  const shown = columns.filter(([, isShown]) => isShown);
  const ranks: Readonly<Record<Sort, (one: ListedSkill) => number>> = {
    name: () => 0,
    used: ({ skill }) => activated.get(skill.name) ?? 0,
    tokens: ({ skill }) => alwaysTokens(skill),
    findings: (one) => VERDICTS.indexOf(verdictOn(one) ?? "clean"),
  };
  return {
    report,
    verdictOn,
    lastUses,
    rank: ranks[sort],
    head: shown.map(([title]) => title),
    row: (one: ListedSkill) => shown.map(([, , cell]) => cell(one)),
  };
}

function lastUse(at = 0): string {
  return at === 0 ? "never" : day(at);
}

/** Each source with its skills; a skill below another one is indented. */
function tellTree(io: Io, listed: readonly ListedSkill[]): void {
  for (const source of new Set(listed.map(({ skill }) => skill.source))) {
    const own = listed.filter(({ skill }) => skill.source === source);
    io.line(`${io.colour.bold(source)} ${io.colour.dim(`(${numberOf(own.length, "skill")})`)}`);
    let above: readonly string[] = [];
    for (const { skill, state } of own.toSorted((a, b) => (a.skill.name < b.skill.name ? -1 : 1))) {
      const parts = skill.name.split("/");
      for (const [depth, part] of parts.entries()) {
        const isLast = depth === parts.length - 1;
        const isKnown =
          !isLast && above[depth] === part && parts.slice(0, depth).every((one, at) => above[at] === one);
        if (isKnown) continue;
        const note = isLast && state !== "active" ? io.colour.yellow(` ${state}`) : "";
        io.line(`${"  ".repeat(depth + 1)}${part}${isLast ? "" : "/"}${note}`);
      }
      above = parts;
    }
  }
}

function summary(
  all: readonly ListedSkill[],
  listed: readonly ListedSkill[],
  words: readonly string[],
): string {
  if (all.length === 0)
    return "No skills found. `repertoire sources` shows where they are looked for; `repertoire new NAME` makes one.";
  if (listed.length === 0)
    return words.length > 0
      ? `No skill has these words. Search by meaning: repertoire recall "${words.join(" ")}"`
      : "No skill is like that.";
  const active = listed.filter(({ state }) => state === "active").length;
  const more = all.length - listed.length;
  return `${numberOf(listed.length, "skill")}, ${active} active${more > 0 ? `; ${more} more with --all or without filters` : ""}.`;
}

export function tellUnavailable(io: Io, skills: readonly ListedSkill[]): void {
  for (const { skill, state, reason } of skills)
    if (state === "unavailable" && reason)
      io.line(`${io.colour.yellow("unavailable")} ${skill.name}: ${reason}`);
}
