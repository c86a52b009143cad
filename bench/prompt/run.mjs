// What do `prompt` and `recall` cost as cold processes? Processor time over 2,000 skills, measured in turns with `node -e 0`:
// node bench/prompt/run.mjs [CORPUS FOLDER]. Needs `npm run build` and bash; REPERTOIRE_BIN names another build.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeLibrary } from "../library.mjs";
import { median, processorTime, ratioOf } from "../timing.mjs";

const BIN = process.env.REPERTOIRE_BIN ?? fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const NODE = process.execPath;
const SKILLS = 2_000;
const ROUNDS = 41;
const MESSAGE = "write a postgres migration for the users table";

const root = mkdtempSync(join(tmpdir(), "repertoire-prompt-"));
const [home, dir] = [join(root, "home"), join(root, "project")];
try {
  mkdirSync(dir);
  writeLibrary(join(home, ".claude", "skills"), SKILLS, process.argv[2]);
  const repertoire = [NODE, BIN, "--home", home, "--dir", dir];
  execFileSync(repertoire[0], [...repertoire.slice(1), "index"], { stdio: "ignore" });
  const event = { cwd: dir, hook_event_name: "UserPromptSubmit", prompt: MESSAGE };
  const hook = [NODE, BIN, "hook", "claude-code", "--home", home];
  const contestants = {
    node: () => processorTime([NODE, "-e", "0"]),
    recall: () => processorTime([...repertoire, "recall", MESSAGE]),
    prompt: () => processorTime([...repertoire, "prompt", MESSAGE]),
    // A session of its own each time: a repeated message would be answered with silence, and sooner.
    hook: (round) => processorTime(hook, JSON.stringify({ ...event, session_id: `s${round}` })),
  };
  const times = { node: [], recall: [], prompt: [], hook: [] };
  // The first round leaves compiled code for the others.
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, measure] of Object.entries(contestants)) {
      const ms = measure(round);
      if (round > 0) times[name].push(ms);
    }
  print("prompt / recall", times.prompt, times.recall, 1.3);
  print("recall / node -e 0", times.recall, times.node, 1.6);
  print("hook, a message that recalls / node -e 0", times.hook, times.node);
} finally {
  rmSync(root, { recursive: true, force: true });
}

function print(what, ours, theirs, bar) {
  const { ratio, low, high } = ratioOf(ours, theirs);
  const verdict = bar === undefined ? "" : `  (bar ${bar}: ${ratio <= bar ? "met" : "MISSED"})`;
  const times = `${median(ours).toFixed(0)} ms / ${median(theirs).toFixed(0)} ms`;
  console.log(
    `${`${what}, ${SKILLS} skills, processor time`.padEnd(64)} ${times} = ${ratio.toFixed(2)}x [${low.toFixed(2)}, ${high.toFixed(2)}]${verdict}`,
  );
}
