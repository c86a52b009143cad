// Makes a real HTTP server on a real port over a project of its own, for tests; and calls its operations, each answer
// held against the schema that the API promises.

import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { OPERATIONS } from "../src/adapters/http/api/operations.ts";
import { ErrorSchema, JobSchema } from "../src/adapters/http/api/schemas.ts";
import { tokenAt } from "../src/adapters/http/gate.ts";
import type { HttpLimits } from "../src/adapters/http/limits.ts";
import { type ServeOptions, serveOverHttp } from "../src/adapters/http/serve.ts";
import { openRepertoire } from "../src/engine/engine.ts";
import { dreamWorkshop, type SeedSession, type SeedSkill, seeded } from "./dream-history.ts";
import { skillText, temporaryTree } from "./skill-tree.ts";

export interface Given {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** The status to expect; that of success unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose schema was checked.
type Answer = any;

export interface ServedOptions {
  readonly files?: Readonly<Record<string, string>>;
  /** A folder with `home` and `p` instead of new files. */
  readonly root?: string;
  readonly port?: number;
  readonly limits?: Partial<HttpLimits>;
  readonly env?: Record<string, string | undefined>;
  readonly values?: Record<string, unknown>;
  readonly tools?: ServeOptions["tools"];
  readonly allowHosts?: ServeOptions["allowHosts"];
}

export const PLANS: Readonly<Record<string, string>> = {
  "p/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  "p/skills/mcp/email/SKILL.md": skillText("Sends email through a server. Use when mail is to be sent."),
};

export async function served(options: ServedOptions = {}) {
  const root = options.root ?? temporaryTree(options.files ?? PLANS);
  const engine = openRepertoire({
    dir: join(root, "p"),
    home: join(root, "home"),
    env: options.env ?? { PATH: process.env.PATH },
    values: { "sources.bundled": false, ...options.values },
    host: "http",
  });
  const notes: string[] = [];
  const { limits, tools = "default" } = options;
  const serving = await serveOverHttp(engine, {
    port: options.port ?? 0,
    version: "0.0.0",
    tools,
    allowHosts: options.allowHosts,
    note: (text) => notes.push(text),
    ...(limits && { limits }),
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= serving.close());
  onTestFinished(close);
  const url = `http://127.0.0.1:${serving.port}`;
  const token = tokenAt(join(root, "home/.repertoire/token"));
  const authorization = `Bearer ${token}`;
  const raw = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization, ...init.headers } });

  /** Calls an operation by its id; the answer fits the schema of its status, or the test fails. */
  async function call(id: string, given: Given = {}): Promise<Answer> {
    const row = OPERATIONS.find((one) => one.id === id)!;
    const params = { ...given.params };
    const path = row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]!));
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(given.query ?? {})) query.set(key, String(value));
    const response = await raw(`${path}?${query}`, {
      method: row.method.toUpperCase(),
      headers: {
        ...(given.body !== undefined && { "content-type": "application/json" }),
        ...given.headers,
      },
      ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    });
    const text = await response.text();
    const wanted = given.status ?? row.status ?? 200;
    expect(`${id} ${response.status} ${response.status === wanted ? "" : text}`).toBe(`${id} ${wanted} `);
    if (row.type !== undefined && response.ok) return text;
    const answer = JSON.parse(text);
    const schema = !response.ok ? ErrorSchema : response.status === 202 ? JobSchema : row.answer;
    expect(schema.safeParse(answer).error?.issues ?? []).toEqual([]);
    return answer;
  }
  return { url, token, root, engine, notes, raw, call, close };
}

/** A folder with a history to dream of. A server has the real clock, so the history must lie before it. */
export async function dreamRoot(): Promise<string> {
  const shift = (Date.UTC(2026, 5, 30, 12) - Date.now()) / 86_400_000;
  const sessions = seeded<SeedSession>("history.jsonl").map((session) => ({
    ...session,
    daysAgo: session.daysAgo + shift,
  }));
  const { root, store } = await dreamWorkshop({ skills: seeded<SeedSkill>("skills.jsonl"), sessions });
  store.close();
  return root;
}
