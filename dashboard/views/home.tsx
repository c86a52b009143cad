// Home: what changed since the last visit, and what waits for a decision. Each line leads to where it can be dealt with.

import { useState } from "preact/hooks";
import type { Doctor, Host, ListedSkill, ProposalRecord, Said, Stats } from "../answers.ts";
import { get, useLoad } from "../api.ts";
import { Ago, Card, count, Empty, Page, plain, Shown, SkillLink, VerdictTag } from "../pieces.tsx";
import { address } from "../route.ts";

/** What the person has seen: the skills with their digests, and when. */
interface Visit {
  readonly at: number;
  readonly digests: Readonly<Record<string, string>>;
}

interface Everything {
  readonly project: string;
  readonly skills: readonly ListedSkill[];
  readonly doctor: Doctor;
  readonly proposals: readonly ProposalRecord[];
  readonly missed: readonly Said[];
  readonly hosts: readonly Host[];
  readonly stats: Stats;
}

async function load(): Promise<Everything> {
  const [{ project }, { skills }, doctor, { proposals }, { missed }, { hosts }, stats] = await Promise.all([
    get<{ project: string }>("/server"),
    get<{ skills: readonly ListedSkill[] }>("/skills"),
    get<Doctor>("/doctor"),
    get<{ proposals: readonly ProposalRecord[] }>("/proposals"),
    get<{ missed: readonly Said[] }>("/missed", { limit: 20 }),
    get<{ hosts: readonly Host[] }>("/hosts"),
    get<Stats>("/stats"),
  ]);
  return { project, skills, doctor, proposals, missed, hosts, stats };
}

const digestsOf = (skills: readonly ListedSkill[]) =>
  Object.fromEntries(skills.map(({ name, digest = "" }) => [name, digest]));

/** The last visit to this project; a first visit has seen what there is now. */
function visitTo({ project, skills }: Everything): Visit {
  const kept = localStorage.getItem(`visit ${project}`);
  return kept === null ? remember(project, skills) : (JSON.parse(kept) as Visit);
}

function remember(project: string, skills: readonly ListedSkill[]): Visit {
  const visit = { at: Date.now(), digests: digestsOf(skills) };
  localStorage.setItem(`visit ${project}`, JSON.stringify(visit));
  return visit;
}

export function Home() {
  const everything = useLoad("home", load, ["library", "journal", "proposal"]);
  const [seen, setSeen] = useState(0);
  const markSeen = () => {
    if (everything.data) remember(everything.data.project, everything.data.skills);
    setSeen(seen + 1);
  };
  return (
    <Page
      title="Home"
      actions={
        <button type="button" onClick={markSeen}>
          Mark all as seen
        </button>
      }
    >
      <Shown loaded={everything}>{(data) => <Overview key={seen} data={data} visit={visitTo(data)} />}</Shown>
    </Page>
  );
}

function Overview({ data, visit }: { data: Everything; visit: Visit }) {
  const { skills, doctor, proposals, missed, hosts, stats } = data;
  const now = digestsOf(skills);
  const fresh = Object.keys(now).filter((name) => visit.digests[name] === undefined);
  const changed = Object.keys(now).filter((name) => (visit.digests[name] ?? now[name]) !== now[name]);
  const gone = Object.keys(visit.digests).filter((name) => now[name] === undefined);
  const ignored = stats.skills.filter(({ shown, activated }) => shown > 0 && activated === 0);
  const broken = doctor.diagnostics.filter(({ severity }) => severity === "error");
  const heard = hosts.filter(
    ({ installed, connected, lastAt }) => installed || connected || lastAt !== undefined,
  );
  return (
    <div class="cards">
      <Card title="Since your last visit">
        <p class="quiet">
          You looked <Ago at={visit.at} />.
        </p>
        {fresh.length + changed.length + gone.length === 0 && (
          <Empty>No skill is new, changed or gone.</Empty>
        )}
        <Names title="New" names={fresh} />
        <Names title="Changed" names={changed} />
        {gone.length > 0 && <p>Gone: {gone.map(plain).join(", ")}</p>}
      </Card>
      <Card title="Findings">
        {doctor.inspection.worrying.length + broken.length === 0 && (
          <Empty>Nothing dangerous, nothing broken.</Empty>
        )}
        <ul>
          {doctor.inspection.worrying.slice(0, 8).map(({ name, verdict, rules }) => (
            <li key={name}>
              <VerdictTag verdict={verdict} /> <SkillLink name={name} />{" "}
              <span class="quiet">{rules.slice(0, 2).join(", ")}</span>
            </li>
          ))}
          {broken.slice(0, 5).map(({ path, message }) => (
            <li key={path}>
              <a href={address("health")}>{plain(message)}</a>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Proposals that wait">
        {proposals.length === 0 && (
          <Empty>
            None. <a href={address("dreams")}>Run a dream</a> to review what happened.
          </Empty>
        )}
        <ul>
          {proposals.slice(0, 8).map(({ number, title }) => (
            <li key={number}>
              <a href={address("dreams", "", { n: String(number) })}>{plain(title)}</a>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Messages that got nothing">
        {missed.length === 0 && <Empty>Every recorded message found a skill.</Empty>}
        <ul>
          {missed.slice(0, 8).map(({ text, session, turn, at }) => (
            <li key={`${session}${turn}`}>
              <a href={address("playground", "", { m: text })}>{plain(text)}</a>{" "}
              <span class="quiet">
                <Ago at={at} />
              </span>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Shown but never activated">
        {ignored.length === 0 ? (
          <Empty>None.</Empty>
        ) : (
          <ul>
            {ignored.slice(0, 8).map(({ name, shown }) => (
              <li key={name}>
                <SkillLink name={name} /> <span class="quiet">shown {count(shown, "time")}</span>
              </li>
            ))}
          </ul>
        )}
        {ignored.length > 8 && (
          <p>
            <a href={address("library", "", { view: "ignored" })}>All {ignored.length}</a>
          </p>
        )}
      </Card>
      <Card title="Hosts">
        {heard.length === 0 && (
          <Empty>
            No host is connected. <code>repertoire setup claude-code</code> connects Claude Code.
          </Empty>
        )}
        <ul>
          {heard.map(({ host, title, connected, lastAt, missing }) => (
            <li key={host}>
              <b>{title}</b> {connected ? "is connected" : "is not connected"}, last heard <Ago at={lastAt} />
              {missing.map((line) => (
                <p key={line} class="quiet">
                  {line}
                </p>
              ))}
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

const MOST_NAMES = 10;

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name}>
            <SkillLink name={name} />
          </li>
        ))}
        {names.length > MOST_NAMES && <li>and {names.length - MOST_NAMES} more</li>}
      </ul>
    </>
  );
}
