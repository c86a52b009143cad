// Owns the question: what does the sandbox cost? Prints, for a trivial script in each language, the median time of a
// plain spawn, of a run without isolation and of a run in the sandbox, and the ratios. Not a test: it asserts nothing.
//
//   node bench/sandbox/run.mjs [rounds]

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const rounds = Number(process.argv[2] ?? 30);
const work = mkdtempSync(join(tmpdir(), "repertoire-bench-sandbox-"));

const SCRIPTS = [
  { name: "sh", file: "s.sh", text: ":", plain: ["/bin/sh"] },
  { name: "python3", file: "p.py", text: "pass", plain: ["/usr/bin/python3"] },
  { name: "node", file: "n.js", text: "", plain: [process.execPath] },
].filter(({ plain }) => existsSync(plain[0]));

try {
  const { runScript, findSandbox } = await engine();
  const lookup = await findSandbox({ searchPath: "", avoid: [] });
  if (!lookup.ok) console.log(`The sandbox is not measured: ${lookup.reason}.`);
  const mount = join(work, "package");
  mkdirSync(mount);
  console.log(`median of ${rounds} runs, in ms\n`);
  console.log(
    "script    plain spawn   unsandboxed   sandbox   unsandboxed/plain   sandbox/plain   sandbox adds",
  );
  for (const { name, file, text, plain } of SCRIPTS) {
    writeFileSync(join(mount, file), text);
    const request = { mount, script: file, env: process.env };
    const none = { findSandbox: async () => ({ ok: false, reason: "not wanted", fix: "" }) };
    const kinds = [
      // Few variables here too: some of them (certificates, options) make programs start slower.
      async () => spawnSync(plain[0], [join(mount, file)], { env: { PATH: "/usr/bin:/bin" } }).status === 0,
      async () => (await runScript({ ...request, policy: { acceptUnsandboxed: true } }, none)).ok,
      async () => lookup.ok && (await runScript(request)).isolation === "bubblewrap",
    ];
    const [base, bare, boxed] = await medians(lookup.ok ? kinds : kinds.slice(0, 2));
    const cells = [
      name.padEnd(8),
      ms(base, 12),
      ms(bare, 14),
      ms(boxed, 10),
      ratio(bare / base, 20),
      ratio(boxed / base, 16),
      ms(boxed - base, 12),
    ];
    console.log(cells.join(""));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Bundled from the sources, so that the figures are those of the code beside this file. */
async function engine() {
  const outfile = join(work, "engine.mjs");
  await build({
    stdin: {
      contents: 'export { runScript } from "./scripts.ts"; export { findSandbox } from "./sandbox.ts";',
      resolveDir: fileURLToPath(new URL("../../src/tools", import.meta.url)),
      loader: "ts",
    },
    ...{ bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" },
  });
  return import(pathToFileURL(outfile).href);
}

/** The kinds take turns, so that a slow moment of the machine meets all of them. */
async function medians(kinds) {
  const times = kinds.map(() => []);
  for (let round = -2; round < rounds; round += 1) {
    for (const [index, once] of kinds.entries()) {
      const start = performance.now();
      if (!(await once())) throw new Error(`run ${index} failed`);
      if (round >= 0) times[index].push(performance.now() - start);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]);
}

function ms(value, width) {
  return (Number.isFinite(value) ? value.toFixed(1) : "-").padStart(width);
}

function ratio(value, width) {
  return (Number.isFinite(value) ? `${value.toFixed(2)}x` : "-").padStart(width);
}
