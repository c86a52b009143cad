// One skill: what it says, what is in it, what was found, who agreed, how it did, how it came to be.

import { useState } from "preact/hooks";
import type {
  Evidence,
  History as HistoryAnswer,
  Sheet,
  SkillDetails,
  SkillRecalls,
  SkillStats,
  Trusted,
  Version,
} from "../answers.ts";
import { get, post, remove, skillPath, useLoad } from "../api.ts";
import { Neighbourhood, type Tie, Weeks } from "../charts.tsx";
import { Diff } from "../diff.tsx";
import { Markdown } from "../markdown.tsx";
import {
  Ago,
  attempt,
  Card,
  count,
  Empty,
  interval,
  Page,
  percent,
  plain,
  Shown,
  SkillLink,
  Tag,
  tell,
  VerdictTag,
} from "../pieces.tsx";
import { address } from "../route.ts";
import { tiesOf } from "../ties.ts";
import { useUpdates } from "../updates.ts";
import { Editor } from "./editor.tsx";
import { switchAll } from "./library.tsx";

interface Whole extends SkillDetails {
  readonly stats: SkillStats;
  readonly recalls: SkillRecalls;
  /** Absent for a skill that cannot be used now. */
  readonly sheet: Sheet | undefined;
  readonly isTrusted: boolean;
  readonly isPinned: boolean;
  readonly history: readonly Version[];
}

async function load(name: string): Promise<Whole> {
  const path = skillPath(name);
  const details = await get<SkillDetails>(path, { review: true });
  const { skill, versions } = details;
  const [stats, recalls, sheet, { trusted }, { versions: history }] = await Promise.all([
    get<SkillStats>(`${path}/stats`),
    get<SkillRecalls>(`${path}/recalls`),
    skill.state === "active" ? get<Sheet>(`${path}/sheet`) : undefined,
    get<Trusted>("/trust"),
    versions > 0
      ? get<HistoryAnswer>(`${path}/history`, { diff: true, limit: 50 })
      : { versions: [] as readonly Version[] },
  ]);
  const isTrusted = trusted.some(({ digest }) => digest === sheet?.digest);
  const isPinned = (skill.metadata as Record<string, unknown> | undefined)?.pinned === "true";
  return { ...details, stats, recalls, sheet, isTrusted, isPinned, history };
}

export function Skill({ name }: { name: string }) {
  const whole = useLoad(name, () => load(name), ["library", "journal"]);
  const skill = whole.data?.skill;
  const isOff = skill?.state === "disabled";
  const isLearned = (whole.data?.versions ?? 0) > 0;
  return (
    <Page
      title={plain(name)}
      about={
        skill && (
          <>
            {skill.state !== "active" && <Tag kind={skill.state}>{skill.state}</Tag>}{" "}
            {plain(skill.description)}
          </>
        )
      }
      actions={
        skill && (
          <>
            <button type="button" onClick={() => switchAll([name], isOff, whole.reload)}>
              {isOff ? "Enable" : "Disable"}
            </button>
            {isLearned && <Pin name={name} isPinned={whole.data?.isPinned === true} reload={whole.reload} />}
            <a
              class="button"
              href={address("playground", "", { m: skill.description.split(/(?<=\.)\s/)[0] ?? "" })}
            >
              Try it
            </a>
          </>
        )
      }
    >
      <Shown loaded={whole}>
        {(data) => (
          <div class="columns">
            <div>
              <Update name={data.skill.name} reload={whole.reload} />
              <Findings data={data} />
              <Instructions data={data} isLearned={isLearned} reload={whole.reload} />
              <Recalled data={data} />
              <Related data={data} />
              <History data={data} reload={whole.reload} />
            </div>
            <div>
              <Use data={data} />
              <Consent data={data} reload={whole.reload} />
              <Facts data={data} />
              <Messages stats={data.stats} />
            </div>
          </div>
        )}
      </Shown>
    </Page>
  );
}

function Pin({ name, isPinned, reload }: { name: string; isPinned: boolean; reload: () => void }) {
  const change = (on: boolean) =>
    attempt(async () => {
      await post(`${skillPath(name)}/${on ? "pin" : "unpin"}`);
      reload();
      tell(on ? "Pinned: only you may change it." : "Agents may change it again.", () => change(!on));
    });
  return (
    <button type="button" onClick={() => change(!isPinned)}>
      {isPinned ? "Unpin" : "Pin"}
    </button>
  );
}

function Findings({ data: { inspection, diagnostics, skill } }: { data: Whole }) {
  const findings = inspection?.findings ?? [];
  if (findings.length === 0 && diagnostics.length === 0) return null;
  return (
    <Card
      title={
        <>
          Findings <VerdictTag verdict={inspection?.verdict} />
        </>
      }
    >
      {skill.state === "active" &&
        (inspection?.verdict === "dangerous" || inspection?.verdict === "suspicious") && (
          <p>If you do not know where it comes from, disable it with the button above.</p>
        )}
      <ul class="findings">
        {findings.map(({ code, severity, path, line, excerpt, message, fix }, at) => (
          <li key={at}>
            <Tag kind={severity}>{severity}</Tag> <b>{message}</b>{" "}
            <span class="quiet">
              {path}
              {line !== undefined && `:${line}`} · {code}
            </span>
            <pre class="raw">{excerpt}</pre>
            <p>{fix}</p>
          </li>
        ))}
        {diagnostics.map(({ code, severity, line, message, fix }, at) => (
          <li key={`d${at}`}>
            <Tag kind={severity}>{severity}</Tag> <b>{message}</b>{" "}
            <span class="quiet">
              {line !== undefined && `line ${line} · `}
              {code}
            </span>
            <p>{fix}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface InstructionsOptions {
  readonly data: Whole;
  readonly isLearned: boolean;
  readonly reload: () => void;
}

function Instructions({ data: { skill }, isLearned, reload }: InstructionsOptions) {
  const [isEditing, setEditing] = useState(false);
  const [isRaw, setRaw] = useState(false);
  const body = skill.body ?? "";
  const canTry = skill.state === "active" || skill.state === "unavailable";
  return (
    <Card title={isEditing ? (isLearned ? "Edit" : "What if it said something else?") : "Instructions"}>
      {isEditing ? (
        <Editor
          name={skill.name}
          description={skill.description}
          body={body}
          canSave={isLearned}
          onDone={(isSaved) => {
            setEditing(false);
            if (isSaved) reload();
          }}
        />
      ) : (
        <>
          <div class="chips">
            <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
              Rendered
            </button>
            <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
              Source
            </button>
            {(isLearned || canTry) && (
              <button type="button" onClick={() => setEditing(true)}>
                {isLearned ? "Edit" : "What if …"}
              </button>
            )}
          </div>
          {body === "" ? (
            <Empty>It has no instructions.</Empty>
          ) : isRaw ? (
            <pre class="source">{plain(body)}</pre>
          ) : (
            <Markdown text={body} />
          )}
        </>
      )}
    </Card>
  );
}

function Update({ name, reload }: { name: string; reload: () => void }) {
  const { known, take } = useUpdates();
  const offer = known?.offers.find((each) => each.name === name);
  if (!offer) return null;
  const { sheet, refusal } = offer;
  return (
    <Card
      title={
        <>
          Update available <VerdictTag verdict={sheet?.verdict} />
        </>
      }
    >
      {refusal && <p>{plain(refusal.message)}</p>}
      {sheet && (
        <p>
          {count(sheet.files, "file")}, {count(sheet.bytes, "byte")},{" "}
          {sheet.scripts.length === 0 ? "no scripts" : `scripts ${sheet.scripts.map(plain).join(", ")}`},{" "}
          {sheet.findings.length === 0 ? "nothing found in it" : count(sheet.findings.length, "finding")}.
        </p>
      )}
      {sheet?.verdict === "dangerous" ? (
        <p class="quiet">It is dangerous, and is not taken from here.</p>
      ) : (
        <button
          type="button"
          class="main"
          disabled={!sheet}
          onClick={async () => {
            await take(offer);
            reload();
          }}
        >
          Take the update
        </button>
      )}
    </Card>
  );
}

/** Fields that the page shows elsewhere. */
const SHOWN_ELSEWHERE = [
  "name",
  "displayName",
  "declaredName",
  "description",
  "brief",
  "body",
  "digest",
  "directory",
  "state",
  "summary",
  "withheld",
];

/** What nearly every skill says. */
const DEFAULTS: Readonly<Record<string, unknown>> = { defaultEnabled: true, userInvocable: true };

function Facts({ data: { skill, files } }: { data: Whole }) {
  const fields = Object.entries(skill).filter(
    ([key, value]) => !SHOWN_ELSEWHERE.includes(key) && !isEmpty(value) && DEFAULTS[key] !== value,
  );
  return (
    <Card title="Front matter and files">
      <dl class="facts">
        {fields.map(([key, value]) => (
          <>
            <dt key={key}>{key}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </>
        ))}
      </dl>
      <details open={files.length <= 12}>
        <summary>{count(files.length, "file")}</summary>
        <ul class="paths">
          {files.map((file) => (
            <li key={file}>{plain(file)}</li>
          ))}
        </ul>
      </details>
    </Card>
  );
}

/** A value of the front matter: lists as lists, objects as lines, the rest as text. */
function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) return <>{value.map((each) => plain(textOf(each))).join(", ")}</>;
  if (typeof value !== "object" || value === null) return <>{plain(textOf(value))}</>;
  return (
    <>
      {Object.entries(value)
        .filter(([, inner]) => !isEmpty(inner))
        .map(([key, inner]) => (
          <span key={key} class="line wrap">
            <span class="quiet">{plain(key)}</span> {plain(textOf(inner))}
          </span>
        ))}
    </>
  );
}

const textOf = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

function Consent({
  data: { skill, sheet, isTrusted, inspection },
  reload,
}: {
  data: Whole;
  reload: () => void;
}) {
  if (!sheet) return null;
  const decide = () =>
    attempt(async () => {
      if (isTrusted) await remove(`/trust/${sheet.digest}`);
      else await post("/trust", { name: skill.name, digest: sheet.digest });
      reload();
      tell(isTrusted ? "Agents ask again before they use it." : "Trusted in this content, in every task.");
    });
  const lists = {
    scripts: sheet.scripts,
    toolsets: sheet.toolsets,
    "tools it asks for": sheet.requestedTools,
    "environment it reads": sheet.environment,
    addresses: sheet.addresses,
  };
  return (
    <Card title="Consent">
      <p>{isTrusted ? "You trust this content in every task." : "Agents ask before they use it."}</p>
      <dl class="facts">
        <dt>digest</dt>
        <dd class="digest" title={sheet.digest}>
          {sheet.digest.slice(0, 16)}…
        </dd>
        <dt>size</dt>
        <dd>
          {count(sheet.files, "file")}, {count(sheet.bytes, "byte")}
        </dd>
        {Object.entries(lists).map(
          ([title, list]) =>
            list.length > 0 && (
              <>
                <dt key={title}>{title}</dt>
                <dd>{list.map(plain).join(", ")}</dd>
              </>
            ),
        )}
      </dl>
      {inspection?.verdict === "dangerous" && !isTrusted ? (
        <p class="quiet">
          It is dangerous: read the findings first. <code>repertoire trust</code> can still agree to it.
        </p>
      ) : (
        <button type="button" onClick={decide}>
          {isTrusted ? "Stop trusting it" : "Trust this content"}
        </button>
      )}
    </Card>
  );
}

function Use({ data: { stats, history, skill } }: { data: Whole }) {
  const ended = stats.succeeded + stats.failed;
  const [low, high] = interval(stats.succeeded, ended);
  if (stats.shown + stats.activated + stats.recalled === 0)
    return (
      <Card title="Use">
        <Empty>
          It was never recalled yet. <a href={address("playground")}>Try a message</a>.
        </Empty>
      </Card>
    );
  return (
    <Card title="Use">
      <p>
        Recalled {stats.recalled}, shown {stats.shown}, activated {stats.activated}, succeeded{" "}
        {stats.succeeded}, failed {stats.failed}.{" "}
        {ended > 0 && `Going by that, it helps in ${percent(low)} to ${percent(high)} of the cases.`} Last
        used <Ago at={stats.lastUsedAt} />.
      </p>
      <Weeks weeks={stats.weeks} versions={history} />
      {stats.versions.some(({ deprioritised }) => deprioritised) && (
        <p>
          <Tag kind="warning">behind</Tag> It failed so often that recall puts it behind others.{" "}
          {skill.state === "active" && "Edit it, or disable it."}
        </p>
      )}
    </Card>
  );
}

const MOST_RECALLS = 12;

/** The messages that recalled it, and who else was recalled for them. */
function Recalled({
  data: {
    recalls: { recalls, rivals },
    skill,
  },
}: {
  data: Whole;
}) {
  if (recalls.length === 0) return null;
  return (
    <Card title="Messages that recalled it">
      {rivals.length > 0 && (
        <p>
          Nearest rivals:{" "}
          {rivals.slice(0, 5).map(({ name, together, ahead }, at) => (
            <span key={name}>
              {at > 0 && ", "}
              <SkillLink name={name} />{" "}
              <span class="quiet">
                ({count(together, "message")}
                {ahead > 0 && `, ahead in ${ahead}`})
              </span>
            </span>
          ))}
        </p>
      )}
      <table class="plain">
        <thead>
          <tr>
            <th>Message</th>
            <th class="number">Place</th>
            <th class="wide">Recalled with it</th>
            <th class="wide">When</th>
          </tr>
        </thead>
        <tbody>
          {recalls.slice(0, MOST_RECALLS).map(({ session, turn, at, message, rank, recalled, used }) => (
            <tr key={`${session} ${turn}`}>
              <td>
                {message === undefined ? (
                  <a href={address("sessions", session, { turn: String(turn) })}>not recorded</a>
                ) : (
                  <a href={address("playground", "", { m: message })}>{plain(message)}</a>
                )}{" "}
                {used && <Tag kind="activated">used</Tag>}
              </td>
              <td class="number">{rank}</td>
              <td class="wide">
                {recalled.filter((name) => name !== skill.name).join(", ") || (
                  <span class="quiet">nothing</span>
                )}
              </td>
              <td class="wide">
                <a href={address("sessions", session, { turn: String(turn) })}>
                  <Ago at={at} />
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {recalls.length > MOST_RECALLS && <p class="quiet">and {recalls.length - MOST_RECALLS} more</p>}
    </Card>
  );
}

function Messages({ stats }: { stats: SkillStats }) {
  if (stats.messages.length === 0) return null;
  return (
    <Card title="Messages that recall learned from">
      <ul>
        {stats.messages.slice(0, 20).map(({ text, weight, at }) => (
          <li key={`${text}${at}`}>
            <a href={address("playground", "", { m: text })}>{plain(text)}</a>{" "}
            <span class="quiet">
              {weight < 0 ? "against it" : "for it"}, <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const TIES: Readonly<Record<Tie["kind"], string>> = {
  overlap: "says nearly the same",
  "see also": "see also",
  family: "family",
  together: "used in the same sessions",
  rival: "recalled for the same messages",
};

function Related({ data }: { data: Whole }) {
  const { name } = data.skill;
  const evidence = useLoad("evidence", () => get<Evidence>("/dream/report"), ["library"]);
  const ties = tiesOf(name, { ...data, details: data, evidence: evidence.data });
  if (ties.length === 0)
    return (
      <Card title="Relations">
        <Empty>
          {evidence.data ? "Nothing overlaps with it, and nothing is used with it." : "Loading …"}
        </Empty>
      </Card>
    );
  return (
    <Card title="Relations">
      <div class="beside">
        <ul>
          {ties.slice(0, MOST_RECALLS).map(({ b, kind }) => (
            <li key={`${kind} ${b}`}>
              <SkillLink name={b} /> <span class="quiet">{TIES[kind]}</span>
            </li>
          ))}
        </ul>
        <Neighbourhood ties={ties} of={name} />
      </div>
    </Card>
  );
}

function History({ data: { history, skill }, reload }: { data: Whole; reload: () => void }) {
  if (history.length === 0)
    return (
      <Card title="History">
        <Empty>
          No versions are kept of it: the file belongs to its source. <code>repertoire save</code> keeps
          versions.
        </Empty>
      </Card>
    );
  const restore = (version: Version) =>
    attempt(async () => {
      await post(`${skillPath(skill.name)}/restore`, { version: version.id });
      reload();
      tell("The version was restored.", () =>
        attempt(async () => {
          await post("/undo", { target: skill.name });
          reload();
        }),
      );
    });
  return (
    <Card title="History">
      <ol class="versions">
        {history.map((version, at) => (
          <li key={version.id}>
            <b>{version.action}</b> by {version.author} <Ago at={version.at} />{" "}
            {version.reason && <span class="quiet">{version.reason}</span>}
            {at > 0 && (
              <button type="button" onClick={() => restore(version)}>
                Restore
              </button>
            )}
            {version.diff && (
              <details>
                <summary>Changes</summary>
                <Diff text={version.diff} />
              </details>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
