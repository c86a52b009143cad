// Finds the sandbox of this machine: bubblewrap on Linux, `sandbox-exec` on macOS.

import { type Bubblewrap, findBubblewrap, type NoSandbox } from "./bubblewrap.ts";
import type { ProgramPlaces } from "./interpreter.ts";
import { findSeatbelt, type Seatbelt } from "./seatbelt.ts";

export type Sandbox = Bubblewrap | Seatbelt;

export type SandboxLookup = { readonly ok: true; readonly sandbox: Sandbox } | NoSandbox;

/** The sandbox in which a package's programs run, or why there is none. */
export async function findSandbox(
  places: ProgramPlaces,
  platform: string = process.platform,
): Promise<SandboxLookup> {
  if (platform === "linux") return findBubblewrap(places);
  if (platform === "darwin") return findSeatbelt();
  return {
    ok: false,
    reason: `there is no sandbox for ${platform}`,
    fix: "Run in a Linux container or virtual machine",
  };
}
