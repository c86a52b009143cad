// The library: every skill in one table, found by recall as you type. Only the rows in sight are in the page.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Evidence, Funnel, ListedSkill, Recall, Stats, Verdict } from "../answers.ts";
import { get, post, skillPath, useLoad } from "../api.ts";
import {
  Ago,
  attempt,
  count,
  Empty,
  interval,
  Page,
  percent,
  Shown,
  SkillLink,
  Tag,
  tell,
  VerdictTag,
} from "../pieces.tsx";
import { address, setQuery } from "../route.ts";

interface Row extends ListedSkill {
  readonly used: Funnel | undefined;
  readonly always: number;
  readonly activated: number;
}

const SEVERITY: readonly Verdict[] = ["clean", "notice", "unscanned", "suspicious", "dangerous"];
const severity = ({ verdict }: Row) => SEVERITY.indexOf(verdict ?? "clean");

/** Ways to look at the library that people come back to. */
const SAVED: Readonly<
  Record<
    string,
    {
      readonly title: string;
      readonly fits: (row: Row, overlapping: ReadonlySet<string>) => boolean;
      readonly sort?: string;
    }
  >
> = {
  all: { title: "All", fits: () => true },
  unused: { title: "Never used", fits: ({ used }) => !used?.activated },
  ignored: {
    title: "Shown, never activated",
    fits: ({ used }) => Boolean(used?.shown) && used?.activated === 0,
  },
  overlapping: { title: "Overlapping", fits: ({ name }, overlapping) => overlapping.has(name) },
  broken: { title: "Broken or dangerous", fits: (row) => row.state === "unavailable" || severity(row) >= 3 },
  expensive: { title: "Expensive", fits: () => true, sort: "tokens" },
  disabled: { title: "Disabled", fits: ({ state }) => state === "disabled" },
};

const SORTS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name),
  used: (a, b) => (b.used?.lastUsedAt ?? 0) - (a.used?.lastUsedAt ?? 0),
  tokens: (a, b) => b.always + b.activated - (a.always + a.activated),
  finding: (a, b) => severity(b) - severity(a),
};

async function load(): Promise<Row[]> {
  const [{ skills }, stats] = await Promise.all([
    get<{ skills: readonly ListedSkill[] }>("/skills", { findings: true }),
    get<Stats>("/stats"),
  ]);
  const used = new Map(stats.skills.map((one) => [one.name, one]));
  const costs = new Map(stats.cost.skills.map((one) => [one.name, one]));
  return skills.map((skill) => ({
    ...skill,
    used: used.get(skill.name),
    always: costs.get(skill.name)?.always ?? 0,
    activated: costs.get(skill.name)?.activated ?? 0,
  }));
}

export function Library({ query }: { query: URLSearchParams }) {
  const rows = useLoad("library", load, ["library", "journal"]);
  const text = query.get("q") ?? "";
  const view = query.get("view") ?? "all";
  const found = useLoad(`recall ${text}`, () => recalled(text));
  const overlaps = useLoad(`overlaps ${view === "overlapping"}`, async () => {
    const pairs = view === "overlapping" ? (await get<Evidence>("/dream/report")).overlaps : [];
    return new Set(pairs.flatMap(({ a, b }) => [a, b]));
  });
  return (
    <Page title="Library" about={rows.data && summary(rows.data)}>
      <div class="tools">
        <input
          type="search"
          aria-label="Search skills"
          placeholder="What should the skill do?"
          value={text}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
        <label>
          Source{" "}
          <select
            value={query.get("source") ?? ""}
            onChange={({ currentTarget }) => setQuery({ source: currentTarget.value })}
          >
            <option value="">all</option>
            {[...new Set(rows.data?.map(({ source }) => source))].sort().map((source) => (
              <option key={source} value={source}>
                {source}
              </option>
            ))}
          </select>
        </label>
        <label>
          Order{" "}
          <select
            value={query.get("sort") ?? ""}
            onChange={({ currentTarget }) => setQuery({ sort: currentTarget.value })}
          >
            <option value="">{text === "" ? "of the view" : "best match"}</option>
            <option value="name">name</option>
            <option value="used">last used</option>
            <option value="tokens">tokens</option>
            <option value="finding">worst finding</option>
          </select>
        </label>
      </div>
      <fieldset class="chips" aria-label="Views of the library">
        {Object.entries(SAVED).map(([name, { title }]) => (
          <button
            key={name}
            type="button"
            aria-pressed={view === name}
            onClick={() => setQuery({ view: name === "all" ? "" : name })}
          >
            {title}
          </button>
        ))}
      </fieldset>
      <Shown loaded={rows}>
        {(all) => (
          <Table
            rows={select(all, query, found.data ?? new Map(), overlaps.data ?? new Set())}
            isAll={all.length > 0}
            reload={rows.reload}
          />
        )}
      </Shown>
    </Page>
  );
}

function summary(rows: readonly Row[]): string {
  const active = rows.filter(({ state }) => state === "active").length;
  const tokens = rows.filter(({ state }) => state === "active").reduce((sum, { always }) => sum + always, 0);
  return `${count(rows.length, "skill")}, ${active} active; their names and descriptions have ${count(tokens, "token")}.`;
}

/** Typing goes on while the last word is looked up. */
const PAUSE_MS = 120;

async function recalled(text: string): Promise<ReadonlyMap<string, number>> {
  if (text.trim() === "") return new Map();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const { matches } = await post<Recall>("/recall", { message: text, k: 50, threshold: 0, explain: false });
  return new Map(matches.map(({ name, score }) => [name, score]));
}

function select(
  all: readonly Row[],
  query: URLSearchParams,
  found: ReadonlyMap<string, number>,
  overlapping: ReadonlySet<string>,
): Row[] {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const saved = SAVED[query.get("view") ?? "all"] ?? SAVED.all!;
  const source = query.get("source") ?? "";
  const says = ({ name, description }: Row) =>
    words.every((word) => `${name} ${description}`.toLowerCase().includes(word));
  const rows = all.filter(
    (row) =>
      saved.fits(row, overlapping) &&
      (source === "" || row.source === source) &&
      (words.length === 0 || says(row) || found.has(row.name)),
  );
  const order =
    SORTS[query.get("sort") ?? ""] ?? (words.length > 0 ? best(found) : SORTS[saved.sort ?? "name"]!);
  return rows.sort((a, b) => order(a, b) || SORTS.name!(a, b));
}

const best = (found: ReadonlyMap<string, number>) => (a: Row, b: Row) =>
  (found.get(b.name) ?? 0) - (found.get(a.name) ?? 0);

/** In pixels, as in the style sheet. */
const ROW_HEIGHT = 52;
/** Rows above and below those in sight, so that a quick scroll shows no gap. */
const SPARE = 8;

function Table({ rows, isAll, reload }: { rows: readonly Row[]; isAll: boolean; reload: () => void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 40 });
  const look = () => {
    const { scrollTop = 0, clientHeight = 800 } = box.current ?? {};
    const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE);
    const to = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + SPARE;
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  useEffect(look, [rows.length]);
  const names = useMemo(() => new Set(rows.map(({ name }) => name)), [rows]);
  const marked = [...chosen].filter((name) => names.has(name));
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setChosen(next);
  };
  if (rows.length === 0)
    return isAll ? (
      <Empty>
        No skill fits. <a href={address("library")}>Show all</a>, or run <code>repertoire new NAME</code> to
        make one.
      </Empty>
    ) : (
      <Empty>
        There are no skills yet. <code>repertoire add anthropics/skills</code> brings some;{" "}
        <code>repertoire new NAME</code> makes one.
      </Empty>
    );
  const from = Math.min(seen.from, Math.max(0, rows.length - 1));
  const visible = rows.slice(from, seen.to);
  return (
    <>
      {marked.length > 0 && (
        <div class="bulk" role="status">
          {count(marked.length, "skill")} chosen
          <button type="button" onClick={() => switchAll(marked, true, reload)}>
            Enable
          </button>
          <button type="button" onClick={() => switchAll(marked, false, reload)}>
            Disable
          </button>
          <button type="button" class="bare" onClick={() => setChosen(new Set())}>
            Choose none
          </button>
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <section class="rows" ref={box} onScroll={look} tabIndex={0} aria-label="Skills">
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              <th class="tick">
                <span class="unseen">Choose</span>
              </th>
              <th>Skill</th>
              <th class="wide">Source</th>
              <th class="wide">Shown → activated → succeeded</th>
              <th class="wide">Last used</th>
              <th class="number" title="Tokens: always in the prompt + when activated">
                Tokens
              </th>
              <th class="switch">
                <span class="unseen">State</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {from > 0 && <tr style={{ height: `${from * ROW_HEIGHT}px` }} />}
            {visible.map((row, at) => (
              <SkillRow
                key={row.path}
                row={row}
                place={from + at + 2}
                isChosen={chosen.has(row.name)}
                onChoose={() => toggle(row.name)}
                reload={reload}
              />
            ))}
            {seen.to < rows.length && <tr style={{ height: `${(rows.length - seen.to) * ROW_HEIGHT}px` }} />}
          </tbody>
        </table>
      </section>
    </>
  );
}

function SkillRow({
  row,
  place,
  isChosen,
  onChoose,
  reload,
}: {
  row: Row;
  place: number;
  isChosen: boolean;
  onChoose: () => void;
  reload: () => void;
}) {
  const { name, description, source, state, reason, verdict, used, always, activated } = row;
  return (
    <tr class="skill" aria-rowindex={place}>
      <td class="tick">
        <input type="checkbox" aria-label={`Choose ${name}`} checked={isChosen} onChange={onChoose} />
      </td>
      <td class="what">
        <SkillLink name={name} /> <VerdictTag verdict={verdict} />
        {state !== "active" && <Tag kind={state}>{state}</Tag>}
        <span class="line quiet" title={reason ?? description}>
          {description}
        </span>
      </td>
      <td class="wide">
        <span class="line" title={source}>
          {source}
        </span>
      </td>
      <td class="wide">
        <Success used={used} />
      </td>
      <td class="wide">
        <Ago at={used?.lastUsedAt} />
      </td>
      <td class="number" title={`${always} always, ${activated} when activated`}>
        {(always + activated).toLocaleString("en")}
      </td>
      <td class="switch">
        <button
          type="button"
          aria-label={`${state === "disabled" ? "Enable" : "Disable"} ${name}`}
          onClick={() => switchAll([name], state === "disabled", reload)}
        >
          {state === "disabled" ? "Enable" : "Disable"}
        </button>
      </td>
    </tr>
  );
}

function Success({ used }: { used: Funnel | undefined }) {
  if (!used?.shown && !used?.activated) return <span class="quiet">not yet</span>;
  const ended = used.succeeded + used.failed;
  const [low, high] = interval(used.succeeded, ended);
  return (
    <span>
      {used.shown} → {used.activated} → {used.succeeded}
      {ended > 0 && (
        <span class="quiet">
          {" "}
          ({percent(low)} to {percent(high)})
        </span>
      )}
    </span>
  );
}

export function switchAll(names: readonly string[], on: boolean, reload: () => void): Promise<void> {
  const change = async (to: boolean) => {
    for (const name of names) await post(`${skillPath(name)}/${to ? "enable" : "disable"}`);
    reload();
  };
  return attempt(async () => {
    await change(on);
    const what = names.length === 1 ? names[0]! : count(names.length, "skill");
    tell(`${what} ${on ? "enabled" : "disabled"}.`, () => attempt(() => change(!on)));
  });
}
