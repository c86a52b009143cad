// Owns making the sources runnable for the benchmark and its writer processes, and the turns that they record.

import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** A fresh folder inside the package, so that packages are found from it, and in it the bundle. */
export async function bundleStore() {
  const work = fileURLToPath(new URL("../.work/", import.meta.url));
  mkdirSync(work, { recursive: true });
  const folder = mkdtempSync(join(work, "journal-"));
  const bundle = join(folder, "store.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./store.ts", import.meta.url))],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return { folder, bundle };
}

export const SKILLS = 1_000;

/** The events of one ordinary turn: three skills recalled, one shown and activated, and how it ended. */
export function eventsOfTurn({ recalledEvents, shownEvents, eventOf }, session, turn) {
  const context = { at: Date.now(), session, turn, agent: "bench", host: "bench" };
  const skills = [0, 7, 31].map((step) => skillAt(turn * 13 + session.length + step));
  return [
    ...recalledEvents(
      context,
      skills.map((skill, rank) => ({ ...skill, score: 0.9 - rank / 10 })),
    ),
    ...shownEvents(context, [{ ...skills[0], level: "card" }]),
    eventOf(context, { kind: "activated", skill: skills[0], details: { by: "model" } }),
    eventOf(context, { kind: "outcome", details: { result: turn % 3 === 0 ? "failure" : "success" } }),
  ];
}

export function skillAt(number) {
  const name = `skill-${number % SKILLS}`;
  return { name, digest: name.padEnd(64, "0") };
}
