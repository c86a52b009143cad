// The loop of the first design: an outcome counts at once in every process, once, and for the instructions it is about.

import { describe, expect, it, onTestFinished } from "vitest";
import { openRepertoire } from "../../src/index.ts";
import { hostsProgram } from "../e2e/hosts-program.ts";
import { connectStdio, REVISIONS, YES } from "../e2e/support/mcp.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED, useOften, useSkills } from "./support/outcomes.ts";
import { EQUALS, WORDS_ALONE } from "./support/skills-000.ts";

const program = hostsProgram();
const HOW = { ...AGREED, ...WORDS_ALONE };
const PLANTS = "plants";

/** Why `alpha` is ranked lower, if it is. */
async function penalty(engine: ReturnType<typeof openRepertoire>): Promise<string | undefined> {
  const { matches } = await engine.turn({ message: PLANTS }).recall();
  const alpha = matches.find(({ name }) => name === "alpha");
  return alpha?.reasons.find(({ signal }) => signal === "effectiveness")?.note;
}

describe("an outcome counts at once", () => {
  it("in the living server that heard it, in a process beside it, and after the server was killed", async () => {
    const config = { sources: { bundled: false }, embedder: { kind: "none" }, recall: { learn: false } };
    const space = designWorkspace({
      ...EQUALS,
      ".repertoire/repertoire.config.json": JSON.stringify(config),
    });
    const open = () => {
      const engine = openRepertoire({ dir: space.project, home: space.root, env: {} });
      onTestFinished(() => engine.close());
      return engine;
    };
    const beside = open();
    expect(await penalty(beside)).toBeUndefined();
    const { call, transport } = await connectStdio(program.bin, {
      home: space.root,
      revision: REVISIONS[0][1],
      answer: () => YES,
    });
    const matchesInServer = async () => {
      const { structuredContent } = await call("recall_skills", { message: PLANTS });
      return (structuredContent as { matches: { name: string }[] }).matches.map(({ name }) => name);
    };
    expect(await matchesInServer()).toEqual(["alpha", "omega"]);
    for (let turn = 1; turn <= 6; turn++) {
      await call("recall_skills", { message: "water the plants" });
      expect((await call("activate_skill", { name: "alpha" })).isError).not.toBe(true);
      expect((await call("report_outcome", { outcome: "failure" })).structuredContent).toMatchObject({
        skills: ["alpha"],
      });
    }
    expect(await matchesInServer()).toEqual(["omega", "alpha"]);
    expect(await penalty(beside)).toBe("failed 6 of 6");
    process.kill(transport.pid!, "SIGKILL");
    expect(await penalty(open())).toBe("failed 6 of 6");
  });

  it("in the library that reported it, without closing it", async () => {
    const engine = designWorkspace(EQUALS).open({ values: HOW });
    await useOften(engine, "alpha", Array(6).fill("failure"));
    expect(await penalty(engine)).toBe("failed 6 of 6");
  });
});

describe("the record of a skill", () => {
  const alpha = "p/skills/alpha/SKILL.md" as const;

  it("survives a change of the front matter, and starts anew with a change of the body", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW });
    await useOften(engine, "alpha", Array(5).fill("failure"));
    space.write(alpha, EQUALS[alpha].replace("---\n", "---\nsee-also: [omega]\n"));
    expect(await penalty(engine)).toBe("failed 5 of 5");
    space.write(alpha, `${EQUALS[alpha]}\nAnd one step more.\n`);
    expect(await penalty(engine)).toBeUndefined();
  });

  it("starts anew with a change of a file beside SKILL.md", async () => {
    const space = designWorkspace({ ...EQUALS, "p/skills/alpha/steps.md": "# Steps\n" });
    const engine = space.open({ values: HOW });
    await useOften(engine, "alpha", Array(5).fill("failure"));
    expect(await penalty(engine)).toBe("failed 5 of 5");
    space.write("p/skills/alpha/steps.md", "# Better steps\n");
    expect(await penalty(engine)).toBeUndefined();
  });

  it("counts an outcome once, although the skill was saved between activation and outcome", async () => {
    const space = designWorkspace({ "home/.keep": "" });
    const engine = space.open({ values: HOW });
    const save = (content: string) => engine.learned.save({ name: "tune", content, author: "agent" });
    await save("Tunes a piano.\n\n1. Mute.\n");
    await useSkills(engine, { session: "s", message: "tune the piano", skills: ["tune"], ending: "failure" });
    await save("Tunes a piano.\n\n1. Mute.\n2. Listen.\n");
    await engine.journal.reportOutcome({ outcome: "failure", skill: "tune" }, { session: "s" });
    expect(await engine.journal.statsOf("tune")).toMatchObject({ activated: 1, failed: 1 });
  });
});

describe("an outcome belongs to a turn", () => {
  it("is refused for a skill that was not activated in it, with the turn in which it was", async () => {
    const engine = designWorkspace(EQUALS).open({ values: HOW });
    await useSkills(engine, { session: "s", skills: ["alpha"] });
    const refused = engine.journal.reportOutcome({ outcome: "failure", skill: "omega" }, { session: "s" });
    await expect(refused).rejects.toMatchObject({ code: "not-activated", value: "omega" });
    await engine.turn({ message: "something else", session: "s" }).recall();
    const late = { outcome: "success", skill: "alpha" } as const;
    await expect(engine.journal.reportOutcome(late, { session: "s" })).rejects.toMatchObject({
      code: "not-activated",
      message: expect.stringContaining("turn 1"),
    });
    expect(await engine.journal.reportOutcome({ ...late, turn: 1 }, { session: "s" })).toEqual(["alpha"]);
  });

  it("is refused for a turn that the session does not have", async () => {
    const space = designWorkspace(EQUALS);
    const engine = space.open({ values: HOW });
    const refused = { code: "turn-not-found" };
    const report = (turn?: number) =>
      engine.journal.reportOutcome({ outcome: "failure", turn }, { session: "s" });
    await expect(report()).rejects.toMatchObject(refused);
    await useSkills(engine, { session: "s", skills: ["alpha"] });
    await expect(report(99)).rejects.toMatchObject(refused);
    expect(await report(1)).toEqual(["alpha"]);
    const told = await space.cli("--json", "outcome", "failure", "--session", "s", "--turn", "2");
    expect(told.code).toBe(1);
    const { sessions } = JSON.parse((await space.cli("--json", "sessions")).out);
    expect(sessions).toMatchObject([{ session: "s", turns: 1, failures: 1 }]);
  });

  it("has a door on the command line, which lists the sessions", async () => {
    const space = designWorkspace({
      ...EQUALS,
      "home/.repertoire/repertoire.config.json": JSON.stringify({ consent: { allow: ["*"] } }),
    });
    expect((await space.cli("prompt", "--session", "monday", "water the plants")).code).toBe(0);
    expect((await space.cli("activate", "alpha", "--task", "t", "--session", "monday")).code).toBe(0);
    const noted = await space.cli("--json", "outcome", "failure", "--session", "monday", "--note", "too dry");
    expect(JSON.parse(noted.out)).toEqual({ outcome: "failure", skills: ["alpha"] });
    const { sessions } = JSON.parse((await space.cli("--json", "sessions")).out);
    expect(sessions).toMatchObject([
      { session: "monday", turns: 1, skills: ["alpha"], failures: 1, firstMessage: "water the plants" },
    ]);
    const refused = await space.cli("--json", "outcome", "failure", "omega", "--session", "monday");
    expect(refused.code).toBe(1);
    expect((await space.cli("outcome", "failure")).code).toBe(1);
    expect((await space.cli("prompt", "--session", "tuesday", "water the plants")).code).toBe(0);
    expect((await space.cli("expand", "/omega", "--session", "tuesday")).code).toBe(0);
    const fine = await space.cli("--json", "outcome", "success", "omega", "--session", "tuesday");
    expect(JSON.parse(fine.out)).toEqual({ outcome: "success", skills: ["omega"] });
    expect((await space.cli("outcome", "great", "--session", "monday")).code).toBe(2);
  });
});
