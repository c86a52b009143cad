// A disk in memory that forgets what was not synced, and fails when it is told to.

import { dirname } from "node:path";
import type { Files } from "../../src/disk/disk.ts";
import type { Random } from "./random.ts";

interface FileNode {
  readonly kind: "file";
  bytes: Buffer;
  /** What a power cut leaves for certain. */
  synced: Buffer;
  mode: number;
}

interface FolderNode {
  readonly kind: "folder";
  entries: Map<string, Node>;
  synced: Map<string, Node>;
}

type Node = FileNode | FolderNode;

/** How likely a call fails, and how. */
export interface Weather {
  /** The call does nothing and throws. */
  readonly failBefore: number;
  /** The call does its work and throws. */
  readonly failAfter: number;
  /** A write takes a part of its bytes only. */
  readonly shortWrite: number;
}

export const CALM: Weather = { failBefore: 0, failAfter: 0, shortWrite: 0 };

/** The processes are gone. Has no code, so that nobody takes it for an error of the disk. */
export class Crash extends Error {
  override name = "Crash";
}

const CODES = ["EIO", "ENOSPC", "EACCES", "EMFILE"] as const;
/** Whether a folder may be opened does not change from call to call; see `forbid`. */
const FOLDER_CODES = ["EIO", "ENOSPC", "ENOMEM", "EMFILE"] as const;

const OPENING: readonly string[] = ["openSync", "readdirSync"];

export class SimulatedDisk {
  private readonly random: Random;
  private root: FolderNode = emptyFolder();
  private readonly open = new Map<number, { readonly node: Node; at: number; readonly append: boolean }>();
  private nextDescriptor = 3;
  /** Calls until the process dies. */
  private callsLeft = Number.POSITIVE_INFINITY;
  private isDead = false;
  private forbidden: string | undefined;
  weather: Weather = CALM;
  calls = 0;

  constructor(random: Random) {
    this.random = random;
  }

  /** The process dies at the call of this number from now on. */
  crashAfter(calls: number): void {
    this.callsLeft = calls;
  }

  get crashed(): boolean {
    return this.isDead;
  }

  /** Takes away the right to look into a folder and to change it, until it is given back with undefined. */
  forbid(folder: string | undefined): void {
    this.forbidden = folder;
  }

  /** A new process: what the last one wrote is there. */
  restart(): void {
    this.isDead = false;
    this.callsLeft = Number.POSITIVE_INFINITY;
    this.open.clear();
    this.files = this.process();
  }

  /** The power fails: of what was not synced, anything may be there, in any order and torn. */
  cutPower(): void {
    this.settle(this.root, new Set());
  }

  private readonly system: Record<Exclude<keyof Files, "fsync">, (...args: never[]) => unknown> = {
    openSync: (path: string, flags: string, mode = 0o666) => this.openFile(path, flags, mode),
    readSync: (file: number, into: Buffer, offset: number, length: number, position: number) => {
      const { node } = this.opened(file);
      const bytes = fileOf(node, "descriptor").bytes.subarray(position, position + length);
      into.set(bytes, offset);
      return bytes.length;
    },
    writeSync: (file: number, bytes: Uint8Array, offset = 0) => {
      const opened = this.opened(file);
      const node = fileOf(opened.node, "descriptor");
      const rest = bytes.subarray(offset);
      const isShort = this.random.chance(this.weather.shortWrite) && rest.length > 1;
      const taken = isShort ? rest.subarray(0, 1 + this.random.below(rest.length - 1)) : rest;
      const at = opened.append ? node.bytes.length : opened.at;
      node.bytes = Buffer.concat([node.bytes.subarray(0, at), taken, node.bytes.subarray(at + taken.length)]);
      opened.at = at + taken.length;
      return taken.length;
    },
    fsyncSync: (file: number) => {
      const { node } = this.opened(file);
      if (node.kind === "file") node.synced = node.bytes;
      else node.synced = new Map(node.entries);
    },
    ftruncateSync: (file: number, length: number) => {
      const node = fileOf(this.opened(file).node, "descriptor");
      node.bytes = node.bytes.subarray(0, length);
    },
    closeSync: (file: number) => void this.open.delete(file),
    renameSync: (from: string, to: string) => {
      const [source, target] = [this.folder(dirname(from)), this.folder(dirname(to))];
      const node = source.entries.get(nameOf(from));
      if (node === undefined) throw failure("ENOENT", from);
      source.entries.delete(nameOf(from));
      target.entries.set(nameOf(to), node);
    },
    unlinkSync: (path: string) => {
      const { entries } = this.folder(dirname(path));
      if (entries.get(nameOf(path))?.kind === "folder") throw failure("EISDIR", path);
      if (!entries.delete(nameOf(path))) throw failure("ENOENT", path);
    },
    mkdirSync: (path: string) => {
      const { entries } = this.folder(dirname(path));
      if (entries.has(nameOf(path)) || path === "/") throw failure("EEXIST", path);
      entries.set(nameOf(path), emptyFolder());
    },
    rmdirSync: (path: string) => {
      const parent = this.folder(dirname(path));
      if (this.folder(path).entries.size > 0) throw failure("ENOTEMPTY", path);
      parent.entries.delete(nameOf(path));
    },
    readFileSync: (path: string) => Buffer.from(fileOf(this.find(path), path).bytes),
    readdirSync: (path: string) =>
      [...this.folder(path).entries]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { kind }]) => ({
          name,
          parentPath: path,
          isFile: () => kind === "file",
          isDirectory: () => kind === "folder",
          isSymbolicLink: () => false,
        })),
    statSync: (path: string, options?: { throwIfNoEntry?: boolean }) => {
      const node = this.find(path);
      if (node === undefined) {
        if (options?.throwIfNoEntry === false) return undefined;
        throw failure("ENOENT", path);
      }
      const size = node.kind === "file" ? node.bytes.length : 0;
      const mode = node.kind === "file" ? node.mode : 0o700;
      return {
        size,
        mode,
        mtimeMs: 0,
        isFile: () => node.kind === "file",
        isDirectory: () => node.kind === "folder",
      };
    },
  };

  /** The calls of the process that runs now. */
  files: Files = this.process();

  /** The calls of one process. Every call counts, may fail, and fails for good once the machine is gone. */
  process(): Files {
    const wrapped = Object.entries(this.system).map(([name, call]) => [
      name,
      (...args: never[]) => {
        if (this.isDead || this.callsLeft-- <= 0) {
          this.isDead = true;
          throw new Crash();
        }
        this.calls++;
        const { failBefore, failAfter } = this.weather;
        const code = this.random.pick(this.opensFolder(name, args[0]) ? FOLDER_CODES : CODES);
        if (args.some((path) => this.isForbidden(name, path))) throw failure("EACCES", name);
        if (this.random.chance(failBefore)) throw failure(code, `${name} before`);
        const result = call(...args);
        if (this.random.chance(failAfter)) throw failure(code, `${name} after`);
        return result;
      },
    ]);
    const files = Object.fromEntries(wrapped) as Omit<Files, "fsync">;
    const fsync = (file: number, done: (error: Error | null) => void) => {
      try {
        files.fsyncSync(file);
        done(null);
      } catch (error) {
        done(error as Error);
      }
    };
    return { ...files, fsync: fsync as Files["fsync"] };
  }

  private isForbidden(call: string, path: unknown): boolean {
    if (this.forbidden === undefined || typeof path !== "string") return false;
    return path.startsWith(`${this.forbidden}/`) || (path === this.forbidden && OPENING.includes(call));
  }

  private opensFolder(call: string, path: unknown): boolean {
    if (!OPENING.includes(call)) return false;
    return this.find(path as string)?.kind === "folder";
  }

  private openFile(path: string, flags: string, mode: number): number {
    let node = this.find(path);
    if (flags.includes("x") && node) throw failure("EEXIST", path);
    if (node === undefined) {
      if (flags === "r") throw failure("ENOENT", path);
      node = { kind: "file", bytes: Buffer.alloc(0), synced: Buffer.alloc(0), mode };
      this.folder(dirname(path)).entries.set(nameOf(path), node);
    }
    if (node.kind === "folder" && flags !== "r") throw failure("EISDIR", path);
    const descriptor = this.nextDescriptor++;
    this.open.set(descriptor, { node, at: 0, append: flags === "a" });
    return descriptor;
  }

  private opened(file: number) {
    const opened = this.open.get(file);
    if (opened === undefined) throw failure("EBADF", String(file));
    return opened;
  }

  private find(path: string): Node | undefined {
    let at: Node | undefined = this.root;
    for (const name of partsOf(path)) {
      if (at?.kind === "file") throw failure("ENOTDIR", path);
      at = at?.entries.get(name);
    }
    return at;
  }

  private folder(path: string): FolderNode {
    const node = this.find(path);
    if (node === undefined) throw failure("ENOENT", path);
    if (node.kind === "file") throw failure("ENOTDIR", path);
    return node;
  }

  private settle(node: Node, seen: Set<Node>): void {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === "file") {
      node.bytes = this.remains(node);
      node.synced = node.bytes;
      return;
    }
    const left = new Map(node.synced);
    for (const name of new Set([...node.entries.keys(), ...node.synced.keys()])) {
      const now = node.entries.get(name);
      if (now === node.synced.get(name) || this.random.chance(0.5)) continue;
      if (now === undefined) left.delete(name);
      else left.set(name, now);
    }
    node.entries = left;
    node.synced = new Map(left);
    for (const child of left.values()) this.settle(child, seen);
  }

  /** What was synced, all that was written, or a torn part of what differs, with or without garbage behind. */
  private remains({ bytes, synced }: FileNode): Buffer {
    if (bytes.equals(synced)) return bytes;
    const kind = this.random.below(4);
    if (kind === 0) return synced;
    if (kind === 1) return bytes;
    const larger = bytes.length >= synced.length ? bytes : synced;
    const certain = commonStart(bytes, synced);
    const cut = certain + this.random.below(Math.max(1, larger.length - certain));
    const kept = larger.subarray(0, cut);
    return kind === 2 ? kept : Buffer.concat([kept, Buffer.alloc(larger.length - cut)]);
  }
}

/** How many bytes two files begin with alike. Nobody wrote there, so no power cut touches them. */
function commonStart(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function emptyFolder(): FolderNode {
  return { kind: "folder", entries: new Map(), synced: new Map() };
}

function fileOf(node: Node | undefined, path: string): FileNode {
  if (node === undefined) throw failure("ENOENT", path);
  if (node.kind === "folder") throw failure("EISDIR", path);
  return node;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function nameOf(path: string): string {
  return partsOf(path).at(-1)!;
}

function failure(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}
