// One skill: what it says, what is in it, what was found, who agreed, how it did, how it came to be.

import { useState } from "preact/hooks";
import type { Sheet, SkillDetails, SkillStats, Version } from "../answers.ts";
import { get, post, put, remove, skillPath, useLoad } from "../api.ts";
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
import { switchAll } from "./library.tsx";

interface Whole extends SkillDetails {
  readonly stats: SkillStats;
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
  const [stats, sheet, { trusted }, { versions: history }] = await Promise.all([
    get<SkillStats>(`${path}/stats`),
    skill.state === "active" ? get<Sheet>(`${path}/sheet`) : undefined,
    get<{ trusted: readonly { digest: string }[] }>("/trust"),
    versions > 0
      ? get<{ versions: readonly Version[] }>(`${path}/history`, { diff: true, limit: 50 })
      : { versions: [] },
  ]);
  const isTrusted = trusted.some(({ digest }) => digest === sheet?.digest);
  const isPinned = (skill.metadata as Record<string, unknown> | undefined)?.pinned === "true";
  return { ...details, stats, sheet, isTrusted, isPinned, history };
}

export function Skill({ name }: { name: string }) {
  const whole = useLoad(name, () => load(name), ["library", "journal"]);
  const skill = whole.data?.skill;
  const isOff = skill?.state === "disabled";
  const isLearned = (whole.data?.versions ?? 0) > 0;
  return (
    <Page
      title={plain(name)}
      about={skill && plain(skill.description)}
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
              <Findings data={data} />
              <Instructions data={data} isLearned={isLearned} reload={whole.reload} />
              <History data={data} reload={whole.reload} />
            </div>
            <div>
              <Facts data={data} />
              <Consent data={data} reload={whole.reload} />
              <Use stats={data.stats} />
              <Messages stats={data.stats} />
              <Related data={data} />
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
      {skill.state === "active" &&
        (inspection?.verdict === "dangerous" || inspection?.verdict === "suspicious") && (
          <p>If you do not know where it comes from, disable it with the button above.</p>
        )}
    </Card>
  );
}

function Instructions({
  data: { skill },
  isLearned,
  reload,
}: {
  data: Whole;
  isLearned: boolean;
  reload: () => void;
}) {
  const [draft, setDraft] = useState<string>();
  const [isRaw, setRaw] = useState(false);
  const body = skill.body ?? "";
  const save = () =>
    attempt(async () => {
      await put(skillPath(skill.name), {
        content: draft,
        description: skill.description,
        reason: "edited in the dashboard",
      });
      setDraft(undefined);
      reload();
      tell(`${skill.name} was saved as a new version.`, () =>
        attempt(async () => {
          await post("/undo", { target: skill.name });
          reload();
        }),
      );
    });
  return (
    <Card title="Instructions">
      {draft === undefined ? (
        <>
          <div class="chips">
            <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
              Rendered
            </button>
            <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
              Source
            </button>
            {isLearned && (
              <button type="button" onClick={() => setDraft(body)}>
                Edit
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
      ) : (
        <>
          <label class="unseen" for="draft">
            Instructions
          </label>
          <textarea
            id="draft"
            rows={18}
            value={draft}
            onInput={({ currentTarget }) => setDraft(currentTarget.value)}
          />
          <div class="tools">
            <button
              type="button"
              class="main"
              disabled={draft.trim() === "" || draft === body}
              onClick={save}
            >
              Save a new version
            </button>
            <button type="button" onClick={() => setDraft(undefined)}>
              Cancel
            </button>
          </div>
        </>
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
  "withheld",
];

function Facts({ data: { skill, files } }: { data: Whole }) {
  const fields = Object.entries(skill).filter(
    ([key, value]) => !SHOWN_ELSEWHERE.includes(key) && !isEmpty(value),
  );
  return (
    <Card title="Front matter and files">
      <dl class="facts">
        {fields.map(([key, value]) => (
          <>
            <dt key={key}>{key}</dt>
            <dd>{plain(typeof value === "string" ? value : JSON.stringify(value))}</dd>
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

function Use({ stats }: { stats: SkillStats }) {
  const ended = stats.succeeded + stats.failed;
  const [low, high] = interval(stats.succeeded, ended);
  const most = Math.max(1, ...stats.trend);
  if (stats.shown + stats.activated + stats.recalled === 0)
    return (
      <Card title="Use">
        <Empty>It was never recalled yet. Try a message in the playground.</Empty>
      </Card>
    );
  return (
    <Card title="Use">
      <p>
        Recalled {stats.recalled}, shown {stats.shown}, activated {stats.activated}, succeeded{" "}
        {stats.succeeded}, failed {stats.failed}.{" "}
        {ended > 0 && `It helps in ${percent(low)} to ${percent(high)} of the cases.`} Last used{" "}
        <Ago at={stats.lastUsedAt} />.
      </p>
      <div class="trend" role="img" aria-label={`Activations a week: ${stats.trend.join(", ")}`}>
        {stats.trend.map((value, at) => (
          <i key={at} style={{ height: `${(value / most) * 100}%` }} title={String(value)} />
        ))}
      </div>
      <p class="quiet">Activations a week, this week last.</p>
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

function Related({ data: { subSkills, stats, skill } }: { data: Whole }) {
  const seeAlso = Array.isArray(skill.seeAlso) ? (skill.seeAlso as string[]) : [];
  if (subSkills.length + stats.companions.length + seeAlso.length === 0) return null;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["Children", subSkills],
    ["See also", seeAlso],
    ["Used in the same sessions", stats.companions.map(({ name }) => name)],
  ];
  return (
    <Card title="Relations">
      {lists.map(
        ([title, names]) =>
          names.length > 0 && (
            <div key={title}>
              <h3>{title}</h3>
              <ul>
                {names.map((one) => (
                  <li key={one}>
                    <SkillLink name={one} />
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </Card>
  );
}

function History({ data: { history, skill }, reload }: { data: Whole; reload: () => void }) {
  if (history.length === 0)
    return (
      <Card title="History">
        <Empty>
          It is a file of its source, which keeps no versions here. Skills that are saved with{" "}
          <code>repertoire save</code> do.
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
