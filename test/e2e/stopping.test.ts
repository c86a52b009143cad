// Owns the promise of a server that is told to stop: nothing new is begun, what was accepted is answered, work that nobody
// waits for ends at its next pause, and the exit code is 0.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { writeHome } from "../../bench/changes/home.mjs";
import { TurnFiles } from "../../src/stores/stores.ts";
import { temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const SKILLS = 400;

/** A home whose index takes about a second to build, with a month of events. */
function home(): string {
  const folder = temporaryTree({ "project/.keep": "" });
  mkdirSync(join(folder, ".repertoire"));
  writeHome(folder, { skills: SKILLS, versions: 2 });
  const now = Date.now();
  const turns = new TurnFiles({
    directory: join(folder, ".repertoire"),
    clock: { now: () => new Date(now) },
  });
  turns.record(
    Array.from({ length: 4_000 }, (_, n) => ({
      kind: "activated" as const,
      at: now - n * 60_000,
      session: `s${n % 300}`,
      turn: 1,
      skill: `skill-${n % SKILLS}`,
      digest: "d",
      details: {},
    })),
    Array.from({ length: 300 }, (_, n) => ({
      session: `s${n}`,
      turn: 1,
      role: "user" as const,
      text: `Prepare report ${n % 17}`,
      at: now - n * 60_000,
    })),
  );
  return folder;
}

function start(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [program.bin, "--json", "--dir", join(folder, "project"), ...args], {
    env: { PATH: process.env.PATH, REPERTOIRE_HOME: folder },
  });
  let problems = "";
  child.stderr.on("data", (part) => {
    problems += part;
  });
  const ended = new Promise((settle) => child.once("close", (code, signal) => settle(signal ?? code)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  return { child, ended, next, problems: () => problems };
}

async function served(folder: string) {
  const server = start(folder, "serve", "--port", "0");
  const { address, token } = await server.next();
  const headers = {
    authorization: `Bearer ${readFileSync(token, "utf8").trim()}`,
    "content-type": "application/json",
  };
  const send = (path: string, body: unknown) =>
    fetch(`${address}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  /** Answered once the server has read what was sent before. */
  const health = () => fetch(`${address}/health`);
  return { ...server, send, health };
}

describe("a server that is told to stop", () => {
  it("answers a recall that waits for the index, which is just being built", async () => {
    const { child, ended, send, health, problems } = await served(home());
    const recalled = send("/api/recall", { message: "prepare the report" });
    await health();
    child.kill("SIGTERM");
    const answer = await recalled;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ message: "prepare the report" });
    expect(await ended).toBe(0);
    expect(problems()).not.toContain("Error");
  });

  it("gives a dream up at its next pause, and tells whoever waits for it", async () => {
    const folder = home();
    const { child, ended, send, health } = await served(folder);
    const waiting = send("/api/dream?wait=60", { force: true });
    const recalled = send("/api/recall", { message: "prepare the report" });
    await health();
    child.kill("SIGTERM");
    expect((await waiting).status).toBeLessThan(300);
    expect((await recalled).status).toBe(200);
    expect(await ended).toBe(0);
    // The next process goes on where this one stopped.
    const next = start(folder, "doctor");
    expect(await next.ended).toBe(0);
  });

  it("answers over standard output what it has read, and then ends", async () => {
    const { child, ended, next } = start(home(), "mcp");
    const write = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "test", version: "1" };
    write({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    await next();
    write({ method: "notifications/initialized" });
    write({
      id: 2,
      method: "tools/call",
      params: { name: "recall_skills", arguments: { message: "report" } },
    });
    write({ id: 3, method: "ping" });
    const answers = [await next()];
    child.kill("SIGTERM");
    while (answers.length < 2) answers.push(await next());
    expect(answers.map(({ id }) => id).sort()).toEqual([2, 3]);
    expect(answers.every(({ result }) => result !== undefined)).toBe(true);
    expect(await ended).toBe(0);
  });
});
