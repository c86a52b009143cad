// Several names or globs where a verb is about skills: each is looked up before the verb does anything.

import { matchesAny } from "../../engine/engine.ts";
import { RepertoireError } from "../../model/errors.ts";
import type { Io } from "./io.ts";

/** The names that names and globs stand for, each once and in order. A glob that fits nothing is an error. */
export async function namesFrom(
  patterns: readonly string[],
  all: () => Promise<readonly string[]>,
): Promise<string[]> {
  const names = new Set<string>();
  for (const pattern of patterns) {
    const fitting = /[*?]/.test(pattern)
      ? [...new Set(await all())].filter((name) => matchesAny([pattern], name))
      : [pattern];
    if (fitting.length === 0)
      throw new RepertoireError("skill-not-found", `No skill has a name like "${pattern}".`, pattern);
    for (const name of fitting) names.add(name);
  }
  return [...names];
}

/** Prints one answer as it is, and several as a list of them. */
export function answerEach<T>(io: Io, answers: readonly T[], inWords: (answer: T) => void): void {
  const [only] = answers;
  io.answer(answers.length === 1 ? only : { results: answers }, () => {
    for (const answer of answers) inWords(answer);
  });
}
