// Home: what changed since the last visit, and what waits for a decision. Each line leads to where it can be dealt with.

import { useState } from "preact/hooks";
import type {
  Doctor,
  Hosts,
  Listed,
  ListedSkill,
  Packages,
  Proposals,
  Server,
  Stats,
  Turns,
} from "../answers.ts";
import { get, type Loaded, useLoad } from "../api.ts";
import { Ago, Card, count, Empty, Page, plain, Shown, SkillLink, Tag, VerdictTag } from "../pieces.tsx";
import { address } from "../route.ts";
import { useUpdates } from "../updates.ts";
import { disabledFolders, HostList } from "./health.tsx";
import { whyBad } from "./sessions.tsx";

/** What the person has seen: the skills with their digests, and when. */
interface Visit {
  readonly at: number;
  readonly digests: Readonly<Record<string, string>>;
}

interface Seen {
  readonly project: string;
  readonly skills: readonly ListedSkill[];
}

const digestsOf = (skills: readonly ListedSkill[]) =>
  Object.fromEntries(skills.map(({ name, digest = "" }) => [name, digest]));

/** The last visit to this project; a first visit has seen what there is now. */
function visitTo({ project, skills }: Seen): Visit {
  const kept = localStorage.getItem(`visit ${project}`);
  return kept === null ? remember({ project, skills }) : (JSON.parse(kept) as Visit);
}

function remember({ project, skills }: Seen): Visit {
  const visit = { at: Date.now(), digests: digestsOf(skills) };
  localStorage.setItem(`visit ${project}`, JSON.stringify(visit));
  return visit;
}

/** Each card loads by itself, so that the quick ones do not wait for the slow ones. */
export function Home() {
  const seen = useLoad("seen", async (): Promise<Seen> => {
    const [{ project }, { skills }] = await Promise.all([get<Server>("/server"), get<Listed>("/skills")]);
    return { project, skills };
  }, ["library"]);
  const turns = useLoad("bad turns", () => get<Turns>("/turns", { limit: 200 }), ["journal"]);
  const [round, setRound] = useState(0);
  const markSeen = () => {
    if (seen.data) remember(seen.data);
    setRound(round + 1);
  };
  return (
    <Page
      title="Home"
      actions={
        <button type="button" disabled={!seen.data} onClick={markSeen}>
          Mark all as seen
        </button>
      }
    >
      <div class="stacks">
        <div>
          <Card title="Since your last visit">
            <Shown loaded={seen}>{(data) => <Changes key={round} seen={data} />}</Shown>
          </Card>
          <Findings skills={seen.data?.skills ?? []} />
          <HostsCard />
        </div>
        <div>
          <LookBad turns={turns} />
          <Waiting />
          <UpdatesCard />
        </div>
        <div>
          <GotNothing turns={turns} />
          <Ignored />
        </div>
      </div>
    </Page>
  );
}

function Changes({ seen }: { seen: Seen }) {
  const visit = visitTo(seen);
  const { skills } = seen;
  const now = digestsOf(skills);
  const fresh = Object.keys(now).filter((name) => visit.digests[name] === undefined);
  const changed = Object.keys(now).filter(
    (name) => visit.digests[name] !== undefined && visit.digests[name] !== now[name],
  );
  const gone = Object.keys(visit.digests).filter((name) => now[name] === undefined);
  const unusable = skills.filter(({ state }) => state === "unavailable");
  return (
    <>
      <p class="quiet">
        <a href={address("library")}>{count(skills.length, "skill")}</a>; you last marked them as seen{" "}
        <Ago at={visit.at} />.
      </p>
      {fresh.length + changed.length + gone.length + unusable.length === 0 && (
        <Empty>No skill is new, changed or gone, and all can be used.</Empty>
      )}
      <Names title="New" names={fresh} />
      <Names title="Changed" names={changed} />
      <Names
        title="Cannot be used"
        names={unusable.map(({ name }) => name)}
        reasons={new Map(unusable.map(({ name, reason }) => [name, reason]))}
      />
      {gone.length > 0 && (
        <>
          <h3>Gone</h3>
          <p>{gone.map(plain).join(", ")}</p>
        </>
      )}
    </>
  );
}

/** What is dangerous or broken and still in use. A skill that was disabled is dealt with. */
function Findings({ skills }: { skills: readonly ListedSkill[] }) {
  const doctor = useLoad("doctor", () => get<Doctor>("/doctor"), ["library"]);
  const off = disabledFolders(skills);
  return (
    <Card title="Findings">
      <Shown loaded={doctor}>
        {({ inspection, diagnostics, checks }) => {
          const worrying = inspection.worrying.filter(({ path }) => !off.has(path));
          const disabled = inspection.worrying.length - worrying.length;
          const errors = diagnostics.filter(({ severity }) => severity === "error").length;
          const broken = checks.filter(({ level, check }) => level === "error" && check !== "skills");
          return (
            <>
              {worrying.length + errors + broken.length === 0 && (
                <Empty>No skill in use is dangerous, and every file can be read.</Empty>
              )}
              <ul>
                {worrying.slice(0, 8).map(({ name, verdict, gravest }) => (
                  <li key={name}>
                    <VerdictTag verdict={verdict} /> <SkillLink name={name} />{" "}
                    <span class="quiet">{gravest ?? "It was not inspected whole."}</span>
                  </li>
                ))}
                {broken.map(({ check, message }) => (
                  <li key={check}>
                    <Tag kind="error">{check}</Tag> <a href={address("health")}>{plain(message)}</a>
                  </li>
                ))}
                {errors > 0 && (
                  <li>
                    <a href={address("health")}>{count(errors, "file")} that cannot be used</a>
                  </li>
                )}
              </ul>
              {worrying.length > 8 && (
                <p>
                  <a href={address("library", "", { view: "broken" })}>All {worrying.length}</a>
                </p>
              )}
              {disabled > 0 && (
                <p class="quiet">
                  <a href={address("library", "", { view: "disabled" })}>
                    {count(disabled, "skill")} with findings
                  </a>{" "}
                  {disabled === 1 ? "is" : "are"} disabled.
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </Card>
  );
}

function Waiting() {
  const proposals = useLoad("proposals", () => get<Proposals>("/proposals"), ["proposal", "library"]);
  return (
    <Card title="Proposals to decide">
      <Shown loaded={proposals}>
        {({ proposals: open }) => (
          <>
            {open.length === 0 && (
              <Empty>
                None. A <a href={address("dreams")}>dream</a> looks at what happened and proposes changes.
              </Empty>
            )}
            <ul>
              {open.slice(0, 8).map(({ number, title }) => (
                <li key={number}>
                  <a href={address("dreams", "", { n: String(number) })}>{plain(title)}</a>
                </li>
              ))}
            </ul>
            {open.length > 8 && (
              <p>
                <a href={address("dreams")}>All {open.length}</a>
              </p>
            )}
          </>
        )}
      </Shown>
    </Card>
  );
}

function LookBad({ turns }: { turns: Loaded<Turns> }) {
  return (
    <Card title="Corrected or failed">
      <Shown loaded={turns}>
        {({ turns: all }) => {
          const bad = all.filter(({ endedBadly }) => endedBadly);
          return (
            <>
              {bad.length === 0 && <Empty>No turn of the last month was corrected or failed.</Empty>}
              <ul>
                {bad.slice(0, 5).map(({ session, turn, message, corrections, at }) => (
                  <li key={`${session} ${turn}`}>
                    <a href={address("sessions", session, { turn: String(turn) })}>{plain(message)}</a>{" "}
                    <span class="quiet">
                      <Ago at={at} />
                      {corrections[0] !== undefined && `: “${plain(corrections[0])}”`}
                    </span>
                  </li>
                ))}
              </ul>
              {bad.length > 5 && (
                <p>
                  <a href={address("sessions", "", { look: "bad" })}>All {bad.length}</a>
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </Card>
  );
}

function GotNothing({ turns }: { turns: Loaded<Turns> }) {
  return (
    <Card title="Messages that got nothing">
      <Shown loaded={turns}>
        {({ turns: bad }) => {
          const all = bad.filter((turn) => whyBad(turn) === "nothing");
          return (
            <>
              {all.length === 0 && <Empty>Every message of the last month found a skill.</Empty>}
              <ul>
                {all.slice(0, 6).map(({ message, session, turn, at }) => (
                  <li key={`${session} ${turn}`}>
                    <a href={address("playground", "", { m: message })}>{plain(message)}</a>{" "}
                    <span class="quiet">
                      <Ago at={at} />
                    </span>
                  </li>
                ))}
              </ul>
              {all.length > 6 && (
                <p>
                  <a href={address("sessions", "", { look: "bad", why: "nothing" })}>All {all.length}</a>
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </Card>
  );
}

function Ignored() {
  const stats = useLoad("stats", () => get<Stats>("/stats"), ["journal"]);
  return (
    <Card title="Shown but never activated">
      <Shown loaded={stats}>
        {({ skills }) => {
          const ignored = skills
            .filter(({ shown, activated }) => shown > 0 && activated === 0)
            .sort((one, other) => other.shown - one.shown);
          return (
            <>
              {ignored.length === 0 && <Empty>None.</Empty>}
              <ul>
                {ignored.slice(0, 6).map(({ name, shown }) => (
                  <li key={name}>
                    <SkillLink name={name} /> <span class="quiet">shown {count(shown, "time")}</span>
                  </li>
                ))}
              </ul>
              {ignored.length > 6 && (
                <p>
                  <a href={address("library", "", { view: "ignored" })}>All {ignored.length}</a>
                </p>
              )}
            </>
          );
        }}
      </Shown>
    </Card>
  );
}

function UpdatesCard() {
  const packages = useLoad("packages", () => get<Packages>("/packages"), ["library"]);
  const { known, isLooking, look } = useUpdates();
  return (
    <Card title="Updates">
      <Shown loaded={packages}>
        {({ packages: all }) =>
          all.length === 0 ? (
            <Empty>
              No skill came from elsewhere. <code>repertoire add owner/repository</code> brings some.
            </Empty>
          ) : (
            <>
              <p class="quiet">
                {count(all.length, "skill")} from elsewhere
                {known && (
                  <>
                    , looked for updates <Ago at={known.at} />
                  </>
                )}
                .
              </p>
              {known?.offers.length === 0 && <Empty>All were up to date.</Empty>}
              <ul>
                {known?.offers.map(({ name }) => (
                  <li key={name}>
                    <SkillLink name={name} /> <Tag kind="open">update</Tag>
                  </li>
                ))}
                {all
                  .filter(({ state }) => state !== "same")
                  .map(({ name, state }) => (
                    <li key={`${name} ${state}`}>
                      <SkillLink name={name} /> <Tag kind="notice">{state}</Tag>
                    </li>
                  ))}
              </ul>
              <button type="button" disabled={isLooking} onClick={look}>
                {isLooking ? "Looking …" : "Look for updates"}
              </button>
            </>
          )
        }
      </Shown>
    </Card>
  );
}

function HostsCard() {
  const hosts = useLoad("hosts", () => get<Hosts>("/hosts"), ["journal"]);
  return (
    <Card title="Hosts">
      <Shown loaded={hosts}>
        {({ hosts: all }) => {
          const here = all.filter(({ connected, installed, lastAt }) => connected || installed || lastAt);
          return here.length === 0 ? (
            <Empty>
              No host is connected. <code>repertoire setup claude-code</code> connects Claude Code.
            </Empty>
          ) : (
            <HostList hosts={here} />
          );
        }}
      </Shown>
    </Card>
  );
}

const MOST_NAMES = 10;

interface NamesOptions {
  readonly title: string;
  readonly names: readonly string[];
  readonly reasons?: ReadonlyMap<string, string | undefined>;
}

function Names({ title, names, reasons }: NamesOptions) {
  if (names.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {names.slice(0, MOST_NAMES).map((name) => (
          <li key={name}>
            <SkillLink name={name} />
            {reasons && <span class="quiet"> {plain(reasons.get(name) ?? "")}</span>}
          </li>
        ))}
        {names.length > MOST_NAMES && <li>and {names.length - MOST_NAMES} more</li>}
      </ul>
    </>
  );
}
