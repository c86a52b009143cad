// Walks the dreams of the second design: which passes there are and in which order, what each is shown, what a plan may do,
// and what keeps the library from harm.

import { describe, expect, it } from "vitest";
import { DAY_MS } from "./support/design-workspace.ts";
import { type DreamStart, dreaming, procedure, type SeedSession, sessionsOf } from "./support/dreaming.ts";
import { scriptedModel } from "./support/scripted-model.ts";

const EMPTY = '{"toSave": [], "toDelete": []}';
const RENEW = [
  "renew the TLS certificate of the api host",
  "the TLS certificate of the shop expires, renew it",
  "please renew the TLS certificate for staging",
];
const CERTIFICATE = {
  name: "renew-certificate",
  description: "Renews the TLS certificate of a host before it expires.",
  summary: "Renews TLS certificates",
  content: `# Renew\n\n1. Ask which host the TLS certificate is for.\n2. Request the new certificate.\n3. Reload the server and check the date.\n`,
  sourceNames: [],
};
const skill = (name: string, chars = 400) => ({
  name,
  description: `Does the ${name.replace(/\W/g, " ")} work.`,
  content: procedure(name, chars),
});
const used = (session: string, names: readonly string[], daysAgo = 2): SeedSession => ({
  session,
  daysAgo,
  turns: [{ message: `work of ${session}`, recalled: names, used: names }],
});
const withModel = async (script: (pass: "gap" | "consolidate" | "optimize") => string, start: DreamStart) => {
  const model = await scriptedModel(({ system }) =>
    script(/again and again/.test(system) ? "gap" : /smaller/.test(system) ? "consolidate" : "optimize"),
  );
  const { values = {} } = start;
  return { ...(await dreaming({ ...start, values: { ...model.values, ...values } })), asked: model.asked };
};

describe("the passes of a dream", () => {
  it("are gaps, then consolidation, then optimisation, each with its own directive", async () => {
    const { dreams, asked } = await withModel(() => EMPTY, {
      skills: [skill("thin", 90), skill("stout")],
      sessions: sessionsOf(RENEW),
    });
    const { passes } = await dreams.run();
    expect(passes.map(({ pass, state }) => [pass, state])).toEqual([
      ["gap", "planned"],
      ["consolidate", "planned"],
      ["optimize", "planned"],
    ]);
    expect(new Set(asked.map(({ system }) => system)).size).toBe(3);
  });

  it("show consolidation what the search for gaps has just proposed", async () => {
    const plan = JSON.stringify({ toSave: [CERTIFICATE], toDelete: [] });
    const { dreams, asked } = await withModel((pass) => (pass === "gap" ? plan : EMPTY), {
      skills: [skill("stout")],
      sessions: sessionsOf(RENEW),
    });
    await dreams.run();
    expect(asked[1]?.prompt).toContain("renew-certificate [proposed]");
  });

  it("change nothing by themselves: a person accepts, and can take it back", async () => {
    const plan = JSON.stringify({ toSave: [CERTIFICATE], toDelete: [] });
    const { dreams, engine, learned } = await withModel((pass) => (pass === "gap" ? plan : EMPTY), {
      sessions: sessionsOf(RENEW),
    });
    const { proposals } = await dreams.run();
    expect(proposals.map(({ title }) => title)).toEqual(["Create renew-certificate"]);
    expect((await engine.library.list()).skills).toEqual([]);
    const { batch } = await dreams.accept("all");
    await engine.library.refresh();
    expect((await engine.library.find("renew-certificate")).manifest.summary).toBe("Renews TLS certificates");
    await learned.undo(batch);
    await engine.library.refresh();
    expect((await engine.library.list()).skills).toEqual([]);
  });

  it.each([
    ["skill-gap.md", "gap"],
    ["skill-dream.md", "consolidate"],
    ["skill-optimize.md", "optimize"],
  ] as const)("take the directive of %s in the data folder instead of their own", async (file, pass) => {
    const { prompts } = await dreaming({
      files: { [`home/.repertoire/${file}`]: "Think as our house does.\n" },
      skills: [skill("thin", 90)],
    });
    const all = await prompts();
    expect(all[pass].system).toBe("Think as our house does.");
    const others = Object.values(all).filter((each) => each.pass !== pass);
    expect(others.map(({ system }) => system)).not.toContain("Think as our house does.");
  });

  it("leave gaps alone where the configuration says so", async () => {
    const { dreams } = await withModel(() => EMPTY, {
      sessions: sessionsOf(RENEW),
      skills: [skill("stout")],
      values: { "dream.gaps": false },
    });
    expect((await dreams.run()).passes.map(({ pass }) => pass)).toEqual(["consolidate", "optimize"]);
    expect((await dreams.prompts()).map(({ pass }) => pass)).toEqual(["consolidate", "optimize"]);
  });
});

describe("the search for gaps", () => {
  it("counts the words of each session's first message, and names those of two sessions or more", async () => {
    const sessions = sessionsOf([
      "email the invoice to Ada",
      "email the report",
      "summarize the report",
      "prune roses",
    ]).map((session): SeedSession => {
      return { ...session, turns: [...session.turns, { message: "and water the roses", recalled: [] }] };
    });
    const { dreams, prompts } = await dreaming({ sessions });
    const { terms } = await dreams.report();
    expect(terms.map(({ term, sessions: where }) => [term, where.length])).toEqual([
      ["email", 2],
      ["report", 2],
    ]);
    const { gap } = await prompts();
    expect(gap.prompt).toContain('"email": 2 sessions');
    expect(gap.prompt).not.toContain('"prune"');
  });

  it("asks for a skill only where the same kind of request came in two sessions", async () => {
    const { prompts } = await dreaming({ sessions: sessionsOf(RENEW) });
    const { gap } = await prompts();
    expect(gap.idle).toBeUndefined();
    expect(gap.system).toMatch(/at least two sessions/);
    const once = await dreaming({ sessions: sessionsOf(RENEW.slice(0, 1)) });
    expect((await once.prompts()).gap.idle).toEqual(expect.any(String));
  });
});

describe("consolidation", () => {
  it("sees every skill with its content, its use of the last 30 days and its company", async () => {
    const { prompts } = await dreaming({
      skills: [skill("alpha"), skill("omega")],
      sessions: [
        used("s1", ["alpha", "omega"], 2),
        used("s2", ["alpha", "omega"], 29),
        used("s3", ["alpha", "omega"], 31),
      ],
    });
    const { prompt } = (await prompts()).consolidate;
    expect(prompt).toContain("Do the next thing for alpha.");
    expect(prompt).toMatch(/## Skill: alpha \[editable\]\n.*\nused in 2 sessions\nused together with omega/);
    expect(prompt).toContain("alpha + omega: 2 sessions");
  });

  it("sees the ten pairs that were used together most", async () => {
    const names = ["a", "b", "c", "d", "e", "f"].map((letter) => `${letter}-work`);
    const { dreams } = await dreaming({
      skills: names.map((name) => skill(name)),
      sessions: [used("s1", names), used("s2", names), used("s3", names.slice(4))],
    });
    const { coUse } = await dreams.report();
    expect(coUse).toHaveLength(10);
    expect(coUse[0]).toMatchObject({ a: "e-work", b: "f-work", sessions: { length: 3 } });
  });

  it("is told which skills have less than 200 characters a week after they were made", async () => {
    const skills = [skill("thin", 199), skill("enough", 200)];
    const marked = async (savedDaysAgo: number) => {
      const { prompts } = await dreaming({ skills, savedDaysAgo });
      const { prompt } = (await prompts()).consolidate;
      const parts = prompt.split("## Skill: ").slice(1);
      return parts.filter((part) => part.includes("[sparse-content: may need examples or steps]"));
    };
    expect((await marked(8)).map((part) => part.split(" ")[0])).toEqual(["thin"]);
    expect(await marked(6)).toEqual([]);
  });

  it("sees families of names", async () => {
    const { prompts } = await dreaming({
      skills: ["mcp/calendar", "mcp/email", "plan"].map((n) => skill(n)),
    });
    const { prompt } = (await prompts()).consolidate;
    expect(prompt).toContain(
      "## Skill name-prefix clusters\n<data>\n- 'mcp/*' (topical): mcp/calendar, mcp/email",
    );
  });

  it("may merge skills: the old name then leads to the new one", async () => {
    const { dreams, learned, engine } = await dreaming({ skills: [skill("alpha"), skill("omega")] });
    const content = `${procedure("alpha")}\n\n${procedure("omega")}\n`;
    const both = {
      name: "both",
      description: "Does the alpha work and the omega work.",
      content,
      sourceNames: ["alpha", "omega"],
    };
    await dreams.submit(JSON.stringify({ toSave: [both], toDelete: ["alpha", "omega"] }), { apply: true });
    await engine.library.refresh();
    expect((await engine.library.list()).skills.map(({ skill: { name } }) => name)).toEqual(["both"]);
    expect(await learned.currentName("omega")).toBe("both");
  });

  it("archives exactly the sources that the plan says to delete", async () => {
    const { dreams, engine } = await dreaming({ skills: [skill("alpha"), skill("omega")] });
    const content = `${procedure("alpha")}\n\n${procedure("omega")}\n`;
    const both = {
      name: "both",
      description: "Does the alpha work and the omega work.",
      content,
      sourceNames: ["alpha", "omega"],
    };
    await dreams.submit(JSON.stringify({ toSave: [both], toDelete: ["alpha"] }), { apply: true });
    await engine.library.refresh();
    expect((await engine.library.list()).skills.map(({ skill: { name } }) => name)).toEqual([
      "both",
      "omega",
    ]);
  });

  it("may fill in what belongs together", async () => {
    const { dreams, engine } = await dreaming({ skills: [skill("alpha"), skill("omega")] });
    const linked = { name: "alpha", content: procedure("alpha"), sourceNames: ["alpha"], seeAlso: ["omega"] };
    const { proposals } = await dreams.submit(JSON.stringify({ toSave: [linked] }), { apply: true });
    expect(proposals.map(({ title }) => title)).toEqual(["Link alpha to related skills"]);
    await engine.library.refresh();
    expect((await engine.library.find("alpha")).manifest.seeAlso).toEqual(["omega"]);
  });

  it("deletes nothing when no skill is saved that takes its place", async () => {
    const { dreams, engine } = await dreaming({ skills: [skill("alpha"), skill("omega")] });
    const { proposals, declined } = await dreams.submit(
      JSON.stringify({ toSave: [], toDelete: ["alpha", "omega"] }),
      { apply: true },
    );
    expect(proposals).toEqual([]);
    expect(declined.flatMap(({ refusals }) => refusals.map(({ code }) => code))).toEqual([
      "no-absorber",
      "no-absorber",
    ]);
    await engine.library.refresh();
    expect((await engine.library.list()).skills).toHaveLength(2);
  });

  it("gets a guide proposed for a family of two that has none, which helps to choose and holds no steps", async () => {
    const skills = ["mcp/calendar", "mcp/email"].map((name) => skill(name));
    const { dreams, engine } = await dreaming({ skills });
    await dreams.run({ apply: true });
    await engine.library.refresh();
    const guide = (await engine.library.show("mcp/guide", { review: true })).body;
    expect(guide).toContain("**mcp/calendar**");
    expect(guide).toContain("**mcp/email**");
    expect(guide).not.toContain("Do the next thing");
    expect((await dreams.run({ force: true })).proposals).toEqual([]);
  });
});

describe("optimisation", () => {
  const shown = async (session: Partial<SeedSession> & { correction?: string }) => {
    const { correction, ...more } = session;
    const turn = { message: "do the alpha work", recalled: ["alpha"], used: ["alpha"] };
    const turns = [{ ...turn, ...(correction && { correction }) }];
    const { prompts } = await dreaming({
      skills: [skill("alpha")],
      sessions: [{ session: "s1", daysAgo: 2, turns, ...more }],
    });
    return (await prompts()).optimize;
  };

  it("sees a skill that was used where the user corrected the agent, with the correction", async () => {
    const { prompt } = await shown({ correction: "No, alpha goes before beta" });
    expect(prompt).toContain("## Skill: alpha [editable]");
    expect(prompt).toContain('correction: "No, alpha goes before beta"');
  });

  it.each(["poor", "fair"] as const)("sees a skill of a session rated %s", async (rating) => {
    expect((await shown({ rating })).prompt).toContain(`(rated ${rating})`);
  });

  it.each(["good", "excellent"] as const)("leaves a skill of a session rated %s alone", async (rating) => {
    expect((await shown({ rating })).idle).toEqual(expect.any(String));
  });

  it("sees thin skills although nothing went wrong, with the note to expand them", async () => {
    const { prompts } = await dreaming({ skills: [skill("thin", 120)], savedDaysAgo: 8 });
    const { prompt } = (await prompts()).optimize;
    expect(prompt).toMatch(
      /## Skill: thin .*\n.*\n\[SPARSE\] Review note: .*concrete steps, examples and edge cases/,
    );
  });
});

describe("what a dream looks back on", () => {
  it("is the last 30 days", async () => {
    const { dreams, clock } = await dreaming({
      skills: [skill("alpha")],
      sessions: [used("old", ["alpha"], 31), used("new", ["alpha"], 29)],
    });
    expect((await dreams.report()).sessions).toBe(1);
    clock.at += 2 * DAY_MS;
    expect((await dreams.report()).sessions).toBe(0);
  });
});
