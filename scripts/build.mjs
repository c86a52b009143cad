// Builds `dist/`: bundles with shared chunks, so that a cold start loads few files, and the type declarations
// (left out with --no-types).

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });

await build({
  entryPoints: { index: "src/index.ts", bin: "src/adapters/cli/bin.ts", tools: "src/tools/define-tool.ts" },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  chunkNames: "chunks/[name]-[hash]",
  // Not minified: a stack trace must stay readable, and the gain in start time is below what can be measured.
  legalComments: "linked",
  // Dependencies are loaded only when a feature asks for them; what every start needs is a development dependency
  // and goes into the bundle.
  external: [...Object.keys(dependencies), "@lat.md/*"],
  // Bundled CommonJS packages may require Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});

if (!process.argv.includes("--no-types")) {
  const typescript = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [typescript, "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
