// Hooks that a server of ours answers: the same words as without one, whatever has become of the server.

import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "claude-code", version: "1" },
  },
};

async function workspace() {
  const home = temporaryTree({
    ".repertoire/repertoire.config.json": '{"sources": {"bundled": false}}',
    "p/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
    "p/skills/bake-bread/SKILL.md": skillText("Bakes sourdough bread."),
  });
  const run = join(home, ".repertoire/run");
  const sockets = () => (existsSync(run) ? readdirSync(run).filter((name) => name.endsWith(".sock")) : []);
  const hook = async (prompt: string, session = "s", more: Record<string, unknown> = {}) => {
    const event = {
      session_id: session,
      cwd: join(home, "p"),
      hook_event_name: "UserPromptSubmit",
      prompt,
      ...more,
    };
    const { code, out, err } = await program.run(["hook", "claude-code"], {
      home,
      input: JSON.stringify(event),
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    return { out };
  };
  await program.run(["--dir", join(home, "p"), "index"], { home });
  return { home, run, sockets, hook };
}

/** Starts an MCP server as a host does, and waits until it answers hooks. */
async function server(home: string, sockets: () => string[]): Promise<ChildProcess> {
  const before = sockets().length;
  const child = spawn(process.execPath, [program.bin, "--dir", join(home, "p"), "mcp"], {
    env: { PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin!.write(`${JSON.stringify(HELLO)}\n`);
  await expect.poll(() => sockets().length, { timeout: 20_000 }).toBe(before + 1);
  return child;
}

/** Takes away the code with which a hook answers by itself. */
async function withoutBundle(work: () => Promise<void>): Promise<void> {
  const folder = dirname(program.bin);
  const bundle = readdirSync(folder).find((name) => /^quick-.*\.cjs$/.test(name))!;
  renameSync(join(folder, bundle), join(folder, "aside"));
  try {
    await work();
  } finally {
    renameSync(join(folder, "aside"), join(folder, bundle));
  }
}

async function ended(child: ChildProcess, how: () => void): Promise<void> {
  const closed = new Promise((settle) => child.once("close", settle));
  how();
  await closed;
}

describe("a hook while a server of ours lives", () => {
  it("gets the same answer, and records the same", async () => {
    const { home, sockets, hook } = await workspace();
    const cold = await hook("plan a meeting with the team", "cold");
    const child = await server(home, sockets);
    await withoutBundle(async () => {
      expect((await hook("plan a meeting with the team", "warm")).out).toBe(cold.out);
      expect((await hook("plan another meeting", "warm")).out).toBe("");
      expect((await hook("thanks, you are welcome", "other")).out).toBe("");
    });
    expect(cold.out).toContain("plan-meeting");
    await ended(child, () => child.stdin!.end());
    expect(sockets()).toEqual([]);
    expect((await hook("plan a meeting with the team", "after")).out).toBe(cold.out);
    const folder = join(home, ".repertoire/inbox");
    const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
    const shown = lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line).event ?? {}]));
    expect(
      shown
        .filter(({ kind }) => kind === "shown")
        .map(({ session }) => session)
        .sort(),
    ).toEqual(expect.arrayContaining(["warm"]));
  });

  it("is answered over a socket that only its owner can open", async () => {
    const { home, run, sockets } = await workspace();
    await server(home, sockets);
    expect(statSync(run).mode & 0o777).toBe(0o700);
    expect(statSync(join(run, sockets()[0]!)).mode & 0o777).toBe(0o600);
  });

  it("answers by itself when the server was killed, and removes what it left", async () => {
    const { home, sockets, hook } = await workspace();
    const child = await server(home, sockets);
    await ended(child, () => child.kill("SIGKILL"));
    expect(sockets()).toHaveLength(1);
    expect((await hook("plan a meeting with the team")).out).toContain("plan-meeting");
    expect(sockets()).toEqual([]);
  });

  it("asks the other one of two when the newer one is gone", async () => {
    const { home, sockets, hook } = await workspace();
    await server(home, sockets);
    const second = await server(home, sockets);
    await ended(second, () => second.kill("SIGKILL"));
    expect((await hook("plan a meeting with the team")).out).toContain("plan-meeting");
    expect(sockets()).toHaveLength(1);
  });

  it("sees a skill that was just added, an edited configuration, and a variable of its own", async () => {
    const { home, sockets, hook } = await workspace();
    await server(home, sockets);
    expect((await hook("plan a meeting with the team", "a")).out).toContain("plan-meeting");
    const added = join(home, "p/skills/plan-party/SKILL.md");
    mkdirSync(dirname(added));
    writeFileSync(added, skillText("Plans birthday parties with cake."));
    expect((await hook("plan a birthday party with cake", "b")).out).toContain("plan-party");
    const config = { sources: { bundled: false }, disable: ["plan-party"] };
    writeFileSync(join(home, ".repertoire/repertoire.config.json"), JSON.stringify(config));
    expect((await hook("plan a birthday party with cake", "c")).out).not.toContain("plan-party");
  });

  it("sees what the host has decided about the folder since", async () => {
    const { home, sockets, hook } = await workspace();
    const decide = (isTrusted: boolean) =>
      writeFileSync(
        join(home, ".claude.json"),
        JSON.stringify({
          projects: isTrusted ? { [join(home, "p")]: { hasTrustDialogAccepted: true } } : {},
        }),
      );
    decide(true);
    await server(home, sockets);
    expect((await hook("plan a meeting with the team", "a")).out).toContain("plan-meeting");
    decide(false);
    expect((await hook("plan a meeting with the team", "b")).out).not.toContain("plan-meeting");
    decide(true);
    expect((await hook("plan a meeting with the team", "c")).out).toContain("plan-meeting");
  });

  it.each([
    ["a socket of another version", (run: string) => join(run, "000000000000-1.sock")],
    ["a file in its place", (run: string) => join(run, "x.sock")],
  ])("pays no attention to %s", async (_, place) => {
    const { run, hook } = await workspace();
    mkdirSync(run, { recursive: true, mode: 0o700 });
    writeFileSync(place(run), "");
    expect((await hook("plan a meeting with the team")).out).toContain("plan-meeting");
    expect(existsSync(place(run))).toBe(true);
  });

  it.each([
    ["says nothing", (_: string) => undefined],
    ["answers with garbage", (_: string) => "garbage"],
    ["declines", (_: string) => "{}"],
  ])("answers by itself when a server %s", async (_, answer) => {
    const { home, run, sockets, hook } = await workspace();
    const child = await server(home, sockets);
    const [name] = sockets();
    await ended(child, () => child.kill("SIGKILL"));
    const path = join(run, name!);
    await program.run(["hook", "claude-code"], { home, input: "{}" });
    const impostor = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on("error", () => socket.destroy());
      socket.on("data", (part) => {
        const text = answer(String(part));
        if (text !== undefined) socket.end(text);
      });
    });
    await new Promise<void>((settle) => impostor.listen(path, settle));
    onTestFinished(() => void impostor.close());
    chmodSync(path, 0o600);
    expect((await hook("plan a meeting with the team")).out).toContain("plan-meeting");
  });

  it("waits for a server that is slow to answer what it has recorded already", async () => {
    const { home, run, sockets, hook } = await workspace();
    await server(home, sockets);
    const [name] = sockets();
    const aside = join(run, "aside");
    renameSync(join(run, name!), aside);
    const slow = createServer({ allowHalfOpen: true }, (socket) => {
      const real = connect({ path: aside, allowHalfOpen: true });
      for (const end of [socket, real]) end.on("error", () => end.destroy());
      socket.pipe(real);
      let answer = "";
      real.on("data", (part) => {
        answer += part;
      });
      real.on("end", () => {
        const [taken = "", ...rest] = answer.split(/(?<=\n)/);
        socket.write(taken);
        setTimeout(() => socket.end(rest.join("")), 3_000);
      });
    });
    await new Promise<void>((settle) => slow.listen(join(run, name!), settle));
    onTestFinished(() => void slow.close());
    chmodSync(join(run, name!), 0o600);
    expect((await hook("plan a meeting with the team", "s", { prompt_id: "m1" })).out).toContain(
      "plan-meeting",
    );
  });

  it("asks nobody in a folder that others can write to", async () => {
    const { home, run, sockets, hook } = await workspace();
    const child = await server(home, sockets);
    chmodSync(run, 0o777);
    expect((await hook("plan a meeting with the team")).out).toContain("plan-meeting");
    await ended(child, () => child.stdin!.end());
  });
});
