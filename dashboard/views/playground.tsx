// The playground: what a message recalls and why, what just missed, and the text that an agent would get; here, and beside it in
// another project or with other settings.

import { useState } from "preact/hooks";
import type { Correction, Listed, Match, Prompt, Reason, Recall, Why } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import {
  attempt,
  Bar,
  Card,
  count,
  Empty,
  Page,
  percent,
  plain,
  Shown,
  SkillLink,
  Tag,
  tell,
} from "../pieces.tsx";
import { setQuery } from "../route.ts";

const STYLES = ["adaptive", "cards", "index", "tiers", "on-demand", "catalog"];
const TRIES = [
  "write the release notes for the next version",
  "this test fails only sometimes",
  "what is the capital of Peru?",
];
const PAUSE_MS = 200;

/** Another project or other settings, to compare with. */
interface Elsewhere {
  readonly project?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

export function Playground({ query }: { query: URLSearchParams }) {
  const message = query.get("m") ?? "";
  const isAsked = message.trim() !== "";
  const skills = useLoad("names", () => get<Listed>("/skills", { brief: true }));
  const [there, problem] = elsewhereIn(query);
  return (
    <Page
      title="Playground"
      about="What a message recalls, and why. Nothing is recorded until you correct it."
    >
      <label class="unseen" for="message">
        Message
      </label>
      <textarea
        id="message"
        rows={3}
        placeholder="Write a message as you would to your agent"
        value={message}
        onInput={({ currentTarget }) => setQuery({ m: currentTarget.value })}
      />
      <Compare query={query} problem={problem} />
      {!isAsked && (
        <Empty>
          Try one:{" "}
          {TRIES.map((text) => (
            <button key={text} type="button" onClick={() => setQuery({ m: text })}>
              {text}
            </button>
          ))}
        </Empty>
      )}
      {isAsked && there === undefined && (
        <Here message={message} names={skills.data?.skills.map(({ name }) => name) ?? []} />
      )}
      {isAsked && there !== undefined && <SideBySide message={message} there={there} />}
    </Page>
  );
}

function Here({ message, names }: { message: string; names: readonly string[] }) {
  const answer = useRecall(message);
  return (
    <Shown loaded={answer}>
      {(data) => (
        <>
          <Answer answer={data} title={titleOf(data)} />
          <Should
            message={message}
            names={names}
            others={[...data.matches.slice(1), ...data.near]}
            onDone={answer.reload}
          />
          <NearMisses message={message} near={data.near} />
          <Section message={message} />
        </>
      )}
    </Shown>
  );
}

function useRecall(message: string, elsewhere?: Elsewhere) {
  return useLoad(`recall ${message} ${JSON.stringify(elsewhere)}`, async () => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return post<Recall>("/recall", { message, elsewhere });
  }, ["library"]);
}

function titleOf({ matches }: Recall): string {
  return matches.length === 0 ? "Nothing is recalled" : count(matches.length, "match", "matches");
}

function SideBySide({ message, there }: { message: string; there: Elsewhere }) {
  const [here, other] = [useRecall(message), useRecall(message, there)];
  const names = (recall: Recall | undefined) => recall?.matches.map(({ name }) => name) ?? [];
  const only = (own: Recall | undefined, others: Recall | undefined) =>
    new Set(others === undefined ? [] : names(own).filter((name) => !names(others).includes(name)));
  return (
    <div class="halves">
      <div>
        <Shown loaded={here}>
          {(data) => <Answer answer={data} title={`Here: ${titleOf(data)}`} only={only(data, other.data)} />}
        </Shown>
        <Section message={message} />
      </div>
      <div>
        <Shown loaded={other}>
          {(data) => <Answer answer={data} title={`There: ${titleOf(data)}`} only={only(data, here.data)} />}
        </Shown>
        {other.error === undefined && <Section message={message} elsewhere={there} />}
      </div>
    </div>
  );
}

/** What the address says of the other side, or why it cannot be read. */
function elsewhereIn(query: URLSearchParams): readonly [Elsewhere | undefined, string | undefined] {
  const project = query.get("project") ?? "";
  const lines = (query.get("with") ?? "").split("\n").filter((line) => line.trim() !== "");
  if (project === "" && lines.length === 0) return [undefined, undefined];
  const settings: Record<string, unknown> = {};
  for (const line of lines) {
    const [, key, value] = /^\s*([\w.-]+)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return [undefined, `“${line}” is not “key = value”.`];
    settings[key] = parsedValue(value);
  }
  return [{ ...(project !== "" && { project }), settings }, undefined];
}

function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function Compare({ query, problem }: { query: URLSearchParams; problem: string | undefined }) {
  const [project, setProject] = useState(query.get("project") ?? "");
  const [settings, setSettings] = useState(query.get("with") ?? "");
  const isOn = query.has("project") || query.has("with");
  return (
    <details class="compare" open={isOn}>
      <summary>Compare with another project or other settings</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ project, with: settings });
        }}
      >
        <label>
          Folder of the other project
          <input
            value={project}
            placeholder="this one"
            onInput={({ currentTarget }) => setProject(currentTarget.value)}
          />
        </label>
        <label>
          Other settings, one a line
          <textarea
            rows={2}
            value={settings}
            placeholder="recall.threshold = 0.5"
            onInput={({ currentTarget }) => setSettings(currentTarget.value)}
          />
        </label>
        <div class="tools">
          <button type="submit" class="main" disabled={project === "" && settings.trim() === ""}>
            Compare
          </button>
          {isOn && (
            <button
              type="button"
              onClick={() => {
                setProject("");
                setSettings("");
                setQuery({ project: "", with: "" });
              }}
            >
              Stop comparing
            </button>
          )}
          {problem !== undefined && <span role="alert">{problem}</span>}
        </div>
      </form>
    </details>
  );
}

interface AnswerOptions {
  readonly answer: Recall;
  readonly title: string;
  /** Skills that the other side does not recall. */
  readonly only?: ReadonlySet<string>;
}

function Answer({ answer, title, only }: AnswerOptions) {
  const { frame, intent, matches, near, threshold, considered, ms } = answer;
  return (
    <Card title={title}>
      <p class="quiet">
        Frame <b>{frame.name}</b>
        {intent && (
          <>
            {" "}
            · intent <b>{intent.name}</b> ({percent(intent.confidence)})
          </>
        )}{" "}
        · {count(considered, "skill")} considered in {ms.toFixed(0)} ms
      </p>
      {matches.length === 0 && (
        <Empty>
          No skill has enough evidence
          {near.length > 0 ? ". Below is what came nearest, and what it lacks." : ", and none is near."}
        </Empty>
      )}
      {matches.map((match) => (
        <MatchCard
          key={match.name}
          match={match}
          threshold={threshold}
          isOnly={only?.has(match.name) === true}
        />
      ))}
    </Card>
  );
}

function MatchCard({
  match: { name, evidence, boosts, score, via, reasons },
  threshold,
  isOnly,
}: {
  match: Match;
  threshold: number;
  isOnly: boolean;
}) {
  return (
    <article class="match">
      <h3>
        <SkillLink name={name} /> {via !== undefined && <Tag kind="notice">see also of {via}</Tag>}
        {isOnly && <Tag kind="open">only here</Tag>}
        <span class="quiet">
          {" "}
          evidence {percent(evidence)}
          {via === undefined && `, ${percent(threshold)} needed`}
          {boosts !== 0 && `, boosts ${boosts > 0 ? "+" : ""}${boosts.toFixed(2)}, score ${score.toFixed(2)}`}
        </span>
      </h3>
      <Bar
        label={`Evidence ${percent(evidence)}, ${percent(threshold)} needed`}
        parts={bySignal(reasons, evidence)}
        {...(via === undefined && { mark: threshold })}
      />
      <Reasons reasons={reasons} />
    </article>
  );
}

/** The share of each signal in the evidence. Doubts have taken their part from all of them alike. */
function bySignal(reasons: readonly Reason[], evidence: number) {
  const sums = new Map<string, number>();
  for (const { signal, value, boost } of reasons)
    if (!boost && value > 0) sums.set(signal, (sums.get(signal) ?? 0) + value);
  const all = [...sums.values()].reduce((sum, value) => sum + value, 0);
  return [...sums].map(([kind, value]) => ({
    kind,
    value: (value / all) * evidence,
    note: `${kind} ${value.toFixed(2)}`,
  }));
}

function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  const signals = [...new Set(reasons.filter(({ boost }) => !boost).map(({ signal }) => signal))];
  return (
    <details>
      <summary>
        {count(reasons.length, "reason")}
        {signals.map((signal) => (
          <span key={signal} class="key quiet">
            <i class={`dot ${signal}`} /> {signal}
          </span>
        ))}
      </summary>
      <table class="plain">
        <thead>
          <tr>
            <th>Signal</th>
            <th>Why</th>
            <th class="number">Value</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ signal, note, value, boost }, at) => (
            <tr key={at}>
              <td>
                <i class={`dot ${signal}`} /> {signal}
                {boost && " (boost)"}
              </td>
              <td>{plain(note)}</td>
              <td class="number">{value.toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

interface ShouldOptions {
  readonly message: string;
  readonly names: readonly string[];
  /** Skills that came close, best first. */
  readonly others: readonly { readonly name: string }[];
  readonly onDone: () => void;
}

/** Skills that are offered by a button each. */
const MOST_OFFERED = 3;

function Should({ message, names, others, onDone }: ShouldOptions) {
  const [name, setName] = useState("");
  const correct = (skill: string) =>
    attempt(async () => {
      const { file } = await post<Correction>("/corrections", { skill, message, keep: true });
      tell(`Messages like this one now lead to ${skill}; the case was added to ${file}.`);
      onDone();
    });
  return (
    <Card title="Wrong skill?">
      <p class="quiet">
        Say which one it should have been: recall learns it, and evaluation checks it from now on.
      </p>
      {others.length > 0 && (
        <div class="tools">
          {others.slice(0, MOST_OFFERED).map((one) => (
            <button key={one.name} type="button" onClick={() => correct(one.name)}>
              Should have been {plain(one.name)}
            </button>
          ))}
        </div>
      )}
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          void correct(name);
        }}
      >
        <input
          list="names"
          aria-label="Should have been"
          value={name}
          placeholder={others.length > 0 ? "or another skill" : "name of the skill"}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <datalist id="names">
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <button type="submit" disabled={!names.includes(name)}>
          Correct it
        </button>
      </form>
    </Card>
  );
}

const MOST_NEAR = 5;
/** The first one is the nearest, however far it is; of the others only those that have some evidence. */
const isNear = ({ evidence }: Why, place: number) => place === 0 || evidence >= 0.01;

function NearMisses({ message, near }: { message: string; near: Recall["near"] }) {
  const shown = near.slice(0, MOST_NEAR);
  const whys = useLoad(`why ${message} ${shown.map(({ name }) => name).join()}`, () =>
    Promise.all(shown.map(({ name }) => post<Why>("/why", { name, message }))),
  );
  if (near.length === 0) return null;
  return (
    <Card title="Just missed">
      <Shown loaded={whys}>
        {(all) =>
          all.filter(isNear).map(({ name, recalled, evidence, threshold, reasons, fellShort, advice }) => (
            <article class="match" key={name}>
              <h3>
                <SkillLink name={name} />{" "}
                <span class="quiet">
                  evidence {percent(evidence)}, {percent(threshold)} needed
                </span>
              </h3>
              <Bar
                label={`Evidence ${percent(evidence)}, ${percent(threshold)} needed`}
                parts={bySignal(reasons, evidence)}
                mark={threshold}
              />
              {(recalled || (evidence >= threshold && fellShort.length === 0)) && (
                <p>It has enough evidence by itself; next to what was recalled it falls behind.</p>
              )}
              {fellShort.length > 0 && (
                <ul>
                  {fellShort.map((line) => (
                    <li key={line}>{plain(line)}</li>
                  ))}
                </ul>
              )}
              {advice.length > 0 && (
                <details>
                  <summary>What its author could change</summary>
                  <ul>
                    {advice.map((line) => (
                      <li key={line}>{plain(line)}</li>
                    ))}
                  </ul>
                </details>
              )}
            </article>
          ))
        }
      </Shown>
    </Card>
  );
}

function Section({ message, elsewhere }: { message: string; elsewhere?: Elsewhere }) {
  const [style, setStyle] = useState("adaptive");
  const [context, setContext] = useState("append");
  const prompts = useLoad(`prompts ${context} ${message} ${JSON.stringify(elsewhere)}`, () =>
    Promise.all(STYLES.map((name) => post<Prompt>("/prompt", { message, style: name, context, elsewhere }))),
  );
  return (
    <Card title="What the agent gets">
      <label>
        Host mode{" "}
        <select value={context} onChange={({ currentTarget }) => setContext(currentTarget.value)}>
          <option value="append">append: nothing is shown twice</option>
          <option value="rebuild">rebuild: replaces the text before</option>
        </select>
      </label>
      <Shown loaded={prompts}>
        {(all) => (
          <>
            <table class="plain styles">
              <thead>
                <tr>
                  <th>Style</th>
                  <th class="number">Size</th>
                  <th>Share of its budget</th>
                </tr>
              </thead>
              <tbody>
                {all.map((prompt) => (
                  <tr key={prompt.style}>
                    <td>
                      <button
                        type="button"
                        aria-pressed={style === prompt.style}
                        onClick={() => setStyle(prompt.style)}
                      >
                        {prompt.style}
                      </button>
                    </td>
                    <td class="number">
                      {count(prompt.tokens, "token")}
                      {prompt.omitted > 0 && <span class="line quiet">{prompt.omitted} skills left out</span>}
                    </td>
                    <td>
                      <Room prompt={prompt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <Text prompt={all.find((prompt) => prompt.style === style)!} />
          </>
        )}
      </Shown>
    </Card>
  );
}

function Room({ prompt: { tokens, chars, budget } }: { prompt: Prompt }) {
  const [used, most, unit] =
    budget.tokens === undefined
      ? [chars, budget.chars ?? chars, "character"]
      : [tokens, budget.tokens, "token"];
  const share = most === 0 ? 0 : used / most;
  return (
    <>
      <Bar label={`${percent(share)} of the budget`} parts={[{ kind: "lexical", value: share }]} />
      <span class="quiet">
        {percent(share)} of {count(most, unit)}
      </span>
    </>
  );
}

function Text({ prompt: { section } }: { prompt: Prompt }) {
  if (section === "") return <Empty>Nothing: this style has nothing to say to this message.</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
    <pre class="source" tabIndex={0}>
      {plain(section)}
    </pre>
  );
}
