import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../test/growth.ts";
import { effectiveMessage, isContinuation } from "./continuation.ts";

describe("a message that only says to go on", () => {
  test.each([
    "yes",
    "Yes, do it",
    "yes, do it.",
    "yes; do it!",
    "Yes — go ahead",
    "yes please go ahead and do it",
    "ok",
    "OK!",
    "sure, go ahead",
    "go on",
    "continue",
    "please continue with this",
    "let's do it",
    "Let’s do it",
    "do that again",
    "the second one",
    "both",
    "lgtm",
    "sounds good 👍",
    "ja, mach das bitte",
    "ja genau",
    "oui, vas-y",
    "sí, hazlo",
    "va bene, procedi",
    "sim, pode continuar",
    "да, давай",
    "好的，继续",
    "はい、お願いします",
  ])("is recognized: %j", (message) => {
    expect(isContinuation(message)).toBe(true);
  });

  test.each([
    "",
    "   ",
    "?!",
    "soon",
    "forgo",
    "yes, but add tests first",
    "no",
    "do the laundry",
    "go to the database and list tables",
    "again a train trip",
    "continue the migration",
    "it fails",
    "yes ".repeat(40),
  ])("is not %j", (message) => {
    expect(isContinuation(message)).toBe(false);
  });

  test.each(["go", "k", "so", "do it ", "good", "on", "sisi"])("answers in linear time: %j", async (word) => {
    const short = (n: number) => {
      const message = `${word.repeat(n).slice(0, n)}x`;
      return () => {
        for (let round = 0; round < 1_000; round++) isContinuation(message);
      };
    };
    expect(await growth(short, 14)).toBeLessThan(LINEAR);
    const long = (n: number) => {
      const message = word.repeat(n);
      return () => isContinuation(message);
    };
    expect(await growth(long, 250_000)).toBeLessThan(LINEAR);
  });
});

describe("the message to recall for", () => {
  test("is the previous one if this one only says to go on", () => {
    expect(effectiveMessage("yes, do it", "plan a trip")).toBe("plan a trip");
  });

  test("is this one if it has a topic or is the first", () => {
    expect(effectiveMessage("bake bread", "plan a trip")).toBe("bake bread");
    expect(effectiveMessage("yes, do it", undefined)).toBe("yes, do it");
  });
});
