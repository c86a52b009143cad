import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../test/growth.ts";
import { FRAMES, type Frame } from "../model/frame.ts";
import { chooseFrame } from "./frames.ts";

const EXPECTED: Readonly<Record<Frame, readonly string[]>> = {
  debug: [
    "The build fails with a segfault",
    "Why does the login page crash on Safari?",
    "fix the bug in the parser",
    "Fix: the parser, it's broken!",
    "I get an error when I run npm install",
    "Traceback (most recent call last): KeyError",
    "the tests are flaky since yesterday",
    "It doesn't work.",
    "hi, fix the login bug",
    "It doesn’t work!",
    "the button isn't working, help",
    "The export stopped working after the update",
    "find the root cause of this regression",
    "git bisect this for me",
    "memory leak in the worker",
    "Der Server wirft einen Fehler",
    "Mein Drucker ist kaputt",
    "J'ai une erreur au démarrage",
    "Hay un fallo en la aplicación",
    "C'è un errore nel modulo",
    "debug (please) this query",
  ],
  decision: [
    "Should we use Postgres or MySQL?",
    "should I rent or buy?",
    "Which is better, tabs or spaces?",
    "What are the pros and cons of microservices?",
    "help me decide between two job offers",
    "Is it worth it?",
    "trade-offs of server rendering",
    "Postgres vs. MySQL",
    "compare these two vendors",
    "Sollen wir das neu schreiben?",
    "Dois-je louer ou acheter ?",
    "¿Debería usar Redis?",
  ],
  creative: [
    "Write a poem about autumn",
    "brainstorm names for a bakery",
    "come up with a slogan, something short",
    "tell me a story about a fox",
    "write a blog post about sourdough",
    "Draft a letter to the landlord",
    "design a logo for my band",
    "Schreib ein Gedicht über den Herbst",
    "Escribe un cuento corto",
    "a haiku, please!",
    "do some writing for the website",
    "Do a bit of copywriting for our newsletter",
    "do the writing for the about page",
    "write the newsletter for May",
    "do some design for the poster",
    "I need some artwork for our band poster",
  ],
  question: [
    "What is a monad?",
    "how do rate limits work",
    "Is Pluto a planet?",
    "Who wrote Faust?",
    "Explain closures",
    "Wie funktioniert das?",
    "Pourquoi le ciel est-il bleu ?",
    "¿Qué es un monoide?",
    "Perché il cielo è blu?",
    "什么是递归？",
    "the capital of France?",
    "do the tests pass?",
    "Do you know Rust?",
    "have you ever seen snow",
  ],
  conversation: [
    "hi",
    "Hello!",
    "hey there",
    "Good morning",
    "thanks a lot!",
    "Thank you so much.",
    "bye",
    "haha nice",
    "Danke dir!",
    "Merci beaucoup !",
    "¡Hola!",
    "Grazie mille",
    "你好",
    "谢谢！",
    "ありがとう",
  ],
  task: [
    "add a dark mode toggle",
    "Please create a migration for the users table",
    "Deploy it to staging",
    "can you refactor this module?",
    "Could you please summarize the report?",
    "I need you to translate this into French",
    "let's set up CI",
    "Let’s set up CI",
    "rename the variable, then run the tests",
    "the quarterly numbers in a spreadsheet",
    "Erstelle eine Tabelle mit den Zahlen",
    "把这份报告翻译成英文",
    "",
    "   ",
    "hi, deploy it to staging",
    "Great! Now run the tests",
    "would you rename it?",
    "have a look at the pull request",
    "do the dishes plan for this week",
    "make the writing of files atomic",
    "hi, please add a column to the table and backfill it",
  ],
};

describe.each(FRAMES)("the frame %s", (frame) => {
  test.each(EXPECTED[frame])("is chosen for %j", (message) => {
    expect(chooseFrame(message).name).toBe(frame);
  });
});

test("a cue inside another word does not count", () => {
  expect(chooseFrame("add prefixes for debugger-like terrors").name).toBe("task");
  expect(chooseFrame("a history of the vsync option").name).toBe("task");
});

test("several cues raise the confidence", () => {
  const one = chooseFrame("an error").confidence;
  const many = chooseFrame("an error with a stack trace").confidence;
  expect(many).toBeGreaterThan(one);
});

test("a pasted log at the end does not decide the frame", () => {
  const log = "error: failed to open file\n".repeat(500);
  expect(chooseFrame(`add a column to the table\n${" .\n".repeat(1000)}${log}`).name).toBe("task");
});

test("any message gets the same frame each time, with a confidence from 0.5 to 1", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (message) => {
      const choice = chooseFrame(message);
      expect(FRAMES).toContain(choice.name);
      expect(choice.confidence).toBeGreaterThanOrEqual(0.5);
      expect(choice.confidence).toBeLessThanOrEqual(1);
      expect(chooseFrame(message)).toEqual(choice);
    }),
  );
});

test.each(["why does ", "a ", " ", "hi "])("a long message takes linear time: %j", async (words) => {
  const choose = (n: number) => {
    const message = words.repeat(n);
    return () => chooseFrame(message);
  };
  expect(await growth(choose, 200_000)).toBeLessThan(LINEAR);
});
