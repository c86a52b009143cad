// Finds bubblewrap, tests that it works here, and builds the arguments that isolate a program of a package.

import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { findOnSystem, type ProgramPlaces } from "./interpreter.ts";
import { SCRIPT_LIMITS } from "./limits.ts";
import { runProcess } from "./process.ts";
import { seccompFilter } from "./seccomp.ts";

export interface Bubblewrap {
  readonly kind: "bubblewrap";
  readonly path: string;
  /** Optional arguments that this version and this machine support. */
  readonly options: ReadonlySet<string>;
}

/** Why there is no sandbox, and what a person can do about it. */
export interface NoSandbox {
  readonly ok: false;
  readonly reason: string;
  readonly fix: string;
}

type BubblewrapLookup = { readonly ok: true; readonly sandbox: Bubblewrap } | NoSandbox;

interface BubblewrapPlan {
  readonly sandbox: Bubblewrap;
  /** The package's path, the same inside and outside, so that paths in arguments stay valid. */
  readonly mount: string;
  /** A writable temporary copy of the package to show there instead. */
  readonly scratch?: string | undefined;
  readonly needs: readonly string[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly network: boolean;
  readonly tmpBytes: number;
}

export const SANDBOX_HOME = "/home/skill";
export const SANDBOX_TMP = "/tmp";

const PASSWD = `skill:x:1000:1000:skill:${SANDBOX_HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
const GROUP = "skill:x:1000:\nnogroup:x:65534:\n";

/** The contents of the descriptors 3, 4 and 5 that the arguments refer to: /etc/passwd, /etc/group, the seccomp filter. */
export function bubblewrapInputs({ options }: Bubblewrap): (string | Uint8Array)[] {
  const filter = options.has("--seccomp") ? seccompFilter() : undefined;
  return [PASSWD, GROUP, ...(filter ? [filter] : [])];
}

/** Folders of programs and libraries. Some are links into /usr on some systems, and stay links. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** The files of /etc that programs need to start, for TLS and for the time zone; nothing about the machine. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "pki/ca-trust",
  "pki/tls/certs",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
].map((name) => `/etc/${name}`);
const ETC_NETWORK = ["/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/services"];

/** Newer options, most useful first; the test run drops those that do not work here. */
const OPTIONAL = ["--size", "--disable-userns", "--seccomp"];

const INSTALL =
  "Install it (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap)";

const tested = new Map<string, Promise<BubblewrapLookup>>();

/** Finds a bubblewrap that runs here; each path is tested once. */
export async function findBubblewrap(places: ProgramPlaces): Promise<BubblewrapLookup> {
  const path = await findOnSystem("bwrap", places);
  if (path === undefined) return { ok: false, reason: "bubblewrap is not installed", fix: INSTALL };
  const known = tested.get(path) ?? testBubblewrap(path);
  tested.set(path, known);
  return known;
}

async function testBubblewrap(path: string): Promise<BubblewrapLookup> {
  const bare = { kind: "bubblewrap", path } as const;
  const help = await probe({ ...bare, options: new Set() }, ["--help"]);
  const options = new Set(OPTIONAL.filter((option) => `${help.stdout}${help.stderr}`.includes(`${option} `)));
  if (!seccompFilter()) options.delete("--seccomp");
  for (;;) {
    const plan = { mount: "/usr", needs: [], read: [], write: [], network: false, tmpBytes: 65_536 };
    const sandbox = { ...bare, options: new Set(options) };
    const run = await probe(sandbox, [...bubblewrapArguments({ ...plan, sandbox }), "/bin/sh", "-c", ":"]);
    if (run.exitCode === 0) return { ok: true, sandbox };
    const dropped = [...options].at(-1);
    if (dropped === undefined) {
      const why = run.stderr.trim().split("\n").at(-1) || run.error || "no output";
      return {
        ok: false,
        reason: `bubblewrap cannot run here (${why})`,
        fix: "Allow unprivileged user namespaces for it (sysctl user.max_user_namespaces, an AppArmor profile for bwrap, or the container's settings)",
      };
    }
    options.delete(dropped);
  }
}

function probe(sandbox: Bubblewrap, args: readonly string[]) {
  return runProcess({
    command: sandbox.path,
    args,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    inputs: bubblewrapInputs(sandbox),
    timeoutMs: SCRIPT_LIMITS.probeMs,
    outputBytes: 65_536,
  });
}

/** bubblewrap's arguments up to and including `--`; the command follows. */
export function bubblewrapArguments(plan: BubblewrapPlan): string[] {
  const { sandbox, mount, scratch, needs, read, write, network } = plan;
  const privateFolder = (path: string) =>
    sandbox.options.has("--size") ? ["--size", String(plan.tmpBytes), "--tmpfs", path] : ["--tmpfs", path];
  const show = (option: string, paths: readonly string[]) => paths.flatMap((path) => [option, path, path]);
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(network ? [] : ["--unshare-net"]),
    ...(sandbox.options.has("--disable-userns") ? ["--disable-userns"] : []),
    ...["--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session"],
    ...(sandbox.options.has("--seccomp") ? ["--seccomp", "5"] : []),
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...["--proc", "/proc", ...kernelFiles()],
    ...["--dev", "/dev", ...privateFolder("/dev/shm"), "--remount-ro", "/dev"],
    ...[...privateFolder(SANDBOX_TMP), "--symlink", SANDBOX_TMP, "/var/tmp", ...privateFolder(SANDBOX_HOME)],
    ...["--ro-bind-data", "3", "/etc/passwd", "--ro-bind-data", "4", "/etc/group"],
    ...show("--ro-bind-try", [...ETC, ...(network ? ETC_NETWORK : []), ...needs]),
    ...show("--ro-bind", read),
    ...show("--bind", write),
    // Last, so that a writable folder around the package does not make the package writable.
    ...(scratch === undefined ? ["--ro-bind", mount, mount] : ["--bind", scratch, mount]),
    ...["--remount-ro", "/", "--chdir", mount, "--"],
  ];
}

/**
 * Arguments that protect the kernel's files below /proc. A process of root owns these files even without capabilities
 * and could write a core_pattern that runs outside; other processes own the settings of their namespaces. So settings
 * become read-only, folders of drivers empty, and writable files /dev/null.
 */
function kernelFiles(): string[] {
  const hidden = readdirSync("/proc", { withFileTypes: true })
    .filter(({ name }) => name !== "sys" && !/^\d+$/.test(name))
    .flatMap((entry) => {
      const path = `/proc/${entry.name}`;
      if (entry.isDirectory()) return ["--tmpfs", path, "--remount-ro", path];
      return entry.isFile() && (lstatSync(path).mode & 0o222) !== 0 ? ["--ro-bind", "/dev/null", path] : [];
    });
  return ["--ro-bind", "/proc/sys", "/proc/sys", ...hidden];
}

function systemFolder(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return [];
  return stats.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
