import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { resolveSources } from "../discover/discover.ts";
import { countFindings } from "../model/diagnostic.ts";
import type { Skill } from "../model/skill.ts";
import { unpackRecord } from "./file-record.ts";
import { StoredLibrary } from "./reader.ts";
import { LibraryScanner } from "./scanner.ts";
import { LibrarySnapshot, openLibrarySnapshot, snapshotPath } from "./snapshot.ts";
import { encodingSteps, SnapshotDamage } from "./snapshot-file.ts";
import { LibraryView } from "./view.ts";
import { Visibility } from "./visibility.ts";

function library(files: Readonly<Record<string, string>> = {}) {
  const root = temporaryTree({
    "p/skills/a/SKILL.md": skillText("First skill.", "metadata:\n  constructor: mine\n"),
    "p/skills/b/SKILL.md": skillText("Second skill.", "triggers: [one, two]\nversion: 1.10\n"),
    ...files,
  });
  const sources = resolveSources({ bundled: undefined, home: join(root, "home"), project: join(root, "p") });
  const cacheDir = join(root, "cache");
  const options = { cacheDir, findings: [] };
  /** As a new process has it. */
  const scanner = () => new LibraryScanner(sources, options);
  const stored = () => new StoredLibrary(sources, options);
  return { root, scanner, stored, cacheFile: () => join(cacheDir, readdirSync(cacheDir)[0]!) };
}

/** A library of everything that is out of the ordinary. */
const ODD = {
  "p/skills/group/plan/skill.md": skillText("In lower case.", "name: Weekly Plan\n"),
  "p/skills/Über Uns/SKILL.md": skillText("About us."),
  "p/skills/pаypal/SKILL.md": skillText("Looks like another one."),
  "p/skills/broken/SKILL.md": "---\ndescription: [\n---\n",
  "p/skills/empty/SKILL.md": "",
  "p/.claude/skills/a/SKILL.md": skillText("Covers the first.", "name: Twin\n"),
  "p/.claude/skills/twin-two/SKILL.md": skillText("The same alias.", "name: Twin\n"),
  "home/.claude/skills/b/SKILL.md": skillText("Is covered."),
  "home/.claude/skills/rules/SKILL.md": skillText("House rules.", "always: true\n"),
  "p/skills/personal/SKILL.md": skillText("Not for models.", "disable-model-invocation: true\n"),
  "p/skills/off/SKILL.md": skillText("Waits for a switch.", "default_enabled: false\n"),
  "p/skills/waits/SKILL.md": skillText("Waits, too.", "default_enabled: false\n"),
  "p/skills/needs/SKILL.md": skillText("Needs a key.", "requires:\n  env: [KEY]\n"),
  "p/skills/needs-more/SKILL.md": skillText("Needs a lock.", "requires:\n  env: [LOCK]\n"),
};

const VISIBILITY = new Visibility({ enable: ["off"], disable: ["twin-*"], env: { KEY: "1" } });

/** Visible skills with all their fields, in order. */
function visible(snapshot: LibrarySnapshot) {
  const show = ({ name, displayName, manifest, source, path, directory, digest }: Skill): Skill => {
    return { name, displayName, manifest, source, path, directory, digest };
  };
  return snapshot.visible(VISIBILITY).map(show);
}

describe("the snapshot", () => {
  it("gives a second process exactly the library that a scan gives", async () => {
    const { scanner, stored } = library(ODD);
    const scanned = scanner();
    await scanned.refresh();
    const first = await scanned.current();
    const second = await stored().current();
    expect([...second.skills]).toEqual([...first.skills]);
    expect(second.shadowed).toEqual(first.shadowed);
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(first.diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["name-confusable", "shadowed", "alias-ambiguous"]),
    );
    expect(second.find("weekly plan")?.path).toBe(first.find("group/plan")?.path);
    expect(second.children("group").map(({ name }) => name)).toEqual(["group/plan"]);
    expect(Object.getPrototypeOf(second.skills.get("b")?.manifest.metadata)).toBeNull();
  });

  it("gives single skills without decoding the others, the winner of several of one name", async () => {
    const { scanner, stored } = library(ODD);
    const all = await scanner().current();
    const snapshot = await stored().snapshot();
    for (const [name, skill] of all.skills) expect(snapshot.skill(name)).toEqual(skill);
    for (const name of ["nobody", "", "broken", "empty"])
      expect(snapshot.skill(name)).toEqual(all.skills.get(name));
  });

  it("gives what is visible, and what is wrong, as the whole library does: always first, then nearest first", async () => {
    const { scanner, stored } = library(ODD);
    const all = await scanner().current();
    const snapshot = await stored().snapshot();
    const listed = new LibraryView(all, VISIBILITY).visible();
    const shown = visible(snapshot);
    expect(shown.map(({ name }) => name)).toEqual([
      "rules",
      ...["a", "b", "broken", "needs", "off", "uber-uns", "group/plan"],
    ]);
    expect([...shown].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(listed);
    expect(snapshot.findingCounts()).toEqual(countFindings(all.diagnostics));
    snapshot.library();
    expect(visible(snapshot)).toEqual(shown);
  });

  it("is believed for a file that looks unchanged, and reads again one that changed", async () => {
    const { scanner, root } = library();
    const path = join(root, "p/skills/a/SKILL.md");
    const time = new Date("2026-01-01");
    utimesSync(path, time, time);
    await scanner().current();
    writeFileSync(path, skillText("Third skill.", "metadata:\n  constructor: mine\n"));
    utimesSync(path, time, time);
    const description = async () => {
      const fresh = scanner();
      await fresh.refresh();
      return (await fresh.current()).skills.get("a")?.manifest.description;
    };
    expect(await description()).toBe("First skill.");
    utimesSync(path, time, new Date("2026-01-02"));
    expect(await description()).toBe("Third skill.");
  });

  it("has the same generation for the same content, another one for other content", async () => {
    const { scanner, root } = library();
    const generation = async () => (await scanner().rescan()).generation;
    const first = await generation();
    utimesSync(join(root, "p/skills/a/SKILL.md"), 1, 1);
    expect(await generation()).toBe(first);
    writeFileSync(join(root, "p/skills/a/SKILL.md"), skillText("Changed."));
    expect(await generation()).not.toBe(first);
  });

  it("has the time of the last scan, also of one that found no change", async () => {
    const { root, stored } = library();
    let now = 1_700_000_000_000;
    const sources = stored().sources;
    const scanner = new LibraryScanner(sources, {
      cacheDir: join(root, "cache"),
      findings: [],
      now: () => now,
    });
    await scanner.refresh();
    expect(stored().stored()?.scannedAt).toBe(now);
    now += 60_000;
    expect(await scanner.refresh()).toEqual({ added: [], changed: [], removed: [] });
    expect(stored().stored()?.scannedAt).toBe(now);
  });

  const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
    ["cut off", (bytes) => bytes.subarray(0, -20)],
    [
      "changed in one letter",
      (bytes) => Buffer.from(bytes.toString("latin1").replace("First", "Worst"), "latin1"),
    ],
    [
      "of another version",
      (bytes) => Buffer.concat([bytes.subarray(0, 4), Buffer.from([99]), bytes.subarray(5)]),
    ],
    ["not ours", () => Buffer.from("{}")],
    ["empty", () => Buffer.alloc(0)],
    ["noise", (bytes) => Buffer.alloc(bytes.length, 0xa5)],
  ];
  it.each(DAMAGES)("is thrown away when it is %s", async (_case, damage) => {
    const { scanner, stored, cacheFile } = library();
    await scanner().current();
    writeFileSync(cacheFile(), damage(readFileSync(cacheFile())));
    await expect(stored().current()).rejects.toMatchObject({ code: "index-stale" });
    const fresh = scanner();
    await fresh.refresh();
    expect((await fresh.current()).skills.get("a")?.manifest.description).toBe("First skill.");
    expect((await stored().current()).skills.get("a")?.manifest.description).toBe("First skill.");
  });

  it("never gives a wrong record, whichever of its bytes is damaged", async () => {
    const { scanner, stored, cacheFile } = library();
    const scanned = scanner();
    const right = (await scanned.current()).skills.get("b");
    const all = visible(await scanned.snapshot());
    const whole = readFileSync(cacheFile());
    const { atime, mtime } = statSync(cacheFile());
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ 0xff;
      writeFileSync(cacheFile(), bytes);
      utimesSync(cacheFile(), atime, mtime);
      const snapshot = stored().stored();
      try {
        if (snapshot) expect(snapshot.skill("b")).toEqual(right);
        if (snapshot) expect(visible(snapshot)).toEqual(all);
        if (snapshot) expect(snapshot.findingCounts()).toEqual({ errors: 0, warnings: 0 });
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SnapshotDamage);
        expect(snapshot?.isCurrent()).toBe(false);
      }
    }
  });

  it.each(["First", "plain"])(
    "is replaced by a scan when damage shows while it is read: %s",
    async (word) => {
      const { scanner, stored, cacheFile } = library();
      const all = visible((await scanner().current()) && (await stored().snapshot()));
      const damaged = readFileSync(cacheFile(), "latin1").replaceAll(word, word.toUpperCase());
      writeFileSync(cacheFile(), damaged, "latin1");
      await expect(stored().read(visible)).rejects.toMatchObject({ code: "index-stale" });
      expect(await scanner().read(visible)).toEqual(all);
      expect(await stored().read(visible)).toEqual(all);
    },
  );

  it("is not taken for that of other sources, even under the same name", async () => {
    const { scanner, root, cacheFile } = library();
    await scanner().current();
    const other = library();
    await other.scanner().current();
    writeFileSync(other.cacheFile(), readFileSync(cacheFile()));
    expect(other.stored().stored()).toBeUndefined();
    expect(root).not.toBe(other.root);
  });

  it("never stops anybody where it cannot be written", async () => {
    const { root, stored } = library({ cache: "a file in the way" });
    const scanner = new LibraryScanner(stored().sources, { cacheDir: join(root, "cache"), findings: [] });
    expect((await scanner.current()).skills.size).toBe(2);
  });
});

describe("the snapshot of a large library", () => {
  it("has packed records, gives each of them, and notices damage of its strings", async () => {
    const { stored, root } = library();
    const cacheDir = join(root, "cache");
    const { sources } = stored();
    const source = sources.at(-1)!;
    const packed = (n: number) => ({
      source: sources.length - 1,
      at: `skill-${n}`,
      size: n,
      mtimeMs: 1.5 + n,
      inode: n,
      digest: n.toString(16).padStart(64, "0"),
      manifest: { description: `Use when report ${n % 97} of é is due. ${"Reads tables. ".repeat(60)}` },
    });
    const records = Array.from({ length: 5000 }, (_, n) => unpackRecord(packed(n), sources));
    const facts = { containers: [], missing: [], diagnostics: [] };
    const head = { generation: "g", sources, scannedAt: 0, findings: [], ...facts };
    const steps = encodingSteps(new LibrarySnapshot(head, records), sources);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const { bytes } = step.value;
    expect(bytes.length).toBeLessThan(5000 * 300);
    const path = snapshotPath(cacheDir, sources);
    mkdirSync(cacheDir, { recursive: true });
    writeFileSync(path, bytes);
    const open = () => openLibrarySnapshot(sources, { cacheDir, findings: [] })!;
    expect(open().skill("skill-4321")).toEqual(records[4321]!.skill);
    expect(open().records()).toEqual(records);
    expect(records[7]!.source).toBe(source);
    const damaged = Buffer.from(bytes);
    const strings = damaged.indexOf("Reads tab", damaged.indexOf('"findings"'), "latin1");
    damaged[strings] = "W".charCodeAt(0);
    writeFileSync(path, damaged);
    expect(() => open().skill("skill-4321")).toThrow(SnapshotDamage);
  });
});
