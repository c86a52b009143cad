import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import { resolveSources } from "../discover/discover.ts";
import { StoredLibrary } from "./reader.ts";
import { LibraryScanner } from "./scanner.ts";

function library(files: Readonly<Record<string, string>>) {
  const root = temporaryTree(files);
  const sources = resolveSources({ bundled: undefined, home: join(root, "home"), project: join(root, "p") });
  const options = { cacheDir: join(root, "cache"), findings: [] };
  return {
    root,
    scanner: new LibraryScanner(sources, options),
    stored: () => new StoredLibrary(sources, options).stored()!,
    /** What a whole scan by a process that knows nothing finds. */
    whole: () => new LibraryScanner(sources, { cacheDir: undefined, findings: [] }).rescan(),
  };
}

const START = {
  "p/skills/a/SKILL.md": skillText("First."),
  "p/skills/a/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
  "p/skills/b/SKILL.md": skillText("Second.", "name: Twin\n"),
  "p/skills/b/skill.md": skillText("A second file in one folder."),
  "p/skills/group/one/SKILL.md": skillText("In a group."),
  "p/skills/shared/one/SKILL.md": skillText("Is linked to."),
  "p/skills/parent/SKILL.md": skillText("Has a part."),
  "p/skills/parent/part/SKILL.md": skillText("Is a part."),
  "home/.claude/skills/a/SKILL.md": skillText("Is covered."),
  "home/.claude/skills/broken/SKILL.md": "---\ndescription: [\n---\n",
};

const PLACES = [
  "p/skills/a",
  "p/skills/a/deeper",
  "p/skills/b",
  "p/skills/new",
  "p/skills/group",
  "p/skills/group/one",
  "p/skills/group/two",
  "p/skills/parent",
  "p/skills/parent/part",
  "p/skills/linked",
  "home/.claude/skills/a",
  "home/.claude/skills/z",
  "home/.repertoire/skills/learned",
];

type Step = { readonly place: string; readonly kind: "write" | "remove" | "link" };

describe("a scan after a change of some folders", () => {
  it("finds what a whole scan finds, in the same order, and keeps a file that says the same", async () => {
    const step = fc.record({
      place: fc.constantFrom(...PLACES),
      kind: fc.constantFrom("write", "write", "remove", "link"),
    }) as fc.Arbitrary<Step>;
    const run = async (rounds: readonly (readonly Step[])[]) => {
      const { root, scanner, stored, whole } = library(START);
      await scanner.refresh();
      let count = 0;
      for (const steps of rounds) {
        for (const { place, kind } of steps) {
          const folder = join(root, place);
          if (kind !== "write") rmSync(folder, { recursive: true, force: true });
          mkdirSync(dirname(folder), { recursive: true });
          if (kind === "link") symlinkSync(join(root, "p/skills/shared"), folder);
          else if (kind === "write") {
            mkdirSync(folder, { recursive: true });
            writeFileSync(join(folder, "SKILL.md"), skillText(`Text ${"x".repeat(++count)}.`));
          }
        }
        await scanner.refresh({ changed: steps.map(({ place }) => join(root, place)) });
        const [found, expected] = [scanner.stored()!, await whole()];
        expect(found.records()).toEqual(expected.records());
        const { containers, ...facts } = expected.facts;
        expect(found.facts).toMatchObject(facts);
        // A folder without skills that a whole scan reaches through a link inside a skill may be one more.
        expect(found.facts.containers).toEqual(expect.arrayContaining([...containers]));
        expect(found.generation).toBe(expected.generation);
        const kept = stored();
        expect(kept.records()).toEqual(expected.records());
        expect(kept.facts).toEqual(found.facts);
        expect(kept.catalog()).toEqual(expected.catalog());
        for (const name of expected.library().skills.keys())
          expect(stored().skill(name)).toEqual(expected.skill(name));
      }
    };
    const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
    await fc.assert(fc.asyncProperty(rounds, run), { numRuns: 30 });
  });

  it("reads neither the folder nor the file of any other skill", async () => {
    const others = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`p/skills/s${n}/SKILL.md`, skillText(`Skill ${n}.`)]),
    );
    const { root, scanner } = library(others);
    await scanner.refresh();
    const folder = join(root, "p/skills/s3");
    writeFileSync(join(folder, "SKILL.md"), skillText("Something else."));
    writeFileSync(join(root, "p/skills/s4/SKILL.md"), skillText("Edited, and nobody said so."));
    const changes = await scanner.refresh({ changed: [folder] });
    expect(changes).toEqual({ added: [], changed: ["s3"], removed: [] });
    expect(scanner.stored()!.scannedAt).toBeLessThanOrEqual(Date.now());
    expect((await scanner.refresh()).changed).toEqual(["s4"]);
  });

  it("notices skills that came or went elsewhere", async () => {
    const { root, scanner } = library(START);
    await scanner.refresh();
    rmSync(join(root, "p/skills/b"), { recursive: true });
    mkdirSync(join(root, "p/skills/came"));
    writeFileSync(join(root, "p/skills/came/SKILL.md"), skillText("Came."));
    expect(await scanner.refresh({ changed: [] })).toEqual({ added: ["came"], changed: [], removed: ["b"] });
  });

  it("does not count as a whole scan", async () => {
    const { root, scanner } = library(START);
    let now = 1000;
    vi.spyOn(Date, "now").mockImplementation(() => now);
    await scanner.refresh();
    const { scannedAt } = scanner.stored()!;
    now = 2000;
    writeFileSync(join(root, "p/skills/b/SKILL.md"), skillText("Changed."));
    await scanner.refresh({ changed: [join(root, "p/skills/b")] });
    vi.restoreAllMocks();
    expect(scanner.stored()!.scannedAt).toBe(scannedAt);
  });

  it("is a whole scan if somebody asked for one at the same time", async () => {
    const { root, scanner } = library(START);
    await scanner.refresh();
    writeFileSync(join(root, "p/skills/b/SKILL.md"), skillText("Edited, and nobody said so."));
    const [changes] = await Promise.all([scanner.refresh({ changed: [] }), scanner.refresh()]);
    expect(changes.changed).toEqual(["b"]);
    expect(readdirSync(join(root, "cache"))).toHaveLength(1);
  });
});
