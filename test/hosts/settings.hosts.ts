// Setup, settings that the host itself writes, and undo: every byte is as if we had never been there.

import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { chosenHosts } from "./hosts.ts";
import { type Place, placeWith, runHost, startedIn, writeAll } from "./run.ts";
import { filesIn } from "./undo.ts";

/** The arguments with which each host writes a server or a package of the given name into its settings. */
const WRITES: Readonly<Record<string, (name: string, home: string) => readonly string[]>> = {
  "claude-code": (name) => ["mcp", "add", "--scope", "user", name, "--", "echo", name],
  codex: (name) => ["mcp", "add", name, "--", "echo", name],
  opencode: (name) => ["mcp", "add", name, "--url", `http://127.0.0.1:9/${name}`],
  pi: (name, home) => ["install", join(home, name)],
  gemini: (name) => ["mcp", "add", "--scope", "user", name, "echo", name],
  qwen: (name) => ["mcp", "add", "--scope", "user", name, "echo", name],
  copilot: (name) => ["mcp", "add", name, "--", "echo", name],
  cline: (name) => ["mcp", "add", "--yes", name, "--", "echo", name],
};

const hosts = chosenHosts().flatMap((host) => {
  const args = WRITES[host.id];
  return args === undefined ? [] : [[host.title, host, args] as const];
});

describe.each(hosts)("%s", (_, host, args) => {
  const places: Place[] = [];
  afterEach(() => {
    for (const place of places) place.remove();
  });

  /** The settings after the host has written some, with us in between or without. Only places and times differ. */
  async function settings(withUs: boolean): Promise<Record<string, string>> {
    const place = placeWith({});
    places.push(place);
    const started = startedIn(place, { url: "http://127.0.0.1:9" }, "");
    writeAll(place.home, host.files?.(started) ?? {});
    for (const name of ["first", "other"])
      writeAll(place.home, { [`${name}/package.json`]: `{ "name": "${name}", "version": "1.0.0" }\n` });
    // The host has begun its settings: what it adds to an existing file depends on what is in it.
    await runHost(host, place, started, args("first", place.home));
    if (withUs) place.repertoire("setup", host.id);
    const before = filesIn(place.home);
    await runHost(host, place, started, args("other", place.home));
    const after = filesIn(place.home);
    expect([...after.keys()].filter((path) => after.get(path) !== before.get(path))).not.toEqual([]);
    if (withUs) place.repertoire("setup", host.id, "--undo");
    const left = [...filesIn(place.home)].filter(([path]) => !isOfTheMoment(path));
    return Object.fromEntries(left.map(([path, text]) => [path, withoutPlaces(text, place)]));
  }

  it("has the settings that it wrote itself, and no trace of us, after undo", async () => {
    const without = await settings(false);
    expect(Object.values(without).join("\n")).toContain("first");
    expect(await settings(true)).toEqual(without);
  });
});

/** Logs, caches and ids that differ from run to run. */
function isOfTheMoment(path: string): boolean {
  return /(?:^|\/)(?:cache|locks|logs?|tmp|backups|installation_id)(?:\/|$)/.test(path);
}

function withoutPlaces(text: string, { home }: Place): string {
  return text
    .replaceAll(join(home, ".."), "ROOT")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\b1[789]\d{11}\b/g, "TIME")
    .replace(/\b[0-9a-f]{64}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "ID");
}
