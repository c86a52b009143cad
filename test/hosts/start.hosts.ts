// The MCP server says hello within a second of processor time, however large the library is: Cline gives a server three
// seconds, on whatever machine.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type Place, placeWith } from "./run.ts";

const HELLO = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hello", version: "1" } },
};

let place: Place;
afterEach(() => place.remove());

it.each([
  ["the first time", false],
  ["with an index", true],
])("answers initialize within a second of processor time with 10,000 skills, %s", async (_, indexed) => {
  const skills = Array.from({ length: 10_000 }, (_, n) => [
    `.repertoire/skills/thing-${n}/SKILL.md`,
    `---\nname: thing-${n}\ndescription: Handles thing ${n}. Use when thing ${n} is broken or late.\n---\n\n# Thing ${n}\n\nLook at thing ${n} first.\n`,
  ]);
  place = placeWith(Object.fromEntries(skills));
  if (indexed) place.repertoire("index");
  const child = spawn("repertoire", ["mcp"], { cwd: place.project, env: place.env });
  child.stdin.write(`${JSON.stringify(HELLO)}\n`);
  const answer = await new Promise<string>((told) => child.stdout.once("data", (part) => told(String(part))));
  const seconds = processorSeconds(child.pid!);
  child.stdin.end();
  await new Promise((ended) => child.on("close", ended));
  expect(JSON.parse(answer.split("\n")[0]!)).toMatchObject({
    id: 1,
    result: { serverInfo: { name: "repertoire" } },
  });
  process.stdout.write(`initialize took ${seconds.toFixed(2)} s of processor time\n`);
  expect(seconds).toBeLessThan(1);
});

/** User and system time of a process, from Linux; a tick is a hundredth of a second. */
function processorSeconds(id: number): number {
  const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
