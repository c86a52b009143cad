import fc from "fast-check";
import { RE2JS } from "re2js";
import { beforeAll, describe, expect, test } from "vitest";
import { growth, LINEAR } from "../../../test/growth.ts";
import { skillOf } from "../../../test/skills.fixture.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Skill } from "../../model/skill.ts";
import { type Query, WORTH } from "./signal.ts";
import {
  containsWhole,
  mayMatch,
  patternFindings,
  phraseStart,
  phraseStarts,
  readyPatterns,
  triggerSignal,
} from "./triggers.ts";

beforeAll(readyPatterns);

interface Given {
  keywords?: string[];
  verbs?: string[];
  patterns?: string[];
}

const skillWith = ({ keywords = [], verbs = [], patterns = [] }: Given, name = "some-skill") =>
  skillOf(name, { triggers: { keywords, verbs, patterns } });
const query: Query = { message: "", frame: { name: "task", confidence: 1 }, files: [] };
const judge = (message: string, given: Given) => triggerSignal(message).judge(skillWith(given), query);

describe("a keyword that many skills have", () => {
  const judgeCommon = (message: string, given: Given) =>
    triggerSignal(message, (word) => word === "model").judge(skillWith(given), query);

  test("adds to a text that fits, but recalls nothing alone", () => {
    const judgement = judgeCommon("which model are you", { keywords: ["Model"] });
    expect(judgement).toMatchObject({ value: WORTH.triggerWordBeside, beside: WORTH.triggerWordBeside });
  });

  test("counts in full as a part of a phrase, and beside a rare one", () => {
    const message = "tune the model checkpoint";
    expect(judgeCommon(message, { keywords: ["the model"] })?.value).toBe(WORTH.exactPhrase);
    expect(judgeCommon(message, { keywords: ["model", "checkpoint"] })?.value).toBe(WORTH.triggerWord);
  });
});

function findingsIn(skills: readonly Skill[]): Diagnostic[] {
  const steps = patternFindings(skills);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

describe("a keyword", () => {
  test.each([
    ["c++", "port this c++ code"],
    ["c++", "is it C++?"],
    ["c++", "(C++)"],
    ["c++", "C++17 features"],
    ["c#", "a C# service"],
    ["C#", "c#, please"],
    [".NET", "a .NET service"],
    [".NET", "move it to .net."],
    ["café", "un café, s'il vous plaît"],
    ["café", "un cafe\u0301 noir"],
    ["cafe\u0301", "CAFÉ"],
    ["straße", "Straße sperren"],
    ["node", "a node.js service"],
    ["node.js", "Node.js, not Deno"],
    ["web search", "do a web\n search"],
    ["web search", "Web  Search!"],
    ["look up", "please look up: it"],
    ["翻译", "请翻译这段话"],
    ["翻译", "翻译"],
    ["会議", "明日の会議を予約して"],
    ["メール", "メールを送って"],
    ["번역", "이 문서를 번역해 주세요"],
    ["แปล", "ช่วยแปลเอกสารนี้"],
    ["поиск", "Поиск, пожалуйста"],
    ["🚀", "ship it 🚀"],
    ["ci/cd", "fix the CI/CD pipeline"],
    ["@mention", "an @mention here"],
    ["PDF", "merge these pdf files"],
    ["Go", "a service in Go"],
    ["pdf", "把pdf转换成文字"],
  ])("%s matches %j", (keyword, message) => {
    expect(judge(message, { keywords: [keyword] })?.note).toBe(`keyword "${keyword}"`);
  });

  test.each([
    ["test", "a contest"],
    ["test", "testing it"],
    ["test", "test_case"],
    ["é", "café"],
    ["caf", "café"],
    ["cafe", "café"],
    ["c", "write c++ code"],
    ["c", "write C# code"],
    ["net", "internet"],
    ["c++", "abc++"],
    ["web search", "web research"],
    ["поиск", "поисковик"],
    ["翻译", "译翻"],
    ["Go", "go ahead"],
    ["R", "are r and s equal"],
    ["", "anything"],
    ["  ", "a  b"],
  ])("%s does not match %j", (keyword, message) => {
    expect(judge(message, { keywords: [keyword] })).toBeUndefined();
  });

  test("of several words counts more than one word, and the best one is the reason", () => {
    const given = { keywords: ["search", "web search"], verbs: ["find"] };
    expect(judge("find it by web search", given)).toEqual({
      kind: "claim",
      value: WORTH.exactPhrase,
      beside: WORTH.exactPhraseBeside,
      phrase: true,
      note: 'keyword "web search"',
    });
    expect(judge("search", given)?.value).toBe(WORTH.triggerWord);
  });

  test("is enough on its own in a short message only", () => {
    const given = { keywords: ["search", "web search"] };
    const longer = (words: number) => `web ${"and then ".repeat(words / 2)}`;
    expect(judge(`search ${longer(12)}`, given)?.value).toBe(WORTH.triggerWordBeside);
    expect(judge(`web search ${longer(12)}`, given)?.value).toBe(WORTH.exactPhrase);
    expect(judge(`web search ${longer(60)}`, given)?.value).toBe(WORTH.triggerPatternBeside);
  });

  test("is not searched after the first 20,000 characters", () => {
    expect(judge(`${"x ".repeat(10_000)}deploy`, { keywords: ["deploy"] })).toBeUndefined();
  });
});

describe("a verb", () => {
  test("matches at word boundaries, with a note", () => {
    expect(judge("wave to the crowd", { verbs: ["wave"] })?.note).toBe('verb "wave"');
    expect(judge("a microwave", { verbs: ["wave"] })).toBeUndefined();
    expect(judge("say it", { verbs: ["Say"] })).toBeDefined();
  });
});

describe("a pattern", () => {
  test("matches as RE2, ignoring case", () => {
    expect(judge("Greet Ada", { patterns: ["greet\\s+\\w+"] })).toEqual({
      kind: "claim",
      value: WORTH.triggerPattern,
      beside: WORTH.triggerPatternBeside,
      note: "pattern greet\\s+\\w+",
    });
    expect(judge("greetings", { patterns: ["greet\\s+\\w+"] })).toBeUndefined();
  });

  test("in capitals matches too", () => {
    expect(judge("see JIRA-123", { patterns: ["[A-Z]{2,5}-\\d+"] })).toBeDefined();
  });

  test.each(["(?=look)ahead", "(?<!behind)x", "(a)\\1", "(", "a{2,1}", "[z-a]", `${"a".repeat(501)}`])(
    "that cannot be used is a finding and never matches: %.20s",
    (pattern) => {
      expect(judge("lookahead aa x", { patterns: [pattern] })).toBeUndefined();
      const [finding] = findingsIn([skillWith({ patterns: [pattern] })]);
      expect(finding).toMatchObject({ code: "trigger-pattern", severity: "warning" });
      expect(finding?.message).toContain(JSON.stringify(pattern));
      expect(finding?.fix).toContain("RE2");
    },
  );

  test("is not compiled for a message that lacks what every match has", () => {
    expect(mayMatch("write an invoice", "(?:create|send).*invoices?")).toBe(true);
    expect(mayMatch("write an invoic", "(?:create|send).*invoices?")).toBe(false);
    expect(mayMatch("write a letter", "invoice|letters?\\b")).toBe(true);
    expect(mayMatch("write a note", "invoice|letters?\\b")).toBe(false);
    expect(mayMatch("anything", "\\x41|(?i)b")).toBe(true);
    expect(mayMatch("ſ", "s")).toBe(true);
    expect(mayMatch("write a note", "开发.*功能|note")).toBe(true);
    expect(mayMatch("write a letter", "开发.*功能|note")).toBe(false);
    expect(mayMatch("write a letter", "é?letter|ſtop")).toBe(true);
    expect(mayMatch("write a letter", "\u{1F600}?letter")).toBe(true);
  });

  test("is compiled for every message that it matches", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      "B",
      " ",
      "-",
      "_",
      "ab",
      ".",
      "\\s",
      "\\w",
      "\\b",
      "\\.",
      "[ab]",
      "[^a]",
      "(a|b)",
      "(?:ab)",
      "(?i)",
      "é",
      "K",
      "功",
      "^",
      "$",
      "|",
    );
    const quantifier = fc.constantFrom("", "", "?", "*", "+", "{0,2}", "{2}", "??", "+?");
    const pattern = fc.array(
      fc.tuple(atom, quantifier).map((parts) => parts.join("")),
      { maxLength: 6 },
    );
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "-", "_", "."), maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (parts, message) => {
        const wanted = parts.join("");
        let matches = false;
        try {
          matches = RE2JS.compile(wanted, RE2JS.CASE_INSENSITIVE).matcher(message).find();
        } catch {
          return;
        }
        if (matches) expect(mayMatch(message, wanted)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(["(a+)+$", "(a|a)+$", "(a|aa)+$", "(.*a){12}$", "^(\\w+\\s?)*$"])(
    "that would backtrack exponentially in other engines takes linear time: %s",
    async (pattern) => {
      const against = (n: number) => {
        const message = `${"a".repeat(n)}!`;
        return () => expect(judge(message, { patterns: [pattern] })).toBeUndefined();
      };
      expect(await growth(against, 4_750)).toBeLessThan(LINEAR);
    },
  );
});

describe("the words under which a phrase is indexed", () => {
  const recallsAlone = (message: string, phrase: string) =>
    (judge(message, { keywords: [phrase] })?.value ?? 0) > WORTH.triggerPatternBeside;

  test("are among those of every message in which the phrase recalls a skill", () => {
    const piece = fc.constantFrom(
      "c++",
      "C#",
      ".NET",
      "node.js",
      "café",
      "a-b",
      "x_y",
      "翻译",
      "の",
      "ß",
      "🚀",
      "@",
      "/",
      "é",
      "__proto__",
    );
    const phrase = fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));
    const around = fc.constantFrom("", " ", "(", ").", ",", "x ", " x", "翻", "! ", "-", "/", ".");
    fc.assert(
      fc.property(phrase, around, around, (wanted, before, after) => {
        const message = before + wanted + after;
        if (recallsAlone(message, wanted)) expect(phraseStarts(message)).toContain(phraseStart(wanted));
      }),
    );
  });

  test("are the first two, so that a message with the first one alone reaches no skill", () => {
    expect(phraseStart("Code  review, please")).toBe("code review");
    expect(phraseStarts("code golf")).not.toContain("code review");
    expect(phraseStarts("a code review")).toContain("code review");
  });

  test("are not looked for in messages that are too long for the phrase to recall a skill", () => {
    const long = `${"so ".repeat(12)}deploy`;
    expect(recallsAlone(long, "deploy")).toBe(false);
    expect(phraseStarts(long)).not.toContain("deploy");
    expect(recallsAlone(`${long} now`, "deploy now")).toBe(true);
    expect(phraseStarts(`${long} now`)).toContain("deploy now");
  });

  test("are found for any phrase in any message", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    fc.assert(
      fc.property(text, text, text, (wanted, before, after) => {
        const message = `${before} ${wanted} ${after}`;
        if (recallsAlone(message, wanted)) expect(phraseStarts(message)).toContain(phraseStart(wanted));
      }),
      { numRuns: 500 },
    );
  });
});

describe("containsWhole", () => {
  test("finds a whole occurrence after one inside a word", () => {
    expect(containsWhole("contest test", "test")).toBe(true);
  });

  test("rejects a text that repeats the phrase inside one word", () => {
    expect(containsWhole("ab".repeat(10_000), "b")).toBe(false);
  });
});
