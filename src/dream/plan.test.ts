import { describe, expect, it } from "vitest";
import { readPlan } from "./plan.ts";

const PLAN = {
  toSave: [{ name: "a", content: "Do it {now}.", sourceNames: ["b"] }],
  toDelete: ["b", { name: "c", into: "a" }],
};
const TEXT = JSON.stringify(PLAN);

const codeOf = (answer: string) => {
  const result = readPlan(answer);
  return result.ok ? "ok" : result.code;
};

describe("readPlan", () => {
  it("reads bare JSON, with names and absorbers in toDelete", () => {
    expect(readPlan(TEXT)).toEqual({
      ok: true,
      plan: {
        toSave: [{ name: "a", content: "Do it {now}.", sourceNames: ["b"] }],
        toDelete: [{ name: "b" }, { name: "c", into: "a" }],
        dropped: [],
      },
    });
  });

  it.each([
    ["a thinking block before it", `<thinking>{"toSave": [1]}</thinking>${TEXT}`],
    ["a code fence around it", `\`\`\`json\n${TEXT}\n\`\`\``],
    ["prose with braces around it", `Sure {really}! ${TEXT} Shall I {go on}?`],
    ["an example before it", `Like {"toSave": []}, so: ${TEXT}`],
  ])("passes over %s", (_, answer) => {
    const result = readPlan(answer);
    expect(result.ok && result.plan.toSave[0]?.name).toBe("a");
  });

  it.each([
    ["plan-empty", "  \n"],
    ["plan-no-json", "Nothing to do, I think."],
    ["plan-truncated", TEXT.slice(0, -8)],
    ["plan-truncated", '<think>hmm {"toSave": []'],
    ["plan-invalid", '{"answer": 42}'],
    ["plan-invalid", '{"toSave": [{"name": "a"}]}'],
    ["plan-invalid", '{"toSave": {}, "toDelete": [7]}'],
    ["plan-too-long", JSON.stringify({ toDelete: Array.from({ length: 500 }, (_, at) => `s${at}`) })],
    ["plan-too-long", "x".repeat(500_000)],
  ])("refuses with %s", (code, answer) => expect(codeOf(answer)).toBe(code));

  it("names the item and the field that is missing", () => {
    expect(readPlan('{"toSave": [{"content": 3}]}')).toMatchObject({
      code: "plan-invalid",
      message: expect.stringMatching(/toSave\[0\]\.name .*toSave\[0\]\.content /),
    });
  });

  it.each([
    ["a blank name", '{"name": " ", "content": "x"}', "toSave[1]"],
    ["a blank content", '{"name": "b", "content": "\\n"}', "b"],
    ["no content", '{"name": "b"}', "b"],
    ["sources that are no names", '{"name": "b", "content": "x", "sourceNames": [1]}', "b"],
    ["something that is no object", '"b"', "toSave[1]"],
    ["nothing", "null", "toSave[1]"],
  ])("drops an item with %s, and keeps the others", (_, item, named) => {
    const result = readPlan(`{"toSave": [{"name": "a", "content": "x"}, ${item}], "toDelete": [7, "c"]}`);
    expect(result).toMatchObject({
      ok: true,
      plan: {
        toSave: [{ name: "a" }],
        toDelete: [{ name: "c" }],
        dropped: [{ item: named }, { item: "toDelete[0]" }],
      },
    });
  });

  it("takes see_also and one name instead of a list", () => {
    const result = readPlan(
      '{"toSave": [{"name": "a", "content": "x", "see_also": "b", "source_names": ["c"]}]}',
    );
    expect(result).toMatchObject({ ok: true, plan: { toSave: [{ seeAlso: ["b"], sourceNames: ["c"] }] } });
  });

  it("stays fast on text full of braces", () => {
    expect(codeOf("{".repeat(300_000))).toBe("plan-no-json");
  });
});
