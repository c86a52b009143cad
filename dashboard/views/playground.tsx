// The playground: what a message recalls and why, what just missed, and the text that an agent would get.

import { useState } from "preact/hooks";
import type { ListedSkill, Match, Prompt, Reason, Recall, Why } from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import { attempt, Bar, Card, count, Empty, Page, percent, Shown, SkillLink, Tag, tell } from "../pieces.tsx";
import { setQuery } from "../route.ts";

const STYLES = ["adaptive", "cards", "index", "tiers", "on-demand", "catalog"];
const TRIES = [
  "write the release notes for the next version",
  "this test fails only sometimes",
  "what is the capital of Peru?",
];
const PAUSE_MS = 200;

export function Playground({ query }: { query: URLSearchParams }) {
  const message = query.get("m") ?? "";
  const isAsked = message.trim() !== "";
  const answer = useLoad(`recall ${message}`, async () => {
    if (!isAsked) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return post<Recall>("/recall", { message });
  }, ["library"]);
  const skills = useLoad("names", () => get<{ skills: readonly ListedSkill[] }>("/skills"));
  return (
    <Page title="Playground" about="What a message recalls, and why. Nothing here is recorded.">
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
      {isAsked && answer.error && <Shown loaded={answer}>{() => null}</Shown>}
      {isAsked && answer.data && (
        <>
          <Answer answer={answer.data} />
          <Correction
            message={message}
            names={skills.data?.skills.map(({ name }) => name) ?? []}
            onDone={answer.reload}
          />
          <NearMisses message={message} near={answer.data.near} />
          <Section message={message} />
        </>
      )}
    </Page>
  );
}

function Answer({ answer: { frame, intent, matches, near, considered, ms } }: { answer: Recall }) {
  return (
    <Card
      title={matches.length === 0 ? "Nothing is recalled" : `${count(matches.length, "match", "matches")}`}
    >
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
        <MatchCard key={match.name} match={match} />
      ))}
    </Card>
  );
}

function MatchCard({ match: { name, evidence, boosts, score, via, reasons } }: { match: Match }) {
  return (
    <article class="match">
      <h3>
        <SkillLink name={name} /> {via !== undefined && <Tag kind="notice">see also of {via}</Tag>}
        <span class="quiet">
          {" "}
          evidence {percent(evidence)}
          {boosts !== 0 && ` + boosts ${boosts.toFixed(2)}`} = {score.toFixed(2)}
        </span>
      </h3>
      <Bar label={`Evidence ${percent(evidence)} of 100%`} parts={bySignal(reasons, evidence)} />
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
  return (
    <details>
      <summary>{count(reasons.length, "reason")}</summary>
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
              <td>{note}</td>
              <td class="number">{value.toFixed(3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Correction({
  message,
  names,
  onDone,
}: {
  message: string;
  names: readonly string[];
  onDone: () => void;
}) {
  const [name, setName] = useState("");
  const correct = () =>
    attempt(async () => {
      const { file } = await post<{ file?: string }>("/corrections", { skill: name, message, keep: true });
      tell(`Messages like this one now lead to ${name}; the case was added to ${file}.`);
      onDone();
    });
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        void correct();
      }}
    >
      <label for="right">Should have been</label>
      <input
        id="right"
        list="names"
        value={name}
        placeholder="name of a skill"
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <datalist id="names">
        {names.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit" disabled={!names.includes(name)}>
        Correct it, and keep it as a case
      </button>
    </form>
  );
}

const MOST_NEAR = 5;

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
          all.map(({ name, recalled, evidence, threshold, reasons, fellShort, advice }) => (
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
              {recalled && (
                <p>It has enough evidence by itself; next to what was recalled it falls behind.</p>
              )}
              {fellShort.length > 0 && (
                <ul>
                  {fellShort.map((line) => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              )}
              {advice.length > 0 && (
                <details>
                  <summary>What its author could change</summary>
                  <ul>
                    {advice.map((line) => (
                      <li key={line}>{line}</li>
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

function Section({ message }: { message: string }) {
  const [style, setStyle] = useState("adaptive");
  const [context, setContext] = useState("append");
  const prompt = useLoad(`prompt ${style} ${context} ${message}`, () =>
    post<Prompt>("/prompt", { message, style, context }),
  );
  return (
    <Card title="What the agent gets">
      <fieldset class="chips" aria-label="Style">
        {STYLES.map((name) => (
          <button key={name} type="button" aria-pressed={style === name} onClick={() => setStyle(name)}>
            {name}
          </button>
        ))}
        <label>
          Host mode{" "}
          <select value={context} onChange={({ currentTarget }) => setContext(currentTarget.value)}>
            <option>append</option>
            <option>rebuild</option>
          </select>
        </label>
      </fieldset>
      <Shown loaded={prompt}>
        {({ section, tokens, chars, omitted }) => (
          <>
            <p class="quiet">
              {count(tokens, "token")}, {count(chars, "character")}
              {omitted > 0 && `, ${omitted} skills left out`}
            </p>
            {section === "" ? (
              <Empty>Nothing: this style has nothing to say to this message.</Empty>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
              <pre class="source" tabIndex={0}>
                {section}
              </pre>
            )}
          </>
        )}
      </Shown>
    </Card>
  );
}
