import { describe, expect, test } from "vitest";
import { defineTool, type ToolContext, type ToolSpec, z } from "./define-tool.ts";
import { TOOL_LIMITS } from "./limits.ts";
import { createToolRegistry, qualifiedName } from "./registry.ts";
import { checkTool, type SkillTool } from "./toolsets.ts";

function skillTool(name: string, spec: Partial<ToolSpec>, skill = "demo"): SkillTool {
  const tool = defineTool(name, {
    description: "Demo.",
    parameters: z.object({}),
    execute: () => "done",
    ...spec,
  });
  const checked = checkTool(tool, {
    skill,
    mount: "/mount",
    toolset: "t:Set",
    toJsonSchema: (schema) => z.toJSONSchema(schema),
  });
  if ("code" in checked) throw new Error(checked.message);
  return checked;
}

function registryWith(...tools: SkillTool[]) {
  const registry = createToolRegistry();
  return { registry, diagnostics: registry.add(tools) };
}

const executing = (execute: (args: never, context: ToolContext) => unknown) =>
  registryWith(skillTool("t", { execute: execute as ToolSpec["execute"] })).registry;

describe("names", () => {
  test("contain the skill and are accepted by model APIs", () => {
    expect(qualifiedName("mcp/email", "send")).toBe("mcp_email__send");
    expect(qualifiedName("v1.2", "run")).toBe("v1-2__run");
    const long = qualifiedName(`team/${"x".repeat(60)}`, "tool");
    expect(long).toMatch(/^[a-zA-Z0-9_-]{64}$/);
    expect(qualifiedName(`team/${"x".repeat(60)}`, "tool2")).not.toBe(long);
  });

  test("that collide omit the later tool, with a diagnostic that names both", () => {
    const { registry, diagnostics } = registryWith(
      skillTool("t", { description: "First." }),
      skillTool("t", { description: "Second." }),
      skillTool("t", {}, "other"),
    );
    expect(diagnostics).toMatchObject([
      { code: "tool-name-collision", message: expect.stringContaining("demo__t") },
    ]);
    expect(registry.list().map(({ name, description }) => [name, description])).toEqual([
      ["demo__t", "First."],
      ["other__t", "Demo."],
    ]);
  });

  test("of a removed skill are removed, and an unknown name lists the known ones", async () => {
    const { registry } = registryWith(skillTool("a", {}), skillTool("b", {}, "other"));
    registry.removeSkill("demo");
    expect(await registry.call("demo__a", {})).toMatchObject({
      ok: false,
      code: "unknown-tool",
      output: expect.stringMatching(/"demo__a".*: other__b\.$/),
    });
  });
});

describe("arguments", () => {
  const { registry } = registryWith(
    skillTool("t", {
      parameters: z.object({ city: z.string(), days: z.number().int().optional() }),
      execute: (args) => JSON.stringify(args),
    }),
  );

  test("that are not valid return the path and the reason, and the tool is not called", async () => {
    const result = await registry.call("demo__t", { city: 7, days: 1.5 });
    expect(result).toMatchObject({ ok: false, code: "invalid-arguments" });
    expect(result.output).toMatch(/^city: .*string.*number$/m);
    expect(result.output).toMatch(/^days: .*int/m);
    expect(result.output).toContain('"required":["city"]');
  });

  test.each([
    ["an object", { city: "Rome" }, '{"city":"Rome"}'],
    ["a JSON text", '{"city":"Rome","days":2}', '{"city":"Rome","days":2}'],
    ["unknown keys", { city: "Rome", extra: 1 }, '{"city":"Rome"}'],
  ])("as %s are accepted", async (_form, args, output) => {
    expect(await registry.call("demo__t", args)).toMatchObject({ ok: true, output });
  });

  test.each([undefined, null, "", "not json", [], 3])("%j is rejected without a crash", async (args) => {
    expect(await registry.call("demo__t", args)).toMatchObject({ ok: false, code: "invalid-arguments" });
  });
});

describe("results", () => {
  test.each<[string, unknown, unknown]>([
    ["a text", "plain", { title: "t", metadata: {}, output: "plain" }],
    [
      "the whole form",
      { title: "T", metadata: { a: 1 }, output: "o" },
      { title: "T", metadata: { a: 1 }, output: "o" },
    ],
    ["part of the form", { output: "o" }, { title: "t", metadata: {}, output: "o" }],
    ["data", { temperature: 3 }, { title: "t", metadata: {}, output: '{\n  "temperature": 3\n}' }],
    ["nothing", undefined, { title: "t", metadata: {}, output: "" }],
  ])("%s becomes title, metadata and output", async (_form, returned, shape) => {
    const result = await executing(() => returned).call("demo__t", {});
    expect(result).toEqual({ ok: true, truncated: false, ...(shape as object) });
  });

  test("are cut at the limit", async () => {
    const result = await executing(() => "x".repeat(TOOL_LIMITS.outputChars + 5)).call("demo__t", {});
    expect(result).toMatchObject({ ok: true, truncated: true });
    expect(result.output).toMatch(/x\n\[.*\b5\b.*\]$/);
  });

  test("that cannot leave the process are an error", async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(await executing(() => circular).call("demo__t", {})).toMatchObject({
      ok: false,
      code: "tool-failed",
    });
  });
});

describe("a tool that misbehaves", () => {
  test.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
    [
      "throws a text",
      () => {
        throw "boom";
      },
    ],
  ])("%s: an error result", async (_how, execute) => {
    expect(await executing(execute).call("demo__t", {})).toEqual({
      ok: false,
      code: "tool-failed",
      title: "t",
      metadata: {},
      output: expect.stringMatching(/"t".*: boom$/),
      truncated: false,
    });
  });

  test("does not end: a timeout result, and its signal is aborted", async () => {
    let told = false;
    const registry = executing((_args, { signal }) => {
      signal.addEventListener("abort", () => {
        told = true;
      });
      return new Promise(() => {});
    });
    expect(await registry.call("demo__t", {}, { timeoutMs: 20 })).toMatchObject({
      ok: false,
      code: "timeout",
    });
    expect(told).toBe(true);
  });

  test("is stopped if the caller aborts, before and during the call", async () => {
    const registry = executing(() => new Promise(() => {}));
    const abort = new AbortController();
    const running = registry.call("demo__t", {}, { signal: abort.signal });
    abort.abort();
    expect(await running).toMatchObject({ ok: false, code: "aborted" });
    expect(await registry.call("demo__t", {}, { signal: abort.signal })).toMatchObject({ code: "aborted" });
  });
});
