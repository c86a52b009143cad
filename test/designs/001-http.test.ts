// Walks over HTTP what keeps a library well, and the lists of the last two designs: what a program on this machine can do without
// the command line.

import { describe, expect, it } from "vitest";
import { served } from "../http-served.ts";
import { skillText } from "../skill-tree.ts";

const INVOICE = `# Invoice\n\n1. Open the ledger of the client.\n2. Write the invoice with the number of the order.\n3. Send the invoice to accounting.\n4. Never send an invoice twice.\n`;
const PLAN =
  "# Plan\n\n1. Plan the sprint with the whole team on Monday.\n2. Write the goals on the board.\n";

async function library() {
  const server = await served({ files: { "p/readme.md": "x" }, values: { "embedder.kind": "none" } });
  const save = (name: string, description: string, content: string) =>
    server.engine.learned.save({ name, description, content, author: "agent" });
  await save("invoice", "Writes an invoice for a client.", INVOICE);
  await save("bill", "Writes a bill for a client.", `${INVOICE}5. Wait 14 days before the reminder.\n`);
  await save("plan", "Plans a sprint.", PLAN);
  const used = async (session: string, message: string) => {
    await server.call("prompt", { body: { session, message } });
    await server.call("activateSkill", { params: { name: "invoice" }, body: { session, task: session } });
  };
  const submit = (plan: object, pass?: string) => server.call("submitDream", { body: { plan, pass } });
  const codes = ({ declined }: { declined: { refusals: { code: string }[] }[] }) =>
    declined.flatMap(({ refusals }) => refusals.map(({ code }) => code));
  return { ...server, used, submit, codes };
}

it("what was said against a skill leads to it, with the words in the question", async () => {
  const { call, used } = await library();
  const next = (session: string, message: string) => call("prompt", { body: { session, message } });
  await used("s1", "write an invoice for Miller");
  await call("reportOutcome", {
    body: { session: "s1", outcome: "failure", note: "the tax id was missing" },
  });
  await used("s2", "write an invoice for Smith");
  await next("s2", "no, that is wrong: the address comes first");
  await used("s3", "write an invoice for Jones");
  await call("rateSession", { params: { session: "s3" }, body: { rating: "poor", note: "three attempts" } });
  await used("s4", "write an invoice for Brown");
  await next("s4", "the date goes at the top");
  await used("s5", "write an invoice for Green");
  await next("s5", "could you move the date to the top?");
  const { atRisk } = await call("dreamReport");
  expect(atRisk).toMatchObject([{ name: "invoice", sessions: ["s1", "s2", "s3", "s4", "s5"] }]);
  const { questions } = await call("dreamQuestions");
  const question = questions.find(({ pass }: { pass: string }) => pass === "optimize");
  for (const words of ["tax id was missing", "address comes first", "three attempts", "date goes at the top"])
    expect(JSON.stringify(question)).toContain(words);
});

describe("a plan that is submitted", () => {
  it("loses its bad items, and the rest stands", async () => {
    const { submit, codes } = await library();
    const good = { name: "invoice", content: INVOICE, seeAlso: ["plan"], sourceNames: [] };
    const answer = await submit({
      toSave: [{ name: "x", content: " " }, good, { name: "y" }, null],
      toDelete: [7],
    });
    expect(answer.proposals.map(({ kind }: { kind: string }) => kind)).toEqual(["link"]);
    expect(new Set(codes(answer))).toEqual(new Set(["plan-item-dropped"]));
  });

  it("loses nothing unique by a merge, and keeps to the subject", async () => {
    const { submit, codes } = await library();
    const sourceNames = ["invoice", "bill"];
    const merge = { toSave: [{ name: "invoice", content: INVOICE, sourceNames }], toDelete: ["bill"] };
    expect(codes(await submit(merge))).toContain("content-lost");
    const content = `# Bread\n\n${"Knead the dough with rye flour and let it rest overnight. ".repeat(6)}`;
    const other = { toSave: [{ name: "invoice", content, sourceNames: ["invoice"] }] };
    expect(codes(await submit(other, "optimize"))).toContain("subject-changed");
  });
});

it("proposals are accepted as far as they can be, counted as undone after an undo, and then made again", async () => {
  const { call, submit } = await library();
  const link = { toSave: [{ name: "invoice", content: INVOICE, seeAlso: ["plan"], sourceNames: [] }] };
  const better = { name: "invoice", content: `${INVOICE}5. File the answer.\n`, sourceNames: ["invoice"] };
  const merged = `${INVOICE}5. Wait 14 days before the reminder.\n`;
  const merge = { name: "invoice", content: merged, sourceNames: ["invoice", "bill"] };
  await submit(link);
  await submit({ toSave: [better] }, "optimize");
  await submit({ toSave: [merge], toDelete: ["bill"] });
  const { accepted, declined } = await call("acceptProposals", { body: { all: true } });
  expect(accepted.map(({ kind }: { kind: string }) => kind)).toEqual(["link", "improve"]);
  expect(declined).toMatchObject([{ number: 3, refusals: [{ code: "touched-twice" }] }]);
  await call("undo", { body: {} });
  expect((await call("dreamStatus")).account).toMatchObject({ accepted: 0, undone: 2 });
  expect((await submit(link)).proposals).toMatchObject([{ kind: "link" }]);
});

const WORDS = ["amber", "basalt", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jade"];
const MANY = Object.fromEntries([
  ...WORDS.flatMap((a) =>
    WORDS.map((b) => [
      `p/skills/${a}-${b}/SKILL.md`,
      skillText(`Sorts ${a} beside ${b}. ${`It says more about ${a} and ${b}. `.repeat(20)}`),
    ]),
  ),
  ["p/skills/zz-chimney/SKILL.md", skillText("Sweeps the chimney.", "triggers: [sweep the chimney]\n")],
]);

it.each(["catalog", "on-demand"])(
  "the style %s has what the message is about first, in any budget",
  async (style) => {
    const { call } = await served({ files: MANY, values: { "embedder.kind": "none" } });
    const ask = (budget?: object) =>
      call("prompt", { body: { message: "sweep the chimney", style, budget } });
    const names = (shown: { name: string }[]) => shown.map(({ name }) => name);
    const whole = await ask();
    expect(names(whole.shown)[0]).toBe("zz-chimney");
    expect(whole.omitted).toBe(0);
    const small = await ask({ chars: 700 });
    expect(names(small.shown)).toContain("zz-chimney");
    expect(small.omitted).toBeGreaterThan(0);
  },
);
