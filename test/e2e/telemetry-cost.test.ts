// That telemetry costs nothing while nobody listens: the hook and the recall verb run as processes of their own, and the
// packages that they loaded are looked at when they end.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../skill-tree.ts";
import { hostsProgram } from "./hosts-program.ts";

const program = hostsProgram();

const LISTS_PACKAGES = `
import { createRequire } from "node:module";
process.on("exit", () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache).join("\\n");
  process.stderr.write("telemetry: " + loaded.includes("@opentelemetry"));
});
`;
/** As if a host had registered a provider. */
const LISTENS = `
const tracer = { startSpan: () => { throw new Error("not really"); } };
globalThis[Symbol.for("opentelemetry.js.api.1")] = { version: "1.9.0", trace: { getTracer: () => tracer } };
`;

/** Runs the program and says what it printed and whether it loaded the OpenTelemetry API. */
async function run(words: readonly string[], options: { preload?: string; input?: string } = {}) {
  const root = temporaryTree({
    "home/.agents/skills/plan-meeting/SKILL.md": skillText("Plans meetings. Use when people are to meet."),
  });
  const preload = join(dirname(program.bin), `preload-${options.preload ? "listening" : "silent"}.js`);
  writeFileSync(preload, LISTS_PACKAGES + (options.preload ?? ""));
  const child = spawn(process.execPath, ["--import", pathToFileURL(preload).href, program.bin, ...words], {
    env: { PATH: process.env.PATH, HOME: join(root, "home"), REPERTOIRE_HOME: join(root, "home") },
    cwd: join(root, "home"),
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (part) => {
    out += part;
  });
  child.stderr.on("data", (part) => {
    err += part;
  });
  child.stdin.end(options.input ?? "");
  await new Promise((settle) => child.on("close", settle));
  return { out, loaded: /telemetry: (true|false)$/.exec(err)?.[1] };
}

describe("while nobody listens, the telemetry API is not loaded", () => {
  const input = JSON.stringify({
    hook_event_name: "UserPromptSubmit",
    session_id: "s",
    prompt: "Plan a meeting with the team",
  });

  it("by the hook", async () => {
    const { out, loaded } = await run(["hook", "claude-code"], { input });
    expect(out).toContain("plan-meeting");
    expect(loaded).toBe("false");
  });

  it("by the recall verb", async () => {
    const { out, loaded } = await run(["recall", "Plan a meeting with the team"]);
    expect(out).toContain("plan-meeting");
    expect(loaded).toBe("false");
  });

  it("and it is, and breaks nothing, when somebody does", async () => {
    const { out, loaded } = await run(["recall", "Plan a meeting with the team"], { preload: LISTENS });
    expect(out).toContain("plan-meeting");
    expect(loaded).toBe("true");
  });
});
