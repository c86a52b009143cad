// The error class of the engine and the list of its codes.

import type { SkillFileCode } from "./diagnostic.ts";

/** The codes of expected failures and their meanings. A refused SKILL.md has a code of `SKILL_FILE_CODES` instead. */
export const ERROR_CODES = {
  usage: "The command line has too few or too many arguments.",
  "invalid-arguments": "The arguments of a tool call do not fit the tool's schema.",
  "config-unreadable": "A configuration file cannot be read.",
  "config-unwritable": "A configuration file cannot be written.",
  "config-not-json": "A configuration file is not valid JSON.",
  "config-not-object": "A configuration file is valid JSON, but not an object.",
  "config-invalid": "A configuration key has a value that it does not accept.",
  "config-unknown-key": "The configuration has no such key.",
  "agent-unknown": "The configuration has no such agent.",
  "folder-missing": "A folder that was named does not exist.",
  "source-not-found": "No skill comes from a source of this id.",
  "path-not-found": "There is nothing at a path that was named.",
  "file-unusable": "A file or a folder cannot be read, written or made.",
  "disk-full": "There is no space left on the disk.",
  "home-unknown": "The system does not say which folder is the person's home.",
  "config-not-for-projects": "A project's configuration sets a key that only the user may set.",
  "budget-invalid": "The budget of a prompt is not a whole number in its range.",

  "name-empty": "A part of a skill's name has no letter or digit.",
  "name-traversal": "A skill's name would leave the folder of skills.",
  "name-confusable": "A skill's name uses letters that only look like ASCII letters.",
  "name-not-portable": "A skill's name has characters that the open specification does not allow.",
  "skill-not-found": "No skill of this name is visible.",
  "skill-disabled": "The skill is disabled.",
  "skill-unavailable": "The skill needs something that this machine does not have.",
  "skill-broken": "The skill's SKILL.md cannot be read.",
  "file-not-found": "The skill has no file at this path.",
  "file-unreadable": "A file that was named cannot be read.",
  "file-not-regular": "A file is a folder, a FIFO, a socket or a device.",
  "file-link-outside": "A file is a link that leads out of its folder.",
  "slash-missing": "The text is not a slash command.",
  "slash-unknown": "There is no such slash command.",
  "index-stale": "The recall index is out of date and cannot be refreshed here.",
  "enrichment-invalid": "An answer with example messages has no usable JSON.",
  "model-missing": "This needs a language model, and none is configured.",
  "eval-unreadable": "The file of evaluation cases cannot be read.",
  "eval-not-json": "A line of the evaluation cases is not valid JSON.",
  "eval-not-lines": "A case cannot be added to a file that is not JSON lines.",
  "eval-no-cases": "The journal has no message to evaluate with.",
  "eval-no-query": "An evaluation case has no query.",

  "package-changed": "A file of the skill changed while it was read.",
  "package-link-broken": "A link in the skill's folder leads nowhere.",
  "package-link-folder": "A link in the skill's folder leads to a folder.",
  "package-link-outside": "A link in the skill's folder leads out of it.",
  "package-special-file": "The skill's folder has a pipe, a device or another special file.",
  "package-too-large": "The skill's files are too large.",
  "package-too-many-files": "The skill has too many files.",
  "package-too-many-folders": "The skill has too many folders.",
  "package-unreadable": "A file of the skill cannot be read.",
  "package-path-clash": "Two files of a package are one file on some systems.",
  "package-path-unsafe": "A file of a package has a name that is not safe.",

  "source-unknown": "What was given is not a place that skills can be fetched from.",
  "source-secret": "The address of a source has a user name or a password.",
  "source-unreachable": "A source cannot be fetched or read.",
  "source-too-large": "A source is too large to be fetched.",
  "source-empty": "A source has no skill.",
  "archive-unreadable": "An archive cannot be read.",
  "git-missing": "Git is not installed.",
  "choice-needed": "A source has several skills, and none was chosen.",
  "package-not-found": "A source or a lock has no such package.",
  "package-refused": "A package was not taken because of its inspection or because a person said no.",
  "package-edited": "A package differs from what was fetched.",
  "lock-unreadable": "A lock cannot be read.",
  "lock-mismatch": "A source no longer has what the lock says.",
  "update-conflict": "A file was changed here and at its source.",
  "catalog-unknown": "The configuration has no such catalog.",
  "host-unknown": "No agent of this name is known.",
  "export-exists": "There is a file or folder at the path that should be written.",
  "mount-conflict": "The private copy of the skill belongs to another version of it.",
  "mount-failed": "The private copy of the skill cannot be made.",
  "mount-name": "The skill's name cannot be the name of a folder.",
  "consent-denied": "The configuration denies this skill.",
  "consent-refused": "The person refused consent.",
  "consent-required": "A person must consent first.",
  "consent-stale": "The skill changed after consent was given.",
  "trust-not-found": "There is no such trust to revoke.",
  "not-consented": "The skill is not activated in this task.",
  "not-activated": "The skill was not activated in this turn.",
  "no-sandbox": "There is no sandbox to run the script in.",
  "not-found": "There is no such script or address.",
  "task-not-found": "There is no such task.",
  "unknown-tool": "The task has no such tool.",
  "tool-failed": "A tool of a skill failed.",

  "skill-exists": "A skill of this name or a folder at this path exists already.",
  "skill-not-learned": "The skill is not a learned skill, so it is not changed.",
  "skill-covered":
    "A saved skill would be used instead of one of another source, which only a person decides.",
  "skill-not-writable": "The agent may not save, change or delete a skill of this name.",
  "skill-suspicious": "The skill looks suspicious, so only a person may save it.",
  "skill-pinned": "The skill is pinned; only a person may change it.",
  "skill-protected": "The skill may not be changed by this author.",
  "skill-changed": "The skill changed since it was read.",
  "skill-unsafe": "The skill looks dangerous and was not saved.",
  "folder-taken": "The folder holds something that is not a skill.",
  "file-path": "The path of a support file is not allowed.",
  "change-failed": "A change could not be written.",
  "change-unsettled": "An interrupted change of this skill cannot be taken back yet.",
  "commit-uncertain": "The disk failed so that nobody knows yet whether a change was made.",
  "version-not-found": "The skill has no such version.",
  "version-damaged": "A stored version is damaged.",
  "no-history": "The skill has no versions.",
  "nothing-to-undo": "There is no change to undo.",
  "nothing-to-redo": "Nothing was undone that could be made again.",
  "undo-conflict": "A later change prevents the undo.",
  "no-session": "An outcome needs a session with an activated skill.",
  "session-not-found": "Nothing was recorded for a session of this id.",
  "turn-not-found": "The session has no such turn.",
  "outcome-not-reported": "The outcome could not be reported.",

  "dream-elsewhere": "Another machine is running a dream on the shared library.",
  "dream-nothing-new": "There is nothing new to propose changes for.",
  "plan-empty": "The plan of a dream is empty.",
  "plan-invalid": "The plan of a dream does not have the form that the prompt asks for.",
  "plan-no-json": "The plan of a dream has no JSON object.",
  "plan-too-long": "The plan of a dream is too long.",
  "plan-truncated": "The plan of a dream ends too early.",
  "plan-unreadable": "The file with the plan cannot be read.",
  "proposal-decided": "The proposal is accepted or rejected already.",
  "proposal-not-accepted": "The proposal could not be accepted.",
  "proposal-not-found": "There is no such proposal.",

  "database-too-new": "The database was written by a newer version.",
  "database-missing": "No shared database is configured.",
  "database-too-old": "The database server is too old.",
  "database-away": "The shared database cannot be reached now.",
  "database-refused": "The shared database refused the login, the address or a right.",
  "role-insufficient": "The role of the token does not allow this.",
  "token-missing": "The shared database needs a token.",
  "token-refused": "The shared database does not know the token, or it has expired or was revoked.",
  "token-not-found": "There is no such token, or it is revoked already.",
  "version-conflict": "Somebody else changed the skill at the same time.",
  "lease-lost": "Another node took over while this one did not answer.",
  "exclusive-within-exclusive": "An exclusive section was entered twice.",
  "no-sqlite": "No SQLite driver can be loaded.",
  "session-id-unusable": "The session's id cannot be used.",
  "store-busy": "Another process keeps the store locked.",
  "store-unusable": "The store cannot be read or written.",
  "embedder-endpoint-missing": "The embedder has no endpoint.",
  "embedder-package-missing": "The embedder's package is not installed.",
  "embedder-unknown": "There is no such embedder.",
  "encoder-unreadable": "The weights of the encoder cannot be read.",
  "encoder-unsupported": "The encoder needs WebAssembly with SIMD.",
  "embedding-table-unreadable": "The table of word vectors cannot be read.",
  "model-failed": "The language model failed.",
  "model-incomplete": "The configuration of the language model is incomplete.",
  "model-key-missing": "The key of the language model is not set.",
  "model-none": "No language model is configured.",

  "hook-input": "The input of a hook is not what a host sends.",
  "setup-changed": "A file changed while it was set up.",
  "setup-mode": "This host cannot be set up in this mode.",
  "setup-not-installed": "The program is in a cache, from where hosts could not start it later.",
  "setup-not-ours": "A file of this name was not written by the setup.",
  "setup-unfit": "A file does not have the form that the setup expects.",
  "host-refused": "The request's Host header is not one of the server's addresses.",
  "origin-refused": "Requests from this origin are refused.",
  "not-ready": "The server has not read the library yet.",
  "read-only": "The dashboard was started with --read-only, and this would change something.",
  unauthorised: "The request lacks the token.",
  "token-unusable": "The server's token cannot be used.",
  "port-taken": "The port is in use.",
  "method-not-allowed": "The address does not take this method.",
  "not-json": "The request's content type is not application/json.",
  "invalid-json": "The request's body is not valid JSON.",
  "invalid-request": "The request does not fit the schema; `issues` says where.",
  "too-large": "The request's body is too large.",
  "too-many-requests": "There are too many requests.",
  "too-many-streams": "There are too many open event streams.",
  "job-not-found": "There is no such job.",
  "job-running": "The same job is under way already.",
  cancelled: "The job was cancelled.",
  unexpected: "Something failed that should not; a server's own output says why.",
} as const;
export type ErrorCode = keyof typeof ERROR_CODES | SkillFileCode;

/** An expected failure: a code for programs, the value that caused it, and a message with the next step. */
export class RepertoireError extends Error {
  readonly code: ErrorCode;
  readonly value: unknown;

  /** The command that helps, if the thrower knows one better than the code says. */
  readonly next?: string | undefined;

  constructor(code: ErrorCode, message: string, value?: unknown, next?: string) {
    super(message);
    this.name = "RepertoireError";
    this.code = code;
    this.value = value;
    this.next = next;
  }
}

/**
 * Whether something that was thrown is an expected failure with a code.
 *
 * @example
 * try {
 *   await skills.library.find("no-such-skill");
 * } catch (error) {
 *   if (isRepertoireError(error)) console.log(error.code); // skill-not-found
 * }
 */
export function isRepertoireError(error: unknown): error is RepertoireError {
  return error instanceof RepertoireError;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system or Repertoire error, or an empty string. */
export function codeOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
