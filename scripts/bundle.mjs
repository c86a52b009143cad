// Bundles the package's code into a folder. `index.js`, `engine.js` and what they share are ES modules, loaded piece by piece. The
// command line is two CommonJS files, one for the verbs of every message and one for all others: with the code that V8 compiled
// before, they start sooner (docs/decisions/2026-11-16-quick-start.md).

import * as crypto from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { frontDoors } from "./front-doors.mjs";

/** What the bundle of every message does not hold and most messages do not need: it is loaded from the modules beside it. */
const BESIDE = {
  "src/engine/engine.ts": "./engine.js",
  re2js: "./patterns.js",
};

/** For ES modules: bundled CommonJS packages may require Node's own modules. */
const REQUIRE =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** What all bundles have in common. */
function commonOptions(plugins) {
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  return {
    bundle: true,
    platform: "node",
    target: "node20",
    legalComments: "linked",
    logLevel: "error",
    // Dependencies are loaded only when a feature asks for them; what every start needs is a development dependency
    // and goes into the bundle.
    external: [...Object.keys(dependencies), "@lat.md/*"],
    // As ES modules, of which the bundle holds only what it uses.
    alias: { yaml: "./node_modules/yaml/browser/dist/index.js" },
    plugins,
  };
}

/** Bundles one program that is run from the package's folder and not shipped. */
export async function bundleProgram(entry, outfile) {
  await build({
    ...commonOptions([frontDoors]),
    entryPoints: [entry],
    outfile,
    format: "esm",
    legalComments: "none",
    banner: { js: REQUIRE },
  });
}

/** Bundles the program that runs toolsets into one file with all it needs, because its sandbox shows it no other. */
export async function bundleToolsetProgram(outdir) {
  const { external, ...common } = commonOptions([frontDoors]);
  const { outputFiles } = await build({
    ...common,
    entryPoints: ["src/tools/toolset-program.ts"],
    write: false,
    legalComments: "inline",
    format: "esm",
    outfile: "toolset-program.mjs",
    banner: { js: REQUIRE },
  });
  mkdirSync(outdir, { recursive: true });
  // In one step: a process that starts now reads the old file or the new one.
  const staging = join(outdir, `.toolset-program-${process.pid}`);
  writeFileSync(staging, outputFiles[0].text);
  renameSync(staging, join(outdir, "toolset-program.mjs"));
}

/** `modulePath` replaces `import.meta.filename`, for a bundle outside the package; `plugins` see every source file. */
export async function bundle(outdir, { modulePath, plugins: more = [] } = {}) {
  const plugins = [{ name: "assembled", setup: assembleBefore }, ...more, frontDoors];
  const common = commonOptions(plugins);
  await bundleToolsetProgram(outdir);
  const beside = { name: "beside", setup: leaveBeside };
  const quick = await bundleCompiled(outdir, {
    common: { ...common, plugins: [beside, ...plugins] },
    entry: "src/adapters/cli/quick.ts",
    modulePath,
  });
  const QUICK_BUNDLE = JSON.stringify(quick);
  const whole = await bundleCompiled(outdir, {
    common: { ...common, define: { QUICK_BUNDLE } },
    entry: "src/adapters/cli/main.ts",
    modulePath,
  });
  await build({
    ...common,
    entryPoints: {
      index: "src/index.ts",
      // Without the agent's tools and their schemas, which a hook does not need.
      engine: "src/engine/engine.ts",
      tools: "src/tools/define-tool.ts",
      "ai-sdk": "src/adapters/ai-sdk/ai-sdk.ts",
      telemetry: "src/telemetry/opentelemetry.ts",
      patterns: "re2js",
    },
    outdir,
    splitting: true,
    format: "esm",
    // Names stay, so that a stack can be read; the rest is what every start reads.
    minifySyntax: true,
    minifyWhitespace: true,
    chunkNames: "chunks/[name]-[hash]",
    banner: { js: REQUIRE },
    define: { QUICK_BUNDLE, ...(modulePath && standingAt(modulePath)) },
  });
  await build({
    ...common,
    entryPoints: { bin: "src/adapters/cli/bin.ts" },
    outdir,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    // Node compiles it anew at every message.
    minify: true,
    define: { QUICK_BUNDLE, WHOLE_BUNDLE: JSON.stringify(whole) },
  });
}

/** Bundles a part of the command line to be run as compiled code; returns the file's name, which has a digest of its content. */
async function bundleCompiled(outdir, { common, entry, modulePath }) {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [entry],
    write: false,
    legalComments: "inline",
    format: "cjs",
    plugins: [{ name: "late", setup: loadLate }, ...common.plugins],
    // It is read whole at every start; the other bundles stay readable.
    minify: true,
    // A function that is called with what `src/adapters/cli/bin.ts` hands over.
    banner: { js: "(function (module, require, __filename, __dirname, __import) {" },
    footer: { js: "})" },
    define: {
      ...common.define,
      ...(modulePath
        ? standingAt(modulePath)
        : { "import.meta.filename": "__filename", "import.meta.dirname": "__dirname" }),
    },
  });
  // Code that was compiled before may not import by itself: its loader does that for it.
  // It is read byte by byte, so what is not ASCII is escaped; the bundler leaves that in patterns.
  const code = outputFiles[0].text
    .replaceAll(/(?<![\w.$])import\((?=")/g, "__import(")
    .replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const digest = crypto.createHash("sha256").update(code).digest("hex").slice(0, 12);
  const name = `${basename(entry, ".ts")}-${digest}.cjs`;
  writeFileSync(join(outdir, name), code);
  return name;
}

function standingAt(path) {
  return {
    "import.meta.filename": JSON.stringify(path),
    "import.meta.dirname": JSON.stringify(dirname(path)),
  };
}

function leaveBeside({ onResolve }) {
  onResolve({ filter: /\/engine\.ts$|^re2js$/ }, ({ path, resolveDir, kind }) => {
    const found = BESIDE[path] ?? BESIDE[relative(process.cwd(), join(resolveDir, path))];
    return kind === "dynamic-import" && found ? { path: found, external: true } : undefined;
  });
}

/** The bytes of the search kernels, assembled now instead of at every start. */
function assembleBefore({ onLoad }) {
  onLoad({ filter: /\/search\/kernel-module\.ts$/ }, async ({ path }) => {
    const { outputFiles } = await build({
      entryPoints: [path],
      write: false,
      format: "esm",
      logLevel: "error",
    });
    const code = Buffer.from(outputFiles[0].text).toString("base64");
    const { kernelModule } = await import(`data:text/javascript;base64,${code}`);
    const bytes = Buffer.from(kernelModule()).toString("base64");
    return { contents: `export const kernelModule = () => Buffer.from("${bytes}", "base64");` };
  });
}

/**
 * Modules of Node that take milliseconds to load and that most messages do not need: the command line's grammar could start
 * programs, and never does; a digest is taken only of what changed. They are loaded when they are asked for.
 */
function loadLate({ onResolve, onLoad }) {
  onResolve({ filter: /^node:child_process$/ }, ({ path, kind, namespace }) =>
    kind === "require-call" && namespace !== "late" ? { path, namespace: "late" } : undefined,
  );
  onResolve({ filter: /^node:crypto$/ }, ({ path, kind, namespace }) =>
    kind === "import-statement" && namespace !== "late" ? { path, namespace: "late" } : undefined,
  );
  onLoad({ filter: /child_process$/, namespace: "late" }, ({ path }) => ({
    contents: `module.exports = new Proxy({}, { get: (_, name) => require(${JSON.stringify(path)})[name] });`,
  }));
  onLoad({ filter: /crypto$/, namespace: "late" }, ({ path }) => ({
    // Every function of it; the bundle keeps those that are used.
    contents: Object.entries(crypto)
      .filter(([, value]) => typeof value === "function")
      .map(
        ([name]) =>
          `export const ${name} = (...given) => require(${JSON.stringify(path)}).${name}(...given);`,
      )
      .join("\n"),
  }));
}
