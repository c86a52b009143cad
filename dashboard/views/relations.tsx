// Relations: which skills overlap and which are used together, as ranked lists.

import type { Evidence } from "../answers.ts";
import { get, useLoad } from "../api.ts";
import { Bar, Card, count, Empty, Page, percent, plain, Shown, SkillLink } from "../pieces.tsx";
import { address } from "../route.ts";

const MOST = 50;
const share = (value: unknown) => (typeof value === "number" ? value : 0);

export function Relations() {
  const report = useLoad("relations", () => get<Evidence>("/dream/report"), ["library"]);
  return (
    <Page
      title="Relations"
      about="Skills that say nearly the same, skills that are used together, and what no skill covers."
    >
      <Shown loaded={report}>
        {({ overlaps, coUse, gaps }) => (
          <>
            <Card title="Overlaps">
              {overlaps.length === 0 && <Empty>No two skills say nearly the same.</Empty>}
              {[...overlaps]
                .sort(
                  (one, other) =>
                    share(other.words) + share(other.meaning) - share(one.words) - share(one.meaning),
                )
                .slice(0, MOST)
                .map(({ a, b, words, meaning }) => (
                  <div class="match" key={`${a} ${b}`}>
                    <p>
                      <SkillLink name={a} /> and <SkillLink name={b} />{" "}
                      <span class="quiet">
                        words {percent(share(words))}, meaning {percent(share(meaning))}
                      </span>
                    </p>
                    <Bar
                      label={`Words ${percent(share(words))}`}
                      parts={[{ kind: "lexical", value: share(words) }]}
                    />
                  </div>
                ))}
            </Card>
            <Card title="Used together">
              {coUse.length === 0 && (
                <Empty>No two skills were used in the same sessions often enough.</Empty>
              )}
              <ul>
                {coUse.slice(0, MOST).map(({ a, b, sessions }) => (
                  <li key={`${a} ${b}`}>
                    <SkillLink name={a} /> and <SkillLink name={b} />{" "}
                    <span class="quiet">{Array.isArray(sessions) && count(sessions.length, "session")}</span>
                  </li>
                ))}
              </ul>
            </Card>
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
          </>
        )}
      </Shown>
    </Page>
  );
}
