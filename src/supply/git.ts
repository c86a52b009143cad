// Fetches one commit of a repository with the machine's own git, and reads it without checking it out: no file of it is written as
// a file, so no hook, filter, link or name of it can do anything.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import type { SupplyAddress } from "./address.ts";
import { SUPPLY_LIMITS } from "./limits.ts";
import { type SourceTree, type SupplyProgress, type TreeEntry, tooManyEntries } from "./tree.ts";

type GitAddress = Extract<SupplyAddress, { kind: "git" }>;

interface GitOptions {
  /** A folder that does not exist yet, for the objects of the repository. Removed when the tree is closed. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: SupplyProgress | undefined;
  /** The commit to read, for a repository that is locked; else the ref, else the default branch. */
  readonly commit?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** Whatever the configuration of the person or of the repository says. */
const SAFE_SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.askPass=",
  "core.fsmonitor=false",
  "credential.interactive=false",
  "fetch.recurseSubmodules=no",
  "fetch.unpackLimit=1",
  "fetch.fsckObjects=false",
  "gc.auto=0",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=60",
  "maintenance.auto=false",
  "protocol.version=2",
  "submodule.recurse=false",
];

/** Variables with which the surrounding program would lead git to another repository or another program. */
const FOREIGN =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|PREFIX|TEMPLATE_DIR|EXTERNAL_DIFF|TRACE\w*)$/;

/** Opens one commit of a repository. */
export async function openRepository(address: GitAddress, options: GitOptions): Promise<SourceTree> {
  const { folder } = options;
  const git = new Git(address, options);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await git.run(["init", "--quiet", "--bare", "--template=", folder]);
    const commit = await fetchCommit(git, address, options.commit);
    const objects = await listObjects(git, commit, address.source);
    const blobs = new BlobReader(git, objects);
    return {
      entries: [...objects.values()].map(({ entry }) => entry),
      title: titleOf(address.source),
      commit,
      read: (paths) => blobs.read(paths),
      close: () => {
        blobs.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (thrown) {
    rmSync(folder, { recursive: true, force: true });
    throw thrown;
  }
}

const WHOLE_COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const TARGET = "refs/repertoire/fetched";

/** The commit of the ref, fetched with nothing before it if the server gives it alone. */
async function fetchCommit(git: Git, address: GitAddress, locked: string | undefined): Promise<string> {
  const wanted = locked ?? address.ref ?? "HEAD";
  const isCommit = WHOLE_COMMIT.test(wanted);
  try {
    await git.fetch(["--depth=1", "--no-tags"], [`+${wanted}:${TARGET}`]);
    return await git.commitOf(TARGET);
  } catch (thrown) {
    // Many servers give no commit by its name, and none a shortened one: then everything is fetched.
    if (!(thrown instanceof RepertoireError) || thrown.code !== "source-unreachable") throw thrown;
    if (!isCommit && !/^[0-9a-f]{7,}$/.test(wanted)) throw thrown;
    await git.fetch([], ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    return git.commitOf(wanted);
  }
}

interface StoredObject {
  readonly id: string;
  readonly entry: TreeEntry;
}

const KINDS: Readonly<Record<string, TreeEntry["kind"]>> = {
  "100644": "file",
  "100664": "file",
  "100755": "executable",
  "120000": "link",
  "160000": "module",
};

async function listObjects(git: Git, commit: string, source: string): Promise<Map<string, StoredObject>> {
  const listed = await git.run(["ls-tree", "-r", "-l", "-z", "--full-tree", commit]);
  const objects = new Map<string, StoredObject>();
  for (const line of listed.toString("utf8").split("\0")) {
    const [, mode, id, size, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(line) ?? [];
    if (mode === undefined || id === undefined || path === undefined) continue;
    if (objects.size >= SUPPLY_LIMITS.entries) throw tooManyEntries(source);
    objects.set(path, { id, entry: { path, kind: KINDS[mode] ?? "special", size: Number(size) || 0 } });
  }
  return objects;
}

function titleOf(source: string): string {
  return (
    source
      .replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split(/[/:]/)
      .at(-1) ?? ""
  );
}

/** Runs git in the folder of one repository: no shell, no terminal, no protocol but the one of the address. */
class Git {
  private readonly address: GitAddress;
  private readonly options: GitOptions;

  constructor(address: GitAddress, options: GitOptions) {
    this.address = address;
    this.options = options;
  }

  start(args: readonly string[]): ChildProcessWithoutNullStreams {
    const settings = SAFE_SETTINGS.flatMap((setting) => ["-c", setting]);
    const own = Object.entries(this.options.env).filter(([name]) => !FOREIGN.test(name));
    return spawn("git", [...settings, ...args], {
      cwd: this.options.folder,
      // A session of its own has no terminal to ask for a password on, and is ended as one.
      detached: process.platform !== "win32",
      windowsHide: true,
      env: {
        ...Object.fromEntries(own),
        LC_ALL: "C",
        GIT_ALLOW_PROTOCOL: this.address.protocol,
        GIT_ASKPASS: "",
        GIT_CEILING_DIRECTORIES: this.options.folder,
        GIT_LFS_SKIP_SMUDGE: "1",
        GIT_OPTIONAL_LOCKS: "0",
        GIT_TERMINAL_PROMPT: "0",
        GCM_INTERACTIVE: "never",
        SSH_ASKPASS: "",
        SSH_ASKPASS_REQUIRE: "never",
      },
    });
  }

  async fetch(options: readonly string[], refs: readonly string[]): Promise<void> {
    const always = ["--progress", "--no-recurse-submodules", "--no-write-fetch-head"];
    await this.run(["fetch", ...always, ...options, "--", this.address.url, ...refs], { watched: true });
  }

  async commitOf(name: string): Promise<string> {
    const found = await this.run([
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${name}^{commit}`,
    ]);
    return found.toString("utf8").trim();
  }

  /** Runs one command to its end, and returns what it printed. */
  run(args: readonly string[], { watched = false } = {}): Promise<Buffer> {
    const { timeoutMs = SUPPLY_LIMITS.fetchMs, maxBytes = SUPPLY_LIMITS.repositoryBytes } = this.options;
    return new Promise((settle, fail) => {
      const child = this.start(args);
      const out: Buffer[] = [];
      let errors = "";
      let why: RepertoireError | undefined;
      const stop = (reason: RepertoireError) => {
        why ??= reason;
        end(child);
      };
      const timer = setTimeout(() => stop(this.tooSlow(timeoutMs)), timeoutMs);
      const sizes = watched
        ? setInterval(() => bytesBelow(this.options.folder) > maxBytes && stop(this.tooLarge(maxBytes)), 200)
        : undefined;
      const done = (result: () => void) => {
        clearTimeout(timer);
        clearInterval(sizes);
        result();
      };
      child.stdin.on("error", () => end(child)).end();
      child.stdout.on("data", (part: Buffer) => out.push(part));
      child.stderr.on("data", (part: Buffer) => {
        errors = (errors + part.toString("utf8")).slice(-8_000);
        if (watched) this.tellProgress(part.toString("utf8"));
      });
      child.on("error", (thrown) => done(() => fail(codeOf(thrown) === "ENOENT" ? gitMissing() : thrown)));
      child.on("close", (code) =>
        done(() => (code === 0 && !why ? settle(Buffer.concat(out)) : fail(why ?? this.failed(errors)))),
      );
    });
  }

  private tellProgress(text: string): void {
    const { onProgress } = this.options;
    for (const [, step, done, total] of text.matchAll(/([A-Z][a-z]+ objects):\s+\d+% \((\d+)\/(\d+)\)/g))
      onProgress?.(step!.toLowerCase(), Number(done), Number(total));
  }

  private failed(errors: string): RepertoireError {
    const { source, ref } = this.address;
    const lines = errors
      .split(/[\r\n]+/)
      .filter((line) => /^(?:fatal|error|remote: (?!Enum|Count|Compress|Total)|ssh|Host)/i.test(line));
    const said = lines
      .slice(0, 3)
      .join(" ")
      .replace(/\b(?:fatal|error|remote): /g, "")
      // The user's own git may put credentials into the address.
      .replace(/:\/\/[^/@\s]*@/g, "://")
      .trim();
    if (
      /couldn't find remote ref|not our ref|Needed a single revision/i.test(errors) ||
      (ref !== undefined && errors === "")
    )
      return new RepertoireError(
        "source-unreachable",
        `${source} has no branch, tag or commit "${ref ?? "HEAD"}".`,
        ref,
      );
    const isClosed =
      /terminal prompts disabled|Authentication failed|Permission denied|not found|could not read Username/i.test(
        errors,
      );
    const next = isClosed
      ? " If the repository is private, sign in with your own git first: git ls-remote with this address must work."
      : " Check the address and the network.";
    return new RepertoireError(
      "source-unreachable",
      `${source} cannot be fetched: ${said || "git failed"}.${next}`,
      source,
    );
  }

  private tooSlow(timeoutMs: number): RepertoireError {
    const seconds = Math.round(timeoutMs / 1000);
    const message = `${this.address.source} was not fetched within ${seconds} s. Try again, or clone it yourself and add the folder.`;
    return new RepertoireError("source-unreachable", message, this.address.source);
  }

  private tooLarge(maxBytes: number): RepertoireError {
    const message = `${this.address.source} is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB. Clone it yourself and add the folder of the skills.`;
    return new RepertoireError("source-too-large", message, this.address.source);
  }
}

function end(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  if (process.platform === "win32") child.kill("SIGKILL");
  else unlessMissing(() => process.kill(-child.pid!, "SIGKILL"), ["ESRCH", "EPERM"]);
}

function gitMissing(): RepertoireError {
  return new RepertoireError(
    "git-missing",
    "git is not installed, and repositories are fetched with it. Install git, or add a folder or an archive.",
  );
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of unlessMissing(() => readdirSync(folder, { withFileTypes: true, recursive: true })) ??
    [])
    if (entry.isFile())
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

interface PendingBlob {
  settle(bytes: Buffer): void;
  fail(why: Error): void;
}

/** Reads blobs from one `git cat-file`, which answers in the order in which it was asked. */
class BlobReader {
  private readonly git: Git;
  private readonly objects: ReadonlyMap<string, StoredObject>;
  private child: ChildProcessWithoutNullStreams | undefined;
  private received: Buffer[] = [];
  private length = 0;
  /** How many bytes the next answer has, as far as it is known. */
  private needed = 1;
  private pending: PendingBlob[] = [];

  constructor(git: Git, objects: ReadonlyMap<string, StoredObject>) {
    this.git = git;
    this.objects = objects;
  }

  async read(paths: readonly string[]): Promise<Map<string, Uint8Array>> {
    const blobs = await Promise.all(paths.map((path) => this.blob(this.objects.get(path)!.id)));
    return new Map(paths.map((path, at) => [path, blobs[at]!]));
  }

  close(): void {
    if (this.child) end(this.child);
  }

  private blob(id: string): Promise<Buffer> {
    this.child ??= this.open();
    return new Promise((settle, fail) => {
      this.pending.push({ settle, fail });
      this.child!.stdin.write(`${id}\n`);
    });
  }

  private open(): ChildProcessWithoutNullStreams {
    const child = this.git.start(["cat-file", "--batch"]);
    const ended = () => this.fail("git ended while the repository was read. Try again.");
    child.on("error", ended).on("close", ended);
    child.stdin.on("error", ended);
    child.stderr.resume();
    child.stdout.on("data", (part: Buffer) => {
      this.received.push(part);
      this.length += part.length;
      if (this.length >= this.needed) this.take(Buffer.concat(this.received));
    });
    return child;
  }

  /** Takes the answers that are whole: `ID blob SIZE`, a line break, the bytes, a line break. */
  private take(all: Buffer): void {
    let rest = all;
    for (this.needed = 1; rest.length >= this.needed; this.needed = 1) {
      const head = rest.indexOf(LINE_BREAK);
      if (head < 0) {
        this.needed = rest.length + 1;
        break;
      }
      const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(rest.toString("latin1", 0, head))?.[1];
      if (size === undefined) {
        this.fail("The repository lacks one of its files.");
        return;
      }
      this.needed = head + 1 + Number(size) + 1;
      if (rest.length < this.needed) break;
      this.pending.shift()?.settle(rest.subarray(head + 1, this.needed - 1));
      rest = rest.subarray(this.needed);
    }
    this.received = [rest];
    this.length = rest.length;
  }

  private fail(message: string): void {
    const waiting = this.pending;
    this.pending = [];
    for (const { fail } of waiting) fail(new RepertoireError("source-unreachable", message));
  }
}

const LINE_BREAK = 10;
