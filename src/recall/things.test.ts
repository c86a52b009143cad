import { describe, expect, test } from "vitest";
import { merged, thingsIn, without } from "./things.ts";

const named = (text: string) => thingsIn(text).map(([start, end]) => text.slice(start, end));

describe("the names of things", () => {
  test.each([
    ["the route /code-review returns 404", "/code-review"],
    ["GET /meal-planning/42 answers 500", "/meal-planning/42"],
    ["redirect /old-shop to the new one", "/old-shop"],
    ["delete the branch feature/oauth-login", "feature/oauth-login"],
    ["git checkout load-testing && git pull", "load-testing"],
    ["the code-review branch is stale", "code-review"],
    ["rename release-notes.md", "release-notes"],
    ["open src/trip-planning/index.ts", "src/trip-planning/index"],
    ["see https://example.org/code-review, please", "https://example.org/code-review"],
    ["npm uninstall react-components", "react-components"],
    ["pip install python-packaging==2.1", "python-packaging==2.1"],
    ["bump @acme/stripe-billing to 4.2", "@acme/stripe-billing"],
    ['import { a } from "chart-picker"', '"chart-picker"'],
    ["the css class .landing-page has the wrong colour", ".landing-page"],
    ["the channel #user-interviews was archived", "#user-interviews"],
    ["set --ab-testing to false", "--ab-testing"],
    ["UNIT_TESTING must be 1", "UNIT_TESTING"],
    ["rename taxReceipts", "taxReceipts"],
    ["restart the container named rag-pipelines", "rag-pipelines"],
    ['add the label "seo audit" to the issue', '"seo audit"'],
    ['console.log("git-history") prints twice', '"git-history"'],
    ["write to trip-planning@example.com", "trip-planning@example"],
  ])("%s", (text, name) => {
    expect(named(text)).toEqual([name]);
  });

  test.each([
    "use code-review before I merge this",
    "run /code-review on my last commit",
    "a client/server app with CI/CD and A/B tests",
    "build/test/lint must pass",
    "make a dark-mode button",
    "real-time updates, please",
    "a skill called map-making",
    "Node.js and .NET 9",
    "an iOS app for my iPhone",
    "",
  ])("are not in: %s", (text) => {
    expect(named(text)).toEqual([]);
  });

  // In more than linear time, the longest of these would not end within the test's time.
  test.each(["a-", "a_", "a/", "/a", '"', ".a", "git checkout ", "a@", "src/", "aB", "the file "])(
    "are looked for in linear time: %s",
    (part) => {
      expect(thingsIn(part.repeat(50_000)).length).toBeLessThan(50_001);
    },
  );
});

describe("ranges", () => {
  test("that overlap become one", () => {
    expect(
      merged([
        [4, 6],
        [0, 3],
        [2, 4],
      ]),
    ).toEqual([[0, 6]]);
    expect(
      merged([
        [0, 1],
        [2, 3],
      ]),
    ).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test("are cut out of a text", () => {
    expect(
      without("abcdef", [
        [1, 2],
        [4, 6],
      ]),
    ).toBe("a cd ");
    expect(without("abc", [])).toBe("abc");
  });
});
