// Walks the second half of the first design: skills that fail are held back, skills that cannot work are kept out, and the
// index follows the files.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillText } from "../skill-tree.ts";
import { DAY_MS, designWorkspace, recalledFor, settableClock } from "./support/design-workspace.ts";
import { AGREED, useOften, useSkills } from "./support/outcomes.ts";
import { EQUALS, KEY, LIBRARY, WORDS_ALONE } from "./support/skills-000.ts";

const HOW = { ...AGREED, ...WORDS_ALONE };

describe("how skills did", () => {
  it("is counted as success or failure for the skills activated in the turn, and for no other", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW });
    await useSkills(engine, { session: "one", skills: ["alpha"], ending: "success" });
    await useSkills(engine, { session: "two", skills: ["alpha"], ending: "failure" });
    const { journal } = space.store();
    expect(await journal.tallies("alpha")).toMatchObject([{ activated: 2, successes: 1, failures: 1 }]);
    expect(await journal.tallies("omega")).toMatchObject([{ recalled: 2, activated: 0, failures: 0 }]);
  });

  it("counts for a skill whose instructions were loaded, not for one of which a card was shown", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: { ...HOW, style: "cards" } });
    await engine.turn({ message: "water the plants", session: "s" }).prompt();
    await engine.journal.reportOutcome({ outcome: "failure" }, { session: "s" });
    expect(await space.store().journal.tallies("alpha")).toMatchObject([
      { shown: 1, activated: 0, failures: 0 },
    ]);
  });

  it("is linked with the session that it happened in", async () => {
    const space = designWorkspace(EQUALS);
    await useSkills(space.open({ values: HOW }), { session: "monday", skills: ["alpha"] });
    expect(await space.store().journal.episodes({ skill: "alpha" })).toMatchObject([
      { session: "monday", skill: "alpha", times: 1 },
    ]);
  });

  it("costs 0.1 after five activations of which more than 60 percent failed", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW });
    const before = (await engine.turn({ message: "plants" }).recall()).matches;
    expect(before.map(({ name }) => name)).toEqual(["alpha", "omega"]);
    await useOften(engine, "alpha", ["failure", "failure", "failure", "failure", "success"]);
    await engine.close();
    const { matches } = await space.open({ values: WORDS_ALONE }).turn({ message: "plants" }).recall();
    expect(matches.map(({ name }) => name)).toEqual(["omega", "alpha"]);
    expect(matches[1]!.score).toBeCloseTo(before[0]!.score - 0.1, 3);
    expect(matches[1]!.reasons).toContainEqual(
      expect.objectContaining({ signal: "effectiveness", value: -0.1 }),
    );
  });

  it.each([
    ["four activations", ["failure", "failure", "failure", "failure"]],
    ["exactly 60 percent", ["failure", "failure", "failure", "success", "success"]],
  ] as const)("costs nothing at %s", async (_, endings) => {
    const clock = settableClock(Date.UTC(2026, 4, 1));
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW, clock });
    await useOften(engine, "alpha", endings);
    await engine.close();
    const { matches } = await space.open({ values: WORDS_ALONE, clock }).turn({ message: "plants" }).recall();
    expect(matches.flatMap(({ reasons }) => reasons.map(({ signal }) => signal))).not.toContain(
      "effectiveness",
    );
  });

  it("fades: failures of a year ago are forgiven, and a rewritten skill starts anew", async () => {
    const clock = settableClock(Date.UTC(2026, 4, 1));
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW, clock });
    await useOften(engine, "alpha", Array(5).fill("failure"));
    await engine.close();
    const penalised = async () => {
      const { matches } = await space
        .open({ values: WORDS_ALONE, clock })
        .turn({ message: "plants" })
        .recall();
      return matches.filter(({ reasons }) => reasons.some(({ signal }) => signal === "effectiveness"));
    };
    expect(await penalised()).toMatchObject([{ name: "alpha" }]);
    clock.at += 365 * DAY_MS;
    expect(await penalised()).toEqual([]);
    clock.at -= 365 * DAY_MS;
    space.write("p/skills/alpha/SKILL.md", EQUALS["p/skills/alpha/SKILL.md"].replace("One way", "A new way"));
    expect(await penalised()).toEqual([]);
  });
});

describe("required environment variables", () => {
  it("make a skill active when all are there", async () => {
    const engine = designWorkspace(LIBRARY).open({ env: KEY });
    const listed = (await engine.library.list()).skills.find(({ skill }) => skill.name === "weather-desk");
    expect(listed?.state).toBe("active");
    expect(await recalledFor(engine, "will it rain?")).toEqual(["weather-desk"]);
  });

  it("make it inactive, with the reason, when one is missing or empty", async () => {
    const space = designWorkspace({
      "p/skills/two/SKILL.md": skillText("Needs two.", "requires: [FIRST_KEY, SECOND_KEY]\n"),
    });
    for (const env of [{ FIRST_KEY: "x" }, { FIRST_KEY: "x", SECOND_KEY: "" }]) {
      expect((await space.open({ env }).library.list()).skills).toMatchObject([
        { state: "unavailable", reason: "environment variable SECOND_KEY is not set" },
      ]);
    }
  });

  it("keep an inactive skill out of recall and of every prompt, and in the list for people", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open();
    expect(await recalledFor(engine, "will it rain? /weather-desk")).toEqual([]);
    for (const style of ["adaptive", "cards", "index", "tiers", "on-demand", "catalog"] as const)
      expect((await engine.turn({ message: "will it rain?" }).prompt({ style })).text).not.toContain(
        "weather-desk",
      );
    const { out } = await space.cli("list");
    expect(out).toMatch(/weather-desk +unavailable/);
    expect((await space.cli("doctor")).out).toContain("WEATHER_DESK_KEY");
  });

  it("are looked at again at each message: a key set meanwhile brings the skill back", async () => {
    const env: Record<string, string> = {};
    const engine = designWorkspace(LIBRARY).open({ env });
    expect(await recalledFor(engine, "will it rain?")).toEqual([]);
    Object.assign(env, KEY);
    expect(await recalledFor(engine, "will it rain?")).toEqual(["weather-desk"]);
  });
});

describe("indexing again", () => {
  it("needs no restart: a skill that is added, changed or removed counts at the next message", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    expect(await recalledFor(engine, "tune the grand piano")).toEqual([]);
    space.write("p/skills/piano/SKILL.md", skillText("Tunes a grand piano, string by string."));
    expect(await recalledFor(engine, "tune the grand piano")).toEqual(["piano"]);
    space.remove("p/skills/piano");
    expect(await recalledFor(engine, "tune the grand piano")).toEqual([]);
  });

  it("finds a skill by its new words within seconds after it was edited in place, in a host that does not watch", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    space.write("p/skills/piano/SKILL.md", skillText("Tunes a grand piano, string by string."));
    expect(await recalledFor(engine, "tune the grand piano")).toEqual(["piano"]);
    writeFileSync(space.path("p/skills/piano/SKILL.md"), skillText("Restores an antique accordion."));
    await expect.poll(() => recalledFor(engine, "restore the antique accordion")).toEqual(["piano"]);
  });

  it("can be asked for by hand", async () => {
    const space = designWorkspace(LIBRARY);
    const { code, out } = await space.cli("index");
    expect(code).toBe(0);
    expect(out).toMatch(/^\d+ /);
  });

  it("tells whoever watches which skills came and went", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    const added = new Promise<readonly string[]>((resolve, reject) => {
      const onChanges = (changes: { added: readonly string[] }) => resolve(changes.added);
      engine.library
        .watch(onChanges, reject)
        .then(() => space.write("p/skills/piano/SKILL.md", skillText("Tunes a grand piano.")))
        .catch(reject);
    });
    expect(await added).toEqual(["piano"]);
  });
});

describe("skills from experience", () => {
  it("stand beside those of the file system: same file, same recall", async () => {
    const space = designWorkspace(LIBRARY);
    const engine = space.open({ env: KEY });
    const { learned } = engine;
    const { path } = await learned.save({
      name: "tune-piano",
      content: "Tunes a grand piano, string by string.\n\n1. Mute the outer strings.\n",
      author: "agent",
    });
    expect(readFileSync(join(path, "SKILL.md"), "utf8")).toContain("1. Mute the outer strings.");
    expect(await recalledFor(engine, "tune the grand piano")).toEqual(["tune-piano"]);
  });
});
