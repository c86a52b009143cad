// The rows of the library: what each has, which ones a view shows, and in which order.

import type { Funnel, Host, ListedSkill, Recall, Source, Stats, Verdict } from "../answers.ts";

export interface Row extends ListedSkill {
  readonly used: Funnel | undefined;
  /** Tokens that its instructions add when it is activated; undefined while they are counted. */
  readonly activated: number | undefined;
  readonly agents: readonly string[];
  readonly hasUpdate: boolean;
  /** How deep it is in the tree of families, and whether its children are folded away. */
  readonly depth: number;
  readonly children: number;
  readonly isFolded: boolean;
}

/** What is known so far; the list comes first, the rest as it arrives. */
export interface Known {
  readonly skills: readonly ListedSkill[];
  readonly stats: Stats | undefined;
  readonly verdicts: ReadonlyMap<string, Verdict> | undefined;
  readonly sources: readonly Source[];
  readonly hosts: readonly Host[];
  readonly updates: ReadonlySet<string>;
}

export interface Choice {
  readonly view: string;
  readonly text: string;
  readonly source: string;
  readonly sort: string;
  readonly isTree: boolean;
  readonly folded: ReadonlySet<string>;
  /** What recall found for the text, with its score. */
  readonly found: ReadonlyMap<string, number>;
  readonly overlapping: ReadonlySet<string>;
}

const SEVERITY: readonly Verdict[] = ["clean", "notice", "unscanned", "suspicious", "dangerous"];
const severity = ({ verdict }: Row) => SEVERITY.indexOf(verdict ?? "clean");
const cost = ({ tokens, activated = 0 }: Row) => tokens + activated;

interface SavedView {
  readonly title: string;
  readonly fits: (row: Row, choice: Choice) => boolean;
  readonly sort?: string;
}

/** Ways to look at the library that people come back to. */
export const VIEWS: Readonly<Record<string, SavedView>> = {
  all: { title: "All", fits: () => true },
  unused: { title: "Never used", fits: ({ used }) => !used?.activated, sort: "always" },
  ignored: {
    title: "Shown, never activated",
    fits: ({ used }) => Boolean(used?.shown) && used?.activated === 0,
  },
  overlapping: { title: "Overlapping", fits: ({ name }, { overlapping }) => overlapping.has(name) },
  broken: { title: "Broken or dangerous", fits: (row) => row.state === "unavailable" || severity(row) >= 3 },
  expensive: { title: "Most tokens", fits: () => true, sort: "tokens" },
  updates: { title: "Updates", fits: ({ hasUpdate }) => hasUpdate },
  disabled: { title: "Disabled", fits: ({ state }) => state === "disabled" },
};

const { compare } = new Intl.Collator("en");
type Order = (a: Row, b: Row) => number;

const SORTS: Readonly<Record<string, Order>> = {
  name: (a, b) => compare(a.name, b.name),
  used: (a, b) => (b.used?.lastUsedAt ?? 0) - (a.used?.lastUsedAt ?? 0),
  tokens: (a, b) => cost(b) - cost(a),
  always: (a, b) => b.tokens - a.tokens,
  finding: (a, b) => severity(b) - severity(a),
};

export function rowsOf({ skills, stats, verdicts, sources, hosts, updates }: Known): Row[] {
  const used = new Map(stats?.skills.map((one) => [one.name, one]));
  const costs = new Map(stats?.cost.skills.map((one) => [one.name, one.activated]));
  const titles = new Map(hosts.map(({ host, title }) => [host, title]));
  const through = hosts.filter(({ connected }) => connected).map(({ title }) => title);
  const readers = new Map(
    sources.map(({ id, agents }) => [id, agents.map((host) => titles.get(host) ?? host)]),
  );
  return skills.map((skill) => ({
    ...skill,
    verdict: verdicts?.get(skill.path) ?? skill.verdict,
    used: used.get(skill.name),
    activated: costs.get(skill.name),
    agents: [
      ...new Set([...(readers.get(skill.source) ?? []), ...(skill.state === "active" ? through : [])]),
    ],
    hasUpdate: updates.has(skill.name),
    depth: 0,
    children: 0,
    isFolded: false,
  }));
}

export function select(all: readonly Row[], choice: Choice): Row[] {
  const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
  const view = VIEWS[choice.view] ?? VIEWS.all!;
  const says = ({ name, description }: Row) =>
    words.every((word) => name.toLowerCase().includes(word) || description.toLowerCase().includes(word));
  const rows = all.filter(
    (row) =>
      view.fits(row, choice) &&
      (choice.source === "" || row.source === choice.source) &&
      (words.length === 0 || choice.found.has(row.name) || says(row)),
  );
  if (choice.isTree) return asTree(rows, choice.folded);
  const best: Order = (a, b) => (choice.found.get(b.name) ?? 0) - (choice.found.get(a.name) ?? 0);
  const order = SORTS[choice.sort] ?? (words.length > 0 ? best : SORTS[view.sort ?? "name"]!);
  return rows.sort((a, b) => order(a, b) || SORTS.name!(a, b));
}

/** Each skill below the nearest one whose name is a prefix of its own: `release/changelog` below `release`. */
function asTree(rows: readonly Row[], folded: ReadonlySet<string>): Row[] {
  const names = new Set(rows.map(({ name }) => name));
  const ancestors = (name: string): string[] => {
    const parts = name.split("/");
    return parts
      .slice(1)
      .map((_, at) => parts.slice(0, at + 1).join("/"))
      .filter((above) => names.has(above));
  };
  const children = new Map<string, number>();
  for (const { name } of rows) {
    const above = ancestors(name).at(-1);
    if (above !== undefined) children.set(above, (children.get(above) ?? 0) + 1);
  }
  return [...rows].sort(SORTS.name).flatMap((row) => {
    const above = ancestors(row.name);
    if (above.some((name) => folded.has(name))) return [];
    return {
      ...row,
      depth: above.length,
      children: children.get(row.name) ?? 0,
      isFolded: folded.has(row.name),
    };
  });
}

export const scoresOf = ({ matches }: Pick<Recall, "matches">): ReadonlyMap<string, number> =>
  new Map(matches.map(({ name, score }) => [name, score]));
