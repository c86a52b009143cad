// Reads what a person gives as the source of skills: a repository, a folder, an archive, or one SKILL.md.

import { existsSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { RepertoireError } from "../model/errors.ts";
import { isSkillFile } from "../package/package.ts";

/** Where skills can be fetched from. `source` is the address without its ref and path: reading it again gives the same place. */
export type SupplyAddress =
  | {
      readonly kind: "git";
      readonly source: string;
      readonly url: string;
      /** The protocol that git may use, and no other. */
      readonly protocol: "https" | "http" | "ssh" | "file";
      readonly ref?: string | undefined;
      /** Only what is below this folder of the repository. */
      readonly path?: string | undefined;
    }
  | { readonly kind: "folder"; readonly source: string; readonly path?: string | undefined }
  | { readonly kind: "archive"; readonly source: string; readonly path?: string | undefined }
  | { readonly kind: "file"; readonly source: string; readonly path?: string | undefined };

interface AddressOptions {
  /** Relative paths begin here. */
  readonly dir: string;
  readonly home: string;
  /** A branch, tag or commit. */
  readonly ref?: string | undefined;
}

const ARCHIVE = /\.(?:zip|skill|tgz|tar|tar\.gz)$/i;
const SCP = /^(?:[\w.-]+@)?[\w.-]+\.[\w.-]+:(?!\/\/)[^\s:]+$|^[\w.-]+@[\w.-]+:(?!\/\/)[^\s:]+$/;
const OWNER_AND_REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9_.][\w.-]*(?:\/[\w. /+@-]+)?$/;
/** A parameter of an address that signs its holder in. */
const SECRET_NAME = /token|secret|passw|signature|credential|api[-_]?key|^(?:auth|key|sig|pat)$/i;
const REF = /^[A-Za-z0-9_][\w./+@-]*$/;

/** No system opens a longer path. */
const LONGEST = 4_096;

/**
 * Reads an address. Fails with `source-unknown` for what cannot be one, and for protocols that are not allowed.
 *
 * @example
 * readAddress("anthropics/skills", { dir, home }).source; // "https://github.com/anthropics/skills.git"
 */
export function readAddress(text: string, options: AddressOptions): SupplyAddress {
  const asked = text.trim();
  if (asked === "" || asked.startsWith("-") || asked.length > LONGEST || /[\u0000-\u001f\u007f]/.test(asked))
    throw unknown(text.slice(0, LONGEST));
  const [bare = "", hash] = /^[^#]*$/.test(asked) ? [asked] : splitAtLast(asked, "#");
  const ref = options.ref ?? hash;
  if (ref !== undefined && (!REF.test(ref) || ref.includes("..")))
    throw new RepertoireError("source-unknown", `"${ref}" is not a branch, a tag or a commit.`, ref);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(bare)) return webAddress(bare, ref);
  if (/^[a-z][a-z0-9+.-]+::/i.test(bare)) throw unknown(text);
  const local = localAddress(asked, options) ?? localAddress(bare, options);
  if (local) return local.kind === "git" ? { ...local, ref } : local;
  if (/^(?:\.{1,2}(?:[/\\]|$)|[~/\\]|[A-Za-z]:[/\\])/.test(bare))
    throw new RepertoireError("source-unknown", `There is nothing at ${bare}.`, text);
  if (SCP.test(bare)) return { kind: "git", source: bare, url: bare, protocol: "ssh", ref };
  if (OWNER_AND_REPOSITORY.test(bare) && !bare.split("/").includes(".."))
    return onGitHub(bare.split("/"), ref);
  throw unknown(text);
}

/** A folder or a file on this machine; undefined if there is none. */
function localAddress(text: string, { dir, home }: AddressOptions): SupplyAddress | undefined {
  const path = resolve(dir, text.replace(/^~(?=[/\\]|$)/, home));
  const stats = statsOf(path);
  if (stats?.isDirectory()) {
    const isBare = ["HEAD", "objects", "refs"].every((name) => existsSync(join(path, name)));
    if (!isBare) return { kind: "folder", source: path };
    const url = pathToFileURL(path).href;
    return { kind: "git", source: url, url, protocol: "file" };
  }
  if (!stats?.isFile()) return undefined;
  if (ARCHIVE.test(path)) return { kind: "archive", source: path };
  if (isSkillFile(basename(path))) return { kind: "folder", source: dirname(path) };
  throw new RepertoireError(
    "source-unknown",
    `${text} is neither a folder, nor an archive (.zip, .skill, .tar.gz), nor a SKILL.md.`,
    text,
  );
}

/** Undefined for a path that no file can have, too: a name that is too long, a loop of links. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall !== "string") throw error;
    return undefined;
  }
}

function webAddress(text: string, ref: string | undefined): SupplyAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw unknown(text);
  const isSecret = [...url.searchParams.keys()].some((name) => SECRET_NAME.test(name));
  if (isSecret || url.password !== "" || (url.username !== "" && url.protocol.startsWith("http")))
    throw new RepertoireError(
      "source-secret",
      `The address has a user name, password or token, which would be written to the lock. Leave it out: your git signs in with its own credentials.`,
      url.host,
    );
  const protocol = url.protocol.slice(0, -1);
  if (protocol === "file") {
    // With a host or an escaped slash it names no file.
    if (url.host !== "" || /%2f/i.test(url.pathname)) throw unknown(text);
    const local = fileURLToPath(url);
    if (ARCHIVE.test(local)) return { kind: "archive", source: local };
    return { kind: "git", source: url.href, url: url.href, protocol, ref };
  }
  if (protocol === "ssh" || protocol === "git+ssh")
    return { kind: "git", source: url.href, url: url.href, protocol: "ssh", ref };
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (protocol !== "https" && !(protocol === "http" && isLoopback)) throw refusedProtocol(text, protocol);
  const onHost = onCodeHost(url, ref);
  if (onHost) return onHost;
  const { pathname } = url;
  if (ARCHIVE.test(pathname)) return { kind: "archive", source: url.href };
  if (isSkillFile(basename(pathname))) return { kind: "file", source: url.href };
  return { kind: "git", source: url.href, url: url.href, protocol, ref };
}

/** Undefined for an escape that is no character. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

/** Pages of code hosts as people copy them: a repository, a folder or a SKILL.md in it, on a branch. */
function onCodeHost(url: URL, ref: string | undefined): SupplyAddress | undefined {
  const parts = url.pathname
    .split("/")
    .filter(Boolean)
    .map((part) => decoded(part) ?? "..");
  if (parts.some((part) => part === ".." || part.includes("/"))) throw unknown(url.href);
  if (url.hostname === "raw.githubusercontent.com" && parts.length > 3) {
    const [owner, repository, branch, ...path] = parts as [string, string, string, ...string[]];
    const below = branch === "refs" ? path.slice(2) : path;
    return onGitHub([owner, repository, ...below], ref ?? (branch === "refs" ? path[1] : branch));
  }
  if (/^(?:www\.)?github\.com$/.test(url.hostname) && parts.length >= 2) {
    const [owner, repository, page, branch, ...path] = parts as [string, string, ...string[]];
    if (page === undefined) return onGitHub([owner, repository], ref);
    if ((page === "tree" || page === "blob") && branch !== undefined)
      return onGitHub([owner, repository, ...path], ref ?? branch);
    return undefined;
  }
  const at = parts.indexOf("-");
  const [page, branch, ...path] = at < 2 ? [] : parts.slice(at + 1);
  if ((page === "tree" || page === "blob") && branch !== undefined) {
    const source = `${url.origin}/${parts.slice(0, at).join("/")}.git`;
    return { kind: "git", source, url: source, protocol: "https", ref: ref ?? branch, path: folderOf(path) };
  }
  return undefined;
}

function onGitHub(
  [owner, repository = "", ...path]: readonly string[],
  ref: string | undefined,
): SupplyAddress {
  const source = `https://github.com/${owner}/${repository.replace(/\.git$/, "")}.git`;
  return { kind: "git", source, url: source, protocol: "https", ref, path: folderOf(path) };
}

/** The folder that a path names, which may end in its SKILL.md. */
function folderOf(path: readonly string[]): string | undefined {
  const folders = isSkillFile(path.at(-1) ?? "") ? path.slice(0, -1) : path;
  return folders.filter(Boolean).join("/") || undefined;
}

function splitAtLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function refusedProtocol(text: string, protocol: string): RepertoireError {
  return new RepertoireError(
    "source-unknown",
    `Skills are not fetched over ${protocol}. Use https, ssh, or a path on this machine.`,
    text,
  );
}

function unknown(text: string): RepertoireError {
  return new RepertoireError(
    "source-unknown",
    `"${text}" is not a place of skills. Give owner/repository, a git address, a folder, an archive (.zip, .skill, .tar.gz) or the address of a SKILL.md.`,
    text,
  );
}
