import { expect, it } from "vitest";
import { RULES } from "./inspect.ts";
import { needlesOf, TextPieces } from "./literals.ts";
import { SIGNS } from "./prose/words.ts";

const literalsOf = (expression: RegExp): string[] | undefined =>
  needlesOf(expression)?.map(({ literal }) => literal);

it.each([
  [/\bcurl\b/, ["curl"]],
  [/(?:curl|wget) /, ["curl ", "wget "]],
  [/(?:ba|z)?shell/, ["shell", "bashell", "zshell"]],
  [/re[ad]{1,2}file/, ["file"]],
  [/no(?!pe)thing/, ["nothing"]],
  [/\x60eval(?:\(|\[)/, ["`eval(", "`eval["]],
  [/SEND/i, ["send"]],
])("takes from %s what every match contains", (expression, literals) => {
  expect(literalsOf(expression)?.sort()).toEqual([...literals].sort());
});

it.each([/\w+/, /a|curl/, /(?:curl)?/, /[a-z]{3}/, /(?:curl){0,2}x/, /ſend/iu])(
  "takes nothing from %s, which matches without a literal",
  (expression) => {
    expect(literalsOf(expression)).toBeUndefined();
  },
);

it("finds a literal in a text exactly if it is there", () => {
  const pieces = new TextPieces("run curl -s now");
  const answers = [/curl/, /wget/, /rln/].map((expression) => pieces.includes(needlesOf(expression)![0]!));
  expect(answers).toEqual([true, false, false]);
});

it("never rules out a text that an expression of the rules matches", () => {
  const expressions = [...RULES.flatMap(({ test }) => test.expressions), ...Object.values(SIGNS)];
  const texts = expressions.map(({ source }) => source.toLowerCase().replace(/\\[bws]|[\\^$?]/g, " "));
  let matches = 0;
  for (const expression of expressions) {
    const needles = needlesOf(expression);
    for (const text of texts) {
      const match = new RegExp(expression.source, expression.flags.replace(/[gy]/g, "")).exec(text);
      if (!match || !needles) continue;
      matches++;
      expect(needles.some(({ literal }) => text.includes(literal))).toBe(true);
    }
  }
  expect(matches).toBeGreaterThan(100);
});
