// Owns loading the product's own modules for the documents, and a clean place to run its commands in.
// Node runs no TypeScript, so the modules are bundled first.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const ENTRY = `
export { run } from "./src/adapters/cli/main.ts";
export { HOST_TABLE, hostEdits } from "./src/adapters/hooks/setup/hosts.ts";
export { openApiDocument } from "./src/adapters/http/api/openapi.ts";
export { NOT_OVER_HTTP, OPERATIONS } from "./src/adapters/http/api/operations.ts";
export { ERROR_STATUS } from "./src/adapters/http/errors.ts";
export { CONFIG_KEYS, configSchema } from "./src/config/keys.ts";
export { disclose } from "./src/disclose/section.ts";
export { acceptedValues } from "./src/config/kinds.ts";
export { openRepertoire } from "./src/index.ts";
export { ERROR_CODES } from "./src/model/errors.ts";
export { STYLES } from "./src/model/turn.ts";
export { diagnosticTable } from "./src/parse/codes.ts";
export { STATE_CODES } from "./src/model/state-finding.ts";
export { frontMatterTable } from "./src/parse/dialects.ts";
export { estimateTokens } from "./src/text/estimate.ts";
`;

export async function loadProduct(root) {
  // Below the root, so that packages and our own files are found from the bundle as they are from the sources.
  const folder = join(root, "node_modules", ".cache", "repertoire-docs");
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `product-${process.pid}.mjs`);
  await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  const modules = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  const place = mkdtempSync(join(tmpdir(), "repertoire-docs-"));
  const home = join(place, "home");
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  const tidy = (text) =>
    text.replaceAll(project, "~/project").replaceAll(home, "~").replaceAll(root, "~/repertoire/");
  return {
    ...modules,
    root,
    home,
    project,
    /** Paths of this machine become those of a reader's. */
    tidy,
    /** Runs one command line in the clean place and returns what it printed. */
    async command(args) {
      const written = { out: "", err: "" };
      const exit = await modules.run(["--dir", project, "--home", home, ...args], {
        out: (text) => {
          written.out += text;
        },
        err: (text) => {
          written.err += text;
        },
        terminal: false,
        width: 100,
      });
      return { exit, out: tidy(written.out), err: tidy(written.err) };
    },
    dispose: () => rmSync(place, { recursive: true, force: true }),
  };
}
