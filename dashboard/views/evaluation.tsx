// Evaluation: how often messages with known answers find their skill, by group, and what changed from run to run.

import { useState } from "preact/hooks";
import type { Cases, EvalFailure, EvalRun, EvalRuns } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { Ago, attempt, Card, count, Empty, Page, percent, plain, Shown, SkillLink, Tag } from "../pieces.tsx";
import { address, setQuery } from "../route.ts";

type Figures = EvalRun["macro"];

export function Evaluation({ query }: { query: URLSearchParams }) {
  const cases = useLoad("cases", () => get<Cases>("/cases"));
  const runs = useLoad("runs", () => get<EvalRuns>("/eval/runs"));
  return (
    <Page
      title="Evaluation"
      about="How often messages with known answers find their skill."
      actions={cases.data && <Measure cases={cases.data} onDone={runs.reload} />}
    >
      <Shown loaded={cases}>
        {({ cases: own, file, successes }) =>
          own.length + successes.length === 0 ? (
            <Empty>
              There is no case yet. In the <a href={address("playground")}>playground</a>, “Should have been”
              keeps a message with its right skill.
            </Empty>
          ) : (
            <p class="quiet">
              {count(own.length, "corrected message")} in <span class="path">{plain(file)}</span>,{" "}
              {count(successes.length, "message")} that went well.
            </p>
          )
        }
      </Shown>
      <Shown loaded={runs}>{({ runs: all }) => <Runs runs={all} query={query} />}</Shown>
    </Page>
  );
}

function Measure({ cases: { cases, successes }, onDone }: { cases: Cases; onDone: () => void }) {
  const [isRunning, setRunning] = useState(false);
  const [isLearned, setLearned] = useState(false);
  const run = () =>
    attempt(async () => {
      setRunning(true);
      try {
        const corrected = cases.map(({ query, gold, not }) => ({ query, gold, not, source: "corrected" }));
        const went = successes.map(({ message, skills }) => ({
          ...{ query: message, gold: skills, source: "went well" },
        }));
        const elsewhere = isLearned ? undefined : { settings: { "recall.learn": false } };
        await post("/eval?wait=60", { cases: [...corrected, ...went], keep: true, elsewhere });
        setQuery({ run: "", with: "" });
        onDone();
      } finally {
        setRunning(false);
      }
    });
  return (
    <>
      <label title="Recall remembers corrected messages. Without them the figures say how it does on messages it has never seen.">
        <input type="checkbox" checked={isLearned} onChange={() => setLearned(!isLearned)} /> with what recall
        learned from use
      </label>
      <button
        type="button"
        class="main"
        disabled={cases.length + successes.length === 0 || isRunning}
        onClick={run}
      >
        {isRunning ? "Measuring …" : "Measure"}
      </button>
    </>
  );
}

/** The last one is left out on a narrow page. */
const FIGURES: readonly (readonly [key: "hit1" | "shown3" | "mrr", title: string, kind: string])[] = [
  ["hit1", "Right skill first", ""],
  ["shown3", "Right skill shown", ""],
  ["mrr", "Mean reciprocal rank", "wide"],
];

function Runs({ runs, query }: { runs: readonly EvalRun[]; query: URLSearchParams }) {
  const chosen = (key: string) => runs.find(({ at }) => String(at) === query.get(key));
  const run = chosen("run") ?? runs[0];
  if (!run) return <Empty>No run yet. “Measure” makes the first one; later ones are compared with it.</Empty>;
  const before = chosen("with") ?? runs[runs.indexOf(run) + 1];
  return (
    <>
      <div class="halves">
        <Groups run={run} before={before} />
        <Card title="Runs">
          <table class="plain auto">
            <thead>
              <tr>
                <th>When</th>
                <th class="number wide">Messages</th>
                <th class="number">First</th>
                <th class="number">Failures</th>
                <th>
                  <span class="unseen">Show</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.slice(0, 20).map((each) => (
                <tr key={each.at}>
                  <td>
                    <Ago at={each.at} />
                  </td>
                  <td class="number wide">{each.macro.messages}</td>
                  <td class="number">{percent(each.macro.hit1)}</td>
                  <td class="number">{failuresOf(each).length}</td>
                  <td class="number stacked">
                    <button
                      type="button"
                      aria-pressed={each === run}
                      aria-label={`Show the run of ${new Date(each.at).toLocaleString()}`}
                      onClick={() => setQuery({ run: String(each.at) })}
                    >
                      Show
                    </button>{" "}
                    <button
                      type="button"
                      aria-pressed={each === before}
                      aria-label={`Compare with the run of ${new Date(each.at).toLocaleString()}`}
                      disabled={each === run}
                      onClick={() => setQuery({ with: String(each.at) })}
                    >
                      Compare
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      </div>
      <Failures run={run} before={before} />
    </>
  );
}

const failuresOf = ({ failures = [] }: EvalRun): readonly EvalFailure[] => failures;

function Groups({ run, before }: { run: EvalRun; before: EvalRun | undefined }) {
  const groups: readonly (readonly [string, Figures, Figures | undefined])[] = [
    ...Object.entries(run.groups).map(
      ([name, figures]) => [name, figures as Figures, before?.groups[name] as Figures | undefined] as const,
    ),
    ["mean of the groups", run.macro, before?.macro],
  ];
  return (
    <Card
      title={`Run of ${new Date(run.at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" })}`}
    >
      <p class="quiet">
        {before ? (
          <>
            The differences are to the run <Ago at={before.at} />.
          </>
        ) : (
          "There is no earlier run to compare with."
        )}
      </p>
      <table class="plain">
        <thead>
          <tr>
            <th>Group</th>
            <th class="number wide">Messages</th>
            {FIGURES.map(([key, title, kind]) => (
              <th key={key} class={`number ${kind}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(([name, figures, earlier]) => (
            <tr key={name}>
              <td>{plain(name)}</td>
              <td class="number wide">{figures.messages}</td>
              {FIGURES.map(([key, , kind]) => (
                <td key={key} class={`number ${kind}`}>
                  {percent(figures[key])} <Difference now={figures[key]} before={earlier?.[key]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {run.falseAlarms !== null && (
        <p>{percent(run.falseAlarms)} of the messages that should recall nothing recall something.</p>
      )}
    </Card>
  );
}

function Difference({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined || Math.round((now - before) * 100) === 0) return null;
  const points = Math.round((now - before) * 100);
  return <Tag kind={points > 0 ? "success" : "failure"}>{points > 0 ? `+${points}` : points}</Tag>;
}

function Failures({ run, before }: { run: EvalRun; before: EvalRun | undefined }) {
  const failures = failuresOf(run);
  const queries = (each: EvalRun | undefined) =>
    new Set(each ? failuresOf(each).map(({ query }) => query) : []);
  const [now, earlier] = [queries(run), queries(before)];
  const mended = before ? failuresOf(before).filter(({ query }) => !now.has(query)) : [];
  return (
    <>
      <Card title={failures.length === 0 ? "No failures" : count(failures.length, "failure")}>
        {failures.length === 0 && <Empty>Every message led where it should.</Empty>}
        <FailureList
          failures={failures}
          mark={({ query }) => before !== undefined && !earlier.has(query) && <Tag kind="failure">new</Tag>}
        />
      </Card>
      {mended.length > 0 && (
        <Card title={`${count(mended.length, "message")} right since the other run`}>
          <FailureList failures={mended} mark={() => <Tag kind="success">right now</Tag>} />
        </Card>
      )}
    </>
  );
}

function FailureList({
  failures,
  mark,
}: {
  failures: readonly EvalFailure[];
  mark: (failure: EvalFailure) => preact.ComponentChildren;
}) {
  return (
    <ul class="findings">
      {failures.map((failure) => {
        const { query, kind, skills, shown, source } = failure;
        return (
          <li key={`${source} ${query}`}>
            <a href={address("playground", "", { m: query })}>{plain(query)}</a> {mark(failure)}
            <p class="quiet">
              {source !== undefined && `${plain(source)}: `}should {kind === "forbidden-first" && "not "}be{" "}
              {skills.length === 0 ? "nothing" : <Names names={skills} />}, was{" "}
              {shown.length === 0 ? "nothing" : <Names names={shown} />}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <>
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <SkillLink name={name} />
        </span>
      ))}
    </>
  );
}
