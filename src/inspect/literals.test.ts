import { expect, it } from "vitest";
import { RULES } from "./inspect.ts";
import { needlesOf, WORD_EDGE } from "./literals.ts";
import { Places, watchFor } from "./places.ts";
import { SIGNS } from "./prose/words.ts";

/** With `|` for the edge of a word. */
const literalsOf = (expression: RegExp): string[] | undefined =>
  needlesOf(expression)?.map((literal) => literal.replaceAll(WORD_EDGE, "|"));

it.each([
  [/\bcurl\b/, ["|curl|"]],
  [/\b(?:nc|cp) x/, ["|nc x", "|cp x"]],
  [/a curl{1,2}/, ["a cur"]],
  [/[0-9]<>/, ["<>"]],
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

it("never rules out a text that an expression of the rules matches", () => {
  const expressions = [...RULES.flatMap(({ test }) => test.expressions), ...Object.values(SIGNS)];
  const texts = expressions.map(({ source }) => source.toLowerCase().replace(/\\[bws]|[\\^$?]/g, " "));
  for (const expression of expressions) watchFor(expression);
  const places = new Places(texts, new Set(expressions));
  let matches = 0;
  for (const expression of expressions) {
    const single = new RegExp(expression.source, expression.flags.replace(/[gy]/g, ""));
    for (const [index, text] of texts.entries()) {
      if (!single.test(text)) continue;
      matches++;
      expect(places.has(expression, index)).toBe(true);
    }
  }
  expect(matches).toBeGreaterThan(100);
});
