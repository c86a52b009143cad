// Owns which names a learned skill may have: safe ones that the open spec takes as well. Does not own identities as
// such: `model/name.ts` does.

import { type ErrorCode, RepertoireError } from "../model/errors.ts";
import { type SkillName, toSkillName } from "../model/name.ts";

/** The open spec's limit for the name, which is the last segment. */
const MAX_SEGMENT = 64;
const PORTABLE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const WHY = {
  "name-empty": "has a part without any letter or digit",
  "name-traversal": "would leave the folder of skills",
  "name-confusable": "has letters that only look like others",
  "name-too-long": "is too long",
} as const;

/** The name as it will be kept, or an error that says what is wrong and what would do. */
export function learnedName(spelling: string): SkillName {
  const result = toSkillName(spelling.trim());
  if (!result.ok) throw refused(spelling, { code: result.code, why: WHY[result.code] });
  const segments = result.name.split("/");
  if (segments.some((segment) => segment.length > MAX_SEGMENT))
    throw refused(spelling, {
      code: "name-too-long",
      why: `has a part of more than ${MAX_SEGMENT} characters`,
    });
  if (!segments.every((segment) => PORTABLE.test(segment))) {
    const instead = result.name.replace(/\.+/g, "-");
    throw refused(spelling, { code: "name-not-portable", why: `has a dot; "${instead}" would do` });
  }
  return result.name;
}

function refused(spelling: string, { code, why }: { code: ErrorCode; why: string }): RepertoireError {
  return new RepertoireError(
    code,
    `"${spelling}" cannot be the name of a skill: it ${why}. Use lower-case letters, digits and hyphens, with "/" between levels: plan-meeting, mcp/email. Nothing was changed.`,
    spelling,
  );
}
