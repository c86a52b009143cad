// Is the hook quick enough to run at every message, and the MCP server to be asked at every message? The built hook as a
// cold process over 1,000 and 10,000 skills, as a ratio to the processor time of `node -e 0`; the server as `mcp.mjs` says: node bench/hook/run.mjs [CORPUS FOLDER]. Needs `npm run build`; REPERTOIRE_BIN names another build.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLibrary } from "../library.mjs";
import { openCorpus } from "../recall/corpus.mjs";
import { printRatio, processorTime, race } from "../timing.mjs";
import { startOverNode, warmRecall, whileServed } from "./mcp.mjs";

const BIN = process.env.REPERTOIRE_BIN ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const ROUNDS = 21;
const BARS = [
  [1_000, 1.6],
  [10_000, 2],
];
const MCP = {
  /** Milliseconds beyond Node's own start, at 1,000 skills. */
  start: 300,
  /** Milliseconds a warm recall, at 10,000 skills. */
  recall: 2,
  rounds: 100,
};
/** With a server that answers the hook, at any number of skills. */
const WARM_BAR = 1.3;
/** About one skill of every library, invented or real. */
const about = openCorpus(process.argv[2]).document(7).description.split(/\s+/).slice(2, 8).join(" ");
const MESSAGE = `please write ${about}`;
/** With more certificates Node's own start takes longer, which makes every ratio to it smaller. */
const { NODE_EXTRA_CA_CERTS: certificates, ...BARE } = process.env;

for (const [count, bar] of BARS) {
  const root = mkdtempSync(join(tmpdir(), "repertoire-hook-"));
  const [home, dir] = [join(root, "home"), join(root, "project")];
  try {
    mkdirSync(dir);
    writeLibrary(join(home, ".claude", "skills"), count, process.argv[2]);
    execFileSync(process.execPath, [BIN, "--home", home, "--dir", dir, "index"], { stdio: "ignore" });
    let turn = 0;
    const hook = (prompt, env) => () => {
      // A session of its own each time: a repeated message would be answered with silence, and sooner.
      const event = { session_id: `s${turn++}`, cwd: dir, hook_event_name: "UserPromptSubmit", prompt };
      return processorTime(
        [process.execPath, BIN, "hook", "claude-code", "--home", home],
        JSON.stringify(event),
        env,
      );
    };
    const event = { session_id: "first", cwd: dir, hook_event_name: "UserPromptSubmit", prompt: MESSAGE };
    const input = JSON.stringify(event);
    const answer = execFileSync(process.execPath, [BIN, "hook", "claude-code", "--home", home], { input });
    if (answer.length === 0) throw new Error(`"${MESSAGE}" recalls nothing, so it measures another path`);
    const nothing = (env) => () => processorTime([process.execPath, "-e", "0"], "", env);
    const times = await race(
      {
        node: nothing(),
        matching: hook(MESSAGE),
        smalltalk: hook("thanks, that is all for today"),
        ...(certificates && { bareNode: nothing(BARE), bare: hook(MESSAGE, BARE) }),
      },
      ROUNDS,
      (measured) => measured(),
    );
    printRatio(`hook, ${count} skills, a message that recalls / node -e 0`, times.matching, times.node, bar);
    printRatio(`hook, ${count} skills, small talk / node -e 0`, times.smalltalk, times.node, bar);
    if (certificates)
      printRatio(`hook, ${count} skills, without NODE_EXTRA_CA_CERTS`, times.bare, times.bareNode);
    const server = [BIN, "--home", home, "--dir", dir, "mcp"];
    const sockets = join(home, ".repertoire", "run");
    const isReady = () => existsSync(sockets) && readdirSync(sockets).length > 0;
    const served = await whileServed(server, isReady, () =>
      race({ node: nothing(), warm: hook(MESSAGE) }, ROUNDS, (measured) => measured()),
    );
    printRatio(
      `hook, ${count} skills, answered by a warm server / node -e 0`,
      served.warm,
      served.node,
      WARM_BAR,
    );
    const start = await startOverNode(server, ROUNDS);
    printMs(`mcp, ${count} skills, initialize beyond Node's own start`, start, MCP.start);
    printMs(`mcp, ${count} skills, recall_skills, p50`, await warmRecall(server, MCP.rounds), MCP.recall);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function printMs(what, ms, bar) {
  console.log(
    `${what.padEnd(64)} ${ms.toFixed(1).padStart(8)} ms  (bar ${bar}: ${ms <= bar ? "met" : "MISSED"})`,
  );
}
