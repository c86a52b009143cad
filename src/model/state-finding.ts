// What is wrong with something that Repertoire keeps: in which file, what that means, and how it is repaired.

/** The codes of what a check of the state may find, and their meanings. */
export const STATE_CODES = {
  "state-unusable": "What is kept cannot be opened at all.",
  "state-wrong-kind": "There is a folder where a file belongs, or the other way round.",
  "state-forbidden": "A file or a folder of the state may not be read or written.",
  "database-damaged": "Pages of the database are damaged.",
  "rows-damaged": "Rows of the database hold what nobody wrote.",
  "log-incomplete": "The version log lacks versions that the database has.",
  "log-torn": "The version log has incomplete lines, as a crash leaves them.",
  "bytes-missing": "Bytes that a version names are missing or damaged.",
  "lock-damaged": "The file of a lock is not a lock.",
  "copy-damaged": "The daily copy of the database is damaged.",
  "index-damaged": "The recall index or a part of it cannot be read.",
  "index-differs": "The recall index is not what the skills say.",
  "snapshot-damaged": "The snapshot of the library cannot be read.",
} as const;

export interface StateFinding {
  readonly code: keyof typeof STATE_CODES;
  readonly severity: "error" | "warning";
  readonly path: string;
  /** What is wrong, and what follows from it. */
  readonly message: string;
  /** A command, or what a person does. */
  readonly fix: string;
  /** Whether a check with `fix` can repair it without loss. */
  readonly canFix: boolean;
  /** What was done about it; absent if nothing was. */
  readonly fixed?: string | undefined;
}

export interface StateCheckOptions {
  /** Repair what can be repaired without loss; a damaged file is kept beside the new one. */
  readonly fix?: boolean | undefined;
  /** Told now and then how much of a long step is done. */
  readonly onProgress?: ((step: string, done: number, total: number) => void) | undefined;
}

/** The command that repairs every finding that a program can repair. */
export const MENDING_COMMAND = "repertoire doctor --fix";
