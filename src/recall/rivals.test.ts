import { describe, expect, test } from "vitest";
import { namesFor, workspace } from "../../test/recall-workspace.ts";
import { skillText } from "../../test/skill-tree.ts";
import { rivalriesIn } from "./rivals.ts";

const BOTS = {
  telegram: skillText("Write bots for Telegram: commands, replies, roles of members, reactions to messages."),
  "garden-calendar": skillText("Say when to sow, plant and harvest vegetables."),
};

describe("products for the same job", () => {
  test.each([
    ["write a Discord bot that assigns roles", "discord", "telegram"],
    ["move it to Google Cloud, please.", "googl cloud", "aws"],
    ["plot this with three.js", "threejs", "chartjs"],
  ])("are found for %j", (message, asked, other) => {
    const found = rivalriesIn(message);
    expect(found.flatMap((job) => job.asked.map((terms) => terms.join(" ")))).toContain(asked);
    expect(found.flatMap((job) => job.others.map((terms) => terms.join(" ")))).toContain(other);
  });

  test.each(["assign roles on reaction", "a grey stripe on every row", "cut me some slack", "hello"])(
    "are not found in ordinary words: %j",
    (message) => {
      expect(rivalriesIn(message)).toEqual([]);
    },
  );

  test("do not recall each other's skill", async () => {
    const space = workspace(BOTS);
    expect(
      await namesFor(space.open(), "write a bot that replies to commands and assigns roles to members"),
    ).toEqual(["telegram"]);
    expect(
      await namesFor(
        space.open(),
        "write a Discord bot that replies to commands and assigns roles to members",
      ),
    ).toEqual([]);
  });

  test("recall the skill if the message names its product too, or rejects the other one", async () => {
    const space = workspace(BOTS);
    for (const message of [
      "port our Discord bot to Telegram: roles of members and replies",
      "write a bot that assigns roles to members instead of Discord",
    ])
      expect(await namesFor(space.open(), message)).toEqual(["telegram"]);
  });
});
