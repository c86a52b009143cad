import { expect, test } from "vitest";
import { encoderDocument, SKILL_TEXT } from "./skill-text.ts";

test("has the name in words, the description, telling headings and the lead", () => {
  const body = [
    "# PDF forms",
    "",
    "Fill **fields** of a [form](https://example.org/form).",
    "```sh",
    "# no heading",
    "```",
    "## Overview",
    "### Flatten a form",
    "Then `save` it.",
  ].join("\r\n");
  expect(encoderDocument({ name: "pdf-forms/fill", description: "Fills *PDF* forms.", body })).toBe(
    "pdf forms fill. Fills PDF forms. PDF forms; Flatten a form. Fill fields of a form. Then save it.",
  );
});

test("cuts each part to its length without splitting a character", () => {
  const long = "🙂".repeat(1000);
  const text = encoderDocument({ name: "a", description: long, body: `## ${long}\n${long}` });
  const { description, headings, lead } = SKILL_TEXT;
  expect(text).toBe(`a. ${"🙂".repeat(description)} ${"🙂".repeat(headings)}. ${"🙂".repeat(lead)}`);
});

test("is hardly anything for a skill without text", () => {
  expect(encoderDocument({ name: "x", description: "", body: "" })).toBe("x.  . ");
});
