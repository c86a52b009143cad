// How fast are skills found and read? Cold processes over 1,000 skills, and scans of 10,000 in one process.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeLibrary } from "../library.mjs";
import { printRatio, race } from "../timing.mjs";

const corpus = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
const bin = new URL("../../dist/bin.cjs", import.meta.url).pathname;

const walkAndRead = `const fs = require("fs");
const walk = (d) => { for (const e of fs.readdirSync(d, { withFileTypes: true })) { const p = d + "/" + e.name; if (e.isDirectory()) walk(p); else fs.readFileSync(p); } };
walk(process.argv[1]);`;

function bareWalk(directory, onFile) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) bareWalk(path, onFile);
    else onFile(path);
  }
}

async function coldProcesses() {
  const project = join(folder, "cold");
  writeLibrary(join(project, "skills"), 1000, corpus);
  const node = (args, env = {}) =>
    execFileSync(process.execPath, args, {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...env },
    });
  const list = [bin, "--dir", project, "--home", join(folder, "home"), "--json", "list"];
  node(list);
  const times = await race(
    {
      bare: () => node(["-e", walkAndRead, join(project, "skills")]),
      uncached: () => node(list, { REPERTOIRE_CACHE: "false" }),
      cached: () => node(list),
    },
    15,
  );
  printRatio("list --json, cold process, 1,000 skills, no cache / read files", times.uncached, times.bare, 3);
  printRatio("list --json, cold process, 1,000 skills, cache / read files", times.cached, times.bare, 1.6);
}

async function scansInProcess() {
  const { openRepertoire } = await import("../../dist/index.js");
  const project = join(folder, "warm");
  writeLibrary(join(project, "skills"), 10_000, corpus);
  const open = () =>
    openRepertoire({
      dir: project,
      home: join(folder, "home"),
      values: { cache: false, "sources.bundled": false },
    });
  await open().library.refresh();
  const first = await race(
    {
      bare: () => bareWalk(join(project, "skills"), (path) => readFileSync(path)),
      ours: () => open().library.refresh(),
    },
    5,
  );
  printRatio("first scan of 10,000 skills / readdir + readFile", first.ours, first.bare, 4);

  const warm = open();
  await warm.library.refresh();
  const again = await race(
    {
      bare: () => bareWalk(join(project, "skills"), (path) => statSync(path)),
      ours: () => warm.library.refresh(),
    },
    9,
  );
  printRatio("re-scan of 10,000, nothing changed / readdir + stat", again.ours, again.bare, 1.5);

  globalThis.gc?.();
  const before = process.memoryUsage();
  const held = open();
  await held.library.refresh();
  globalThis.gc?.();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  console.log(
    `memory a skill: ${(bytes / held.library.skills.size / 1024).toFixed(2)} KB${globalThis.gc ? "" : " (run with --expose-gc for an exact figure)"}`,
  );
}

try {
  await coldProcesses();
  await scansInProcess();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
