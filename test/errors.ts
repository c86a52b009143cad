// What a test expects of a thrown error: its code and, where it matters, its value or what its message names.

import { expect } from "vitest";
import type { ErrorCode, RepertoireError } from "../src/model/errors.ts";

/**
 * Matches a `RepertoireError` with this code, thrown or rejected with.
 *
 *     expect(() => readCases(path)).toThrow(withCode("eval-unreadable", { value: path }));
 *     await expect(learnedSkills.delete("far")).rejects.toThrow(withCode("skill-not-learned"));
 */
export function withCode(
  code: ErrorCode,
  more: { readonly [field in keyof RepertoireError]?: unknown } = {},
): Error {
  return expect.objectContaining({ code, ...more });
}
