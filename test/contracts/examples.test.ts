// Holds the public functions to their documentation: each has an example that compiles and runs, and every type in a
// public signature can be imported.

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ExamplePlace, PLACE_FIELDS } from "../example-place.ts";
import {
  compileErrors,
  type Entries,
  type Example,
  entriesOf,
  exampleModule,
  examplesIn,
  readApi,
} from "../public-api.ts";
import { temporaryTree } from "../skill-tree.ts";

/** The exported names that are checked: functions, and types and classes with all that they have. */
const COVERED = "all" as readonly string[] | "all";

const PLACE = resolve("test/example-place.ts");
const MAIN = "repertoire";

function isCovered(name: string): boolean {
  return COVERED === "all" || COVERED.includes(name.split(".")[0]!);
}

describe("the public API", () => {
  const entries = entriesOf("package.json");
  const api = readApi(entries, ".");
  const functions = api.functions.filter(({ name }) => isCovered(name));
  const examples = examplesIn(functions);
  let run: Awaited<ReturnType<typeof compiled>>;

  beforeAll(async () => {
    run = await compiled(examples, { entries, values: api.values.get(MAIN)! });
  });
  afterAll(() => run.dispose());

  it("has every name that is covered", () => {
    const names = new Set(api.functions.map(({ name }) => name.split(".")[0]!));
    expect(COVERED === "all" ? [] : COVERED.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has an example on every function", () => {
    expect(functions.filter(({ examples: own }) => own.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("has examples that compile", () => {
    expect(run.errors).toEqual([]);
  });

  it.each(examples)("has an example of $name that runs", async ({ name }) => {
    const said = vi.spyOn(console, "log").mockReturnValue();
    await expect(run.example(name)).resolves.toBeUndefined();
    said.mockRestore();
  });

  it("names no type that cannot be imported", () => {
    expect(api.hidden.filter(({ usedBy }) => isCovered(usedBy))).toEqual([]);
  });
});

describe("the check itself", () => {
  const INDEX = `
export { Counter, double, type Shown, halve, undocumented } from "./parts.ts";
`;
  const PARTS = `
interface Hidden { readonly count: number }
interface Inner { readonly hidden: Hidden }
export interface Shown { readonly count: number; readonly inner: readonly Inner[] }
/**
 * Doubles.
 *
 * @example
 * import { double } from "sample";
 * if (double(2) !== 4) throw new Error("wrong");
 */
export function double(count: number): number { return count * 2; }
/**
 * @example
 * halve("2");
 * @example
 * const message = halve(3);
 * throw new Error(\`runs: \${message}\`);
 */
export const halve = (count: number) => count / 2;
/** Has none. */
export function undocumented() { return { found: [] as Hidden[] }; }
export class Counter {
  private readonly secret: Hidden = { count: 0 };
  /** Counts. */
  count(): Promise<Shown> { return Promise.reject(this.secret); }
  private hide(): void { this.count(); }
  protected show(): void { this.hide(); }
}
`;

  it("finds missing examples, hidden types, and examples that do not compile or do not run", async () => {
    const root = temporaryTree({
      "index.ts": INDEX,
      "parts.ts": PARTS,
      "package.json": '{"type": "module"}',
    });
    const entries = { sample: join(root, "index.ts") };
    const { functions, hidden, values } = readApi(entries, root);
    const without = functions.filter(({ examples }) => examples.length === 0).map(({ name }) => name);
    expect(without.sort()).toEqual(["Counter.count", "undocumented"]);
    expect(hidden.map(({ usedBy, type }) => `${usedBy}: ${type}`).sort()).toEqual([
      "Shown: Inner",
      "undocumented: Hidden",
    ]);
    const run = await compiled(examplesIn(functions), { entries, values: values.get("sample")! });
    expect(run.errors).toEqual([expect.stringMatching(/^halve-1\.mts: TS2345/)]);
    await expect(run.example("double")).resolves.toBeUndefined();
    await expect(run.example("halve 2")).rejects.toThrow("runs: 1.5");
    run.dispose();
  });
});

/** Writes the examples into modules, checks their types in one program, and builds them. */
async function compiled(
  examples: readonly Example[],
  { entries, values }: { readonly entries: Entries; readonly values: readonly string[] },
) {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-examples-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const fileOf = (name: string) => join(folder, `${name.replaceAll(/\W/g, "-")}.mts`);
  const main = Object.keys(entries)[0]!;
  const place = { module: "example-place", type: "ExamplePlace", fields: PLACE_FIELDS };
  for (const example of examples)
    writeFileSync(fileOf(example.name), exampleModule(example, { main, values, place }));
  const files = examples.map(({ name }) => fileOf(name));
  const paths = { ...entries, "example-place": PLACE };
  const outputs = files.map((file) => ({ in: file, out: basename(file, ".mts") }));
  await build({
    entryPoints: [...outputs, { in: PLACE, out: "example-place" }],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    alias: paths,
    packages: "external",
    // The package's own data is found from its sources.
    define: {
      "import.meta.url": JSON.stringify(pathToFileURL("src/index.ts").href),
      "import.meta.filename": JSON.stringify(resolve("src/index.ts")),
      "import.meta.dirname": JSON.stringify(resolve("src")),
    },
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  const load = (name: string) =>
    import(/* @vite-ignore */ pathToFileURL(fileOf(name).replace(/mts$/, "mjs")).href);
  return {
    errors: compileErrors(files, paths),
    async example(name: string): Promise<void> {
      const { inExamplePlace } = (await load("example-place")) as typeof import("../example-place.ts");
      const { default: run } = (await load(name)) as { default: (place: ExamplePlace) => Promise<unknown> };
      await inExamplePlace(run);
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
