// Sessions: what was asked, shown, activated and how it ended, turn by turn; with a word about the outcome from here.

import { useState } from "preact/hooks";
import type { JournalEvent, Said, Session } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { Ago, attempt, Card, count, Empty, Page, plain, Shown, SkillLink, Tag, tell } from "../pieces.tsx";
import { address, type Route, setQuery } from "../route.ts";

export function Sessions({ route: { subject, query } }: { route: Route }) {
  return subject === "" ? <All query={query} /> : <One id={subject} />;
}

interface Lists {
  readonly sessions: readonly Session[];
  readonly missed: readonly Said[];
}

function All({ query }: { query: URLSearchParams }) {
  const isBad = query.get("look") === "bad";
  const lists = useLoad("sessions", async (): Promise<Lists> => {
    const [{ sessions }, { missed }] = await Promise.all([
      get<{ sessions: readonly Session[] }>("/sessions", { limit: 200 }),
      get<{ missed: readonly Said[] }>("/missed", { limit: 200 }),
    ]);
    return { sessions, missed };
  }, ["journal"]);
  return (
    <Page title="Sessions" about="The latest conversations in which skills were looked for.">
      <fieldset class="chips" aria-label="Which sessions">
        <button type="button" aria-pressed={!isBad} onClick={() => setQuery({ look: "" })}>
          All
        </button>
        <button type="button" aria-pressed={isBad} onClick={() => setQuery({ look: "bad" })}>
          Look bad
        </button>
      </fieldset>
      <Shown loaded={lists}>
        {({ sessions, missed }) => {
          const empty = new Set(missed.map(({ session }) => session));
          const shown = sessions.filter(
            ({ session, failures }) => !isBad || failures > 0 || empty.has(session),
          );
          if (shown.length === 0)
            return (
              <Empty>
                {isBad
                  ? "No session failed or found nothing."
                  : "No session yet. Connect a host: repertoire setup claude-code."}
              </Empty>
            );
          return (
            <ul class="list">
              {shown.map(({ session, host, turns, lastAt, skills, successes, failures, firstMessage }) => (
                <li key={session}>
                  <a href={address("sessions", session)}>
                    <b>{plain(firstMessage ?? session)}</b>
                    <span class="quiet">
                      {host ?? "unknown host"} · {count(turns, "turn")} · <Ago at={lastAt} />
                      {skills.length > 0 && ` · ${skills.join(", ")}`}
                    </span>
                    <span>
                      {successes > 0 && <Tag kind="success">{successes} succeeded</Tag>}{" "}
                      {failures > 0 && <Tag kind="failure">{failures} failed</Tag>}{" "}
                      {empty.has(session) && <Tag kind="notice">a message got nothing</Tag>}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          );
        }}
      </Shown>
    </Page>
  );
}

interface Whole {
  readonly events: readonly JournalEvent[];
  readonly said: readonly Said[];
}

function One({ id }: { id: string }) {
  const whole = useLoad(id, async (): Promise<Whole> => {
    const [{ events }, { said }] = await Promise.all([
      get<{ events: readonly JournalEvent[] }>("/journal", { session: id, limit: 1_000 }),
      get<{ said: readonly Said[] }>(`/sessions/${encodeURIComponent(id)}/conversation`),
    ]);
    return {
      events: [...events].sort((one, other) => one.at - other.at || stepOf(one) - stepOf(other)),
      said,
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
        {({ events, said }) => {
          const turns = [...new Set([...events, ...said].map(({ turn }) => turn ?? 0))].sort((a, b) => a - b);
          if (turns.length === 0) return <Empty>Nothing was recorded in this session.</Empty>;
          return (
            <>
              {turns.map((turn) => (
                <Turn
                  key={turn}
                  id={id}
                  turn={turn}
                  events={events.filter((one) => (one.turn ?? 0) === turn)}
                  said={said.filter((one) => one.turn === turn)}
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

function Turn({
  id,
  turn,
  events,
  said,
  reload,
}: {
  id: string;
  turn: number;
  events: readonly JournalEvent[];
  said: readonly Said[];
  reload: () => void;
}) {
  const [note, setNote] = useState("");
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
    <Card title={turn === 0 ? "Besides the turns" : `Turn ${turn}`}>
      {message !== undefined && (
        <blockquote>
          {plain(message)} <a href={address("playground", "", { m: message })}>in the playground</a>
        </blockquote>
      )}
      <ul class="events">
        {events.map((event) => (
          <li key={event.seq}>
            <Tag kind={String(event.details.result ?? event.kind)}>{event.kind.replace("_", " ")}</Tag>{" "}
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

function detailsOf({ details }: JournalEvent): string {
  return Object.entries(details)
    .filter(
      ([key, value]) => key !== "instructions" && ["string", "number", "boolean"].includes(typeof value),
    )
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
