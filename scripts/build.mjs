// Builds `dist/`: the bundles, the dashboard, and the type declarations (left out with --no-types).

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { bundle } from "./bundle.mjs";
import { buildDashboard } from "./dashboard.mjs";

rmSync("dist", { recursive: true, force: true });
await bundle("dist");
await buildDashboard("dist/dashboard");

if (!process.argv.includes("--no-types")) {
  const typescript = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [typescript, "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
