import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namesFor, TRADES, type Workspace, workspace } from "../../test/recall-workspace.ts";
import { skillText, temporaryTree } from "../../test/skill-tree.ts";
import type { Skill } from "../model/skill.ts";
import { ABSTAIN_BELOW } from "./calibrate.ts";
import { type RecallOptions, recall } from "./recall-skills.ts";
import { NOTHING_KNOWN } from "./signals/effectiveness.ts";
import { WORTH } from "./signals/signal.ts";

/** The options of `recall`, over the real index of a workspace. */
async function optionsFor(space: Workspace, more: Partial<RecallOptions> = {}): Promise<RecallOptions> {
  const index = await (await space.open().turns.indexing()).current();
  return {
    index,
    embedder: { id: "none", dimensions: 0, embed: () => [] },
    background: () => undefined,
    effectiveness: NOTHING_KNOWN,
    isVisible: () => true,
    precedence: () => 0,
    ...more,
  };
}

const first = async (space: Workspace, message: string) => (await namesFor(space.open(), message))[0];

describe("recall", () => {
  test.each([
    ["fill in this PDF form for me", "pdf-forms"],
    ["book a night train to Vienna with a seat reservation", "train-trips"],
    ["review the SQL migration that adds a column", "database-migrations"],
    ["my sourdough starter does not rise, when do I feed it?", "sourdough-bread"],
    ["write the postmortem of yesterday's outage", "incident-reports"],
    ["when do I sow tomatoes?", "garden-calendar"],
  ])("finds the skill for %j", async (message, name) => {
    expect(await first(workspace(TRADES), message)).toBe(name);
  });

  test.each(["hi", "thanks a lot!", "how are you today?", "ok", "", "   ", "?!", "lol that is funny"])(
    "abstains from small talk: %j",
    async (message) => {
      const answer = await workspace(TRADES).open().turns.recall({ message });
      expect(answer).toMatchObject({ matches: [], abstained: true });
    },
  );

  test("answers for the index as it is when it changes during the pauses of a recall", async () => {
    const options = await optionsFor(workspace(TRADES));
    const { index } = options;
    const skills = index.skillDigests().map(({ doc }) => index.skill(doc));
    const kept = skills.at(-1)!;
    const encoded = async () => {
      await index.update({ skills: [kept], readBody: () => "", generation: "later" });
      index.save(join(temporaryTree(), "index"));
      return undefined;
    };
    const { matches } = await recall({ message: `use $${kept.name}` }, { ...options, encoded });
    expect(matches.map(({ name }) => name)).toEqual([kept.name]);
  });

  test("abstains in an empty library", async () => {
    const answer = await workspace({}).open().turns.recall({ message: "fill in this form" });
    expect(answer).toMatchObject({ matches: [], abstained: true, considered: 0 });
  });

  test("explains every match, and its answer has the promised shape", async () => {
    const answer = await workspace(TRADES).open().turns.recall({ message: "fill in this PDF form" });
    const fields = Object.keys(JSON.parse(JSON.stringify(answer)));
    expect(fields.sort()).toEqual([
      "abstained",
      "considered",
      "frame",
      "intent",
      "matches",
      "message",
      "ms",
      "near",
    ]);
    const [match] = answer.matches;
    expect(match!.score).toBeGreaterThanOrEqual(ABSTAIN_BELOW);
    expect(match!.reasons.length).toBeGreaterThan(0);
    for (const { signal, value, note } of match!.reasons) {
      expect(signal).not.toBe("");
      expect(note).not.toBe("");
      expect(Number.isFinite(value)).toBe(true);
    }
    const sum = match!.reasons.reduce((total, { value }) => total + value, 0);
    expect(sum).toBeCloseTo(match!.score, 6);
  });

  test("returns at most three matches, or as many as requested", async () => {
    const space = workspace(
      Object.fromEntries(
        ["annual", "monthly", "weekly", "daily", "hourly"].map((name) => [
          `${name}-invoice`,
          skillText(
            `Writes the ${name} invoice for customers.`,
            "",
            `# ${name}\n\nOnly ${name} ${name} things.\n`,
          ),
        ]),
      ),
    );
    const engine = space.open();
    const message = "write the invoice for the customers";
    expect((await engine.turns.recall({ message })).matches).toHaveLength(3);
    expect((await engine.turns.recall({ message }, { limit: 1 })).matches).toHaveLength(1);
    expect((await engine.turns.recall({ message }, { limit: 5 })).matches).toHaveLength(5);
    expect((await space.open({ "recall.limit": 2 }).turns.recall({ message })).matches).toHaveLength(2);
  });

  test("returns nothing below the configured threshold", async () => {
    const message = "fill in this PDF form";
    expect(
      (await workspace(TRADES).open({ "recall.threshold": 1 }).turns.recall({ message })).abstained,
    ).toBe(true);
  });
});

describe("an explicitly named skill", () => {
  test.each(["/pdf-forms", "$pdf-forms", "use pdf-forms", "the pdf forms skill"])(
    "comes first even if the rest of the message fits another skill: %s",
    async (mention) => {
      const message = `sourdough bread starter proofing scoring loaf ${mention}`;
      expect(await first(workspace(TRADES), message)).toBe("pdf-forms");
    },
  );

  test("is recalled although nothing else fits", async () => {
    const { matches } = await workspace(TRADES).open().turns.recall({ message: "/garden-calendar" });
    expect(matches[0]).toMatchObject({ name: "garden-calendar", named: true });
    expect(matches[0]!.score).toBeGreaterThanOrEqual(WORTH.mention);
    expect(matches[0]!.reasons.map(({ signal }) => signal)).toContain("mention");
  });

  test("is found by its display name, among many that share its words", async () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [
        `crowd-${i}`,
        skillText(
          `Review review number ${i} review.`,
          `name: review-${i}\n`,
          `# Review ${i}\n\nreview ${i}\n`,
        ),
      ]),
    );
    const own = { "team/zeta": skillText("Looks at diffs.", "name: Review\n") };
    const engine = workspace({ ...crowd, ...own }).open({ "embedder.kind": "none" });
    expect((await namesFor(engine, "/review"))[0]).toBe("team/zeta");
  });

  test("is not recalled if it is for people only, disabled, or missing", async () => {
    const space = workspace({
      ...TRADES,
      secret: skillText("Deletes everything.", "disable-model-invocation: true\n"),
      dormant: skillText("Sleeps.", "default_enabled: false\n"),
    });
    for (const message of ["/secret", "use the secret skill", "deletes everything", "/dormant", "/nowhere"]) {
      expect(await namesFor(space.open(), message)).toEqual([]);
    }
    expect(await namesFor(space.open({ disable: ["pdf-forms"] }), "/pdf-forms")).toEqual([]);
  });
});

describe("triggers", () => {
  const lonely = (front: string) => skillText("Zzyzx.", front, "# Zzyzx\n");

  test.each([
    ['triggers: ["c++"]\n', "port it to C++!"],
    ['triggers: ["翻译"]\n', "请翻译这段话"],
    ['triggers: ["café"]\n', "ouvrir le cafe\u0301"],
    ['triggers:\n  verbs: ["wave"]\n', "wave at them"],
    ['triggers:\n  patterns: ["greet\\\\s+\\\\w+"]\n', "Greet Ada"],
    ['triggers: ["🚀"]\n', "up, up 🚀"],
  ])("recall a skill that shares no word with the message: %j", async (front, message) => {
    const space = workspace({ ...TRADES, lonely: lonely(front) });
    expect(await namesFor(space.open({ "embedder.kind": "none" }), message)).toEqual(["lonely"]);
  });

  test("recall their skill among thousands of terms in other skills", async () => {
    const space = workspace({ ...TRADES, lonely: lonely("triggers: [frobnicate]\n") });
    const { matches } = await space.open().turns.recall({ message: "frobnicate the sourdough" });
    const match = matches.find(({ name }) => name === "lonely");
    expect(match?.reasons).toContainEqual({
      signal: "triggers",
      value: WORTH.triggerWord,
      note: expect.stringContaining('"frobnicate"'),
    });
  });

  test("that cannot be used are reported by doctor and check, and are otherwise ignored", async () => {
    const space = workspace({ ...TRADES, odd: lonely('triggers:\n  patterns: ["(?=x)"]\n') });
    const engine = space.open();
    expect(await engine.library.findings()).toContainEqual(
      expect.objectContaining({ code: "trigger-pattern" }),
    );
    expect((await engine.library.check({ profile: "lenient" })).diagnostics).toContainEqual(
      expect.objectContaining({ code: "trigger-pattern" }),
    );
    expect(await namesFor(engine, "fill in this PDF form")).toEqual(["pdf-forms"]);
  });
});

describe("boosts", () => {
  test("a declared frame adds 0.2 and is listed as a reason", async () => {
    const space = workspace({
      ...TRADES,
      "pdf-forms": skillText("Fills in PDF forms and extracts their fields.", "frames: [debug]\n"),
    });
    const engine = space.open();
    const scoreIn = async (frame: "task" | "debug") => {
      const { matches } = await engine.turns.recall({ message: "PDF forms: fields", frame });
      return matches.find(({ name }) => name === "pdf-forms")!;
    };
    const [plain, boosted] = [await scoreIn("task"), await scoreIn("debug")];
    expect(boosted.score - plain.score).toBeCloseTo(0.2, 3);
    expect(boosted.reasons).toContainEqual({ signal: "frame", value: 0.2, note: "debug", boost: true });
  });

  test("a frame that the host gives is taken as it is", async () => {
    const answer = await workspace(TRADES)
      .open()
      .turns.recall({ message: "fix the crash", frame: "creative" });
    expect(answer.frame).toEqual({ name: "creative", confidence: 1 });
  });

  test("alone do not lift a skill over the threshold", async () => {
    const space = workspace({ ...TRADES, any: skillText("Anything.", "frames: [task]\n") });
    expect(await namesFor(space.open(), { message: "hm", frame: "task" })).toEqual([]);
  });

  test("raise a skill as far as it fits, so that one that hardly fits stays behind one that does", async () => {
    const space = workspace({ ...TRADES, any: skillText("Fields of all kinds.", "frames: [task]\n") });
    const options = await optionsFor(space, { threshold: 0 });
    const { matches } = await recall({ message: "PDF forms: fields", frame: "task" }, options);
    const place = (name: string) => matches.findIndex((match) => match.name === name);
    expect(place("pdf-forms")).toBe(0);
    expect(place("any")).toBeGreaterThan(0);
    expect(matches[place("any")]!.boosts).toBeLessThan(WORTH.frame);
  });

  test("a skill that keeps failing loses 0.1, and ranks after an equal one", async () => {
    const space = workspace({
      alpha: skillText("Looks after them.", "triggers: [plants]\n", "# Alpha\n\nOne way of doing it.\n"),
      omega: skillText(
        "Looks after them.",
        "triggers: [plants]\n",
        "# Omega\n\nAnother quite different manner.\n",
      ),
    });
    const failing = (name: string) => ({
      of: (asked: Pick<Skill, "name" | "digest" | "directory" | "path">) => ({
        ...NOTHING_KNOWN.of(asked),
        deprioritised: asked.name === name,
        tries: 5,
      }),
    });
    const message = "plants";
    const plain = await recall({ message }, await optionsFor(space));
    const worse = await recall({ message }, await optionsFor(space, { effectiveness: failing("alpha") }));
    expect(plain.matches.map(({ name }) => name)).toEqual(["alpha", "omega"]);
    expect(worse.matches.map(({ name }) => name)).toEqual(["omega", "alpha"]);
    expect(worse.matches[1]!.score).toBeCloseTo(plain.matches[0]!.score - 0.1, 3);
  });

  test("recent use decides between equal scores, after the precedence of the source", async () => {
    const space = workspace({
      alpha: skillText("Looks after them.", "triggers: [plants]\n", "# Alpha\n\nOne way of doing it.\n"),
      omega: skillText(
        "Looks after them.",
        "triggers: [plants]\n",
        "# Omega\n\nAnother quite different manner.\n",
      ),
    });
    const used = {
      of: (asked: Pick<Skill, "name" | "digest" | "directory" | "path">) => ({
        ...NOTHING_KNOWN.of(asked),
        lastUsedAt: asked.name === "omega" ? 9 : 1,
      }),
    };
    const names = async (more: Partial<RecallOptions>) =>
      (await recall({ message: "plants" }, await optionsFor(space, more))).matches.map(({ name }) => name);
    expect(await names({})).toEqual(["alpha", "omega"]);
    expect(await names({ effectiveness: used })).toEqual(["omega", "alpha"]);
    expect(
      await names({ effectiveness: used, precedence: ({ name }) => (name === "alpha" ? 1 : 0) }),
    ).toEqual(["alpha", "omega"]);
  });
});

describe("open files", () => {
  test("recall the skill whose paths they match", async () => {
    const space = workspace({ ...TRADES, infra: skillText("Zzyzx.", 'paths: ["*.tf", "deploy/**"]\n') });
    const engine = space.open({ "embedder.kind": "none" });
    const { matches } = await engine.turns.recall({
      message: "tidy this up",
      files: ["README.md", "deploy/a/b.yml"],
    });
    expect(matches[0]).toMatchObject({ name: "infra" });
    expect(matches[0]!.reasons).toContainEqual({
      signal: "paths",
      value: 0.6,
      note: expect.stringMatching(/deploy\/a\/b\.yml.*deploy\/\*\*/),
    });
    expect(await namesFor(engine, { message: "tidy this up", files: ["README.md"] })).toEqual([]);
  });
});

describe("near-duplicates", () => {
  const text = (extra = "") =>
    skillText(
      "Fills in PDF forms and extracts their fields.",
      extra,
      "# PDF forms\n\n## Steps\n\nList the fields of the form, map each value to its field, then flatten the result and check it twice.\n",
    );

  test("are collapsed into one match that lists them", async () => {
    const space = workspace({
      ...TRADES,
      "pdf-forms": text(),
      "team/pdf-forms": text(),
      "x/pdf-forms": text(),
    });
    const { matches } = await space.open().turns.recall({ message: "fill in the fields of a PDF form" });
    expect(matches.filter(({ name }) => name.endsWith("pdf-forms"))).toMatchObject([
      { name: "pdf-forms", duplicates: ["team/pdf-forms", "x/pdf-forms"] },
    ]);
  });

  test("are not hidden by a copy that cannot be used, and do not list it", async () => {
    const space = workspace({
      ...TRADES,
      "pdf-forms": text("requires: [SOME_KEY_THAT_IS_NOT_SET]\n"),
      "team/pdf-forms": text(),
    });
    const { matches } = await space.open().turns.recall({ message: "fill in the fields of a PDF form" });
    expect(matches[0]!.name).toBe("team/pdf-forms");
    expect(JSON.stringify(matches)).not.toContain('"pdf-forms"');
  });

  test("are represented by the one that the message names", async () => {
    const space = workspace({ ...TRADES, "pdf-forms": text(), "team/pdf-forms": text() });
    const { matches } = await space
      .open()
      .turns.recall({ message: "fill in the PDF form with /team/pdf-forms" });
    expect(matches[0]).toMatchObject({ name: "team/pdf-forms", duplicates: ["pdf-forms"] });
  });
});

describe("a restriction to some skills", () => {
  test("applies to text, mention, trigger and see-also", async () => {
    const space = workspace({
      ...TRADES,
      "pdf-forms": skillText("Fills in PDF forms.", "see-also: [garden-calendar]\n"),
      lonely: skillText("Zzyzx.", "triggers: [frobnicate]\n"),
    });
    const only = { allows: (name: string) => name === "pdf-forms", limit: 10 };
    const { matches } = await space
      .open()
      .turns.recall(
        { message: "frobnicate the PDF form with /garden-calendar and bake sourdough bread" },
        only,
      );
    expect(matches.map(({ name }) => name)).toEqual(["pdf-forms"]);
  });

  test("by an agent's allowlist applies everywhere", async () => {
    const values = {
      agent: "baker",
      agents: { baker: { skills: ["sour*"] }, nobody: { skills: [] }, all: { skills: ["*"] } },
    };
    const space = workspace(TRADES);
    const message = "fill in this PDF form with /pdf-forms, then bake sourdough bread";
    expect(await namesFor(space.open(values), message)).toEqual(["sourdough-bread"]);
    expect(await namesFor(space.open({ ...values, agent: "nobody" }), message)).toEqual([]);
    expect((await namesFor(space.open({ ...values, agent: "all" }), message))[0]).toBe("pdf-forms");
  });
});

describe("availability", () => {
  test("is checked again for each recall", async () => {
    const env: Record<string, string | undefined> = {};
    const space = workspace({
      ...TRADES,
      "web-search": skillText("Searches the web.", "requires: [SEARCH_KEY]\n"),
    });
    const engine = space.open({}, env);
    expect(await namesFor(engine, "search the web")).not.toContain("web-search");
    env.SEARCH_KEY = "x";
    expect(await namesFor(engine, "search the web")).toContain("web-search");
    delete env.SEARCH_KEY;
    expect(await namesFor(engine, "search the web")).not.toContain("web-search");
  });
});
