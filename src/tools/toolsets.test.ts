import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createToolRegistry } from "./registry.ts";
import { loadToolsets, type ToolsetRequest } from "./toolsets.ts";

let mount = "";

beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), "repertoire-toolsets-"));
});

afterEach(() => rmSync(mount, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(mount, path)), { recursive: true });
  writeFileSync(join(mount, path), text);
}

async function load(toolsets: string[], more: Partial<ToolsetRequest> = {}) {
  const request = { mount, manifest: { toolsets }, skillName: "hello-extended", env: process.env, ...more };
  const loaded = await loadToolsets({ policy: { acceptUnsandboxed: true }, ...request });
  onTestFinished(() => loaded.close());
  return loaded;
}

const HELLO = `
import { defineTool, z } from "repertoire/tools";
import { punctuation } from "./parts";
interface Options { readonly loud: boolean }
const shout = (text: string, { loud }: Options): string => (loud ? text.toUpperCase() : text);
export const hello = defineTool("hello", {
  description: "Greets a person.",
  parameters: z.object({ name: z.string().min(1), loud: z.boolean().default(false) }),
  execute: async ({ name, loud }, ctx) => ({
    title: "Greeted",
    metadata: { skill: ctx.skill },
    output: shout("hello " + name, { loud }) + punctuation,
  }),
});
export const HelloToolset = [hello];
`;

describe("a toolset in TypeScript", () => {
  beforeEach(() => {
    put("toolsets/parts.ts", "export const punctuation: string = '!';\n");
    put("toolsets/index.ts", HELLO);
  });

  test("is loaded, offered with a JSON schema and called", async () => {
    const { tools, diagnostics } = await load(["toolsets/index:HelloToolset"]);
    expect(diagnostics).toEqual([]);
    const registry = createToolRegistry();
    expect(registry.add(tools)).toEqual([]);
    expect(registry.list()).toEqual([
      {
        name: "hello-extended__hello",
        skill: "hello-extended",
        description: "Greets a person.",
        inputSchema: {
          type: "object",
          properties: { name: { type: "string", minLength: 1 }, loud: { type: "boolean", default: false } },
          required: ["name"],
        },
      },
    ]);
    expect(await registry.call("hello-extended__hello", { name: "Ada", loud: true })).toEqual({
      ok: true,
      title: "Greeted",
      metadata: { skill: "hello-extended" },
      output: "HELLO ADA!",
      truncated: false,
    });
  });

  test("is read again each time, so that a changed package takes effect", async () => {
    await load(["toolsets/index:HelloToolset"]);
    put("toolsets/parts.ts", "export const punctuation: string = '?';\n");
    const { tools } = await load(["toolsets/index:HelloToolset"]);
    const registry = createToolRegistry();
    registry.add(tools);
    expect((await registry.call("hello-extended__hello", { name: "Ada" })).output).toBe("hello Ada?");
  });

  test("with a top-level await is loaded after it resolves", async () => {
    put(
      "toolsets/index.ts",
      `${HELLO}\nawait new Promise((r) => setTimeout(r, 20));\nexport const Late = [hello];`,
    );
    expect((await load(["toolsets/index:Late"])).tools).toHaveLength(1);
  });
});

describe("the forms of a toolset", () => {
  const tool = (name: string) =>
    `{ name: "${name}", description: "Does ${name}.", parameters: z.object({}), execute: () => "${name} done" }`;

  test.each([
    ["an array", `export const Set = [${tool("one")}, ${tool("two")}];`],
    ["an object with tools", `export const Set = { tools: [${tool("one")}, ${tool("two")}] };`],
    ["an object of tools", `export const Set = { one: ${tool("one")}, two: ${tool("two")} };`],
    ["a class with tools", `export class Set { tools = [${tool("one")}, ${tool("two")}]; }`],
    ["a class of tools", `export class Set { one = ${tool("one")}; two = ${tool("two")}; }`],
    ["a class with static tools", `export class Set { static tools = [${tool("one")}, ${tool("two")}]; }`],
    ["a function", `export async function Set() { return [${tool("one")}, ${tool("two")}]; }`],
  ])("%s is a toolset", async (_form, text) => {
    put("tools.mjs", `import { z } from "zod";\n${text}`);
    const { tools, diagnostics } = await load(["tools:Set"]);
    expect(diagnostics).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("Tool.define, a CommonJS module, a folder's index and a default export work", async () => {
    put(
      "a.cjs",
      `const { Tool, z } = require("repertoire/tools"); exports.A = [Tool.define("a", { description: "A.", parameters: z.object({}), execute: () => "a" })];`,
    );
    put("b/index.js", `import { z } from "zod";\nexport default [${tool("b")}];`);
    const { tools, diagnostics } = await load(["a.cjs:A", "b"]);
    expect(diagnostics).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
  });
});

describe("a toolset that cannot be used is a diagnostic", () => {
  test.each([
    ["../outside:Set", "toolset-path-refused"],
    ["toolsets/../../outside:Set", "toolset-path-refused"],
    ["/etc/passwd:Set", "toolset-path-refused"],
    ["node:fs", "toolset-path-refused"],
    ["node:fs:readFileSync", "toolset-path-refused"],
    ["https://example.org/x.js:Set", "toolset-path-refused"],
    ["data:text/javascript,export const Set=[]:Set", "toolset-path-refused"],
    ["toolsets\\index:Set", "toolset-path-refused"],
    ["", "toolset-path-refused"],
    ["toolsets/index:", "toolset-entry-invalid"],
    ["toolsets/index:a b", "toolset-entry-invalid"],
    ["toolsets/nothing:Set", "toolset-not-found"],
    ["SKILL.md:Set", "toolset-not-found"],
  ])("%s: %s", async (entry, code) => {
    put("SKILL.md", "text");
    const { tools, diagnostics } = await load([entry]);
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, severity: "warning", fix: expect.any(String) }]);
  });

  test("a link that leaves the package", async () => {
    const outside = mkdtempSync(join(tmpdir(), "repertoire-outside-"));
    writeFileSync(join(outside, "x.mjs"), "globalThis.__planted = true; export const Set = [];");
    symlinkSync(join(outside, "x.mjs"), join(mount, "x.mjs"));
    symlinkSync(outside, join(mount, "folder"));
    const { diagnostics } = await load(["x:Set", "folder/x:Set"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["toolset-path-refused", "toolset-path-refused"]);
    expect(globalThis).not.toHaveProperty("__planted");
    rmSync(outside, { recursive: true });
  });

  test.each([
    ["throws", "throw new Error('no key');", "toolset-load-failed", "no key"],
    ["throws nothing", "throw undefined;", "toolset-load-failed", "undefined"],
    ["does not parse", "export const Set = [", "toolset-load-failed", "t.ts"],
    [
      "imports what is not there",
      "import 'left-pad-of-nobody';",
      "toolset-load-failed",
      "left-pad-of-nobody",
    ],
    ["rejects", "await Promise.reject(new Error('later'));", "toolset-load-failed", "later"],
    ["exports something else", "export const Other = 1;", "toolset-export-missing", "Other"],
    ["exports a number", "export const Set = 42;", "toolset-export-invalid", "Set"],
    [
      "has a constructor that throws",
      "export class Set { constructor() { throw new Error('ctor'); } }",
      "toolset-load-failed",
      "ctor",
    ],
  ])("a module that %s", async (_what, text, code, message) => {
    put("t.ts", text);
    const { tools, diagnostics } = await load(["t:Set"]);
    expect(tools).toEqual([]);
    expect(diagnostics).toMatchObject([{ code, message: expect.stringContaining(message) }]);
  });

  test("a module that never finishes loading", async () => {
    put("t.ts", "await new Promise(() => {});\nexport const Set = [];");
    const { diagnostics } = await load(["t:Set"], { loadMs: 100 });
    expect(diagnostics).toMatchObject([{ code: "toolset-load-timeout" }]);
  });

  test("a tool that is not valid is omitted, the others of the toolset stay", async () => {
    put(
      "t.ts",
      `import { z } from "zod";
       const ok = { description: "Fine.", parameters: z.object({}), execute: () => "" };
       export const Set = [
         { ...ok, name: "good" }, { ...ok, name: "bad name!" }, { ...ok, name: "silent", description: " " },
         { ...ok, name: "loose", parameters: { type: "object" } }, { ...ok, name: "flat", parameters: z.string() },
         { ...ok, name: "idle", execute: "text" }, null, 7,
       ];`,
    );
    const { tools, diagnostics } = await load(["t:Set", "gone:Set"]);
    expect(tools.map(({ name }) => name)).toEqual(["good"]);
    expect(diagnostics.map(({ code }) => code)).toEqual([
      ...Array(7).fill("tool-invalid"),
      "toolset-not-found",
    ]);
    expect(diagnostics[0]?.message).toContain('"bad name!"');
  });

  test("a skill with too many tools keeps the first ones", async () => {
    put(
      "t.ts",
      `import { z } from "zod"; export const Set = Array.from({ length: 100 }, (_, i) => ({ name: "t" + i, description: "x", parameters: z.object({}), execute: () => "" }));`,
    );
    const { tools, diagnostics } = await load(["t:Set"]);
    expect(tools).toHaveLength(64);
    expect(diagnostics).toMatchObject([{ code: "toolset-too-many-tools" }]);
  });
});
