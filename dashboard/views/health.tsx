// Health: what `repertoire doctor` says, with the hosts; what is safe can be repaired from here.

import type {
  Check,
  Doctor,
  Host,
  Hosts as HostAnswer,
  Listed,
  ListedSkill,
  Mended,
  Tidied,
} from "../answers.ts";
import { get, post, useLoad } from "../api.ts";
import {
  Ago,
  attempt,
  Card,
  count,
  Empty,
  Page,
  plain,
  Shown,
  SkillLink,
  Tag,
  tell,
  VerdictTag,
} from "../pieces.tsx";

const ORDER = ["error", "warning", "info"];

export function Health() {
  const doctor = useLoad("doctor", () => get<Doctor>("/doctor"), ["library", "index"]);
  const hosts = useLoad("hosts", () => get<HostAnswer>("/hosts"));
  const index = () =>
    attempt(async () => {
      await post("/index?wait=60");
      doctor.reload();
      tell("All sources were scanned, and the recall index is up to date.");
    });
  const tidy = () =>
    attempt(async () => {
      const { removed } = await post<Tidied>("/tidy");
      const items = removed.reduce((sum, one) => sum + one.items, 0);
      tell(`${count(items, "thing")} removed that your settings keep no longer.`);
    });
  return (
    <Page
      title="Health"
      actions={
        <>
          <button type="button" onClick={index}>
            Scan and index again
          </button>
          <button type="button" onClick={tidy}>
            Tidy
          </button>
        </>
      }
    >
      <div class="halves">
        <Card title="Checks">
          <Shown loaded={doctor}>{({ checks }) => <Checks checks={checks} reload={doctor.reload} />}</Shown>
        </Card>
        <Card title="Hosts">
          <Shown loaded={hosts}>{({ hosts: all }) => <Hosts hosts={all} />}</Shown>
        </Card>
      </div>
      <Shown loaded={doctor}>
        {(data) => (
          <>
            <Findings doctor={data} />
            <Sources doctor={data} />
          </>
        )}
      </Shown>
    </Page>
  );
}

/** The tag of each level, by the name of its colour. */
const COLOURS = { ok: "success", note: "hidden", warning: "warning", error: "error" } as const;

function Checks({ checks, reload }: { checks: readonly Check[]; reload: () => void }) {
  const open = checks.filter(({ canFix, fixed }) => canFix && fixed === undefined);
  const fix = () =>
    attempt(async () => {
      const { checks: now } = await post<Mended>("/doctor");
      const done = now.flatMap(({ fixed }) => fixed ?? []);
      reload();
      tell(done.length === 0 ? "There was nothing left to fix." : done.join(". "));
    });
  return (
    <>
      <dl class="facts checks">
        {checks.map(({ check, level, message, fix: next, canFix }, at) => (
          <>
            <dt key={`${check}${at}`}>
              <Tag kind={COLOURS[level]}>{level}</Tag> {check}
            </dt>
            <dd>
              {plain(message)}
              {next !== undefined && level !== "ok" && (
                <p class="quiet">
                  {canFix
                    ? "Can be fixed from here, or: "
                    : level === "note"
                      ? "To change it: "
                      : "To fix it: "}
                  {plain(next)}
                </p>
              )}
            </dd>
          </>
        ))}
      </dl>
      {open.length > 0 && (
        <button type="button" class="main" onClick={fix}>
          Fix what is safe ({open.length})
        </button>
      )}
    </>
  );
}

/** The folders of the skills that are switched off. */
export const disabledFolders = (skills: readonly ListedSkill[]): ReadonlySet<string> =>
  new Set(
    skills.filter(({ state }) => state === "disabled").map(({ path }) => path.replace(/[\\/][^\\/]*$/, "")),
  );

function Findings({ doctor: { diagnostics, inspection } }: { doctor: Doctor }) {
  const listed = useLoad("states", () => get<Listed>("/skills", { brief: true }), ["library"]);
  const off = disabledFolders(listed.data?.skills ?? []);
  const sorted = [...diagnostics].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const isFine = diagnostics.length + inspection.worrying.length === 0;
  return (
    <Card title={isFine ? "No findings in skills" : "Findings in skills"}>
      {isFine && <Empty>Nothing is broken, nothing looks dangerous.</Empty>}
      <ul class="findings">
        {inspection.worrying.map(({ name, path, verdict, gravest, rules }) => (
          <li key={path}>
            <VerdictTag verdict={verdict} /> <SkillLink name={name} />{" "}
            {off.has(path) && <Tag kind="disabled">disabled</Tag>} {gravest}{" "}
            <span class="quiet">{rules.join(", ") || "It was not inspected whole."}</span>
          </li>
        ))}
        {sorted.slice(0, 100).map(({ code, severity, path, line, message, fix }, at) => (
          <li key={at}>
            <Tag kind={severity}>{severity}</Tag> <b>{plain(message)}</b>
            <p>{plain(fix)}</p>
            <p class="quiet path">
              {plain(path)}
              {line !== undefined && `:${line}`} · {code}
            </p>
          </li>
        ))}
      </ul>
      {sorted.length > 100 && <p class="quiet">{sorted.length - 100} more: repertoire doctor --all.</p>}
    </Card>
  );
}

const isHere = ({ installed, connected, lastAt }: Host) => installed || connected || lastAt !== undefined;

function Hosts({ hosts }: { hosts: readonly Host[] }) {
  const others = hosts.filter((host) => !isHere(host));
  return (
    <>
      <HostList hosts={hosts.filter(isHere)} />
      <p class="quiet">
        Not on this machine: {others.map(({ title }) => title).join(", ") || "none"}.{" "}
        <code>repertoire setup</code> connects those that are.
      </p>
    </>
  );
}

/** Whether each host is connected, when it was last active, and what is missing. */
export function HostList({ hosts }: { hosts: readonly Host[] }) {
  return (
    <ul class="findings">
      {hosts.map(({ host, title, connected, lastAt, missing }) => (
        <li key={host}>
          <b>{title}</b>{" "}
          <Tag kind={connected ? "success" : "warning"}>{connected ? "connected" : "not connected"}</Tag>{" "}
          {lastAt !== undefined && (
            <span class="quiet">
              last active <Ago at={lastAt} />
            </span>
          )}
          {missing.map((line) => {
            const [what = "", command] = line.split(/: (?=repertoire )/);
            return (
              <p key={line} class="quiet">
                {plain(what)}
                {command !== undefined && ": "}
                {command !== undefined && <code>{plain(command)}</code>}
              </p>
            );
          })}
          {missing.length === 0 && !connected && (
            <p class="quiet">
              <code>repertoire setup {host}</code> connects it.
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Sources({ doctor: { sources } }: { doctor: Doctor }) {
  return (
    <Card title="Sources, lowest precedence first">
      <table class="plain">
        <thead>
          <tr>
            <th>Source</th>
            <th>Folder</th>
            <th class="wide">Agents that read it themselves</th>
            <th class="number">Skills</th>
          </tr>
        </thead>
        <tbody>
          {sources
            .filter(({ exists }) => exists)
            .map(({ id, root, agents, skills }) => (
              <tr key={id}>
                <td>{id}</td>
                <td class="path">{plain(root)}</td>
                <td class="wide">{agents.join(", ") || <span class="quiet">nobody</span>}</td>
                <td class="number">{skills}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Card>
  );
}
