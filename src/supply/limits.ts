// The limits of what is fetched from elsewhere.

const MIB = 1024 * 1024;

export const SUPPLY_LIMITS = {
  /** A repository, an archive or a file that takes longer is given up. */
  fetchMs: 10 * 60_000,
  /** What a shallow clone may hold: the largest public collections have a quarter of it. */
  repositoryBytes: 1024 * MIB,
  /** An archive as it is downloaded or read. */
  archiveBytes: 256 * MIB,
  /** An archive when it is unpacked, which is done in memory: a small file may claim to hold terabytes. */
  unpackedBytes: 512 * MIB,
  /** Files and folders of a source: some 20 times the largest public collection's. */
  entries: 200_000,
  /** A marketplace or plugin file. */
  registryBytes: 4 * MIB,
  /** A text that two sides changed is merged up to this length; a longer one is a conflict. */
  mergedBytes: 2 * MIB,
} as const;
