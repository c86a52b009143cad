// Builds the dashboard into `dist/dashboard/`: one script, one style sheet, the page and its icon.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

export async function buildDashboard(outdir) {
  await build({
    entryPoints: ["dashboard/main.tsx", "dashboard/style.css"],
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "linked",
    logLevel: "error",
  });
  mkdirSync(outdir, { recursive: true });
  for (const name of ["index.html", "icon.svg"]) copyFileSync(join("dashboard", name), join(outdir, name));
}
