// The operations about the server itself: health, metrics, events, jobs.

import { resolve } from "node:path";
import * as z from "zod";
import type { FollowerState } from "../../../engine/engine.ts";
import { SKILL_STATES } from "../../../model/skill.ts";
import { hostReports } from "../../hooks/setup/installed.ts";
import { ApiError } from "../errors.ts";
import { EVENTS_TYPE } from "../events.ts";
import { type Gauge, METRICS_TYPE } from "../metrics.ts";
import { type Api, operation } from "./operation.ts";
import { JobSchema } from "./schemas.ts";

const text = z.string();
const jobParams = z.strictObject({ id: text.min(1).max(100) });

export const SERVER_OPERATIONS = [
  operation("get /health", {
    id: "health",
    summary:
      "Whether the server is up, and ready: the library is read and watched, the recall index up to date.",
    open: true,
    answer: z.looseObject({ ok: z.boolean(), version: text, ready: z.boolean() }),
    run: (_, { version, isReady }) => ({ ok: true, version, ready: isReady() }),
  }),
  operation("get /live", {
    id: "live",
    summary: "Whether the process answers. A supervisor restarts one that does not.",
    open: true,
    answer: z.strictObject({ live: z.literal(true) }),
    run: () => ({ live: true }),
  }),
  operation("get /ready", {
    id: "ready",
    summary:
      "Whether requests should come here: 503 until the library is read and the recall index up to date.",
    open: true,
    answer: z.strictObject({ ready: z.literal(true) }),
    refuses: [503],
    run(_, { isReady }) {
      if (isReady()) return { ready: true };
      throw new ApiError("not-ready", "The library is being read. Try again in a moment.");
    },
  }),
  operation("get /metrics", {
    id: "metrics",
    summary: "Metrics for Prometheus.",
    type: METRICS_TYPE,
    answer: text,
    run: async (_, api) => api.metrics.text(await gauges(api)),
  }),
  operation("get /api/server", {
    id: "describeServer",
    summary: "Which project is served, and whether the dashboard may change things.",
    answer: z.looseObject({ version: text, project: text, readOnly: z.boolean(), ready: z.boolean() }),
    run: (_, { version, engine, readOnly, isReady }) => ({
      ...{ version, readOnly, ready: isReady() },
      project: engine.config.dir,
    }),
  }),
  operation("get /api/hosts", {
    id: "listHosts",
    summary: "The hosts that can be set up: which are here, how each is connected, when it was last active.",
    answer: z.looseObject({
      hosts: z.array(
        z.looseObject({
          host: text,
          title: text,
          installed: z.boolean(),
          connected: z.boolean(),
          lastAt: z.int().optional().describe("When its hook last ran or a session of it was last active."),
          missing: z.array(text).describe("What would have to be done."),
        }),
      ),
    }),
    async run(_, { engine }) {
      const { home, dir } = engine.config;
      const places = { home: resolve(home), dir: resolve(dir), env: process.env, program: ["repertoire"] };
      const sessions = await engine.journal.sessions({ limit: HEARD_SESSIONS });
      const hosts = (await hostReports(places)).map(({ heardAt, ...report }) => {
        const inSession = sessions.find(({ host }) => host === report.host)?.lastAt;
        return { ...report, lastAt: Math.max(heardAt ?? 0, inSession ?? 0) || undefined };
      });
      return { hosts };
    },
  }),
  operation("get /api/events", {
    id: "streamEvents",
    summary:
      "Server-sent events: library, index, journal, proposal, job. Resumes from `Last-Event-ID`; `reset` says that events were missed.",
    type: EVENTS_TYPE,
    answer: text,
    run(_, { events }, { header, hangUp }) {
      const stream = events.subscribe({ lastSeen: header("last-event-id"), hangUp });
      if (stream) return stream;
      throw new ApiError("too-many-streams", "Too many event streams are open. Close one, then try again.");
    },
  }),
  operation("get /api/jobs", {
    id: "listJobs",
    summary: "The jobs that are running or have ended lately, newest first, without their results.",
    answer: z.looseObject({ jobs: z.array(JobSchema) }),
    run: (_, { jobs }) => ({ jobs: jobs.list() }),
  }),
  operation("get /api/jobs/{id}", {
    id: "showJob",
    summary: "One job: its state, its progress, and its result once it is done.",
    params: jobParams,
    answer: JobSchema,
    run: ({ params }, { jobs }) => jobs.get(params.id),
  }),
  operation("delete /api/jobs/{id}", {
    id: "cancelJob",
    summary: "Cancel a job; it ends at its next stopping point.",
    params: jobParams,
    answer: JobSchema,
    run: ({ params }, { jobs }) => jobs.cancel(params.id),
  }),
];

/** Sessions that are looked through for the last of each host. */
const HEARD_SESSIONS = 200;

async function gauges({ engine, events, jobs, startedAt, version }: Api): Promise<Gauge[]> {
  const { skills } = await engine.library.list();
  const index = (await engine.turns.indexing()).state();
  return [
    one("repertoire_info", "The version that runs.", 1, { version }),
    one("repertoire_uptime_seconds", "Since the server began.", (Date.now() - startedAt) / 1000),
    {
      name: "repertoire_skills",
      help: "Skills of the library by state.",
      values: SKILL_STATES.map((state) => ({
        labels: { state },
        value: skills.filter((skill) => skill.state === state).length,
      })),
    },
    one("repertoire_index_skills", "Skills in the recall index.", index.skills),
    one(
      "repertoire_index_scanned_timestamp_seconds",
      "When all sources were last scanned for the index; 0 for never.",
      index.scannedAt / 1000,
    ),
    counter("repertoire_events_total", "Events published.", events.counts.published),
    counter(
      "repertoire_events_dropped_readers_total",
      "Readers dropped for slowness.",
      events.counts.dropped,
    ),
    one("repertoire_event_streams", "Event streams that are open.", events.open),
    one("repertoire_jobs_running", "Jobs that are under way.", jobs.running),
    ...fleetGauges((await engine.fleet())?.state()),
  ];
}

/** Of a node that shares its library with others. */
function fleetGauges(state: FollowerState | undefined): Gauge[] {
  if (state === undefined) return [];
  const { isConnected, isSubscribed, seq, applied, failures, currentAt } = state;
  return [
    one("repertoire_fleet_connected", "Whether the shared database answers.", Number(isConnected)),
    one(
      "repertoire_fleet_subscribed",
      "Whether changes are announced; otherwise they are looked for.",
      Number(isSubscribed),
    ),
    one("repertoire_fleet_change", "The number of the last change that the node has.", seq),
    one(
      "repertoire_fleet_current_timestamp_seconds",
      "When the node last had all that the database had; 0 for never.",
      currentAt / 1000,
    ),
    counter("repertoire_fleet_skills_total", "Skills that were brought up to date from others.", applied),
    counter("repertoire_fleet_failures_total", "How often the shared database went away.", failures),
  ];
}

function one(name: string, help: string, value: number, labels: Record<string, string> = {}): Gauge {
  return { name, help, values: [{ value, labels }] };
}

function counter(name: string, help: string, value: number): Gauge {
  return { ...one(name, help, value), type: "counter" };
}
