// The limits of a package.

const MIB = 1024 * 1024;

export const PACKAGE_LIMITS = {
  /** A skill has tens of files; a person can still be shown what a package of this many holds. */
  files: 2_000,
  /** Folders cost a look each, also when they are empty. */
  folders: 1_000,
  /** All files together. It is read whole, once to be shown and once to be copied. */
  bytes: 64 * MIB,
} as const;
