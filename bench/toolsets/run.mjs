// Owns the question: what does it cost that a toolset runs in a process of its own? Prints the median of a warm call, in
// the process and in this one, and the time until the first tool can be called. Not a test: it asserts nothing.
//
//   node bench/toolsets/run.mjs [calls]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleToolsetProgram } from "../../scripts/bundle.mjs";
import { median } from "../timing.mjs";

const calls = Number(process.argv[2] ?? 2_000);
const BAR_MS = 1;
const work = mkdtempSync(join(tmpdir(), "repertoire-bench-toolsets-"));
const mount = join(work, "package");

const TOOL = (language) => `import { defineTool, z } from "repertoire/tools";
const shout = (text${language === "ts" ? ": string" : ""}) => text.toUpperCase();
export const Set = [defineTool("shout", {
  description: "Shouts.",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => shout(text),
})];
`;

try {
  await bundleToolsetProgram("dist");
  mkdirSync(mount);
  const { loadToolsets, createToolRegistry, z } = await engine();
  const none = async () => ({ ok: false, reason: "not wanted", fix: "" });
  console.log("until the first tool can be called, median of 10, in ms");
  for (const [name, system] of [
    ["sandbox", undefined],
    ["no sandbox", { findSandbox: none }],
  ]) {
    for (const language of ["mjs", "ts"]) {
      writeFileSync(join(mount, `t.${language}`), TOOL(language));
      const times = [];
      for (let round = 0; round < 10; round += 1) {
        const started = performance.now();
        const opened = await open(`t.${language}:Set`, system);
        times.push(performance.now() - started);
        await opened.close();
      }
      console.log(`  ${name}, .${language}`.padEnd(24), median(times).toFixed(0).padStart(8));
    }
  }

  const parameters = z.object({ text: z.string() });
  const here = async (args) => parameters.parse(args).text.toUpperCase();
  console.log(`\na warm call, median of ${calls}, in ms`);
  for (const [name, system] of [
    ["sandbox", undefined],
    ["no sandbox", { findSandbox: none }],
  ]) {
    const opened = await open("t.ts:Set", system);
    const registry = createToolRegistry();
    registry.add(opened.tools);
    const times = { worker: [], here: [] };
    for (let round = -200; round < calls; round += 1) {
      const args = { text: `call ${round}` };
      const begun = performance.now();
      const { ok } = await registry.call("bench__shout", args);
      const between = performance.now();
      await here(args);
      if (!ok) throw new Error("a call failed");
      if (round < 0) continue;
      times.worker.push(between - begun);
      times.here.push(performance.now() - between);
    }
    const [worker, direct] = [median(times.worker), median(times.here)];
    const verdict = worker - direct <= BAR_MS ? "met" : "MISSED";
    console.log(
      `  ${name.padEnd(12)} ${worker.toFixed(3)}   in this process ${direct.toFixed(3)}   ${(worker / direct).toFixed(0)}x   adds ${(worker - direct).toFixed(3)} (bar ${BAR_MS}: ${verdict})`,
    );
    await opened.close();
  }

  async function open(entry, system) {
    const request = { mount, manifest: { toolsets: [entry] }, skillName: "bench", env: process.env };
    const opened = await loadToolsets({ ...request, policy: { acceptUnsandboxed: true } }, system);
    if (opened.tools.length !== 1) throw new Error(JSON.stringify(opened.diagnostics));
    return opened;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Bundled from the sources, so that the figures are those of the code beside this file. */
async function engine() {
  const outfile = join(work, "engine.mjs");
  const source = new URL("../../src/tools/", import.meta.url);
  await build({
    stdin: {
      contents:
        'export { loadToolsets } from "./toolsets.ts"; export { createToolRegistry } from "./registry.ts"; export { z } from "./define-tool.ts";',
      resolveDir: source.pathname,
      loader: "ts",
    },
    ...{ bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" },
    define: { "import.meta.url": JSON.stringify(new URL("toolsets.ts", source).href) },
  });
  return import(pathToFileURL(outfile).href);
}
