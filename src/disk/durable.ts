// Owns writing that survives a power cut: the file, then its name in the folder. Does not own what is written.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../model/errors.ts";

/** Writes a whole file beside its place and renames it there: others see the old one or the new one. */
export function writeDurably(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeAndSync(temporary, "wx", bytes);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

export function appendDurably(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeAndSync(path, "a", bytes);
  syncFolder(dirname(path));
}

function writeAndSync(path: string, flags: "a" | "wx", bytes: Uint8Array): void {
  const file = openSync(path, flags);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Windows has no folder handles to sync, and needs none. */
function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "EISDIR" || codeOf(error) === "EPERM") return;
    throw error;
  }
  try {
    fsyncSync(folder);
  } catch (error) {
    if (codeOf(error) !== "EPERM" && codeOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(folder);
  }
}
