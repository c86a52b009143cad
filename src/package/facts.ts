// What the open spec says about a skill's folder, and the limits that Repertoire sets for one.

/** Limits of the open spec. Characters are code points. */
export const SPEC = {
  nameChars: 64,
  descriptionChars: 1024,
  compatibilityChars: 500,
} as const;

const MIB = 1024 * 1024;

export const PACKAGE_LIMITS = {
  /** A larger SKILL.md is not read: no instruction text is that long, and a prompt could not hold it. */
  skillFileBytes: 256 * 1024,
  /** A skill has tens of files; a person can still be shown what a package of this many holds. */
  files: 2_000,
  /** Each folder costs a directory read, even if it is empty. */
  folders: 1_000,
  /** All files together. They are read whole: to be shown, to be copied, to be kept with every version. */
  bytes: 64 * MIB,
} as const;

export const SKILL_FILE = "SKILL.md";

/** Whether a file name is SKILL.md, in any case. */
export function isSkillFile(name: string): boolean {
  return name === SKILL_FILE || (name.length === SKILL_FILE.length && name.toLowerCase() === "skill.md");
}

/** Whether a name has only characters that the spec allows, in an order that it allows. Says nothing of its length. */
export function isPortableName(name: string): boolean {
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}
