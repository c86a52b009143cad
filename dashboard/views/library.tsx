// The library: every skill in one table, found by recall as you type. Only the rows in sight are in the page.

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  Evidence,
  Funnel,
  Hosts,
  Listed,
  Recall,
  Source,
  Stats,
  Switched,
  Verdict,
} from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import {
  Ago,
  attempt,
  count,
  Empty,
  interval,
  Page,
  percent,
  plain,
  Shown,
  SkillLink,
  Tag,
  tell,
  VerdictTag,
} from "../pieces.tsx";
import { address, go, setQuery } from "../route.ts";
import { useUpdates } from "../updates.ts";
import { type Known, type Row, rowsOf, scoresOf, select, VIEWS } from "./library-rows.ts";

/** The list is shown as soon as it is there; what takes longer fills its columns later. */
function useRows() {
  const listed = useLoad("library", () => get<Listed>("/skills", { brief: true }), ["library", "index"]);
  const isListed = listed.data !== undefined;
  const stats = useLoad(`stats ${isListed}`, async () => (isListed ? get<Stats>("/stats") : undefined), [
    "library",
    "journal",
  ]);
  const verdicts = useLoad(`verdicts ${isListed}`, async () => {
    if (!isListed) return undefined;
    const { skills } = await get<Listed>("/skills", { brief: true, findings: true });
    return new Map(skills.flatMap(({ path, verdict }) => (verdict ? [[path, verdict as Verdict]] : [])));
  }, ["library"]);
  const around = useLoad(`around ${isListed}`, async () => {
    if (!isListed) return undefined;
    const [{ sources }, { hosts }] = await Promise.all([
      get<{ sources: readonly Source[] }>("/sources"),
      get<Hosts>("/hosts"),
    ]);
    return { sources, hosts };
  });
  const { known } = useUpdates();
  const rows = useMemo(() => {
    if (!listed.data) return undefined;
    const all: Known = {
      skills: listed.data.skills,
      stats: stats.data,
      verdicts: verdicts.data as Known["verdicts"],
      sources: around.data?.sources ?? [],
      hosts: around.data?.hosts ?? [],
      updates: new Set(known?.offers.map(({ name }) => name)),
    };
    return rowsOf(all);
  }, [listed.data, stats.data, verdicts.data, around.data, known]);
  const reload = () => {
    listed.reload();
    stats.reload();
  };
  return { loaded: { ...listed, data: rows }, reload };
}

export function Library({ query }: { query: URLSearchParams }) {
  const { loaded, reload } = useRows();
  const text = query.get("q") ?? "";
  const view = query.get("view") ?? "all";
  const isTree = query.get("tree") === "1";
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const found = useLoad(`recall ${text}`, () => recalled(text));
  const overlaps = useLoad(`overlaps ${view === "overlapping"}`, async () => {
    const pairs = view === "overlapping" ? (await get<Evidence>("/dream/report")).overlaps : [];
    return new Set(pairs.flatMap(({ a, b }) => [a, b]));
  });
  const source = query.get("source") ?? "";
  const sort = query.get("sort") ?? "";
  const rows = useMemo(
    () =>
      loaded.data &&
      select(loaded.data, {
        ...{ view, text, source, sort, isTree, folded },
        found: found.data ?? new Map(),
        overlapping: overlaps.data ?? new Set(),
      }),
    [loaded.data, view, text, source, sort, isTree, folded, found.data, overlaps.data],
  );
  const fold = (name: string) => setFolded((before) => toggled(before, name));
  return (
    <Page
      title="Library"
      about={loaded.data && rows && summary(loaded.data, rows)}
      actions={
        <a class="button" href={address("relations")}>
          Relations
        </a>
      }
    >
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
          <select value={source} onChange={({ currentTarget }) => setQuery({ source: currentTarget.value })}>
            <option value="">all</option>
            {[...new Set(loaded.data?.map((row) => row.source))].sort().map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <label>
          Order{" "}
          <select
            value={isTree ? "tree" : sort}
            onChange={({ currentTarget: { value } }) =>
              setQuery({ sort: value === "tree" ? "" : value, tree: value === "tree" ? "1" : "" })
            }
          >
            <option value="">{text === "" ? "of the view" : "best match"}</option>
            <option value="tree">families</option>
            <option value="name">name</option>
            <option value="used">last used</option>
            <option value="tokens">tokens in all</option>
            <option value="always">tokens in the prompt</option>
            <option value="finding">worst finding</option>
          </select>
        </label>
      </div>
      <SavedViews view={view} query={query} />
      <Shown loaded={loaded}>
        {(all) => <Table rows={rows ?? []} isAll={all.length > 0} onFold={fold} reload={reload} />}
      </Shown>
    </Page>
  );
}

function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(names);
  if (!next.delete(name)) next.add(name);
  return next;
}

/** How many skills the view shows, and what the active ones among them cost in each prompt. */
function summary(all: readonly Row[], shown: readonly Row[]): string {
  const active = shown.filter(({ state }) => state === "active");
  const tokens = active.reduce((sum, row) => sum + row.tokens, 0);
  const how = active.length === shown.length ? "all active" : `${active.length.toLocaleString("en")} active`;
  const part = shown.length === all.length ? "" : `${shown.length.toLocaleString("en")} of `;
  return `${part}${count(all.length, "skill")}, ${how}. Their names and descriptions have ${count(tokens, "token")}.`;
}

/** Typing goes on while the last word is looked up. */
const PAUSE_MS = 120;

async function recalled(text: string): Promise<ReadonlyMap<string, number>> {
  if (text.trim() === "") return new Map();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  return scoresOf(await post<Recall>("/recall", { message: text, k: 50, threshold: 0, explain: false }));
}

/** Views that the person has named, as the filters of the address. */
const OWN_VIEWS = "library views";

function SavedViews({ view, query }: { view: string; query: URLSearchParams }) {
  const [own, setOwn] = useState<Readonly<Record<string, string>>>(() =>
    JSON.parse(localStorage.getItem(OWN_VIEWS) ?? "{}"),
  );
  const [name, setName] = useState<string>();
  const now = query.toString();
  const isOwn = Object.values(own).includes(now);
  const keep = (views: Readonly<Record<string, string>>) => {
    localStorage.setItem(OWN_VIEWS, JSON.stringify(views));
    setOwn(views);
  };
  const forget = (title: string) => {
    const { [title]: _, ...others } = own;
    keep(others);
    tell(`The view ${title} was forgotten.`, () => keep(own));
  };
  return (
    <fieldset class="chips" aria-label="Views of the library">
      {Object.entries(VIEWS).map(([id, { title }]) => (
        <button
          key={id}
          type="button"
          aria-pressed={!isOwn && view === id}
          onClick={() => setQuery({ view: id === "all" ? "" : id })}
        >
          {title}
        </button>
      ))}
      {Object.entries(own).map(([title, filters]) => (
        <span key={title} class="joined">
          <button
            type="button"
            aria-pressed={filters === now}
            onClick={() => go(`#/library${filters === "" ? "" : `?${filters}`}`)}
          >
            {plain(title)}
          </button>
          <button type="button" aria-label={`Forget the view ${title}`} onClick={() => forget(title)}>
            ×
          </button>
        </span>
      ))}
      {name === undefined ? (
        now !== "" &&
        !isOwn && (
          <button type="button" class="bare" onClick={() => setName("")}>
            Save this view
          </button>
        )
      ) : (
        <form
          class="joined"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") keep({ ...own, [name.trim()]: now });
            setName(undefined);
          }}
        >
          <input
            aria-label="Name of the view"
            placeholder="name of the view"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
          <button type="submit">Save</button>
        </form>
      )}
    </fieldset>
  );
}

/** In pixels, as in the style sheet. */
const ROW_HEIGHT = 52;
/** Rows above and below those in sight, so that a quick scroll shows no gap; the page changes once for so many rows. */
const SPARE = 12;

/** Some screens of rows. */
const KEPT_ROWS = 500;

interface TableOptions {
  readonly rows: readonly Row[];
  readonly isAll: boolean;
  readonly onFold: (name: string) => void;
  readonly reload: () => void;
}

function Table({ rows, isAll, onFold, reload }: TableOptions) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const box = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 40 });
  const look = () => {
    const { scrollTop = 0, clientHeight = 800 } = box.current ?? {};
    const step = (row: number) => Math.floor(row / SPARE) * SPARE;
    const from = Math.max(0, step(scrollTop / ROW_HEIGHT) - SPARE);
    const to = step((scrollTop + clientHeight) / ROW_HEIGHT) + 2 * SPARE;
    setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
  };
  useEffect(look, [rows.length]);
  const marked = useMemo(() => {
    if (chosen.size === 0) return [];
    const names = new Set(rows.map(({ name }) => name));
    return [...chosen].filter((name) => names.has(name));
  }, [rows, chosen]);
  const toggle = (name: string) => setChosen((before) => toggled(before, name));
  // A row that is drawn already is passed on as it is, so that scrolling costs only the rows that come into sight.
  const known = useRef(
    new Map<Row, { readonly place: number; readonly isChosen: boolean; readonly node: VNode }>(),
  );
  const drawn = (row: Row, place: number): VNode => {
    const isChosen = chosen.has(row.name);
    const before = known.current.get(row);
    if (before?.place === place && before.isChosen === isChosen) return before.node;
    const node = (
      <SkillRow
        key={row.path}
        row={row}
        place={place}
        isChosen={isChosen}
        onChoose={() => toggle(row.name)}
        onFold={() => onFold(row.name)}
        reload={reload}
      />
    );
    if (known.current.size > KEPT_ROWS) known.current.clear();
    known.current.set(row, { place, isChosen, node });
    return node;
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
  const isEach = marked.length === rows.length;
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
                <input
                  type="checkbox"
                  aria-label={`Choose all ${rows.length}`}
                  checked={isEach}
                  onChange={() => setChosen(isEach ? new Set() : new Set(rows.map(({ name }) => name)))}
                />
              </th>
              <th>Skill</th>
              <th class="wide">Source</th>
              <th class="wide wider">Seen by</th>
              <th
                class="wide"
                title="Shown, activated, succeeded; and in how many of a hundred cases it helps"
              >
                Shown → used
                <span class="line">→ helped</span>
              </th>
              <th class="wide when">Last used</th>
              <th class="number" title="Tokens: always in the prompt, and more when activated">
                Tokens
                <span class="line">always + if used</span>
              </th>
              <th class="switch">
                <span class="unseen">State</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {from > 0 && <tr style={{ height: `${from * ROW_HEIGHT}px` }} />}
            {visible.map((row, at) => drawn(row, from + at + 2))}
            {seen.to < rows.length && <tr style={{ height: `${(rows.length - seen.to) * ROW_HEIGHT}px` }} />}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface SkillRowOptions {
  readonly row: Row;
  readonly place: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onFold: () => void;
  readonly reload: () => void;
}

function SkillRow({ row, place, isChosen, onChoose, onFold, reload }: SkillRowOptions) {
  const { name, description, source, state, reason, verdict, used, tokens, activated } = row;
  const isOff = state === "disabled";
  return (
    <tr class="skill" aria-rowindex={place}>
      <td class="tick">
        <input type="checkbox" aria-label={`Choose ${name}`} checked={isChosen} onChange={onChoose} />
      </td>
      <td class={`what deep-${Math.min(3, row.depth)}`}>
        <span class="titled">
          {row.children > 0 && (
            <button
              type="button"
              class="bare fold"
              aria-expanded={!row.isFolded}
              aria-label={`Children of ${name}`}
              onClick={onFold}
            >
              {row.isFolded ? "▸" : "▾"}
            </button>
          )}
          <SkillLink name={name} />
          <VerdictTag verdict={verdict} />
          {state !== "active" && <Tag kind={state}>{state}</Tag>}
          {row.hasUpdate && <Tag kind="open">update</Tag>}
          {row.isFolded && <span class="quiet">and {count(row.children, "child", "children")}</span>}
        </span>
        <span class="line quiet" title={reason ?? description}>
          {plain(description)}
        </span>
      </td>
      <td class="wide">
        <span class="line" title={source}>
          {source}
        </span>
      </td>
      <td class="wide wider">
        <span class="line" title={row.agents.join(", ")}>
          {row.agents.length === 0 ? <span class="quiet">nobody yet</span> : row.agents.join(", ")}
        </span>
      </td>
      <td class="wide">
        <Success used={used} />
      </td>
      <td class="wide">
        <Ago at={used?.lastUsedAt} />
      </td>
      <td class="number" title={`${tokens} always, ${activated ?? "?"} when activated`}>
        {tokens.toLocaleString("en")}
        {activated !== undefined && <span class="quiet"> +{activated.toLocaleString("en")}</span>}
      </td>
      <td class="switch">
        <button
          type="button"
          aria-label={`${isOff ? "Enable" : "Disable"} ${name}`}
          onClick={() => switchAll([name], isOff, reload)}
        >
          {isOff ? "Enable" : "Disable"}
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
        <span class="line quiet">
          helps {percent(low)}–{percent(high)}
        </span>
      )}
    </span>
  );
}

/** Switches the skills; undo brings back for each exactly what was before. */
export function switchAll(names: readonly string[], on: boolean, reload: () => void): Promise<void> {
  const change = async (switches: Switched["switches"]) => {
    const before = await post<Switched>("/switches", { switches });
    reload();
    return before.switches;
  };
  return attempt(async () => {
    const before = await change(Object.fromEntries(names.map((name) => [name, on])));
    const what = names.length === 1 ? names[0]! : count(names.length, "skill");
    tell(`${what} ${on ? "enabled" : "disabled"}.`, () => attempt(() => change(before)));
  });
}
