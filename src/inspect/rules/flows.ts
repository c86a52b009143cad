// Turns flows into findings: what reaches a server or is run, and how bad that is.

import { excerptOf } from "../excerpt.ts";
import type { Flow } from "../flow.ts";
import type { FindingSeverity, RuleFinding } from "../types.ts";
import { belongsTo, isOwnHost } from "./hosts.ts";

interface FlowRule {
  readonly code: string;
  readonly kind: Flow["origins"][number]["kind"];
  readonly sinks: readonly Flow["sink"]["kind"][];
  readonly why: string;
  /** Whether it is usual towards the service that the skill is written for, which its text names. */
  readonly own?: boolean;
  readonly grade: (flow: Flow) => FindingSeverity | undefined;
}

const SENT = ["send", "dns"] as const;
/** A request that exchanges a secret for a session. */
const SIGNS_IN = /\/(?:oauth2?|token|login|auth|signin|sessions?|connect)\b(?!-)|grant_type|client_secret/i;
const REPLACE = "Do not install the skill, and if it ever ran, replace the credentials it could reach.";

/** Lines within which secrets are read to be put together. */
const NEAR = 12;

/** By where the data goes: to a service of the user, to an address that depends on input, to any other host, to a bad one. */
const by =
  (vendor: FindingSeverity, unknown: FindingSeverity, plain: FindingSeverity, shady: FindingSeverity) =>
  ({ destination, sink }: Flow): FindingSeverity | undefined =>
    sink.kind === "dns"
      ? "high"
      : destination === "local"
        ? undefined
        : { vendor, unknown, plain, shady }[destination];

const FLOW_RULES: readonly FlowRule[] = [
  {
    code: "flow-credentials-sent",
    kind: "credentials",
    sinks: SENT,
    why: "Reads stored credentials and sends them to a server.",
    grade: by("low", "medium", "high", "high"),
  },
  {
    code: "flow-environment-sent",
    kind: "environment",
    sinks: SENT,
    why: "Sends all environment variables, including keys, to a server.",
    grade: by("medium", "medium", "high", "high"),
  },
  {
    code: "flow-files-sent",
    own: true,
    kind: "sensitive",
    sinks: SENT,
    why: "Reads a file that often holds secrets and sends it to a server.",
    grade: by("low", "low", "high", "high"),
  },
  {
    code: "flow-secret-sent",
    own: true,
    kind: "secret",
    sinks: SENT,
    why: "Sends a secret in the body or address of a request to a server that it does not belong to.",
    grade: (flow) => {
      const secrets = new Set(flow.origins.filter(({ kind }) => kind === "secret").map(({ text }) => text));
      const foreign = [...secrets].filter((secret) => !belongsTo(secret, flow.hosts));
      if (foreign.length === 0 || (flow.destination !== "shady" && SIGNS_IN.test(flow.statement.code)))
        return undefined;
      const severity = by("low", "low", "medium", "high")(flow);
      return severity === "medium" && foreign.length > 1 ? "high" : severity;
    },
  },
  {
    code: "flow-personal-sent",
    kind: "personal",
    sinks: SENT,
    why: "Sends the clipboard, the screen, the history or documents of the user to a server.",
    grade: by("low", "low", "medium", "high"),
  },
  {
    code: "flow-agent-sent",
    own: true,
    kind: "agent",
    sinks: SENT,
    why: "Sends the agent's memory, settings or conversations to a server.",
    grade: (flow) =>
      // A variable of this name is what most programs call the text that they send to a model.
      flow.origins.every(({ kind, text }) => kind !== "agent" || /^[a-z_]+$/.test(text))
        ? by("low", "low", "low", "high")(flow)
        : by("low", "low", "high", "high")(flow),
  },
  {
    code: "flow-machine-sent",
    kind: "machine",
    sinks: SENT,
    why: "Tells a server the name of this machine or its user.",
    grade: (flow) => (flow.sink.kind === "dns" ? "medium" : by("low", "low", "low", "medium")(flow)),
  },
  {
    code: "flow-secrets-packed",
    kind: "environment",
    sinks: ["pack"],
    why: "Packs all environment variables, including keys, into one text.",
    grade: ({ origins, statement }) =>
      origins.some(({ kind, line }) => kind === "environment" && line === statement.line) ? "medium" : "low",
  },
  {
    code: "flow-secrets-packed",
    kind: "secret",
    sinks: ["pack"],
    why: "Packs secrets of several services into one text.",
    grade: ({ origins, statement }) => {
      const secrets = origins.filter(({ kind }) => kind === "secret");
      const owners = new Set(secrets.map(({ text }) => text.split("_")[0]));
      if (owners.size < 2) return undefined;
      const near = secrets.every(({ line }) => Math.abs(line - statement.line) < NEAR);
      return near || owners.size > 2 ? "medium" : "low";
    },
  },
  {
    code: "flow-remote-run",
    kind: "remote",
    sinks: ["run"],
    why: "Runs what a server answers: it can change after the skill was read.",
    grade: (flow) => {
      if (flow.destination === "local") return undefined;
      // An index that the program wrote itself.
      if (/\b(?:pickle|dill)\.load\(/.test(flow.statement.code)) return by("low", "low", "low", "high")(flow);
      if (flow.sink.text) return by("medium", "medium", "high", "high")(flow);
      return by("low", "low", "medium", "high")(flow);
    },
  },
];

/** The findings for the flows of a package. */
export function flowFindings(flows: readonly Flow[], told: string): RuleFinding[] {
  return flows.flatMap((found) =>
    FLOW_RULES.flatMap((rule) => {
      const flow =
        rule.own &&
        found.destination === "plain" &&
        isOwnHost(found.hosts.map((host) => `https://${host}`).join(" "), told)
          ? { ...found, destination: "vendor" as const }
          : found;
      const origin = flow.origins.find(({ kind }) => kind === rule.kind);
      if (!origin || !rule.sinks.includes(flow.sink.kind)) return [];
      const severity = rule.grade(flow);
      if (severity === undefined) return [];
      return [findingOf(rule, flow, origin, flow.program.described ? "low" : severity)];
    }),
  );
}

function findingOf(
  rule: FlowRule,
  flow: Flow,
  origin: Flow["origins"][number],
  severity: FindingSeverity,
): RuleFinding {
  const { path } = flow.program;
  const { line, code } = flow.statement;
  const place = origin.path === path ? `line ${origin.line}` : `${origin.path}:${origin.line}`;
  return {
    code: rule.code,
    severity,
    path,
    line,
    excerpt: excerptOf(code),
    message: `${rule.why} ${origin.line === line && origin.path === path ? "" : `Read at ${place}. `}`.trim(),
    fix: rule.kind === "remote" ? "Put the code into the package, or pin its checksum." : REPLACE,
  };
}
