// A home folder and a project for one walk, and the ways to run the counting build in them.

import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bundle } from "../bundle.mjs";
import { countCalls } from "./counted.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COUNTER = new URL("counter.mjs", import.meta.url).href;
const CONFIG = { sources: { bundled: false } };

/** So many looks in a row without a scan say that it is over. */
const QUIET_LOOKS = 4;

/** Builds the product with counters into a temporary folder. */
export async function buildCounting() {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-walk-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  await bundle(folder, { modulePath: join(ROOT, "src/index.ts"), plugins: [countCalls(ROOT)] });
  return { folder, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

export class Workspace {
  constructor(program) {
    this.program = program;
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "repertoire-walked-")));
    this.home = join(this.root, "home");
    this.project = join(this.root, "project");
    mkdirSync(this.project, { recursive: true });
    this.write("home/.repertoire/repertoire.config.json", JSON.stringify(CONFIG));
  }

  write(path, text, { executable = false } = {}) {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode: executable ? 0o755 : 0o644 });
    return full;
  }

  /**
   * Runs a command line in a process of its own; returns what it counted and printed. Fails if it exits with an error.
   * `about` names the skill whose folders are not counted among those of the sources.
   */
  async run(args, { input = "", about = "" } = {}) {
    const counts = join(this.root, "counts.json");
    const child = spawn(process.execPath, this.argumentsOf(args), {
      cwd: this.project,
      env: this.environment({ WALK_COUNTS: counts, WALK_ABOUT: about }),
    });
    child.stdin.end(input);
    const printed = { out: "", err: "" };
    child.stdout.on("data", (part) => {
      printed.out += part;
    });
    child.stderr.on("data", (part) => {
      printed.err += part;
    });
    const exit = await new Promise((resolve) => {
      child.on("close", resolve);
    });
    if (exit !== 0) throw new Error(`${args.join(" ")} exits with ${exit}: ${printed.err}${printed.out}`);
    return { counts: JSON.parse(readFileSync(counts, "utf8")), ...printed };
  }

  /** The digest of a skill's package, which consent without a terminal needs. */
  async digestOf(name) {
    return JSON.parse((await this.run(["show", name, "--json"])).out).skill.digest;
  }

  /** Runs `serve` while `work` asks it: `post` sends a request, `counted` what was counted since it was asked last. */
  async serve(work) {
    const child = spawn(process.execPath, this.argumentsOf(["serve", "--port", "0", "--json"]), {
      cwd: this.project,
      env: this.environment(),
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    const ended = new Promise((resolve) => {
      child.on("close", resolve);
    });
    try {
      const line = await Promise.race([ended, new Promise((resolve) => child.stdout.once("data", resolve))]);
      const { address } = JSON.parse(String(line));
      const token = readFileSync(join(this.home, ".repertoire/token"), "utf8").trim();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const post = async (path, body) => {
        const answer = await fetch(`${address}${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
        return answer.json();
      };
      const counted = () =>
        new Promise((resolve) => {
          child.once("message", resolve);
          child.send("counts");
        });
      while (!(await (await fetch(`${address}/health`)).json()).ready) await sleep(20);
      // The first scan goes on behind: what it reads is not the cost of a request.
      for (let quiet = 0; quiet < QUIET_LOOKS; await sleep(100)) {
        const { folders = 0, scans = 0, parses = 0 } = await counted();
        quiet = folders + scans + parses === 0 ? quiet + 1 : 0;
      }
      return await work({ post, counted });
    } finally {
      child.kill();
      await ended;
    }
  }

  /** Lets `work` call the tools that an agent has, as if that was some days ago. */
  async agent(daysAgo, work) {
    const client = new Client({ name: "walk", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: this.argumentsOf(["mcp"]),
      cwd: this.project,
      env: this.environment({ WALK_DAYS_AGO: String(daysAgo) }),
      stderr: "inherit",
    });
    await client.connect(transport);
    try {
      await work(async (name, given) => {
        const answer = await client.callTool({ name, arguments: given });
        if (answer.isError) throw new Error(`${name} answers ${JSON.stringify(answer.content)}`);
      });
    } finally {
      await client.close();
    }
  }

  /** The product's own entry, to put things into the store. */
  product() {
    return import(pathToFileURL(join(this.program, "index.js")).href);
  }

  dispose() {
    rmSync(this.root, { recursive: true, force: true });
  }

  argumentsOf(args) {
    return ["--import", COUNTER, join(this.program, "bin.cjs"), ...args];
  }

  environment(more = {}) {
    const { root, home } = this;
    // Without the trained encoder, which a small library uses and a large one does not: the counts are for any size.
    const without = { REPERTOIRE_ENCODER: "off" };
    return {
      PATH: process.env.PATH,
      HOME: home,
      REPERTOIRE_HOME: home,
      WALK_ROOT: root,
      ...without,
      ...more,
    };
  }
}
