import { describe, expect, test } from "vitest";
import { readMessage } from "./features-message.ts";
import { LEAD, leadOf, leadText } from "./lead.ts";

const filler = (length: number) =>
  "Lorem ipsum dolor sit amet consectetur. ".repeat(Math.ceil(length / 40)).slice(0, length);

describe("the lead of a message", () => {
  test("is all of a short message", () => {
    const text = "Fix the build. It broke this morning.";
    expect(leadOf(text)).toEqual({ end: text.length, closing: text.length });
    expect(leadText(text)).toBe(text);
  });

  test("is a title and the text after it, up to the end of a sentence", () => {
    const text = `# Task: Rotate the keys\n\n${filler(3000)}`;
    const lead = leadText(text);
    expect(lead).toContain("Rotate the keys");
    expect(lead.length).toBeGreaterThanOrEqual(LEAD.chars);
    expect(lead.length).toBeLessThanOrEqual(LEAD.most);
    expect(text[lead.length]).toBe(".");
  });

  test("includes a closing paragraph in plain words, and a closing question", () => {
    expect(leadText(`${filler(2000)}\n\nRotate the keys for me`)).toMatch(/\nRotate the keys for me$/);
    expect(leadText(`${filler(2000)} Can you rotate the keys?`)).toMatch(/Can you rotate the keys\?$/);
  });

  test("excludes a list, code or a long paragraph at the end", () => {
    for (const tail of ["- rotate the keys", "```\nrotate\n```", filler(900)]) {
      expect(leadOf(`${filler(2000)}\n\n${tail}`).closing).toBe(2000 + 2 + tail.length);
    }
  });

  test("ends at the maximum length in text without line or sentence ends", () => {
    expect(leadText("a".repeat(5000))).toHaveLength(LEAD.most);
    expect(leadText(" ".repeat(5000)).length).toBeLessThanOrEqual(LEAD.most);
  });
});

describe("reading a long message", () => {
  const text = `Rotate the keys\n${filler(1500)} Terraform appears here. ${filler(500)}\n\nMind the vault too`;
  const { terms, factors } = readMessage({ text });
  const worth = (term: string) => factors[terms.indexOf(term)]!;

  test("gives words that occur only after the lead less weight", () => {
    expect(worth("terraform")).toBeLessThan(worth("vault"));
    expect(worth("vault")).toBeLessThan(worth("rotat"));
  });
});
