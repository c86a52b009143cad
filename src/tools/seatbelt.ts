// Builds the profile that isolates a program of a package on macOS, for `sandbox-exec`: the same rights as in bubblewrap.
//
// A profile cannot show a path elsewhere, so the private home and /tmp are real folders that are deleted afterwards.

import { access, constants } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { codeOf } from "../model/errors.ts";
import type { NoSandbox } from "./bubblewrap.ts";

export interface Seatbelt {
  readonly kind: "sandbox-exec";
  readonly path: string;
}

interface SeatbeltPlan {
  /** Real paths that may be read: the package, the interpreter and what the policy opens. */
  readonly read: readonly string[];
  /** Real paths that may be read and written: the private home and /tmp, and what the policy opens. */
  readonly write: readonly string[];
  /** Paths that stay read-only inside a writable one: the package. */
  readonly protect: readonly string[];
  readonly network: boolean;
}

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

/** Programs, libraries and the settings that they need to start; nothing of a person. */
const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Library/Apple",
  "/Library/Developer/CommandLineTools",
  "/Library/Frameworks",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
];
const SYSTEM_FILES = ["/", "/private/etc/localtime", "/private/etc/passwd"];
const NETWORK_FILES = ["/private/etc/hosts", "/private/etc/resolv.conf", "/private/etc/services"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"];
/** Links that programs use instead of the real paths. */
const LINKS = ["/etc", "/tmp", "/var"];

/** System services without which no program can look up names of users, or names of machines. */
const SERVICES = ["com.apple.system.opendirectoryd.libinfo", "com.apple.system.notification_center"];
const NETWORK_SERVICES = [
  "com.apple.mDNSResponder",
  "com.apple.SystemConfiguration.configd",
  "com.apple.trustd",
];

/** Finds `sandbox-exec`, which is part of macOS. */
export async function findSeatbelt(): Promise<{ readonly ok: true; readonly sandbox: Seatbelt } | NoSandbox> {
  try {
    await access(SANDBOX_EXEC, constants.X_OK);
    return { ok: true, sandbox: { kind: "sandbox-exec", path: SANDBOX_EXEC } };
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return {
      ok: false,
      reason: `${SANDBOX_EXEC} cannot be executed (${codeOf(error)})`,
      fix: "Run in a Linux container or virtual machine",
    };
  }
}

/** The profile's text, or the path that cannot be written in one. */
export function seatbeltProfile(
  plan: SeatbeltPlan,
): { readonly text: string } | { readonly refused: string } {
  const { read, write, protect, network } = plan;
  const given = [...read, ...write, ...protect];
  const refused = given.find((path) => !isPlain(path));
  if (refused !== undefined) return { refused };
  const rule = (action: string, what: string, filter: string, values: readonly string[]) =>
    values.length === 0
      ? []
      : [`(${action} ${what}${values.map((value) => ` (${filter} ${quoted(value)})`).join("")})`];
  const ancestors = new Set(given.flatMap(foldersAbove));
  const lines = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec*)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    ...rule("allow", "mach-lookup", "global-name", [...SERVICES, ...(network ? NETWORK_SERVICES : [])]),
    ...rule("allow", "file-read*", "subpath", SYSTEM),
    ...rule("allow", "file-read*", "literal", [...SYSTEM_FILES, ...(network ? NETWORK_FILES : [])]),
    ...rule("allow", "file-read* file-write-data file-ioctl", "literal", DEVICES),
    ...rule("allow", "file-read-metadata", "literal", [...LINKS, ...ancestors]),
    ...rule("allow", "file-read*", "subpath", read),
    ...rule("allow", "file-read* file-write*", "subpath", write),
    // The last rule that fits decides.
    ...rule("deny", "file-write*", "subpath", protect),
    ...(network ? ["(allow network*)"] : []),
  ];
  return { text: `${lines.join("\n")}\n` };
}

/** Absolute, normal, and without control characters, which a profile's strings cannot contain. */
function isPlain(path: string): boolean {
  return isAbsolute(path) && path !== "/" && !/[\x00-\x1f\x7f]|\/\.{0,2}(\/|$)/.test(path);
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The folders above a path, which a program must be able to look through. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "/" ? [] : [...foldersAbove(above), above];
}
