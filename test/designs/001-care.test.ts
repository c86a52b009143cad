// Walks what keeps a library well: what leads a dream to a skill, what a plan may not lose, what can be taken back, and what
// happens to skills that nobody learned here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changeOf } from "../dream-history.ts";
import { skillText } from "../skill-tree.ts";
import { dreaming, type SeedSession, sessionsOf } from "./support/dreaming.ts";

const INVOICE = `# Invoice\n\n1. Open the ledger of the client.\n2. Write the invoice with the number of the order.\n3. Send the invoice to accounting.\n4. Never send an invoice twice.\n`;
const invoice = (name: string, content = INVOICE) => ({
  name,
  description: `Writes an invoice for a client (${name}).`,
  content,
});
const turn = { message: "write the invoice", recalled: ["invoice"], used: ["invoice"] };
const session = (more: object, id = "s1"): SeedSession => ({
  session: id,
  daysAgo: 2,
  turns: [{ ...turn, ...more }],
});

describe("a skill is at risk, and the words stand in the prompt,", () => {
  const optimize = async (sessions: readonly SeedSession[]) => {
    const { prompts, dreams } = await dreaming({ skills: [invoice("invoice")], sessions });
    return { ...(await prompts()).optimize, atRisk: (await dreams.report()).atRisk };
  };

  it("if it failed, with the note of the failure", async () => {
    const { prompt, atRisk } = await optimize([session({ outcome: "failure", note: "the tax was missing" })]);
    expect(atRisk).toMatchObject([{ name: "invoice", corrections: ["the tax was missing"] }]);
    expect(prompt).toContain("the tax was missing");
  });

  it.each(["No, that is wrong: add the tax", "you forgot the tax", "that's not what I asked"])(
    "if the next message is %j",
    async (message) => {
      const said = session({});
      const next = { message, recalled: [] };
      const { prompt, idle } = await optimize([{ ...said, turns: [...said.turns, next] }]);
      expect(idle).toBeUndefined();
      expect(prompt).toContain(message);
    },
  );

  it("if two sessions go on with the same wish, although neither says that something is wrong", async () => {
    const wishing = (id: string, message: string): SeedSession => {
      const said = session({}, id);
      return { ...said, turns: [...said.turns, { message, recalled: [] }] };
    };
    const wishes = ["the date goes at the top", "could you move the date to the top?"];
    const { prompt, atRisk } = await optimize(wishes.map((wish, at) => wishing(`s${at}`, wish)));
    expect(atRisk).toMatchObject([{ name: "invoice", sessions: ["s0", "s1"], corrections: [], wishes }]);
    for (const wish of wishes) expect(prompt).toContain(wish);
    expect((await optimize([wishing("s0", wishes[0]!), wishing("s1", "thanks, bye")])).atRisk).toEqual([]);
  });

  it.each([
    "Tabs, not spaces.",
    "uhh no, our form isn't valid",
    "I wanted a PDF.",
    "In this team we send invoices on Mondays.",
    "Please keep it under one page, as I said.",
    "Nimm bitte yarn statt npm.",
  ])("if the next message asks for it in another way: %j", async (message) => {
    const said = session({});
    const next = { message, recalled: [] };
    const { prompt, atRisk } = await optimize([{ ...said, turns: [...said.turns, next] }]);
    expect(atRisk).toMatchObject([{ name: "invoice", corrections: [message] }]);
    expect(prompt).toContain(message);
  });

  it("not if the next message is another request", async () => {
    const said = session({});
    const next = { message: "no problem, now plan the sprint", recalled: [] };
    expect((await optimize([{ ...said, turns: [...said.turns, next] }])).atRisk).toEqual([]);
  });

  it("if the session was rated, by whom ever, on the command line", async () => {
    const { space, prompts } = await dreaming({ skills: [invoice("invoice")], sessions: [session({})] });
    const rated = await space.cli("sessions", "rate", "s1", "poor", "--note", "It took three attempts");
    expect(rated.code).toBe(0);
    const { prompt } = (await prompts()).optimize;
    expect(prompt).toContain("rated poor");
    expect(prompt).toContain("It took three attempts");
    expect((await space.cli("sessions", "rate", "nobody", "poor")).code).not.toBe(0);
  });
});

describe("a plan", () => {
  it("loses its bad items with their reasons; the rest stands", async () => {
    const { dreams } = await dreaming({
      skills: [invoice("invoice"), invoice("plan", "# P\n\nPlan the sprint.\n")],
    });
    const good = { name: "invoice", content: INVOICE, seeAlso: ["plan"], sourceNames: [] };
    const plan = { toSave: [{ name: "x", content: " " }, good, { name: "y" }, null], toDelete: [7] };
    const { proposals, declined } = await dreams.submit(JSON.stringify(plan));
    expect(proposals.map(({ kind }) => kind)).toEqual(["link"]);
    expect(declined.flatMap(({ refusals }) => refusals.map(({ code, names }) => [code, ...names]))).toEqual([
      ["plan-item-dropped", "x"],
      ["plan-item-dropped", "y"],
      ["plan-item-dropped", "toSave[3]"],
      ["plan-item-dropped", "toDelete[0]"],
    ]);
  });

  const merge = (content: string) =>
    JSON.stringify({
      toSave: [{ name: "invoice", content, sourceNames: ["invoice", "bill"] }],
      toDelete: ["bill"],
    });
  const two = (extra: string) => ({ skills: [invoice("invoice"), invoice("bill", `${INVOICE}${extra}`)] });

  it.each([
    "5. Wait 14 days before the reminder.",
    "5. Never call the client at home.",
    "5. Run `ledger sync --all`.",
    "5. Copy it to /srv/invoices.",
  ])("cannot merge away %j", async (extra) => {
    const { dreams } = await dreaming(two(`${extra}\n`));
    const { proposals, declined } = await dreams.submit(
      merge(`${INVOICE}\n5. Thank the client for the order.\n`),
    );
    expect(proposals).toEqual([]);
    expect(declined[0]?.refusals.map(({ code }) => code)).toContain("content-lost");
    expect(JSON.stringify(declined[0]?.refusals)).toContain(extra.slice(3, 12));
  });

  it.each([
    ["Send the receipt to the finance team.", "Send the receipt to the sales team."],
    ["Call the client at most three times.", "Call the client at most five times."],
    ["Archive the receipt before the call.", "Archive the receipt after the call."],
    ["Always archive the receipt of the client.", "Archive the receipt of the client if the client asks."],
    ["All receipts need a stamp.", "Some receipts need a stamp."],
    ["Only admins may void an invoice.", "Everybody may void an invoice."],
  ])("cannot turn %j into %j", async (mine, theirs) => {
    const { dreams } = await dreaming(two(`5. ${mine}\n`));
    const { proposals, declined } = await dreams.submit(merge(`${INVOICE}\n5. ${theirs}\n`));
    expect(proposals).toEqual([]);
    expect(declined[0]?.refusals.map(({ code }) => code)).toContain("content-lost");
  });

  it.each([
    ["Call the client at most three times.", "Call the client no more than 3 times."],
    ["Only admins may void an invoice.", "Voiding an invoice is only allowed for admins."],
  ])("may say %j as %j", async (mine, theirs) => {
    const { dreams } = await dreaming(two(`5. ${mine}\n`));
    const { proposals } = await dreams.submit(merge(`${INVOICE}\n5. ${theirs}\n`));
    expect(proposals).toHaveLength(1);
  });

  it("may merge in other words, and shows what might be lost", async () => {
    const { dreams } = await dreaming(
      two("5. Ask the client politely and in writing about the delivery of the order.\n"),
    );
    const { proposals } = await dreams.submit(
      merge(`${INVOICE}\n5. Ask the client about the order's delivery.\n`),
    );
    expect(proposals[0]?.payload.lost).toMatchObject([
      { name: "bill", clauses: [expect.stringMatching(/politely/)] },
    ]);
  });

  it("cannot make another skill of one by improving it", async () => {
    const { dreams } = await dreaming({ skills: [invoice("invoice")] });
    const content = `# Bread\n\n${"Knead the dough with rye flour and let it rest overnight. ".repeat(6)}`;
    const plan = { toSave: [{ name: "invoice", content, sourceNames: ["invoice"] }] };
    const { proposals, declined } = await dreams.submit(JSON.stringify(plan));
    expect(proposals).toEqual([]);
    expect(declined[0]?.refusals.map(({ code }) => code)).toContain("subject-changed");
  });
});

describe("rules alone", () => {
  const archives = async (extra: string) => {
    const { dreams } = await dreaming({
      skills: [invoice("invoice"), invoice("bill", `${INVOICE}${extra}`)],
    });
    const { proposals } = await dreams.run();
    return proposals.filter(({ kind }) => kind === "archive").map((each) => changeOf(each)[1]);
  };

  it("archive one of two skills that say the same, and the poorer one of two", async () => {
    expect(await archives("")).toHaveLength(1);
    expect(await archives("5. Wait 14 days before the reminder.\n")).toEqual(["invoice"]);
  });

  it("never archive a skill with a clause of its own", async () => {
    const [mine, theirs] = ["4. Wait 14 days.", "4. Wait 30 days."].map((line) =>
      INVOICE.replace(/4\..*/, line),
    );
    const { dreams } = await dreaming({ skills: [invoice("invoice", mine), invoice("bill", theirs)] });
    const { proposals, evidence } = await dreams.run();
    expect(evidence.overlaps).toHaveLength(1);
    expect(proposals.filter(({ kind }) => kind === "archive")).toEqual([]);
  });
});

describe("proposals", () => {
  const skills = [invoice("invoice"), invoice("plan", "# Plan\n\n1. Plan the sprint with the whole team.\n")];
  const together = (id: string): SeedSession => ({
    session: id,
    daysAgo: 3,
    turns: [{ message: "invoice and plan", recalled: ["invoice", "plan"], used: ["invoice", "plan"] }],
  });
  const start = { skills, sessions: [together("s1"), together("s2")] };

  it("may be made again after an undo", async () => {
    const { dreams, learned } = await dreaming(start);
    const first = (await dreams.run()).proposals.map(({ title }) => title);
    expect(first.length).toBeGreaterThan(0);
    const { batch } = await dreams.accept("all");
    await learned.undo(batch);
    expect((await dreams.run()).proposals.map(({ title }) => title)).toEqual(first);
  });

  it("are undone once their change is taken back, and accepted once it is made again", async () => {
    const { dreams, learned } = await dreaming(start);
    await dreams.run();
    const { accepted, batch } = await dreams.accept("all");
    const numbers = accepted.map(({ number }) => number);
    const states = async () => {
      const all = await dreams.proposals();
      return new Set(numbers.map((number) => all.find((each) => each.number === number)?.state));
    };
    expect(await states()).toEqual(new Set(["accepted"]));
    expect(await dreams.account()).toMatchObject({ accepted: numbers.length, undone: 0 });
    await learned.undo(batch);
    expect(await states()).toEqual(new Set(["undone"]));
    expect(await dreams.account()).toMatchObject({ accepted: 0, undone: numbers.length, acceptanceRate: 0 });
    expect(await dreams.proposals("accepted")).toEqual([]);
    await learned.redo();
    expect(await states()).toEqual(new Set(["accepted"]));
  });

  it.each(["together", "link first", "improve first"])(
    "to link and to improve a skill go together: %s",
    async (order) => {
      const { dreams, engine } = await dreaming(start);
      const [link] = (await dreams.run()).proposals.filter(
        (each) => changeOf(each).join() === "link,invoice",
      );
      const content = `${INVOICE}5. File the answer of accounting.\n`;
      const plan = { toSave: [{ name: "invoice", content, sourceNames: ["invoice"] }] };
      const [improve] = (await dreams.submit(JSON.stringify(plan), { pass: "optimize" })).proposals;
      const steps =
        order === "together"
          ? [[link!, improve!]]
          : order === "link first"
            ? [[link!], [improve!]]
            : [[improve!], [link!]];
      for (const step of steps) expect((await dreams.accept(step)).declined).toEqual([]);
      await engine.library.refresh();
      expect((await engine.library.find("invoice")).manifest.seeAlso).toEqual(["plan"]);
      expect((await engine.library.show("invoice", { review: true })).body).toContain("File the answer");
    },
  );

  it("are accepted as far as they can be, and each of the others says why not", async () => {
    const { dreams, learned, space } = await dreaming(start);
    await dreams.run();
    await learned.pin("plan", true);
    const { code, out } = await space.cli("proposals", "accept", "--all", "--json");
    const { accepted, declined } = JSON.parse(out);
    expect(code).toBe(1);
    expect(accepted.map(changeOf)).toEqual([["link", "invoice"]]);
    expect(declined).toMatchObject([{ refusals: [{ code: "stale" }] }]);
  });
});

describe("skills that nobody learned here", () => {
  const OLD = "p/.claude/skills";
  const many = (recalled: readonly string[], used: readonly string[] = ["invoice"]): SeedSession[] =>
    Array.from({ length: 12 }, (_, at) => ({
      session: `s${at}`,
      daysAgo: 1 + at / 10,
      turns: [{ message: `do thing ${at}`, recalled: ["invoice", ...recalled], used }],
    }));
  const files = {
    [`${OLD}/juggle/SKILL.md`]: skillText("Juggles balls.", "", "Throw three balls.\n"),
    [`${OLD}/hollow/SKILL.md`]: skillText("Says nothing.", "", "\n"),
  };

  it("are proposed to be switched off: shown and never activated, or without instructions", async () => {
    const { dreams, engine, space } = await dreaming({
      files,
      skills: [invoice("invoice")],
      sessions: many(["juggle"]),
    });
    const { proposals, evidence } = await dreams.run();
    expect(evidence.neglected.map(({ name, why }) => [name, why])).toEqual([
      ["hollow", "broken"],
      ["juggle", "never-activated"],
    ]);
    const before = readFileSync(space.path(`${OLD}/juggle/SKILL.md`), "utf8");
    const off = proposals.filter(({ kind }) => kind === "disable");
    const { batch } = await dreams.accept(off);
    const states = async () =>
      (await engine.library.list()).skills.map(({ skill, state }) => `${skill.name} ${state}`).sort();
    expect(await states()).toEqual(["hollow disabled", "invoice active", "juggle disabled"]);
    expect(readFileSync(space.path(`${OLD}/juggle/SKILL.md`), "utf8")).toBe(before);
    expect(readFileSync(join(space.home, ".repertoire/repertoire.config.json"), "utf8")).toContain("juggle");
    await dreams.undo(batch);
    expect(await states()).toEqual(["hollow active", "invoice active", "juggle active"]);
    expect((await dreams.run({ force: true })).proposals.map(({ kind }) => kind)).toContain("disable");
  });

  it("are not switched off by --apply, nor while nobody knows what was used", async () => {
    const { dreams } = await dreaming({ files, skills: [invoice("invoice")], sessions: many(["juggle"]) });
    const { applied } = await dreams.run({ apply: true });
    expect(applied?.accepted.map(({ kind }) => kind)).not.toContain("disable");
    const unknown = await dreaming({ files, skills: [invoice("invoice")], sessions: many(["juggle"], []) });
    expect((await unknown.dreams.report()).neglected.map(({ name }) => name)).toEqual(["hollow"]);
  });

  it("are shown together if they overlap, by the settings", async () => {
    const body = (line: string) => `${INVOICE}5. ${line}\n`;
    const { dreams, engine, space } = await dreaming({
      files: {
        [`${OLD}/bill-eu/SKILL.md`]: skillText("Writes a bill.", "", body("Add 19% tax.")),
        [`${OLD}/bill-us/SKILL.md`]: skillText("Writes a bill.", "", body("Add 7% tax.")),
      },
    });
    const { proposals } = await dreams.run();
    expect(proposals.map(({ kind }) => kind)).toEqual(["relate"]);
    const { batch } = await dreams.accept("all");
    expect(engine.config.recall.links).toEqual({ "bill-eu": ["bill-us"] });
    expect(space.open().config.recall.links).toEqual({ "bill-eu": ["bill-us"] });
    expect((await dreams.run({ force: true })).proposals).toEqual([]);
    await dreams.undo(batch);
    expect(space.open().config.recall.links["bill-eu"] ?? []).toEqual([]);
  });
});

describe("five sessions that ask for the same", () => {
  const ASKED = ["api", "shop", "staging", "mail", "wiki"].map(
    (host) => `renew the TLS certificate of the ${host} host`,
  );

  it("lead to an outline for the person's agent, without a model", async () => {
    const { dreams, engine } = await dreaming({ sessions: sessionsOf(ASKED), skills: [invoice("invoice")] });
    const { proposals } = await dreams.run();
    expect(proposals.map(({ kind }) => kind)).toEqual(["draft"]);
    const name = changeOf(proposals[0]!)[1]!;
    expect(name).toContain("certificate");
    await dreams.accept("all");
    await engine.library.refresh();
    const body = (await engine.library.show(name, { review: true })).body;
    expect(body).toContain("save_skill");
    expect(body).toContain(ASKED[4]);
  });

  it("not if four ask", async () => {
    const { dreams } = await dreaming({ sessions: sessionsOf(ASKED.slice(1)) });
    expect((await dreams.run()).proposals).toEqual([]);
  });

  it("also if another skill was recalled each time and none was used", async () => {
    const others = ["a", "b", "c", "d", "e"].map((name) =>
      invoice(`other-${name}`, `# ${name}\n\nDo the ${name} work.\n`),
    );
    const sessions = ASKED.map((message, at): SeedSession => {
      return { session: `s${at}`, daysAgo: 5 - at, turns: [{ message, recalled: [others[at]!.name] }] };
    });
    const { dreams } = await dreaming({ sessions, skills: others });
    expect((await dreams.report()).gaps).toMatchObject([{ sessions: { length: 5 } }]);
  });
});
