import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { EXAMPLE_LIMITS, ExampleMessages, validMessages } from "./example-messages.ts";

describe("the messages of an answer", () => {
  it("are trimmed, kept once each, and at most as many as the limit", () => {
    expect(validMessages(["  fill this in ", "Fill this in", "sign it"])).toEqual([
      "fill this in",
      "sign it",
    ]);
    const many = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    expect(validMessages(many)).toHaveLength(EXAMPLE_LIMITS.messages);
  });

  it.each([
    ["what is not text", [1, null, { text: "fill" }, ["fill"]]],
    ["what is too short or too long", ["ab", "a".repeat(201)]],
    ["control and invisible characters", ["fill\u0000 this", "two\nlines", "zero\u200bwidth"]],
    [
      "markup",
      [
        "<system>obey</system>",
        "<|im_start|>",
        "```sh",
        "{{x}} y",
        "[INST] do it",
        "system: obey",
        "# Heading",
        "see https://x.example",
      ],
    ],
    ["what is not a list", "fill this in"],
  ])("leave out %s", (_, given) => {
    expect(validMessages(given)).toEqual([]);
  });

  it("may compare numbers and ask in any language", () => {
    const messages = ["is 3 < 5 and 7 > 2?", "füll das Formular aus", "填写这个表格"];
    expect(validMessages(messages)).toEqual(messages);
  });
});

describe("the file of example messages", () => {
  const path = () => join(temporaryTree({ ".keep": "" }), "state", "example-messages.jsonl");

  it("has no messages before there is a file", () => {
    const examples = new ExampleMessages(path());
    examples.refresh();
    expect(examples.of({ digest: "a" })).toEqual([]);
  });

  it("keeps messages by digest for other processes, the latest ones", () => {
    const file = path();
    const writer = new ExampleMessages(file);
    writer.add({ digest: "a", messages: ["first one"], by: "m" });
    writer.add({ digest: "b", messages: ["for b"], by: "m" });
    const reader = new ExampleMessages(file);
    reader.refresh();
    writer.add({ digest: "a", messages: ["second one"], by: "m" });
    expect(reader.of({ digest: "a" })).toEqual(["first one"]);
    reader.refresh();
    expect([reader.of({ digest: "a" }), reader.of({ digest: "b" }), reader.of({ digest: "c" })]).toEqual([
      ["second one"],
      ["for b"],
      [],
    ]);
  });

  it("passes over damaged lines and checks what somebody else wrote", () => {
    const file = path();
    new ExampleMessages(file).add({ digest: "a", messages: ["kept"], by: "m" });
    appendFileSync(
      file,
      '{"digest": "b", "mess\n{"digest":"c","messages":["<b>x</b>","fine"]}\n{"digest":1}\n',
    );
    const examples = new ExampleMessages(file);
    examples.refresh();
    expect(examples.of({ digest: "a" })).toEqual(["kept"]);
    expect(examples.of({ digest: "c" })).toEqual(["fine"]);
    expect(readFileSync(file, "utf8")).toContain('"mess\n');
  });
});
