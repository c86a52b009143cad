// The event stream over a real server: what is told, catching up, slow readers, and the end of it all.

import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { dreamRoot, served } from "../http-served.ts";
import { skillText } from "../skill-tree.ts";

type Server = Awaited<ReturnType<typeof served>>;

interface Told {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what was told.
  readonly data: any;
}

/** Reads the stream until it ends, or the test does. */
async function listen({ raw }: Server, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await raw("/api/events", { headers, signal: stop.signal });
  const told: Told[] = [];
  const state = { ended: false };
  const reading = (async () => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const part of response.body!) {
      text += decoder.decode(part, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop()!;
      for (const block of blocks) {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined) told.push({ id: id!, event, data: JSON.parse(data!) });
      }
    }
    state.ended = true;
  })().catch(() => undefined);
  const next = (event: string, match: object = {}) =>
    expect
      .poll(() => told.filter((one) => one.event === event).map(({ data }) => data))
      .toContainEqual(expect.objectContaining(match));
  return { response, told, state, next, reading, hangUp: () => stop.abort() };
}

describe("the event stream", () => {
  it("tells of the library, the index, the journal and jobs as they change", async () => {
    const server = await served();
    const { call, root } = server;
    const { response, next } = await listen(server);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await expect.poll(async () => (await call("health")).ready).toBe(true);
    writeFileSync(join(root, "p/skills/plan-meeting/SKILL.md"), skillText("Plans feasts. Use for feasts."));
    await next("library", { changed: ["plan-meeting"] });
    await call("saveSkill", {
      params: { name: "water" },
      body: { content: "Waters plants. Use for plants." },
    });
    await next("library", { added: ["water"] });
    await next("journal", { kind: "edited", skill: "water" });
    const params = { name: "water" };
    await call("activateSkill", { params, body: { session: "s" } });
    await next("journal", { kind: "activated", skill: "water", session: "s" });
    await call("indexSkills", { query: { wait: 30 } });
    await next("index", { skills: 3 });
    await next("job", { operation: "indexSkills", state: "done" });
  }, 60_000);

  it("tells of proposals as they are made and decided", async () => {
    const server = await served({ root: await dreamRoot() });
    const { next } = await listen(server);
    await server.call("dream", { body: {}, query: { wait: 60 } });
    await next("proposal", { number: 1, state: "open" });
    await server.call("rejectProposal", { params: { number: 1 }, body: {} });
    await next("proposal", { number: 1, state: "rejected" });
  }, 60_000);

  it("lets a reader that lost the connection catch up", async () => {
    const server = await served();
    const first = await listen(server);
    await first.next("hello");
    first.hangUp();
    await first.reading;
    await server.call("indexSkills", { query: { wait: 30 } });
    const second = await listen(server, { "last-event-id": first.told[0]!.id });
    await second.next("index");
    expect(second.told.map(({ event }) => event)).toEqual(["job", "index", "job"]);
    const third = await listen(server, { "last-event-id": "another-7" });
    await third.next("reset");
  });

  it("shows signs of life, and has room for so many readers only", async () => {
    const server = await served({ limits: { heartbeatMs: 50, streams: 1 } });
    const stop = new AbortController();
    const { body } = await server.raw("/api/events", { signal: stop.signal });
    expect((await server.raw("/api/events")).status).toBe(429);
    let text = "";
    for await (const part of body!) {
      text += Buffer.from(part).toString();
      if (text.includes(": still here")) break;
    }
    stop.abort();
    await expect.poll(async () => (await server.raw("/api/events", { method: "HEAD" })).status).toBe(200);
  });

  it("hangs up on a reader that does not read", async () => {
    const server = await served({ limits: { streamBytes: 50_000 } });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.pause();
    onTestFinished(() => {
      socket.destroy();
    });
    socket.write(
      `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`,
    );
    const figure = async (name: string) =>
      Number(new RegExp(`^${name} (\\d+)`, "m").exec(await server.call("metrics"))?.[1]);
    await expect.poll(() => figure("repertoire_event_streams")).toBe(1);
    const note = "x".repeat(2_000);
    const lines = Array.from({ length: 4_000 }, (_, at) =>
      JSON.stringify({
        kind: "outcome",
        sessionId: `s${at}`,
        skillName: "a",
        timestamp: at + 1,
        details: { result: "success", note },
      }),
    ).join("\n");
    await server.call("importJournal", { body: { lines } });
    await expect.poll(() => figure("repertoire_events_dropped_readers_total")).toBe(1);
    expect(await figure("repertoire_event_streams")).toBe(0);
  }, 60_000);

  it("ends when the server stops, which waits for what is under way and for nothing else", async () => {
    const server = await served();
    const { state, reading, next } = await listen(server);
    await next("hello");
    const cases = Array.from({ length: 5_000 }, (_, at) => ({
      query: `meeting ${at}`,
      gold: ["plan-meeting"],
    }));
    const waiting = server.call("evaluate", { body: { cases }, query: { wait: 60 }, status: 202 });
    await next("job", { state: "running" });
    await server.close();
    expect(["cancelling", "cancelled"]).toContain((await waiting).state);
    await reading;
    expect(state.ended).toBe(true);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
  });
});
