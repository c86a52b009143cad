// Health: what `repertoire doctor` says, with the hosts; what is safe can be mended from here.

import type { Doctor, Host } from "../answers.ts";
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
  const health = useLoad("health", async () => {
    const [doctor, { hosts }] = await Promise.all([
      get<Doctor>("/doctor"),
      get<{ hosts: readonly Host[] }>("/hosts"),
    ]);
    return { doctor, hosts };
  }, ["library", "index"]);
  const index = () =>
    attempt(async () => {
      await post("/index?wait=60");
      health.reload();
      tell("All sources were scanned, and the recall index is up to date.");
    });
  const tidy = () =>
    attempt(async () => {
      const { removed } = await post<{ removed: readonly { items: number; bytes: number }[] }>("/tidy");
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
      <Shown loaded={health}>
        {({ doctor, hosts }) => (
          <>
            <Findings doctor={doctor} />
            <div class="cards">
              <Hosts hosts={hosts} />
              <Facts doctor={doctor} />
            </div>
            <Sources doctor={doctor} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Findings({ doctor: { diagnostics, inspection } }: { doctor: Doctor }) {
  const sorted = [...diagnostics].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <Card title={diagnostics.length + inspection.worrying.length === 0 ? "All is well" : "Findings"}>
      {diagnostics.length + inspection.worrying.length === 0 && (
        <Empty>Nothing is broken, nothing looks dangerous.</Empty>
      )}
      <ul class="findings">
        {inspection.worrying.map(({ name, verdict, rules }) => (
          <li key={name}>
            <VerdictTag verdict={verdict} /> <SkillLink name={name} />{" "}
            <span class="quiet">{rules.join(", ")}</span>
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
      {sorted.length > 100 && <p class="quiet">{sorted.length - 100} more: repertoire doctor.</p>}
    </Card>
  );
}

function Hosts({ hosts }: { hosts: readonly Host[] }) {
  const isHere = ({ installed, connected, lastAt }: Host) => installed || connected || lastAt !== undefined;
  const others = hosts.filter((host) => !isHere(host));
  return (
    <Card title="Hosts">
      <ul>
        {hosts.filter(isHere).map(({ host, title, connected, lastAt, missing }) => (
          <li key={host}>
            <b>{title}</b>{" "}
            <Tag kind={connected ? "success" : "hidden"}>{connected ? "connected" : "not connected"}</Tag>{" "}
            last heard <Ago at={lastAt} />
            {missing.map((line) => (
              <p key={line} class="quiet">
                {line}
              </p>
            ))}
          </li>
        ))}
      </ul>
      <p class="quiet">
        Not on this machine: {others.map(({ title }) => title).join(", ") || "none"}.{" "}
        <code>repertoire setup</code> connects those that are.
      </p>
    </Card>
  );
}

function Facts({ doctor: { node, config, cache, project, counts } }: { doctor: Doctor }) {
  return (
    <Card title="This machine">
      <dl class="facts">
        <dt>Node</dt>
        <dd>{node}</dd>
        <dt>Project</dt>
        <dd>
          {plain(project.folder)} {!project.shown && "(its skills are not shown: the host does not trust it)"}
        </dd>
        <dt>Configuration</dt>
        <dd>{config.length === 0 ? "none" : config.map(plain).join(", ")}</dd>
        <dt>Cache</dt>
        <dd>{cache ?? "off"}</dd>
        <dt>Skills</dt>
        <dd>
          {Object.entries(counts)
            .filter(([, number]) => number > 0)
            .map(([state, number]) => `${number} ${state}`)
            .join(", ") || "none"}
        </dd>
      </dl>
    </Card>
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
            <th class="number">Skills</th>
          </tr>
        </thead>
        <tbody>
          {sources
            .filter(({ exists }) => exists)
            .map(({ id, root, skills }) => (
              <tr key={id}>
                <td>{id}</td>
                <td class="path">{plain(root)}</td>
                <td class="number">{skills}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Card>
  );
}
