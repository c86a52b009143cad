// Keeps what a host sent to its hook as fixtures of the ordinary tests, with values of our own, and says what changed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEvent } from "../../src/adapters/hooks/event.ts";
import type { Host } from "./hosts.ts";
import type { Place } from "./run.ts";

const FOLDER = "test/fixtures/hooks";
const FILES: Readonly<Record<string, string>> = {
  session: "session-start.json",
  message: "message.json",
  stop: "stop.json",
};

/** Writes the first event of each kind that the hook was given. */
export function record({ id }: Host, place: Place): void {
  const kept = new Set<string>();
  for (const input of place.hookInputs()) {
    const file = FILES[readEvent(input).kind];
    if (file === undefined || kept.has(file)) continue;
    kept.add(file);
    const path = join(FOLDER, id, file);
    const now = withoutSecrets(JSON.parse(input) as Record<string, unknown>, place);
    const was = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>) : {};
    for (const line of differences(was, now)) process.stdout.write(`${id} ${file}: ${line}\n`);
    mkdirSync(join(FOLDER, id), { recursive: true });
    writeFileSync(path, `${JSON.stringify(now, null, 2)}\n`);
  }
}

/** The same every time: ids, times and places are replaced. */
function withoutSecrets(input: Record<string, unknown>, { home, project }: Place): Record<string, unknown> {
  const ids = new Map<string, string>();
  const numbered = (id: string) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size + 1}`);
    return ids.get(id)!;
  };
  const text = JSON.stringify(input)
    .replaceAll(project, "PROJECT")
    .replaceAll(home, "HOME")
    .replaceAll(project.replaceAll(/[^a-zA-Z0-9]/g, "-"), "-PROJECT")
    .replace(/\d{4}-\d\d-\d\dT[\d:.-]+Z?/g, "2026-01-01T00:00:00.000Z")
    .replace(/\b1[789]\d{11}\b/g, "1767225600000")
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:ses|msg)_\w+/g, numbered);
  const replaced = JSON.parse(text) as Record<string, unknown>;
  if (typeof replaced.transcript_path === "string") replaced.transcript_path = "HOME/transcript.jsonl";
  return replaced;
}

function differences(was: Record<string, unknown>, now: Record<string, unknown>): string[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(now)])];
  return keys.flatMap((key) => {
    const [old, fresh] = [was, now].map((side) => JSON.stringify(side[key]));
    if (old === fresh) return [];
    if (old === undefined) return [`${key} is new: ${fresh}`];
    return [fresh === undefined ? `${key} is gone` : `${key} was ${old} and is ${fresh}`];
  });
}
