// Owns how the program behaves on a disk that is full or may not be written: it says so with a code, answers whatever can be read,
// and works again once there is room. Needs Linux and root, to mount a small disk.

import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();
const TEXT = "Greets people who arrive at the door.\n\n1. Say hello.\n";

/** A home on a disk of its own; undefined if none can be mounted here. */
function smallDisk(): string | undefined {
  const home = temporaryTree();
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", home]);
  if (status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", home]));
  mkdirSync(join(home, "project"));
  return home;
}

/** Takes all the room that there is. */
function fill(home: string): void {
  const file = openSync(join(home, "filling"), "w");
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      const piece = Buffer.alloc(size);
      try {
        while (writeSync(file, piece) > 0);
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
      }
    }
  } finally {
    closeSync(file);
  }
}

const env = (home: string) => ({ PATH: process.env.PATH, HOME: home, REPERTOIRE_HOME: home });

async function served(home: string) {
  const args = [program.bin, "--json", "--dir", join(home, "project"), "serve", "--port", "0"];
  const child = spawn(process.execPath, args, { env: env(home), stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((settle) => child.once("close", (code, signal) => settle(signal ?? code)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { address, token } = JSON.parse(value as string);
  const headers = {
    authorization: `Bearer ${readFileSync(token, "utf8").trim()}`,
    "content-type": "application/json",
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(address + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { child, ended, ask };
}

function hook(home: string, session: string) {
  const input = {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    prompt: "greet people who arrive at the door",
    cwd: join(home, "project"),
  };
  return spawnSync(process.execPath, [program.bin, "hook", "claude-code"], {
    env: env(home),
    input: JSON.stringify(input),
    encoding: "utf8",
  });
}

const canMount = process.platform === "linux" && process.getuid?.() === 0;
describe.skipIf(!canMount)("a server whose disk is full", () => {
  it("says so, answers what needs no disk, and recovers", async () => {
    const home = smallDisk();
    if (home === undefined) return;
    const { child, ended, ask } = await served(home);
    expect((await ask("PUT", "/api/skills/greet", { content: TEXT })).status).toBe(200);
    await expect.poll(async () => (await ask("GET", "/health")).body.ready).toBe(true);
    fill(home);

    const changes = [
      ["PUT", "/api/skills/wave", { content: "Waves at people.\n\n1. Wave.\n" }],
      ["PUT", "/api/skills/greet", { content: `${TEXT}2. Wave.\n` }],
      ["DELETE", "/api/skills/greet"],
      ["POST", "/api/undo", {}],
    ] as const;
    for (const [method, path, body] of changes) {
      const { status, body: answer } = await ask(method, path, body);
      const code = expect.stringMatching(/^(?:change-failed|store-unusable|disk-full)$/);
      expect([method, path, status, answer.error?.code]).toEqual([method, path, 500, code]);
    }
    const reads = ["/health", "/api/skills", "/api/skills/greet", "/api/skills/greet/history", "/api/stats"];
    for (const path of reads) expect([path, (await ask("GET", path)).status]).toEqual([path, 200]);
    const recalled = await ask("POST", "/api/recall", { message: "greet people who arrive at the door" });
    expect(recalled.status).toBe(200);
    expect(JSON.stringify(recalled.body)).toContain("greet");
    const hooked = hook(home, "s1");
    expect([hooked.status, hooked.stderr]).toEqual([0, ""]);
    expect(hooked.stdout).toContain("greet");

    rmSync(join(home, "filling"));
    expect((await ask("PUT", "/api/skills/wave", { content: "Waves.\n\n1. Wave.\n" })).status).toBe(200);
    const { body } = await ask("GET", "/api/skills/greet/history");
    expect(body.versions).toHaveLength(1);
    const left = readdirSync(join(home, ".repertoire"), { recursive: true }).map(String);
    expect(left.filter((name) => name.endsWith(".repertoire-tmp"))).toEqual([]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

const remount = (home: string, how: "ro" | "rw") => spawnSync("mount", ["-o", `remount,${how}`, home]);

const DISKS = [
  { disk: "full", spoil: fill, repair: (home: string) => rmSync(join(home, "filling")) },
  {
    disk: "read-only",
    spoil: (home: string) => void remount(home, "ro"),
    repair: (home: string) => void remount(home, "rw"),
  },
];

describe.skipIf(!canMount).each(DISKS)("a new process on a $disk disk", ({ spoil, repair }) => {
  const run = (home: string, args: readonly string[], input = "") =>
    spawnSync(process.execPath, [program.bin, "--json", "--dir", join(home, "project"), ...args], {
      env: env(home),
      input,
      encoding: "utf8",
    });

  it("reads all that is kept, refuses in words to change it, and works again afterwards", () => {
    const home = smallDisk();
    if (home === undefined) return;
    const message = "greet people who arrive at the door";
    for (const text of [TEXT, `${TEXT}2. Smile.\n`])
      expect(run(home, ["save", "greet"], text).status).toBe(0);
    expect(run(home, ["prompt", message, "--session", "s1"]).status).toBe(0);
    expect(run(home, ["stats"]).status).toBe(0);
    spoil(home);

    const reads: [part: string, ...args: string[]][] = [
      ["greet", "list"],
      ["Smile", "show", "greet"],
      ["greet", "recall", message],
      ["door", "prompt", message],
      ['"total":2', "history", "greet"],
      ["archived", "archive"],
      ['"recalled":1', "stats", "greet"],
      ["s1", "sessions"],
      ["trusted", "trust", "--list"],
      ['"recalled":true', "why", "greet", message],
    ];
    for (const [part, ...args] of reads) {
      const { status, stdout } = run(home, args);
      expect([args, status, stdout]).toEqual([args, 0, expect.stringContaining(part)]);
    }
    const hooked = hook(home, "h1");
    expect([hooked.status, hooked.stderr]).toEqual([0, ""]);
    expect(hooked.stdout).toContain("greet");
    const doctor = run(home, ["doctor"]);
    expect(doctor.status).toBe(1);
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ check: "home", level: "error" }),
    );

    const changes = [
      ["save", "wave"],
      ["delete", "greet"],
      ["undo"],
      ["rename", "greet", "wave"],
      ["outcome", "success", "--session", "s1"],
      ["tidy"],
    ];
    for (const args of changes) {
      const { status, stdout, stderr } = run(home, args, TEXT);
      expect([args, status]).toEqual([args, 1]);
      expect(stdout + stderr).not.toMatch(/\n\s+at /);
      const code = /"code": "([a-z-]+)"/.exec(stdout + stderr)?.[1];
      expect([args, code]).toEqual([
        args,
        expect.stringMatching(/^(?:change-failed|store-unusable|disk-full|file-unusable)$/),
      ]);
    }

    repair(home);
    expect(run(home, ["save", "greet"], `${TEXT}2. Wave.\n`).status).toBe(0);
    expect(JSON.parse(run(home, ["history", "greet"]).stdout).versions).toHaveLength(3);
    expect(run(home, ["doctor"]).status).toBe(0);
  });
});
