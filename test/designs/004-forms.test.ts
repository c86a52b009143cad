// Walks the forms in which a person types: slash commands that are completed in the chat and in shells, and outcomes in the chat.

import { describe, expect, it } from "vitest";
import { openAgent } from "../../src/adapters/chat/agent.ts";
import { Conversation } from "../../src/adapters/chat/chat.ts";
import { Io } from "../../src/adapters/cli/io.ts";
import { skillText } from "../skill-tree.ts";
import { designWorkspace } from "./support/design-workspace.ts";
import { AGREED } from "./support/outcomes.ts";

const PLACE = "p/.agents/skills";
const FILES = {
  [`${PLACE}/kettle-care/SKILL.md`]: skillText("Descales kettles.", "", "Boil vinegar.\n"),
  [`${PLACE}/web/deploy_site/SKILL.md`]: skillText("Deploys the site.", "name: Site Launch\n"),
};

async function chatting(values: Readonly<Record<string, unknown>> = {}) {
  const space = designWorkspace(FILES);
  const engine = space.open({ values: { ...AGREED, ...values } });
  const agent = await openAgent(engine, { session: "s", task: "t" });
  let screen = "";
  const write = (text: string) => {
    screen += text;
  };
  const io = new Io({ out: write, err: write, terminal: false, width: 200 }, true);
  const talk = new Conversation(agent, io, { showPrompt: false });
  const told = async (typed: string) => {
    screen = "";
    await talk.take(typed, new AbortController().signal);
    return JSON.parse(screen.trim().split("\n").at(-1)!);
  };
  return { space, engine, talk, told };
}

describe("a slash command is completed", () => {
  const FORMS = [
    ["/ke", "/kettle_care"],
    ["/kettle-c", "/kettle-care"],
    ["/KETTLE-C", "/kettle-care"],
    ["/web/d", "/web/deploy_site"],
    ["/web/deploy-s", "/web/deploy-site"],
    ["/WEB/", "/web/deploy_site"],
    // The display name becomes the command, which is what it leads to.
    ["/site_l", "/web/deploy_site"],
    ["/Site-Launch", "/web/deploy_site"],
  ] as const;

  it.each(FORMS)("in the chat and in a shell: %s becomes %s", async (typed, whole) => {
    const { talk, space } = await chatting();
    expect(await talk.complete(typed)).toEqual([`${whole} `]);
    expect(await talk.complete(`  ${typed}`)).toEqual([`${whole} `]);
    const { out } = await space.cli("complete", "--", "expand", typed);
    expect(out.trim().split("\n")).toEqual([whole]);
  });

  it("with the numbers of the open proposals", async () => {
    const { engine, talk } = await chatting();
    const content = "Washes a car.\n\n1. Rinse it.\n2. Dry it.\n";
    for (const name of ["wash-car", "wash-van"])
      await engine.learned.save({ name, content, author: "agent" });
    const link = { name: "wash-car", content, seeAlso: ["wash-van"], sourceNames: [] };
    const { proposals } = await engine.dreams.submit(JSON.stringify({ toSave: [link], toDelete: [] }));
    expect(proposals).toHaveLength(1);
    expect(await talk.complete("/proposals accept ")).toEqual([
      "/proposals accept ",
      ...proposals.map(({ number }) => `/proposals accept ${number}`),
    ]);
  });
});

describe("an outcome in the chat", () => {
  it.each([{}, { "tools.serve": ["recall_skills", "activate_skill"] }])(
    "counts whether or not the model has a tool for it: %j",
    async (values) => {
      const { engine, told } = await chatting(values);
      expect(await told("/bad nothing was asked yet")).toMatchObject({ code: "turn-not-found" });
      await told("my kettle is full of limescale");
      await told("/use kettle-care");
      expect(await told("/bad the vinegar was too weak")).toMatchObject({
        data: { outcome: "failure", skills: ["kettle-care"] },
      });
      expect(await engine.journal.statsOf("kettle-care")).toMatchObject({ succeeded: 0, failed: 1 });
      expect(await told("/good no, it worked")).toMatchObject({ data: { skills: ["kettle-care"] } });
      expect(await engine.journal.statsOf("kettle-care")).toMatchObject({ succeeded: 1, failed: 0 });
      const [noted] = await engine.journal.query({ kinds: ["outcome"], newestFirst: true, limit: 1 });
      expect(noted?.details).toMatchObject({ note: "no, it worked" });
    },
  );
});
