// Reads an archive in memory: its entries with their kinds and bytes. Nothing of it is unpacked to the disk.

import { RepertoireError } from "../model/errors.ts";
import { SUPPLY_LIMITS } from "./limits.ts";
import { type SourceTree, type TreeEntry, tooManyEntries } from "./tree.ts";

/** What an archive holds so far, with its limits. */
class Unpacked {
  readonly entries: TreeEntry[] = [];
  readonly bytes = new Map<string, Uint8Array>();
  private readonly source: string;
  private total = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** Fails before the bytes are unpacked. */
  announce(size: number): void {
    this.total += size;
    if (this.total > SUPPLY_LIMITS.unpackedBytes) throw tooLarge(this.source);
    if (this.entries.length >= SUPPLY_LIMITS.entries) throw tooManyEntries(this.source);
  }

  take(path: string, kind: TreeEntry["kind"], bytes: Uint8Array): void {
    const plain = path.replace(/^(?:\.\/)+/, "");
    this.entries.push({ path: plain, kind, size: bytes.length });
    this.bytes.set(plain, bytes);
  }
}

/** Opens a .zip, .skill, .tar or .tar.gz by what its bytes are. */
export async function openArchive(archive: Uint8Array, source: string): Promise<SourceTree> {
  const unpacked = new Unpacked(source);
  const buffer = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  try {
    if (buffer.subarray(0, 2).toString("latin1") === "PK") await unzip(buffer, unpacked);
    else await untar(buffer, unpacked);
  } catch (thrown) {
    if (thrown instanceof RepertoireError) throw thrown;
    throw unreadable(source, thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (unpacked.entries.length === 0) throw unreadable(source, "it has no files");
  const { entries, bytes } = unpacked;
  return {
    entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)),
    title: (source.split(/[/\\]/).at(-1) ?? "").replace(/\.(?:zip|skill|tgz|tar|tar\.gz)(?:[?#].*)?$/i, ""),
    read: async (paths) => new Map(paths.map((path) => [path, bytes.get(path)!])),
    close: () => {},
  };
}

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const LINK = 0o120000;
const EXECUTABLE = 0o111;

async function unzip(archive: Buffer, unpacked: Unpacked): Promise<void> {
  const { fromBufferPromise } = await import("yauzl");
  const zip = await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith("/")) continue;
    unpacked.announce(entry.uncompressedSize);
    const mode = entry.externalFileAttributes >>> 16;
    const type = mode & FILE_TYPE;
    const isFile = type === 0 || type === REGULAR;
    const parts: Buffer[] = [];
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer);
    const kind = type === LINK ? "link" : !isFile ? "special" : mode & EXECUTABLE ? "executable" : "file";
    unpacked.take(entry.fileName, kind, Buffer.concat(parts));
  }
}

/** Tar's names of what an entry can be. A hard link is listed as a link, because it leads to another path too. */
const TAR_KINDS: Readonly<Record<string, TreeEntry["kind"] | undefined>> = {
  File: "file",
  OldFile: "file",
  ContiguousFile: "file",
  SymbolicLink: "link",
  Link: "link",
  CharacterDevice: "special",
  BlockDevice: "special",
  FIFO: "special",
};

async function untar(archive: Buffer, unpacked: Unpacked): Promise<void> {
  const { Parser } = await import("tar");
  await new Promise<void>((settle, fail) => {
    const parser = new Parser({
      strict: true,
      onReadEntry: (entry) => {
        const kind = TAR_KINDS[entry.type];
        const parts: Buffer[] = [];
        entry.on("data", (part: Buffer) => parts.push(part));
        if (kind === undefined) return;
        try {
          unpacked.announce(entry.size);
        } catch (thrown) {
          parser.abort(thrown as Error);
          fail(thrown);
          return;
        }
        entry.on("end", () => {
          const bytes = kind === "link" ? Buffer.from(entry.linkpath ?? "") : Buffer.concat(parts);
          const isExecutable = kind === "file" && ((entry.mode ?? 0) & EXECUTABLE) !== 0;
          unpacked.take(entry.path, isExecutable ? "executable" : kind, bytes);
        });
      },
    });
    parser.on("end", () => settle());
    parser.on("error", fail);
    parser.end(archive);
  });
}

function tooLarge(source: string): RepertoireError {
  const most = SUPPLY_LIMITS.unpackedBytes / 1024 / 1024;
  return new RepertoireError(
    "source-too-large",
    `${source} holds more than ${most} MiB. Unpack it yourself and add the folder of the skills.`,
    source,
  );
}

function unreadable(source: string, why: string): RepertoireError {
  return new RepertoireError(
    "archive-unreadable",
    `${source} cannot be read as a .zip, .skill or .tar.gz: ${why}.`,
    source,
  );
}
