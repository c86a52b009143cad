// Opens a source by its address: fetches what is elsewhere into a folder that is removed afterwards.

import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { readBounded, unlessMissing } from "../disk/disk.ts";
import { codeOf, isRepertoireError, messageOf, RepertoireError } from "../model/errors.ts";
import { PACKAGE_LIMITS, SKILL_FILE } from "../package/package.ts";
import { grouped } from "../text/numbers.ts";
import type { SupplyAddress } from "./address.ts";
import { openArchive } from "./archive.ts";
import { openRepository } from "./git.ts";
import { SUPPLY_LIMITS } from "./limits.ts";
import { openFolder, type SourceTree, type SupplyProgress } from "./tree.ts";

export interface OpeningNeeds {
  /** For what is fetched. What a killed process left in it is removed. */
  readonly fetchDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProgress?: SupplyProgress | undefined;
}

/** `commit` opens a repository as it was then. The tree is to be closed. */
export async function openSource(
  address: SupplyAddress,
  { fetchDir, env, onProgress }: OpeningNeeds,
  commit?: string,
): Promise<SourceTree> {
  removeAbandoned(fetchDir);
  switch (address.kind) {
    case "git":
      return openRepository(address, { folder: newFolder(fetchDir), env, onProgress, commit });
    case "folder":
      return openFolder(existing(address.source));
    case "archive":
      return openArchive(
        await bytesOf(address.source, SUPPLY_LIMITS.archiveBytes, onProgress),
        address.source,
      );
    case "file": {
      const bytes = await bytesOf(address.source, PACKAGE_LIMITS.skillFileBytes, onProgress);
      const title = new URL(address.source).pathname.split("/").at(-2) || new URL(address.source).hostname;
      return {
        entries: [{ path: SKILL_FILE, kind: "file", size: bytes.length }],
        title,
        read: async () => new Map([[SKILL_FILE, bytes]]),
        close: () => {},
      };
    }
  }
}

function newFolder(fetchDir: string): string {
  return join(fetchDir, `${process.pid}-${Math.random().toString(36).slice(2)}`);
}

/** Removes what processes fetched that are no longer there. */
function removeAbandoned(fetchDir: string): void {
  for (const name of unlessMissing(() => readdirSync(fetchDir)) ?? []) {
    const process = /^(\d+)-/.exec(name)?.[1];
    if (process !== undefined && !isRunning(Number(process)))
      rmSync(join(fetchDir, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== "ESRCH";
  }
}

function existing(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new RepertoireError("source-unreachable", `There is no folder ${folder} any more.`, folder);
}

/** The bytes of a file on this machine or at an address. */
async function bytesOf(source: string, maxBytes: number, onProgress?: SupplyProgress): Promise<Uint8Array> {
  try {
    if (!/^https?:\/\//.test(source)) return readBounded(source, { maxBytes });
    return await download(source, maxBytes, onProgress);
  } catch (thrown) {
    if (isRepertoireError(thrown) && thrown.code !== "file-too-large") throw thrown;
    if (isRepertoireError(thrown)) throw new RepertoireError("source-too-large", thrown.message, source);
    throw new RepertoireError(
      "source-unreachable",
      `${source} cannot be fetched: ${reasonOf(thrown)}. Check the address and the network.`,
      source,
    );
  }
}

async function download(address: string, maxBytes: number, onProgress?: SupplyProgress): Promise<Uint8Array> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(SUPPLY_LIMITS.fetchMs) });
  // A server must not lead from a private connection to an open one.
  if (address.startsWith("https:") && !answer.url.startsWith("https:"))
    throw new RepertoireError(
      "source-unreachable",
      `${address} leads to ${answer.url}, which is not private.`,
      address,
    );
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  const parts: Uint8Array[] = [];
  let length = 0;
  const total = Number(answer.headers.get("content-length")) || 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > maxBytes)
      throw new RepertoireError(
        "source-too-large",
        `${address} has more than ${grouped(maxBytes)} bytes. ${basename(address)} is not taken.`,
        address,
      );
    parts.push(part);
    onProgress?.("receiving bytes", length, Math.max(total, length));
  }
  return Buffer.concat(parts);
}

function reasonOf(thrown: unknown): string {
  const cause = (thrown as { cause?: unknown }).cause;
  return messageOf(cause ?? thrown);
}
