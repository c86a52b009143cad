// Relations: which skills overlap and which are used together, as a ranked list beside a picture of the strongest ties.

import type { Evidence } from "../answers.ts";
import { get, useLoad } from "../api.ts";
import { Neighbourhood, type Tie } from "../charts.tsx";
import { Bar, Card, count, Empty, Page, percent, plain, Shown, SkillLink } from "../pieces.tsx";
import { address, setQuery } from "../route.ts";
import { tiesIn } from "../ties.ts";

const MOST = 50;

export function Relations({ query }: { query: URLSearchParams }) {
  const report = useLoad("relations", () => get<Evidence>("/dream/report"), ["library"]);
  const kind = query.get("kind") ?? "";
  return (
    <Page
      title="Relations"
      about="Skills that say nearly the same, skills that are used together, and what no skill covers."
    >
      <Shown loaded={report}>
        {(evidence) => {
          const all = tiesIn(evidence);
          const ties = all.filter((tie) => kind === "" || tie.kind === kind);
          return (
            <>
              <div class="halves">
                <Card title="The strongest first">
                  <fieldset class="chips" aria-label="Which relations">
                    {Object.entries(KINDS).map(([id, title]) => (
                      <button
                        key={id}
                        type="button"
                        aria-pressed={kind === id}
                        onClick={() => setQuery({ kind: id })}
                      >
                        {title}
                      </button>
                    ))}
                  </fieldset>
                  {ties.length === 0 && (
                    <Empty>No two skills say nearly the same or are used together often enough.</Empty>
                  )}
                  {[...ties]
                    .sort((one, other) => other.strength - one.strength)
                    .slice(0, MOST)
                    .map((tie) => (
                      <Pair key={`${tie.kind} ${tie.a} ${tie.b}`} tie={tie} evidence={evidence} />
                    ))}
                </Card>
                <Card title="Neighbours">
                  {ties.length === 0 ? (
                    <Empty>There is nothing to draw yet.</Empty>
                  ) : (
                    <>
                      <Neighbourhood ties={ties} />
                      <p class="quiet keys">
                        <span class="key">
                          <i class="stroke overlap" /> overlap
                        </span>
                        <span class="key">
                          <i class="stroke together" /> used together
                        </span>
                      </p>
                    </>
                  )}
                </Card>
              </div>
              <Gaps gaps={evidence.gaps} />
            </>
          );
        }}
      </Shown>
    </Page>
  );
}

const KINDS: Readonly<Record<string, string>> = { "": "All", overlap: "Overlaps", together: "Used together" };

function Pair({ tie: { a, b, kind, strength }, evidence }: { tie: Tie; evidence: Evidence }) {
  const isPair = (pair: { readonly a: string; readonly b: string }) => pair.a === a && pair.b === b;
  const overlap = evidence.overlaps.find(isPair);
  const coUse = evidence.coUse.find(isPair);
  const facts =
    kind === "overlap" && overlap
      ? `share ${percent(overlap.words)} of their words, ${percent(overlap.meaning)} of their meaning`
      : `${count(coUse?.sessions.length ?? 0, "session")} used both`;
  return (
    <div class="match">
      <p>
        <SkillLink name={a} /> and <SkillLink name={b} /> <span class="quiet">{facts}</span>
      </p>
      <Bar label={`${kind} ${percent(strength)}`} parts={[{ kind, value: strength }]} />
    </div>
  );
}

function Gaps({ gaps }: { gaps: Evidence["gaps"] }) {
  return (
    <Card title="What no skill covers">
      {gaps.length === 0 && <Empty>No topic came up again and again without a skill.</Empty>}
      {gaps.map(({ topic, messages }) => (
        <div key={topic.join()}>
          <h3>{plain(topic.join(", "))}</h3>
          <ul>
            {messages.slice(0, 5).map((message) => (
              <li key={message}>
                <a href={address("playground", "", { m: message })}>{plain(message)}</a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Card>
  );
}
