// Is the MCP server there at once, and quick from then on? `repertoire mcp` over standard input and output with bare
// frames: the answer to initialize against a Node that only says hello, and recall_skills in a warm server. Part of
// `run.mjs`.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { median } from "../timing.mjs";

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
const HELLO = `process.stdin.once("data", () => console.log(JSON.stringify({ id: 1 })))`;
const MESSAGES = [
  "write a postgres migration for the users table",
  "deploy the service to kubernetes with helm",
  "review this pull request for security problems",
  "make a chart of monthly sales from the csv file",
  "plan a meeting with the design team next week",
];

/** A client of one process; it sends and waits, nothing else. */
function connect(args) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let sent = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.();
  });
  return {
    call(method, params) {
      const id = ++sent;
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return answered;
    },
    async close() {
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.stdin.end();
      await closed;
    },
  };
}

/** Milliseconds until the first answer, beyond those of a Node that only answers; medians of alternating rounds. */
export async function startOverNode(command, rounds) {
  const first = async (args) => {
    const started = performance.now();
    const client = connect(args);
    await client.call("initialize", INITIALIZE);
    const ms = performance.now() - started;
    await client.close();
    return ms;
  };
  const times = { node: [], mcp: [] };
  for (let round = 0; round < rounds; round++) {
    times.node.push(await first(["-e", HELLO]));
    times.mcp.push(await first(command));
  }
  return median(times.mcp) - median(times.node);
}

/** The median milliseconds of a recall, question to answer, in a server that has settled. */
export async function warmRecall(command, rounds) {
  const client = connect(command);
  await client.call("initialize", INITIALIZE);
  const recall = (n) =>
    client.call("tools/call", {
      name: "recall_skills",
      arguments: { message: MESSAGES[n % MESSAGES.length] },
    });
  for (let n = 0; n < rounds; n++) await recall(n);
  // The folders are watched from some moment on, and that takes its time.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const times = [];
  for (let n = 0; n < rounds; n++) {
    const started = performance.now();
    await recall(n);
    times.push(performance.now() - started);
  }
  await client.close();
  return median(times);
}

/** Does the work while a server lives that answers hooks: once `isReady`. */
export async function whileServed(command, isReady, work) {
  const client = connect(command);
  await client.call("initialize", INITIALIZE);
  while (!isReady()) await new Promise((resolve) => setTimeout(resolve, 50));
  try {
    return await work();
  } finally {
    await client.close();
  }
}
