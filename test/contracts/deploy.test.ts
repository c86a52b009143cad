// The files in `deploy/` can be read by what they are for, and name only flags, addresses and services that exist.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { SERVE_VERBS } from "../../src/adapters/cli/commands/serve.ts";
import { SERVER_OPERATIONS } from "../../src/adapters/http/api/server.ts";

const FLAGS = SERVE_VERBS.find(({ use }) => use === "serve")!.options!.map(([flag]) => flag.split(" ")[0]);
const PATHS = SERVER_OPERATIONS.filter(({ open }) => open).map(({ path }) => path);
const file = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
const flagsIn = (args: readonly string[]) => args.filter((arg) => arg.startsWith("--"));

// biome-ignore lint/suspicious/noExplicitAny: what a file of ours says is looked at by name.
type Parsed = any;

/** The sections of a unit file: each key with its values, in order. */
function unitFile(text: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const name = /^\[(?<name>[A-Z][A-Za-z]+)\]$/.exec(line)?.groups?.name;
    if (name !== undefined) {
      section = sections[name] ??= {};
      continue;
    }
    const pair = /^(?<key>[A-Z][A-Za-z]+)=(?<value>.*)$/.exec(line)?.groups;
    if (!pair || !section) throw new Error(`line ${at + 1} is not of a unit file: ${line}`);
    section[pair.key!] = [...(section[pair.key!] ?? []), pair.value!];
  }
  return sections;
}

describe("the compose file", () => {
  const { services, volumes, secrets } = parse(file("compose.yaml"), { merge: true }) as Parsed;

  it("names services, volumes and secrets that it has", () => {
    for (const row of Object.values<Parsed>(services)) {
      const { depends_on: needed = {}, volumes: mounts = [], secrets: given = [] } = row;
      for (const secret of given) expect(Object.keys(secrets)).toContain(secret);
      for (const service of Object.keys(needed)) {
        expect(Object.keys(services)).toContain(service);
        expect(services[service].healthcheck).toBeDefined();
      }
      const named = mounts
        .map((mount: string) => mount.split(":")[0])
        .filter((from: string) => !/^[./]/.test(from));
      for (const from of named) expect(Object.keys(volumes)).toContain(from);
    }
  });

  it("starts nodes with flags and asks for paths that the server has", () => {
    for (const name of ["node-a", "node-b"]) {
      const { command, healthcheck, environment } = services[name];
      expect(FLAGS).toEqual(expect.arrayContaining(flagsIn(command)));
      const [, path] = /:7431(\/\w+)/.exec(healthcheck.test.join(" "))!;
      expect(PATHS).toContain(path);
      expect(environment.REPERTOIRE_DATABASE_URL).toMatch(/^postgres:\/\/.*@database:5432\//);
    }
  });

  it("sends requests to nodes that it starts, by names that they answer to", () => {
    const servers = [...file("haproxy.cfg").matchAll(/^\s+server \w+ (?<name>[\w-]+):(?<port>\d+)/gm)];
    expect(servers.length).toBeGreaterThan(0);
    for (const { groups } of servers) {
      expect(Object.keys(services)).toContain(groups!.name);
      expect(services[groups!.name!].command).toContain(`${groups!.name}:${groups!.port}`);
    }
    const [, path] = /httpchk GET (\/\w+)/.exec(file("haproxy.cfg"))!;
    expect(PATHS).toContain(path);
  });
});

describe("the Kubernetes manifest", () => {
  const documents = parseAllDocuments(file("kubernetes.yaml"), { strict: true });
  const [deployment, service, budget] = documents.map((document) => document.toJS() as Parsed);

  it("is three objects without an error, which mean the same pods", () => {
    expect(documents.flatMap((document) => [...document.errors, ...document.warnings])).toEqual([]);
    expect([deployment.kind, service.kind, budget.kind]).toEqual([
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });

  it("asks for paths that the server has, and mounts volumes that it has", () => {
    const { containers, volumes } = deployment.spec.template.spec;
    const [node] = containers;
    expect(FLAGS).toEqual(expect.arrayContaining(flagsIn(node.args)));
    const probes = [node.livenessProbe, node.readinessProbe, node.startupProbe].map(({ httpGet }) => httpGet);
    expect(probes.map(({ path }) => path)).toEqual(["/live", "/ready", "/ready"]);
    for (const { path, port } of probes) {
      expect(PATHS).toContain(path);
      expect(node.ports.map(({ name }: Parsed) => name)).toContain(port);
    }
    const known = volumes.map(({ name }: Parsed) => name);
    for (const { name } of node.volumeMounts) expect(known).toContain(name);
    // A server that stops finishes its requests first.
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(30);
  });
});

describe("the systemd unit", () => {
  it("starts a node, and again if it ends", () => {
    const { Unit, Service, Install } = unitFile(file("repertoire.service"));
    expect([Unit, Install].every((section) => section !== undefined)).toBe(true);
    const [, program, verb, ...args] = Service!.ExecStart![0]!.split(" ");
    expect([program, verb]).toEqual(["repertoire", "serve"]);
    expect(FLAGS).toEqual(expect.arrayContaining(flagsIn(args)));
    expect(Service!.Restart).toEqual(["always"]);
    // The home folder is the one that systemd makes for it.
    expect(Service!.Environment).toContain(`REPERTOIRE_HOME=/var/lib/${Service!.StateDirectory}`);
  });

  it("is accepted by systemd where there is one", () => {
    if (spawnSync("systemd-analyze", ["--version"]).status !== 0) return;
    const path = new URL("../../deploy/repertoire.service", import.meta.url).pathname;
    expect(execFileSync("systemd-analyze", ["verify", path], { encoding: "utf8", stdio: "pipe" })).toBe("");
  });
});
