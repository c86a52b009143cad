// The frames of the first design: which domains belong to which frame, and that a conversation stays light.

import { describe, expect, it } from "vitest";
import type { Frame } from "../../src/index.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace, recalledFor } from "./support/design-workspace.ts";

describe("a domain fits a frame", () => {
  it.each<[Frame, string]>([
    ["debug", "debug"],
    ["debug", "debugging"],
    ["debug", "code-review"],
    ["decision", "decision"],
    ["decision", "architecture"],
    ["decision", "process"],
    ["creative", "creative"],
    ["creative", "writing"],
    ["creative", "Design"],
    ["task", "task"],
    ["question", "question"],
    ["task", "orchards"],
  ])("%s: %s adds 0.2", async (frame, domain) => {
    const space = designWorkspace({
      "p/skills/one/SKILL.md": skillText("Prunes apple trees.", `domain: ${domain}\n`),
    });
    const [match] = (await space.open().turn({ message: "prune apple trees in orchards", frame }).recall())
      .matches;
    expect(match).toMatchObject({ name: "one", boosts: 0.2 });
  });

  it.each<[Frame, string]>([
    ["debug", "writing"],
    ["creative", "debug"],
    ["task", "debugging"],
  ])("%s: %s adds nothing", async (frame, domain) => {
    const space = designWorkspace({
      "p/skills/one/SKILL.md": skillText("Prunes apple trees.", `domain: ${domain}\n`),
    });
    const [match] = (await space.open().turn({ message: "prune apple trees", frame }).recall()).matches;
    expect(match).toMatchObject({ name: "one", boosts: 0 });
  });
});

describe("in a conversation", () => {
  const FILES = {
    "p/skills/prune-trees/SKILL.md": skillText("Prunes apple trees in winter."),
    "p/skills/graft-trees/SKILL.md": skillText("Grafts apple trees.", "triggers: [rootstock]\n"),
    "p/skills/small-talk/SKILL.md": skillText("Talks about apple trees.", "frames: [conversation]\n"),
  };
  const message = "how we prune apple trees in winter";

  it("nothing is recalled that only fits, and nothing comes close", async () => {
    const engine = designWorkspace(FILES).open();
    const light = await engine.turn({ message, frame: "conversation" }).recall();
    expect(light.matches.map(({ name }) => name)).not.toContain("prune-trees");
    expect(light.near).toEqual([]);
    expect(await recalledFor(engine, message)).toContain("prune-trees");
  });

  it("what is named or triggered is recalled", async () => {
    const engine = designWorkspace(FILES).open();
    const namesFor = async (said: string) =>
      (await engine.turn({ message: said, frame: "conversation" }).recall()).matches.map(({ name }) => name);
    expect(await namesFor("nice, /prune-trees")).toEqual(["prune-trees"]);
    expect(await namesFor("rootstock")).toEqual(["graft-trees"]);
    expect(await namesFor("a talk about apple trees")).toEqual(["small-talk"]);
  });

  it.each(["what about prune-trees?", "I like prune-trees"])(
    "recalls a skill whose name is spelled out: %s",
    async (said) => {
      const engine = designWorkspace(FILES).open();
      const { matches } = await engine.turn({ message: said, frame: "conversation" }).recall();
      expect(matches.map(({ name }) => name)).toContain("prune-trees");
    },
  );

  it("why says so", async () => {
    const engine = designWorkspace(FILES).open();
    const { recalled, fellShort } = await engine.library.why("prune-trees", {
      message,
      frame: "conversation",
    });
    expect(recalled).toBe(false);
    expect(fellShort).not.toEqual([]);
  });

  it("a greeting before a request is no conversation", async () => {
    const engine = designWorkspace(FILES).open();
    const { frame, matches } = await engine.turn({ message: "hello, prune our apple trees" }).recall();
    expect(frame.name).toBe("task");
    expect(matches[0]?.name).toBe("prune-trees");
  });
});

it("a request for some writing is creative, not a question", async () => {
  const engine = designWorkspace({
    "p/skills/house-voice/SKILL.md": skillText("Writing for the website in our voice.", "domain: writing\n"),
  }).open();
  const { frame, matches } = await engine.turn({ message: "do some writing for the website" }).recall();
  expect(frame.name).toBe("creative");
  expect(matches).toMatchObject([{ name: "house-voice", boosts: 0.2 }]);
});
