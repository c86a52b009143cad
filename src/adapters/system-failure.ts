// Says in words what a call of the system failed with.

import { codeOf } from "../model/errors.ts";

interface SystemFailure {
  readonly code: "disk-full" | "file-unusable";
  readonly message: string;
  /** The file, if the system named one. */
  readonly path?: string | undefined;
}

const WORDS: Readonly<Record<string, (path: string) => string>> = {
  EACCES: (path) => `There is no permission to use ${path}.`,
  EPERM: (path) => `There is no permission to change ${path}.`,
  EROFS: (path) => `${path} is on a disk that cannot be written.`,
  ENOENT: (path) => `${path} is not there and cannot be made.`,
  ENOTDIR: (path) => `${path} leads through something that is not a folder.`,
  EISDIR: (path) => `${path} is a folder, and a file was expected.`,
  EEXIST: (path) => `${path} is there already.`,
  ELOOP: (path) => `${path} is a link that leads in a circle.`,
  ENAMETOOLONG: (path) => `${path} is too long for a path.`,
  EMFILE: () => "Too many files are open.",
  EIO: (path) => `${path} cannot be read: the disk reports an error.`,
  ERR_INVALID_ARG_VALUE: () => "A path has a character that no path may have.",
  EBUSY: (path) => `${path} is in use by another program.`,
};

/** Undefined for what is not an error of the system. */
export function systemFailure(thrown: unknown): SystemFailure | undefined {
  const code = codeOf(thrown);
  const { path: named } = (thrown ?? {}) as { readonly path?: unknown };
  const path = typeof named === "string" ? named : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") {
    const where = path === undefined ? "" : ` of ${path}`;
    return { code: "disk-full", message: `There is no space left on the disk${where}.`, path };
  }
  const message = WORDS[code]?.(path ?? "a file");
  return message === undefined ? undefined : { code: "file-unusable", message, path };
}
