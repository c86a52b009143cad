// Evaluation: how often messages with known answers find their skill, which fail, and what changed since the run before.

import { useState } from "preact/hooks";
import type { EvalAnswer, EvalCase, Figures } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { attempt, Card, count, Empty, Page, percent, plain, Shown } from "../pieces.tsx";
import { address } from "../route.ts";

interface Run extends EvalAnswer {
  readonly at: number;
}

/** The runs of this browser, the newest first. */
const RUNS = "evaluation runs";
const KEPT_RUNS = 10;

function keptRuns(): Run[] {
  return JSON.parse(localStorage.getItem(RUNS) ?? "[]") as Run[];
}

export function Evaluation() {
  const cases = useLoad("cases", () => get<{ file: string; cases: readonly EvalCase[] }>("/cases"));
  const [runs, setRuns] = useState(keptRuns);
  const [isRunning, setRunning] = useState(false);
  const run = () =>
    attempt(async () => {
      setRunning(true);
      try {
        const given = cases.data!.cases.map(({ query, gold, not }) => ({
          query,
          gold,
          not,
          source: "corrections",
        }));
        const answer = await post<EvalAnswer>("/eval?wait=60", { cases: given });
        const next = [{ ...answer, at: Date.now() }, ...runs].slice(0, KEPT_RUNS);
        localStorage.setItem(RUNS, JSON.stringify(next));
        setRuns(next);
      } finally {
        setRunning(false);
      }
    });
  const isEmpty = cases.data?.cases.length === 0;
  return (
    <Page
      title="Evaluation"
      about="Messages with known answers: those that you corrected in the playground, or with `repertoire eval add`."
      actions={
        <button type="button" class="main" disabled={!cases.data || isEmpty || isRunning} onClick={run}>
          {isRunning ? "Measuring …" : "Measure"}
        </button>
      }
    >
      <Shown loaded={cases}>
        {({ cases: all, file }) =>
          all.length === 0 ? (
            <Empty>
              There is no case yet. In the <a href={address("playground")}>playground</a>, “Should have been”
              keeps a message with its right skill.
            </Empty>
          ) : (
            <p class="quiet">
              {count(all.length, "case")} in {plain(file)}
            </p>
          )
        }
      </Shown>
      {runs[0] && <Latest run={runs[0]} before={runs[1]} />}
    </Page>
  );
}

const FIGURES: readonly (readonly [keyof Figures, string])[] = [
  ["hit1", "right skill first"],
  ["shown3", "right skill shown"],
  ["mrr", "mean reciprocal rank"],
];

function Latest({ run, before }: { run: Run; before: Run | undefined }) {
  const failedBefore = new Set(before?.failures.map(({ query }) => query));
  const mended =
    before?.failures.filter(({ query }) => !run.failures.some((one) => one.query === query)) ?? [];
  return (
    <>
      <Card title={`Run of ${new Date(run.at).toLocaleString()}`}>
        <table class="plain">
          <thead>
            <tr>
              <th>Figure</th>
              <th class="number">Now</th>
              <th class="number">Run before</th>
            </tr>
          </thead>
          <tbody>
            {FIGURES.map(([key, title]) => (
              <tr key={key}>
                <td>{title}</td>
                <td class="number">{percent(run.macro[key])}</td>
                <td class="number">{before ? percent(before.macro[key]) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {mended.length > 0 && (
          <p>Right since the run before: {mended.map(({ query }) => plain(query)).join("; ")}</p>
        )}
      </Card>
      <Card title={run.failures.length === 0 ? "No failures" : count(run.failures.length, "failure")}>
        {run.failures.length === 0 && <Empty>Every message led where it should.</Empty>}
        <ul>
          {run.failures.map(({ query, kind, skills, shown }) => (
            <li key={query}>
              <a href={address("playground", "", { m: query })}>{plain(query)}</a>
              <span class="quiet">
                {" "}
                should {kind === "forbidden-first" && "not "}be {skills.join(", ") || "nothing"}, was{" "}
                {shown.join(", ") || "nothing"}
                {before && !failedBefore.has(query) && " · new"}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}
