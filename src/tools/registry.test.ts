import { describe, expect, test } from "vitest";
import { argumentChecker } from "./argument-schema.ts";
import { z } from "./define-tool.ts";
import { TOOL_LIMITS } from "./limits.ts";
import { createToolRegistry, qualifiedName } from "./registry.ts";
import { plainOutput } from "./tool-output.ts";
import type { ToolAnswer } from "./toolset-worker.ts";
import type { SkillTool } from "./toolsets.ts";

interface Spec {
  readonly description?: string;
  readonly parameters?: z.ZodType;
  readonly answer?: (args: unknown) => ToolAnswer;
}

/** A tool as a process declares it, whose answer is given here. */
function skillTool(name: string, spec: Spec, skill = "demo"): SkillTool {
  const { description = "Demo.", parameters = z.object({}) } = spec;
  const inputSchema = z.toJSONSchema(parameters, { io: "input" });
  const answer = spec.answer ?? ((args) => ({ how: "result", ...plainOutput(name, args) }));
  return {
    ...{ skill, mount: "/mount", toolset: "t:Set", name, description, inputSchema },
    check: argumentChecker(inputSchema),
    execute: async (args) => answer(args),
  };
}

function registryWith(...tools: SkillTool[]) {
  const registry = createToolRegistry();
  return { registry, diagnostics: registry.add(tools) };
}

const answering = (answer: ToolAnswer) => registryWith(skillTool("t", { answer: () => answer })).registry;

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
  const parameters = z.object({ city: z.string(), days: z.number().int().optional() });
  const answer = (args: unknown) => ({ how: "result", ...plainOutput("t", JSON.stringify(args)) }) as const;
  const { registry } = registryWith(skillTool("t", { parameters, answer }));

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
  ])("as %s are accepted", async (_form, args, output) => {
    expect(await registry.call("demo__t", args)).toMatchObject({ ok: true, output });
  });

  test.each([undefined, null, "", "not json", [], 3])("%j is rejected without a crash", async (args) => {
    expect(await registry.call("demo__t", args)).toMatchObject({ ok: false, code: "invalid-arguments" });
  });

  test("that the tool's own schema rejects are an error too", async () => {
    const result = await answering({ how: "invalid", issues: ["city: too far"] }).call("demo__t", {});
    expect(result).toMatchObject({ ok: false, code: "invalid-arguments" });
    expect(result.output).toMatch(/^city: too far$/m);
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
    const result = await answering({ how: "result", ...plainOutput("t", returned) }).call("demo__t", {});
    expect(result).toEqual({ ok: true, truncated: false, ...(shape as object) });
  });

  test("are cut at the limit", async () => {
    const long = plainOutput("t", "x".repeat(TOOL_LIMITS.outputChars + 5));
    const result = await answering({ how: "result", ...long }).call("demo__t", {});
    expect(result).toMatchObject({ ok: true, truncated: true });
    expect(result.output).toMatch(/x\n\[.*\b5\b.*\]$/);
  });

  test("have no metadata that is too long", () => {
    const long = { metadata: { text: "x".repeat(TOOL_LIMITS.metadataChars) }, output: "" };
    expect(Object.keys(plainOutput("t", long).metadata)).toEqual(["leftOut"]);
  });
});

describe("a call", () => {
  test.each<[ToolAnswer, string]>([
    [{ how: "failed", why: "boom" }, "tool-failed"],
    [{ how: "timeout" }, "timeout"],
    [{ how: "aborted" }, "aborted"],
  ])("that ends with %j is an error result", async (answer, code) => {
    const result = await answering(answer).call("demo__t", {});
    expect(result).toMatchObject({ ok: false, code, title: "t", metadata: {}, truncated: false });
  });

  test("is not made if the caller has aborted", async () => {
    const { registry } = registryWith(skillTool("t", { answer: () => expect.fail("it was called") }));
    const result = await registry.call("demo__t", {}, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ ok: false, code: "aborted" });
  });
});
