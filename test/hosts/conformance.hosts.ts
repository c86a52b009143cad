// The protocol's own conformance program against `repertoire serve`: each scenario that applies to a server of tools,
// resources and prompts passes; the others are listed with the reason.

import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cached, nodeProgram, type Place, placeWith } from "./run.ts";

const VERSION = "0.1.16";
const NODE = "22.23.3";

const APPLIES = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

/** The scenarios that test a server written for them, and what they call. */
const DO_NOT_APPLY: Readonly<Record<string, string>> = {
  "logging-set-level": "the server offers no logging",
  "completion-complete": "the server offers no completion of arguments",
  "tools-call-simple-text": "calls the tool test_simple_text",
  "tools-call-image": "calls the tool test_image_content",
  "tools-call-audio": "calls the tool test_audio_content",
  "tools-call-embedded-resource": "calls the tool test_embedded_resource",
  "tools-call-mixed-content": "calls the tool test_multiple_content_types",
  "tools-call-with-logging": "calls the tool test_tool_with_logging",
  "tools-call-error": "calls the tool test_error_handling",
  "tools-call-with-progress": "calls the tool test_tool_with_progress",
  "tools-call-sampling": "calls the tool test_sampling; the server samples nothing",
  "tools-call-elicitation": "calls the tool test_elicitation",
  "json-schema-2020-12": "looks for the tool json_schema_2020_12_tool",
  "elicitation-sep1034-defaults": "calls the tool test_elicitation_sep1034_defaults; our form has no fields",
  "elicitation-sep1330-enums": "calls the tool test_elicitation_sep1330_enums; our form has no fields",
  "server-sse-polling": "calls the tool test_reconnection",
  "resources-read-text": "reads test://static-text",
  "resources-read-binary": "reads test://static-binary",
  "resources-templates-read": "reads test://template/123/data",
  "resources-subscribe": "the server offers no subscriptions to one resource",
  "resources-unsubscribe": "the server offers no subscriptions to one resource",
  "prompts-get-simple": "gets the prompt test_simple_prompt",
  "prompts-get-with-args": "gets the prompt test_prompt_with_arguments",
  "prompts-get-embedded-resource": "gets the prompt test_prompt_with_embedded_resource",
  "prompts-get-with-image": "gets the prompt test_prompt_with_image",
};

let place: Place;
let url: string;
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  place = placeWith({
    ".repertoire/skills/plan-meeting/SKILL.md":
      "---\nname: plan-meeting\ndescription: Plans meetings.\n---\n\nAsk who.\n",
  });
  const served = spawn("repertoire", ["--json", "serve", "--port", "0"], {
    cwd: place.project,
    env: place.env,
  });
  endings.push(async () => served.kill());
  const line = await new Promise<string>((told, failed) => {
    served.stdout.once("data", (part) => told(String(part)));
    served.once("close", (code) => failed(new Error(`repertoire serve ended with ${code}`)));
  });
  const { mcp, token } = JSON.parse(line) as { mcp: string; token: string };
  url = await withToken(new URL(mcp), readFileSync(token, "utf8").trim());
});

afterAll(async () => {
  for (const end of endings) await end();
  place.remove();
});

/** The program sends no token: this adds it. Host and origin reach the server as they were sent. */
async function withToken(target: URL, token: string): Promise<string> {
  const proxy = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const own = `:${(proxy.address() as AddressInfo).port}`;
    const told = (value: string | undefined) => value?.replace(own, `:${target.port}`);
    const headers = {
      ...incoming.headers,
      host: told(incoming.headers.host),
      authorization: `Bearer ${token}`,
    };
    const origin = told(incoming.headers.origin);
    const passed = request(
      {
        host: "127.0.0.1",
        port: target.port,
        path: incoming.url,
        method: incoming.method,
        headers: origin ? { ...headers, origin } : headers,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  endings.push(
    () =>
      new Promise((closed) => {
        proxy.close(closed);
        proxy.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${target.pathname}`;
}

const program = () =>
  join(
    cached(`conformance-${VERSION}`, `@modelcontextprotocol/conformance@${VERSION}`),
    "@modelcontextprotocol/conformance/dist/index.js",
  );

function conformance(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((ended) =>
    execFile(nodeProgram(NODE), [program(), ...args], { cwd: place.project }, (error, out, err) =>
      ended({ code: error === null ? 0 : Number(error.code), output: out + err }),
    ),
  );
}

it("knows every scenario for servers", async () => {
  const { output } = await conformance("list", "--server");
  const listed = [...output.matchAll(/^ +- ([\w-]+)/gm)].map(([, name]) => name);
  expect([...APPLIES, ...Object.keys(DO_NOT_APPLY)].sort()).toEqual(listed.sort());
});

it.each(APPLIES)("passes %s", async (scenario) => {
  const { code, output } = await conformance("server", "--url", url, "--scenario", scenario);
  expect({ code, output: code === 0 ? "" : output }).toEqual({ code: 0, output: "" });
});
