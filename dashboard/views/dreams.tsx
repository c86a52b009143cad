// Dreams: what the library should learn from what happened. A person reads a proposal and decides; every decision can be undone.

import { useEffect, useState } from "preact/hooks";
import type { Accepted, DreamResult, Job, ProposalRecord, Proposals } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { Diff } from "../diff.tsx";
import {
  Ago,
  attempt,
  Card,
  count,
  Empty,
  isForText,
  Page,
  percent,
  plain,
  Shown,
  Tag,
  tell,
} from "../pieces.tsx";
import { setQuery } from "../route.ts";

export function Dreams({ query }: { query: URLSearchParams }) {
  const isAll = query.get("all") === "1";
  const listed = useLoad(`proposals ${isAll}`, () => get<Proposals>("/proposals", { all: isAll }), [
    "proposal",
    "library",
  ]);
  const proposals = listed.data?.proposals ?? [];
  const wanted = Number(query.get("n"));
  const chosen = proposals.find(({ number }) => number === wanted) ?? proposals[0];
  useKeys(proposals, chosen, listed.reload);
  return (
    <Page
      title="Dreams"
      about={listed.data && accountOf(listed.data.account)}
      actions={<Run reload={listed.reload} />}
    >
      <fieldset class="chips" aria-label="Which proposals">
        <button type="button" aria-pressed={!isAll} onClick={() => setQuery({ all: "" })}>
          Waiting
        </button>
        <button type="button" aria-pressed={isAll} onClick={() => setQuery({ all: "1" })}>
          All
        </button>
      </fieldset>
      <Shown loaded={listed}>
        {() =>
          chosen === undefined ? (
            <Empty>
              No proposal waits. A dream looks at sessions, failures and overlaps, and proposes changes;
              nothing changes before you accept it.
            </Empty>
          ) : (
            <div class="split">
              <ul class="list" aria-label="Proposals">
                {proposals.map(({ number, title, state, at }) => (
                  <li key={number} id={`proposal-${number}`}>
                    <button
                      type="button"
                      aria-pressed={number === chosen.number}
                      onClick={() => setQuery({ n: String(number) })}
                    >
                      <b>{plain(title)}</b>
                      <span class="quiet">
                        {isAll && `${state} · `}
                        <Ago at={at} />
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
              <Proposal key={chosen.number} proposal={chosen} reload={listed.reload} />
            </div>
          )
        }
      </Shown>
    </Page>
  );
}

function accountOf({ accepted, rejected, undone, acceptanceRate }: Proposals["account"]): string {
  const rate = acceptanceRate === undefined ? "" : ` (${percent(acceptanceRate)} accepted)`;
  const takenBack = undone === 0 ? "" : `, ${undone} undone`;
  return `${accepted} accepted, ${rejected} rejected${takenBack} so far${rate}.`;
}

function useKeys(
  proposals: readonly ProposalRecord[],
  chosen: ProposalRecord | undefined,
  reload: () => void,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isForText(event) || event.repeat || !chosen) return;
      const step = { j: 1, k: -1 }[event.key];
      const next = step === undefined ? undefined : proposals[proposals.indexOf(chosen) + step];
      if (next) {
        setQuery({ n: String(next.number) });
        document.getElementById(`proposal-${next.number}`)?.scrollIntoView({ block: "nearest" });
      }
      if (event.key === "a" && chosen.state === "open") void accept(chosen, reload);
      if (event.key === "x" && chosen.state === "open") void reject(chosen, "", reload);
      if (event.key === "u" && chosen.state === "accepted") void undo(chosen, reload);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [proposals, chosen, reload]);
}

let isDeciding = false;

/** One decision at a time: a key pressed again while the first is on its way must not decide the next proposal, too. */
const decide = (work: () => Promise<void>) =>
  attempt(async () => {
    if (isDeciding) return;
    isDeciding = true;
    try {
      await work();
    } finally {
      isDeciding = false;
    }
  });

const accept = (proposal: ProposalRecord, reload: () => void) =>
  decide(async () => {
    const { declined } = await post<Accepted>("/proposals/accept", { numbers: [proposal.number] });
    reload();
    const refusals = declined.flatMap((each) => each.refusals);
    if (refusals.length > 0) throw new Error(refusals.map(({ message }) => message).join(" "));
    tell(`Accepted: ${proposal.title}.`, () => undo(proposal, reload));
  });

const reject = (proposal: ProposalRecord, note: string, reload: () => void) =>
  decide(async () => {
    await post(`/proposals/${proposal.number}/reject`, note === "" ? {} : { note });
    reload();
    tell(`Rejected: ${proposal.title}. It is not proposed again.`);
  });

const undo = (proposal: ProposalRecord, reload: () => void) =>
  decide(async () => {
    await post(`/proposals/${proposal.number}/undo`);
    reload();
    tell(`Undone: ${proposal.title}.`);
  });

function Proposal({ proposal, reload }: { proposal: ProposalRecord; reload: () => void }) {
  const [note, setNote] = useState("");
  const { title, kind, state, payload } = proposal;
  const { evidence = [], diff = "", lost = [], routes = [], tried = 0, by } = payload;
  return (
    <div>
      <Card
        title={
          <>
            {plain(title)} {state !== "open" && <Tag kind={state}>{state}</Tag>}
          </>
        }
      >
        <p class="quiet">
          {kind}, made by {by ?? "rules"}.{" "}
          {tried === 0
            ? "There was no stored message to try it with."
            : `${count(tried, "stored message was", "stored messages were")} tried; all still find their skills.`}
        </p>
        <ul>
          {evidence.map((line) => (
            <li key={line}>{plain(line)}</li>
          ))}
        </ul>
        {state === "open" && (
          <div class="tools">
            <button type="button" class="main" onClick={() => accept(proposal, reload)}>
              Accept <kbd>a</kbd>
            </button>
            <button type="button" onClick={() => reject(proposal, note, reload)}>
              Reject <kbd>x</kbd>
            </button>
            <input
              aria-label="Why you reject it"
              placeholder="why, if you reject it"
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
          </div>
        )}
        {state === "accepted" && (
          <button type="button" onClick={() => undo(proposal, reload)}>
            Undo <kbd>u</kbd>
          </button>
        )}
      </Card>
      {lost.length > 0 && (
        <Card title="What would be said nowhere any more">
          {lost.map(({ name, clauses }) => (
            <div key={name}>
              <h3>{plain(name)}</h3>
              <ul>
                {clauses.map((clause) => (
                  <li key={clause}>{plain(clause)}</li>
                ))}
              </ul>
            </div>
          ))}
        </Card>
      )}
      {diff !== "" && (
        <Card title="Changes">
          <Diff text={diff} />
        </Card>
      )}
      {routes.length > 0 && (
        <Card title="Messages before and after">
          <table class="plain">
            <thead>
              <tr>
                <th>Message</th>
                <th>Before</th>
                <th>After</th>
              </tr>
            </thead>
            <tbody>
              {routes.slice(0, 30).map(({ message, before, after }, at) => (
                <tr key={at}>
                  <td>{plain(message)}</td>
                  <td>{before.join(", ") || "nothing"}</td>
                  <td>{after.join(", ") || "nothing"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </div>
  );
}

const ENDED = ["done", "failed", "cancelled"];

function Run({ reload }: { reload: () => void }) {
  const [job, setJob] = useState<string>();
  const state = useLoad(
    `job ${job}`,
    async () => (job === undefined ? undefined : get<Job>(`/jobs/${job}`)),
    ["job"],
  );
  const isRunning = job !== undefined && !ENDED.includes(state.data?.state ?? "running");
  const { done = 0, total, note } = state.data?.progress ?? {};
  useEffect(() => {
    if (state.data && ENDED.includes(state.data.state)) {
      reload();
      tell(endOf(state.data));
      setJob(undefined);
    }
  }, [state.data, reload]);
  const start = () => attempt(async () => setJob((await post<Job>("/dream", { force: true })).id));
  return (
    <>
      {isRunning && (
        <span role="status" class="quiet">
          Dreaming {total !== undefined && `${done} of ${total}`} {note}
        </span>
      )}
      <button type="button" class="main" disabled={isRunning} onClick={start}>
        Dream now
      </button>
    </>
  );
}

function endOf({ state, result, error }: Job): string {
  if (state !== "done") return (error as Error | undefined)?.message ?? `The dream ended: ${state}.`;
  const { skipped, proposals } = result as DreamResult;
  return skipped ?? `The dream made ${count(proposals.length, "new proposal")}.`;
}
