// Sessions: what was asked, shown, activated and how it ended, turn by turn; with a word about the outcome from here.

import { useEffect, useState } from "preact/hooks";
import type {
  BadTurn,
  Conversation,
  Events,
  JournalEvent,
  Said,
  Sessions as SessionList,
  Turns,
} from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { Ago, attempt, Card, count, Empty, Page, plain, Shown, SkillLink, Tag, tell } from "../pieces.tsx";
import { address, type Route, setQuery } from "../route.ts";

export function Sessions({ route: { subject, query } }: { route: Route }) {
  return subject === "" ? <All query={query} /> : <One id={subject} wanted={Number(query.get("turn"))} />;
}

function All({ query }: { query: URLSearchParams }) {
  const isBad = query.get("look") === "bad";
  return (
    <Page title="Sessions" about="The latest conversations in which skills were looked for.">
      <fieldset class="chips" aria-label="Which sessions">
        <button type="button" aria-pressed={!isBad} onClick={() => setQuery({ look: "" })}>
          All sessions
        </button>
        <button type="button" aria-pressed={isBad} onClick={() => setQuery({ look: "bad" })}>
          Turns that look bad
        </button>
      </fieldset>
      {isBad ? <Queue query={query} /> : <List />}
    </Page>
  );
}

function List() {
  const lists = useLoad("sessions", async () => {
    const [{ sessions }, { turns }] = await Promise.all([
      get<SessionList>("/sessions", { limit: 200 }),
      get<Turns>("/turns", { limit: 500 }),
    ]);
    return { sessions, turns };
  }, ["journal"]);
  return (
    <Shown loaded={lists}>
      {({ sessions, turns }) => {
        if (sessions.length === 0)
          return (
            <Empty>
              No session yet. Connect a host: <code>repertoire setup claude-code</code>.
            </Empty>
          );
        const whys = (id: string) => new Set(turns.filter(({ session }) => session === id).map(whyBad));
        return (
          <ul class="list">
            {sessions.map(({ session, host, turns: length, lastAt, skills, successes, firstMessage }) => (
              <li key={session}>
                <a href={address("sessions", session)}>
                  <b>{plain(firstMessage ?? session)}</b>
                  <span class="quiet">
                    {host ?? "unknown host"} · {count(length, "turn")} · <Ago at={lastAt} />
                    {skills.length > 0 && ` · ${skills.join(", ")}`}
                  </span>
                  <span class="tags">
                    {successes > 0 && <Tag kind="success">{successes} succeeded</Tag>}
                    {[...whys(session)].map((why) => (
                      <WhyBad key={why} why={why} />
                    ))}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        );
      }}
    </Shown>
  );
}

const WHYS = {
  corrected: { title: "corrected", kind: "failure" },
  failed: { title: "failed", kind: "failure" },
  nothing: { title: "nothing recalled", kind: "notice" },
} as const;
type Bad = keyof typeof WHYS;

/** What is wrong with a turn, in one word. */
export function whyBad({ corrections, failed, endedBadly }: BadTurn): Bad {
  if (corrections.length > 0 && failed.length === 0) return "corrected";
  return endedBadly ? "failed" : "nothing";
}

function WhyBad({ why }: { why: Bad }) {
  return <Tag kind={WHYS[why].kind}>{WHYS[why].title}</Tag>;
}

/** The turns that a person should look at, by what is wrong with them. */
function Queue({ query }: { query: URLSearchParams }) {
  const why = query.get("why") ?? "";
  const queue = useLoad("queue", () => get<Turns>("/turns", { limit: 200 }), ["journal"]);
  return (
    <Shown loaded={queue}>
      {({ turns }) => {
        const shown = turns.filter((turn) => why === "" || whyBad(turn) === why);
        return (
          <>
            <fieldset class="chips" aria-label="What is wrong">
              <button type="button" aria-pressed={why === ""} onClick={() => setQuery({ why: "" })}>
                All {turns.length}
              </button>
              {Object.entries(WHYS).map(([id, { title }]) => (
                <button
                  key={id}
                  type="button"
                  aria-pressed={why === id}
                  onClick={() => setQuery({ why: id })}
                >
                  {title} {turns.filter((turn) => whyBad(turn) === id).length}
                </button>
              ))}
            </fieldset>
            {shown.length === 0 && (
              <Empty>No turn of the last month was corrected, failed or got nothing.</Empty>
            )}
            <ul class="list">
              {shown.map((turn) => (
                <li key={`${turn.session} ${turn.turn}`}>
                  <a href={address("sessions", turn.session, { turn: String(turn.turn) })}>
                    <b>{plain(turn.message)}</b>
                    <span>
                      <WhyBad why={whyBad(turn)} />{" "}
                      <span class="quiet">
                        <Ago at={turn.at} />
                        {turn.used.length > 0 && ` · used ${turn.used.join(", ")}`}
                      </span>
                    </span>
                    {turn.corrections.map((line) => (
                      <span key={line}>“{plain(line)}”</span>
                    ))}
                  </a>
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Shown>
  );
}

interface Whole {
  readonly events: readonly JournalEvent[];
  readonly said: readonly Said[];
  /** Those that look bad. */
  readonly bad: readonly BadTurn[];
}

function One({ id, wanted }: { id: string; wanted: number }) {
  const whole = useLoad(id, async (): Promise<Whole> => {
    const [{ events }, { said }, { turns }] = await Promise.all([
      get<Events>("/journal", { session: id, limit: 1_000 }),
      get<Conversation>(`/sessions/${encodeURIComponent(id)}/conversation`),
      get<Turns>("/turns", { limit: 500 }),
    ]);
    return {
      events: [...events].sort((one, other) => one.at - other.at || stepOf(one) - stepOf(other)),
      said,
      bad: turns.filter(({ session }) => session === id),
    };
  }, ["journal"]);
  return (
    <Page
      title="Session"
      about={
        <>
          <a href={address("sessions")}>All sessions</a> · {plain(id)}
        </>
      }
    >
      <Shown loaded={whole}>
        {({ events, said, bad }) => {
          const turns = [...new Set([...events, ...said].map(({ turn }) => turn ?? 0))].sort((a, b) => a - b);
          if (turns.length === 0) return <Empty>Nothing was recorded in this session.</Empty>;
          return (
            <>
              {turns.map((turn) => (
                <Turn
                  key={turn}
                  id={id}
                  turn={turn}
                  isWanted={turn === wanted}
                  events={events.filter((one) => (one.turn ?? 0) === turn)}
                  said={said.filter((one) => one.turn === turn)}
                  bad={bad.find((one) => one.turn === turn)}
                  reload={whole.reload}
                />
              ))}
              <Rating id={id} />
            </>
          );
        }}
      </Shown>
    </Page>
  );
}

interface TurnOptions {
  readonly id: string;
  readonly turn: number;
  /** The turn that a link led to. */
  readonly isWanted: boolean;
  readonly events: readonly JournalEvent[];
  readonly said: readonly Said[];
  /** What is wrong with it. */
  readonly bad: BadTurn | undefined;
  readonly reload: () => void;
}

function Turn({ id, turn, isWanted, events, said, bad, reload }: TurnOptions) {
  const [note, setNote] = useState("");
  useEffect(() => {
    if (isWanted) document.getElementById(`turn-${turn}`)?.scrollIntoView({ block: "start" });
  }, [isWanted, turn]);
  const message = said.find(({ role }) => role === "user")?.text;
  const isUsed = events.some(({ kind }) => kind === "activated");
  const report = (outcome: "success" | "failure") =>
    attempt(async () => {
      await post("/outcomes", { session: id, turn, outcome, ...(note !== "" && { note }) });
      setNote("");
      reload();
      tell(
        outcome === "success" ? "Noted: it went well." : "Noted: it went wrong. The next dream looks at it.",
      );
    });
  return (
    <Card
      id={`turn-${turn}`}
      title={
        <>
          {turn === 0 ? "Besides the turns" : `Turn ${turn}`} {bad && <WhyBad why={whyBad(bad)} />}{" "}
          {isWanted && <Tag kind="open">look here</Tag>}
        </>
      }
    >
      {message !== undefined && (
        <blockquote>
          {plain(message)}{" "}
          <a href={address("playground", "", { m: message })}>why these skills, and which were right?</a>
        </blockquote>
      )}
      {bad?.corrections.map((line) => (
        <p key={line} class="quiet">
          corrected: “{plain(line)}”
        </p>
      ))}
      <ul class="events">
        {events.map((event) => (
          <li key={event.seq}>
            <Tag kind={String(event.details.result ?? event.kind)}>{titleOf(event)}</Tag>{" "}
            {event.skill === undefined ? (
              event.kind === "recalled" && "no skill"
            ) : (
              <SkillLink name={event.skill} />
            )}{" "}
            <span class="quiet">{detailsOf(event)}</span>
          </li>
        ))}
      </ul>
      {isUsed && (
        <div class="tools">
          <button type="button" aria-label={`Turn ${turn} went well`} onClick={() => report("success")}>
            Went well
          </button>
          <button type="button" aria-label={`Turn ${turn} went wrong`} onClick={() => report("failure")}>
            Went wrong
          </button>
          <input
            aria-label={`What should have been different in turn ${turn}`}
            placeholder="what should have been different"
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
        </div>
      )}
    </Card>
  );
}

/** The steps of a turn in their order; the journal may have written them in another. */
const STEPS = ["recalled", "shown", "activated"];

function stepOf({ kind }: JournalEvent): number {
  const at = STEPS.indexOf(kind);
  return at < 0 ? STEPS.length : at;
}

/** An outcome says by its title how it was. */
function titleOf({ kind, details }: JournalEvent): string {
  return (details.result as string | undefined) ?? kind.replace("_", " ");
}

/** Details that the title says already, or that mean something to programs only. */
const UNTOLD = ["instructions", "result", "task"];

function detailsOf({ details }: JournalEvent): string {
  return Object.entries(details)
    .filter(([key, value]) => !UNTOLD.includes(key) && ["string", "number", "boolean"].includes(typeof value))
    .map(
      ([key, value]) =>
        `${key} ${typeof value === "number" && !Number.isInteger(value) ? value.toFixed(2) : plain(String(value))}`,
    )
    .join(" · ");
}

function Rating({ id }: { id: string }) {
  const rate = (rating: string) =>
    attempt(async () => {
      await post(`/sessions/${encodeURIComponent(id)}/rating`, { rating });
      tell(`The session was rated ${rating}.`);
    });
  return (
    <Card title="How was the whole session?">
      <div class="chips">
        {["poor", "fair", "good", "excellent"].map((rating) => (
          <button key={rating} type="button" onClick={() => rate(rating)}>
            {rating}
          </button>
        ))}
      </div>
    </Card>
  );
}
