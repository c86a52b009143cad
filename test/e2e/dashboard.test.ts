// The dashboard in a real browser, against a real server, store and library. Needs `npm run build`.

import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startBrowser } from "../../scripts/browser.mjs";
import { makeDemo } from "../../src/adapters/demo/demo.ts";
import { OPERATIONS } from "../../src/adapters/http/api/operations.ts";
import { type Serving, serveOverHttp } from "../../src/adapters/http/serve.ts";
import { served } from "../http-served.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

const VIEWS = ["home", "library", "playground", "evaluation", "sessions", "dreams", "relations", "health"];
const LOOKS = ["light", "dark", "phone"] as const;
const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

let browser: Browser;
let demo: Awaited<ReturnType<typeof makeDemo>>;
let serving: Serving;
let context: BrowserContext;
/** What the pages said on their consoles and threw. */
const complaints: string[] = [];
/** A request that failed unexpectedly is a complaint, too. */
const note = (text: string) => void complaints.push(`server: ${text}`);
/** Every address that the pages asked for. */
const asked: string[] = [];

async function opened(link: string): Promise<BrowserContext> {
  // What moves would be measured on its way.
  const made = await browser.newContext({ reducedMotion: "reduce" });
  made.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  made.on("weberror", (error) => complaints.push(String(error.error())));
  made.on("request", (request) => asked.push(request.url()));
  const page = await made.newPage();
  await page.goto(link);
  await page.close();
  return made;
}

async function show(hash: string, within = context, origin = originOf(serving)): Promise<Page> {
  const page = await within.newPage();
  onTestFinished(() => page.close());
  await page.goto(`${origin}/${hash}`);
  await settled(page);
  return page;
}

const originOf = ({ port }: Serving) => `http://127.0.0.1:${port}`;

async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
}

beforeAll(async () => {
  browser = await startBrowser();
  demo = await makeDemo({ values: { "sources.bundled": false }, env: { PATH: process.env.PATH } });
  await demo.engine.dreams.run({ force: true });
  serving = await serveOverHttp(demo.engine, { port: 0, version: "0.0.0", tools: "default", note });
  context = await opened(serving.link());
});

afterAll(async () => {
  await browser?.close();
  await serving?.close();
  demo?.remove();
});

describe("the one-time link", () => {
  it("lets one browser in, once, with a cookie that no script reads and no other site sends", async () => {
    const link = serving.link();
    const first = await fetch(link, { redirect: "manual" });
    expect(first.status).toBe(303);
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    const again = await fetch(link, { redirect: "manual" });
    expect(again.headers.get("set-cookie")).toBeNull();
    const ask = (site: string | undefined) =>
      fetch(`${originOf(serving)}/api/server`, {
        headers: { cookie: cookie.split(";")[0]!, ...(site !== undefined && { "sec-fetch-site": site }) },
      }).then(({ status }) => status);
    expect([
      await ask("same-origin"),
      await ask("same-site"),
      await ask("cross-site"),
      await ask(undefined),
    ]).toEqual([200, 401, 401, 401]);
  });

  it("tells a browser without it what to do", async () => {
    const stranger = await browser.newContext();
    onTestFinished(() => stranger.close());
    const page = await stranger.newPage();
    await page.goto(originOf(serving));
    await page.getByText("repertoire ui").waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
  });

  it("comes with a policy that allows our own files only, and nothing inline", async () => {
    const { headers } = await fetch(originOf(serving));
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  });
});

it("is small: all its files together have less than 250 kB compressed", () => {
  const files = readdirSync("dist/dashboard");
  const bytes = files.map((name) => gzipSync(readFileSync(join("dist/dashboard", name))).length);
  expect(files).toContain("main.js");
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(250_000);
});

describe("every view", () => {
  it.each(LOOKS)("is without serious barriers: %s", async (look) => {
    const page = await show("#/home");
    await wear(page, look);
    const hashes = [
      ...VIEWS,
      "library?tree=1",
      "library?view=expensive",
      "skill/invoice-pdf",
      "skill/deploy-preview",
      "skill/free-coupons",
      "sessions?look=bad",
      "sessions/demo-4?turn=1",
      "playground?m=write+an+invoice",
      "playground?m=write+an+invoice&with=recall.threshold+%3D+0.9",
    ];
    for (const hash of hashes) {
      await page.goto(`${originOf(serving)}/#/${hash}`);
      await settled(page);
      expect([hash, ...(await barriersOf(page))]).toEqual([hash]);
      const overflow = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([hash, overflow]).toEqual([hash, 0]);
    }
  });

  it.each(LOOKS)("is without serious barriers in what opens on it: %s", async (look) => {
    const page = await show("#/home");
    await wear(page, look);
    const overlays: Readonly<Record<string, () => Promise<unknown>>> = {
      Find: () => page.keyboard.press("Control+k"),
      Keys: () => page.keyboard.press("?"),
    };
    for (const [name, open] of Object.entries(overlays)) {
      await page.locator("h1").click();
      await open();
      await page.getByRole("dialog", { name }).waitFor();
      expect([name, ...(await barriersOf(page))]).toEqual([name]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name }).waitFor({ state: "detached" });
    }
    await page.goto(`${originOf(serving)}/#/skill/deploy-preview`);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel(/^Description/).fill("Renames the columns of a spreadsheet.");
    await page.getByLabel("What would change").waitFor();
    expect(["the editor", ...(await barriersOf(page))]).toEqual(["the editor"]);
    await page.goto(`${originOf(serving)}/#/library`);
    await page.getByLabel("Choose old-intranet").check();
    expect(["chosen rows", ...(await barriersOf(page))]).toEqual(["chosen rows"]);
  });
});

async function wear(page: Page, look: (typeof LOOKS)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
  await page.setViewportSize(look === "phone" ? { width: 390, height: 844 } : { width: 1280, height: 900 });
}

/** What axe calls serious or worse on the page as it is now. */
async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id} ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(" ")}`,
    );
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe("the library", () => {
  it("finds by meaning as you type, keeps the filter in the address, switches off and undoes it", async () => {
    const page = await show("#/library");
    await page.getByRole("searchbox").fill("try out a branch");
    await expect
      .poll(() => page.locator("tr.skill .name").first().textContent())
      .toMatch(/deploy-preview|preview-branch/);
    expect(page.url()).toContain("q=try");
    await page.getByRole("searchbox").fill("");
    await page.getByRole("button", { name: "Broken or dangerous" }).click();
    await expect.poll(() => page.locator("tr.skill").count()).toBe(1);
    await page.getByText(/^1 of \d+ skills/).waitFor();
    const state = async () => (await demo.engine.library.show("free-coupons")).skill.state;
    await page.getByRole("button", { name: "Disable free-coupons" }).click();
    await expect.poll(state).toBe("disabled");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(state).toBe("active");
  });

  it("shows the most expensive first, and switches several at once", async () => {
    const page = await show("#/library?view=expensive");
    expect(await page.locator("tr.skill .name").first().textContent()).toBe("invoice-pdf");
    await page.getByLabel("Choose old-intranet").check();
    await page.getByLabel("Choose expense-report").check();
    await page.locator(".bulk").getByRole("button", { name: "Disable" }).click();
    await page.getByText("2 skills disabled.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    for (const name of ["old-intranet", "expense-report"])
      await expect
        .poll(async () => (await demo.engine.library.show(name)).skill.state, { timeout: 60_000 })
        .toBe("active");
  });

  it("folds a family away, and keeps a view that the person named", async () => {
    await demo.engine.learned.save({ name: "bank/letters", content: "Writes letters to the bank.\n" });
    await demo.engine.learned.save({ name: "bank", content: "Everything about the bank.\n" });
    const page = await show("#/library");
    await page.getByLabel("Order").selectOption("families");
    await page.getByRole("link", { name: "bank/letters" }).waitFor();
    await page.getByRole("button", { name: "Children of bank" }).click();
    await page.getByText("and 1 child").waitFor();
    expect(await page.getByRole("link", { name: "bank/letters" }).count()).toBe(0);
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByLabel("Name of the view").fill("my families");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.goto(`${originOf(serving)}/#/library`);
    await page.getByRole("button", { name: "my families", exact: true }).click();
    await expect.poll(() => page.url()).toContain("tree=1");
    await page.getByRole("button", { name: "Forget the view my families" }).click();
    expect(await page.getByRole("button", { name: "my families", exact: true }).count()).toBe(0);
    await demo.engine.learned.delete("bank/letters");
    await demo.engine.learned.delete("bank");
  });

  it("chooses all that a view shows, and chooses none again", async () => {
    const page = await show("#/library?q=preview&source=~%2F.repertoire%2Fskills");
    await page.getByLabel(/^Choose all/).check();
    await page
      .locator(".bulk")
      .getByText(/\d+ skills chosen/)
      .waitFor();
    await page.getByRole("button", { name: "Choose none" }).click();
    expect(await page.locator(".bulk").count()).toBe(0);
  });

  it("has only the rows in sight in the page, of a thousand skills", async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 1_000; at++)
      files[`p/skills/s-${String(at).padStart(4, "0")}/SKILL.md`] =
        `---\nname: s-${String(at).padStart(4, "0")}\ndescription: Does thing ${at}. Use for thing ${at}.\n---\nDo it.\n`;
    const { engine, close } = await served({ files });
    await close();
    const { dir, home } = engine.config;
    const { openRepertoire } = await import("../../src/engine/engine.ts");
    const many = await serveOverHttp(openRepertoire({ dir, home, values: { "sources.bundled": false } }), {
      ...{ port: 0, version: "0.0.0", tools: "default", note },
    });
    onTestFinished(() => many.close());
    const own = await opened(many.link());
    onTestFinished(() => own.close());
    const page = await show("#/library", own, originOf(many));
    expect(await page.locator("tr.skill").count()).toBeLessThan(80);
    await page.locator(".rows").evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await page.getByText("s-0999", { exact: true }).waitFor();
    expect(await page.locator("tr.skill").count()).toBeLessThan(80);
  });
});

describe("the playground", () => {
  it("explains a recall, and makes a case of what should have been", async () => {
    const page = await show("#/playground");
    await page.getByLabel("Message").fill("rename the columns of the spreadsheet");
    await page.getByText("Nothing is recalled").waitFor();
    await page.getByText("What the agent gets").waitFor();
    await page.getByRole("button", { name: "catalog" }).click();
    await page.locator("pre.source").getByText("invoice-pdf").waitFor();
    await page.getByLabel("Host mode").selectOption("rebuild");
    await expect.poll(() => page.locator(".styles tbody tr").count()).toBe(6);
    await page.getByLabel("Should have been", { exact: true }).fill("expense-report");
    await page.getByRole("button", { name: "Correct it" }).click();
    await page.getByRole("heading", { name: "1 match" }).waitFor();
    const cases = readFileSync(join(demo.engine.turns.dataDirectory, "evals.jsonl"), "utf8").trim();
    expect(JSON.parse(cases.split("\n").at(-1)!)).toEqual({
      query: "rename the columns of the spreadsheet",
      gold: ["expense-report"],
    });
  });

  it("offers the skills that came close as what should have been, one click each", async () => {
    const message = "write the minutes of the meeting with the bank";
    const page = await show(`#/playground?m=${encodeURIComponent(message)}`);
    await page.getByRole("button", { name: "Should have been invoice-pdf" }).click();
    await page.getByText(/^Messages like this one now lead to/).waitFor();
    const cases = readFileSync(join(demo.engine.turns.dataDirectory, "evals.jsonl"), "utf8").trim();
    expect(JSON.parse(cases.split("\n").at(-1)!)).toEqual({ query: message, gold: ["invoice-pdf"] });
  });

  it("compares with another project and with other settings, side by side", async () => {
    const other = temporaryTree({
      "skills/plants/SKILL.md": skillText("Waters plants. Use when plants are dry."),
    });
    const page = await show("#/playground?m=water+the+dry+plants");
    await page.getByText("Compare with another project").click();
    await page.getByLabel("Folder of the other project").fill(other);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    const there = page.locator(".card", { hasText: "There: 1 match" });
    await there.getByText("only here").waitFor();
    await there.getByRole("link", { name: "plants" }).waitFor();
    await page.getByRole("button", { name: "Stop comparing" }).click();
    await page.getByRole("heading", { name: /^There/ }).waitFor({ state: "detached" });
    await page.getByText("Compare with another project").click();
    await page.getByLabel("Other settings, one a line").fill("no line");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("alert").waitFor();
  });

  it("begins with a message to try", async () => {
    const page = await show("#/playground");
    await page.getByRole("button", { name: "this test fails only sometimes" }).click();
    await page.getByRole("heading", { name: /match/ }).waitFor();
    expect(page.url()).toContain("m=this");
  });
});

describe("evaluation", () => {
  it("measures, keeps the run, shows what changed, and leads to the playground", async () => {
    const page = await show("#/evaluation");
    const runs = () => page.getByRole("button", { name: /^Show the run/ });
    await runs().first().waitFor();
    const before = await runs().count();
    await page.getByLabel("with what recall learned from use").check();
    await page.getByRole("button", { name: "Measure" }).click();
    await expect.poll(() => runs().count(), { timeout: 60_000 }).toBe(before + 1);
    await runs().last().click();
    await page.getByText("There is no earlier run to compare with.").waitFor();
    await page
      .getByRole("button", { name: /^Compare with the run/ })
      .first()
      .click();
    await page.getByText("The differences are to the run").waitFor();
    const failed = page.locator(".findings a:not(.name)").first();
    const message = await failed.textContent();
    await failed.click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe(message);
  });
});

describe("a skill's page", () => {
  it("edits a learned skill, shows the change and takes it back", async () => {
    const page = await show("#/skill/flaky-tests");
    const body = async () => (await demo.engine.library.show("flaky-tests", { review: true })).body ?? "";
    const before = await body();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Instructions", { exact: true }).fill(`${before}\n4. Tell the others.\n`);
    await page.getByRole("button", { name: "Save a new version" }).click();
    await expect.poll(body).toContain("Tell the others");
    await page.locator(".versions > li").nth(2).waitFor();
    await page.locator("summary", { hasText: "Changes" }).first().click();
    await page.locator(".diff .plus").getByText("Tell the others").first().waitFor();
    await page.getByRole("button", { name: "Restore" }).first().click();
    await expect.poll(body).not.toContain("Tell the others");
  });

  it("says while a description is typed which messages would move, and refuses one that is too long", async () => {
    const page = await show("#/skill/deploy-preview");
    const before = (await demo.engine.library.show("deploy-preview")).digest;
    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel(/^Description/);
    await field.fill(
      "Renames the columns of a spreadsheet. Use when columns of a spreadsheet have wrong names.",
    );
    const effect = page.getByLabel("What would change");
    await effect.getByText("rename the columns of this spreadsheet, please").waitFor();
    await effect.locator(".tag.success", { hasText: "deploy-preview" }).first().waitFor();
    await field.fill("x ".repeat(600));
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: "Save a new version" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Cancel" }).click();
    expect((await demo.engine.library.show("deploy-preview")).digest).toBe(before);
  });

  it("tries a description of a skill that belongs to its source, without a way to save it", async () => {
    const page = await show("#/skill/invoice-pdf");
    await page.getByRole("button", { name: "What if …" }).click();
    await page.getByLabel(/^Description/).fill("Renames the columns of a spreadsheet. Use for its columns.");
    await page
      .getByLabel("What would change")
      .getByText("rename the columns of the spreadsheet with the customers")
      .waitFor();
    expect(await page.getByRole("button", { name: "Save a new version" }).count()).toBe(0);
    await page.getByRole("button", { name: "Close" }).click();
  });

  it("shows its weeks with its versions, its rivals and its neighbours", async () => {
    const page = await show("#/skill/flaky-tests");
    await page.getByRole("img", { name: /^By week: shown/ }).waitFor();
    expect(await page.locator(".weeks .mark circle").count()).toBeGreaterThanOrEqual(2);
    await page.goto(`${originOf(serving)}/#/skill/invoice-pdf`);
    await page.getByText("Nearest rivals").waitFor();
    await page.locator(".neighbours").getByRole("link", { name: "meeting-minutes" }).click();
    await page.getByRole("heading", { level: 1, name: "meeting-minutes" }).waitFor();
  });

  it("shows its source, and the rendered text again", async () => {
    const page = await show("#/skill/invoice-pdf");
    await page.getByRole("button", { name: "Source" }).click();
    await page.locator("pre.source").getByText("## Rules").waitFor();
    await page.getByRole("button", { name: "Rendered" }).click();
    await page.getByRole("heading", { name: "Rules" }).waitFor();
  });

  it("finds an update of a skill from elsewhere, takes it and undoes it", async () => {
    const body = async () => (await demo.engine.library.show("brand-voice", { review: true })).body ?? "";
    const page = await show("#/home");
    await page.getByRole("button", { name: "Look for updates" }).click();
    await page.getByText("1 update found.").waitFor();
    await page.goto(`${originOf(serving)}/#/library?view=updates`);
    await page.locator("tr.skill").getByRole("link", { name: "brand-voice" }).click();
    await page.getByRole("button", { name: "Take the update" }).click();
    await expect.poll(body).toContain("Never promise a date");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(body).not.toContain("Never promise a date");
  });

  it("pins, trusts what was looked at, and stops trusting it", async () => {
    const page = await show("#/skill/flaky-tests");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.getByRole("button", { name: "Pin", exact: true }).waitFor();
    await page.getByRole("button", { name: "Trust this content" }).click();
    await expect.poll(async () => (await demo.engine.consents.trusted()).length).toBe(1);
    await page.getByRole("button", { name: "Stop trusting it" }).click();
    await expect.poll(async () => (await demo.engine.consents.trusted()).length).toBe(0);
  });

  it("is switched off and on, and tried in the playground", async () => {
    const page = await show("#/skill/old-intranet");
    const state = async () => (await demo.engine.library.show("old-intranet")).skill.state;
    await page.getByRole("button", { name: "Disable" }).click();
    await expect.poll(state).toBe("disabled");
    await page.getByRole("button", { name: "Enable" }).click();
    await expect.poll(state).toBe("active");
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
  });

  it("says what is wrong when there is no such skill", async () => {
    const page = await show("#/skill/nowhere");
    await page.getByRole("alert").waitFor();
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("404")));
  });
});

describe("dreams", () => {
  it("accepts a proposal, undoes it, and rejects another with keys", async () => {
    const page = await show("#/dreams");
    const states = async () => (await demo.engine.dreams.proposals()).map(({ state }) => state).sort();
    expect((await states()).length).toBeGreaterThanOrEqual(2);
    const decided = async () => (await states()).filter((state) => state !== "open");
    // Pressed again before the page has answered: the second one is neither an error nor a decision about the next.
    await page.getByRole("button", { name: /^Accept/ }).waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    const undo = page.locator(".toast").getByRole("button", { name: "Undo" });
    await undo.waitFor();
    expect(await decided()).toEqual(["accepted"]);
    await undo.click();
    await page.getByText(/^Undone: /).waitFor();
    await page.locator("h1").click();
    await page.keyboard.press("x");
    await expect.poll(states).toContain("rejected");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("list", { name: "Proposals" }).getByRole("button").last().click();
    await page.getByRole("button", { name: "Waiting" }).click();
    await page.getByRole("button", { name: "Dream now" }).click();
    await page.getByText(/The dream made/).waitFor();
  });
});

it("says why a proposal is refused, and does not call it accepted", async () => {
  const made = await makeDemo({ values: { "sources.bundled": false }, env: { PATH: process.env.PATH } });
  onTestFinished(() => made.remove());
  await made.engine.dreams.run({ force: true });
  const own = await serveOverHttp(made.engine, { port: 0, version: "0.0.0", tools: "default", note });
  onTestFinished(() => own.close());
  const visitor = await opened(own.link());
  onTestFinished(() => visitor.close());
  const page = await show("#/dreams", visitor, originOf(own));
  await page
    .getByRole("list", { name: "Proposals" })
    .getByRole("button", { name: /^Archive preview-branch/ })
    .click();
  await page.getByRole("heading", { name: /^Archive preview-branch/ }).waitFor();
  await made.engine.learned.pin("preview-branch", true);
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.locator(".toast.bad").waitFor();
  const states = (await made.engine.dreams.proposals()).map(({ state }) => state);
  expect(states).not.toContain("accepted");
});

describe("sessions, home and health", () => {
  it("take an outcome and a rating, and lead from a message to the playground", async () => {
    const page = await show("#/sessions?look=bad");
    await page.getByText("deploy the branch login-form as a preview").click();
    await page.getByLabel("What should have been different in turn 1").fill("ask for the token first");
    await page.getByRole("button", { name: "Turn 1 went wrong" }).click();
    await page.getByText("note ask for the token first").waitFor();
    await page.getByRole("button", { name: "good" }).click();
    await page.getByText("The session was rated good.").waitFor();
    await page.goto(`${originOf(serving)}/#/home`);
    // As in the queue: a correction is no message that lacks a skill.
    const nothing = page.locator(".card").filter({
      has: page.getByRole("heading", { name: "Messages that got nothing" }),
    });
    await nothing.getByRole("link", { name: "rename all columns in the new spreadsheet" }).waitFor();
    expect(await nothing.getByRole("link", { name: /^no, that is wrong/ }).count()).toBe(0);
    await nothing.getByRole("link", { name: "rename all columns in the new spreadsheet" }).click();
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    await page.goto(`${originOf(serving)}/#/health`);
    await page.getByText("Claude Code").first().waitFor();
    await page.getByRole("button", { name: "Scan and index again" }).click();
    await page.getByText("the recall index is up to date").waitFor();
    await page.getByRole("button", { name: "Tidy" }).click();
    await page.getByText(/removed that your settings keep no longer/).waitFor();
  });

  it("queue the turns that look bad, by what is wrong with them", async () => {
    const page = await show("#/sessions");
    await page.getByRole("button", { name: "Turns that look bad" }).click();
    await page.getByRole("button", { name: /^nothing recalled/ }).click();
    expect(await page.getByRole("link", { name: /^no, that is wrong/ }).count()).toBe(0);
    await page.getByRole("button", { name: /^corrected/ }).click();
    await page.getByRole("link", { name: /write the invoice for the workshop/ }).click();
    await page.getByText("look here").waitFor();
    await page.locator("#turn-1").getByText("corrected", { exact: true }).waitFor();
    expect(await page.locator("#turn-2").getByText("corrected", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Turn 1 went well" }).click();
    await page.getByText("Noted: it went well.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
  });

  it("fix from the page what doctor can fix without risk", async () => {
    const folder = demo.engine.turns.dataDirectory;
    chmodSync(folder, 0o755);
    const page = await show("#/health");
    await page.getByText("others on this machine can read").waitFor();
    await page.getByRole("button", { name: /^Fix what is safe/ }).click();
    await expect.poll(() => statSync(folder).mode & 0o777).toBe(0o700);
    await page.getByText("what Repertoire keeps is yours alone").waitFor();
  });

  it("show what changed since the last visit until it is marked as seen", async () => {
    const page = await show("#/home");
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByText("No skill is new, changed or gone").waitFor();
    await demo.engine.learned.save({ name: "water-plants", content: "Waters the plants.\n" });
    await page.getByRole("heading", { name: "New" }).waitFor();
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByText("No skill is new, changed or gone").waitFor();
    await demo.engine.learned.delete("water-plants");
  });
});

describe("relations", () => {
  it("rank pairs beside a picture of at most 30 skills, each a link", async () => {
    const page = await show("#/relations");
    await page.getByRole("button", { name: "Overlaps" }).click();
    expect(page.url()).toContain("kind=overlap");
    expect(await page.locator(".neighbours a").count()).toBeLessThanOrEqual(30);
    await page.getByRole("button", { name: "Used together" }).click();
    await page.locator(".neighbours").getByRole("link", { name: "invoice-pdf" }).click();
    await page.getByRole("heading", { level: 1, name: "invoice-pdf" }).waitFor();
  });
});

describe("the keyboard", () => {
  it("finds a skill with Ctrl+K, shows the sheet of keys, and goes to views", async () => {
    const page = await show("#/home");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "View, skill or message" }).fill("invoice");
    await page.getByRole("option", { name: /invoice-pdf/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "invoice-pdf" }).waitFor();
    await page.getByRole("button", { name: "Disable" }).waitFor();
    // The tabulator goes on in the new view.
    await page.keyboard.press("Tab");
    expect(await page.locator("main .actions :focus").count()).toBe(1);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
    // The second key has a second's time, which a busy machine may need for itself.
    await expect
      .poll(
        async () => {
          await page.keyboard.press("g");
          await page.keyboard.press("l");
          return page.getByRole("heading", { level: 1, name: "Library" }).isVisible();
        },
        { timeout: 30_000 },
      )
      .toBe(true);
  });
});

describe("the frame", () => {
  it("has buttons for what the keys do, and one for the theme, which stays", async () => {
    const page = await show("#/home");
    const theme = () => page.evaluate<string | undefined>("document.documentElement.dataset.theme");
    await page.getByRole("button", { name: "Light or dark" }).click();
    const chosen = await theme();
    expect(chosen).toBe("dark");
    await page.reload();
    expect(await theme()).toBe(chosen);
    await page.getByRole("button", { name: "Light or dark" }).click();
    await page.getByRole("button", { name: /^Find/ }).click();
    const field = page.getByRole("combobox", { name: "View, skill or message" });
    await field.fill("mow the lawn");
    await page.getByRole("option", { name: /in the playground/ }).click();
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await page.getByRole("button", { name: /^Keys/ }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("message");
  });

  it("lets many pages be open: one has the event stream, the others hear of it, also once it is closed", async () => {
    const pages: Page[] = [];
    for (let at = 0; at < 8; at++) pages.push(await show("#/library"));
    for (const name of ["first-news", "second-news"]) {
      await demo.engine.learned.save({ name, content: "Brings the news.\n" });
      await pages.at(-1)!.getByRole("link", { name }).waitFor();
      await pages.shift()!.close();
    }
    for (const name of ["first-news", "second-news"]) await demo.engine.learned.delete(name);
  });

  it("says so when there is no such view, and when the server is gone", async () => {
    const page = await show("#/home");
    await page.goto(`${originOf(serving)}/#/nowhere`);
    await page.getByRole("alert").waitFor();
    await page.route("**/api/sessions*", (route) => route.abort());
    await page.goto(`${originOf(serving)}/#/sessions`);
    await page.getByText("Code: server-gone").waitFor();
    await page.unroute("**/api/sessions*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("write the invoice for October").waitFor();
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("ERR_FAILED")));
  });
});

describe("an empty library", () => {
  it("says in every view what to do next, with no error", async () => {
    const { engine, close } = await served({ files: { "p/README.md": "nothing here" } });
    await close();
    const { openRepertoire } = await import("../../src/engine/engine.ts");
    const { dir, home } = engine.config;
    const own = await serveOverHttp(openRepertoire({ dir, home, values: { "sources.bundled": false } }), {
      ...{ port: 0, version: "0.0.0", tools: "default", note },
    });
    onTestFinished(() => own.close());
    const visitor = await opened(own.link());
    onTestFinished(() => visitor.close());
    for (const view of [...VIEWS, "sessions?look=bad", "playground?m=mow+the+lawn"]) {
      const page = await show(`#/${view}`, visitor, originOf(own));
      expect([view, await page.getByRole("alert").count()]).toEqual([view, 0]);
      if (view !== "health") expect([view, await page.locator(".empty").count()]).not.toEqual([view, 0]);
    }
  });
});

describe("a hostile skill", () => {
  it("runs nothing and loads nothing", async () => {
    const hits: string[] = [];
    const trap = createServer((request, response) => {
      hits.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    await once(trap, "listening");
    onTestFinished(() => void trap.close());
    const away = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    const body = [
      "<script>window.owned = 1</script>",
      `<img src="${away}/html.png" onerror="window.owned = 2">`,
      `![picture](${away}/markdown.png)`,
      "[click](javascript:window.owned=3) [data](data:text/html,<script>window.owned=4</script>)",
      `<style>@import "${away}/style.css"; body { display: none }</style>`,
      `<iframe src="${away}/frame"></iframe><svg onload="window.owned=5"></svg>`,
      `<link rel="stylesheet" href="${away}/link.css"><base href="${away}/">`,
      "evil\u202egnp.exe",
      `| a | b |\n|---|---|\n${"| x | y |\n".repeat(5_000)}`,
      `[safe](${away}/only-when-clicked)`,
    ].join("\n\n");
    const files = {
      "p/skills/hostile/SKILL.md": `---\nname: hostile\ndescription: "<img src=${away}/d.png onerror=alert(1)> Use never."\n---\n${body}`,
      // A text that cannot be read as Markdown is shown as it is, so it is a skill of its own.
      "p/skills/deep/SKILL.md": skillText("Quotes.", "", `${body}\n\n${"> ".repeat(3_000)}deep\n`),
    };
    const { engine, close } = await served({ files });
    await close();
    const { openRepertoire } = await import("../../src/engine/engine.ts");
    const { dir, home } = engine.config;
    const own = await serveOverHttp(openRepertoire({ dir, home, values: { "sources.bundled": false } }), {
      ...{ port: 0, version: "0.0.0", tools: "default", note },
    });
    onTestFinished(() => own.close());
    const visitor = await opened(own.link());
    onTestFinished(() => visitor.close());
    const from = asked.length;
    // Charts of ours are pictures, too.
    const made = "main :is(img, iframe, style, script, link, base), .markdown svg";
    for (const hash of [
      "#/skill/hostile",
      "#/skill/deep",
      "#/library",
      "#/home",
      "#/health",
      "#/playground?m=hostile",
    ]) {
      const page = await show(hash, visitor, originOf(own));
      expect(await page.evaluate(() => (globalThis as { owned?: number }).owned)).toBeUndefined();
      expect(await page.locator(made).count()).toBe(0);
      expect(await page.locator("main a[href^='javascript:'], main a[href^='data:']").count()).toBe(0);
    }
    const page = await show("#/skill/hostile", visitor, originOf(own));
    await page.getByText("evil⟦U+202E⟧gnp.exe").waitFor();
    // Only now is the text of the skill there.
    expect(await page.locator(made).count()).toBe(0);
    expect(await page.locator("main table tr").count()).toBeLessThan(600);
    expect(hits).toEqual([]);
    expect(asked.slice(from).filter((url) => !url.startsWith(originOf(own)))).toEqual([]);
  });
});

describe("read-only mode", () => {
  it("looks at everything and changes nothing", async () => {
    const { engine, close } = await served();
    await close();
    const { openRepertoire } = await import("../../src/engine/engine.ts");
    const { dir, home } = engine.config;
    const looking = openRepertoire({ dir, home, values: { "sources.bundled": false } });
    const own = await serveOverHttp(looking, {
      ...{ port: 0, version: "0.0.0", tools: "default", note, readOnly: true },
    });
    onTestFinished(() => own.close());
    const visitor = await opened(own.link());
    onTestFinished(() => visitor.close());
    const page = await show("#/library", visitor, originOf(own));
    await page.getByText("Read only").waitFor();
    await page.getByRole("button", { name: "Disable plan-meeting" }).click();
    await page.getByText("--read-only").waitFor();
    expect((await looking.library.show("plan-meeting")).skill.state).toBe("active");
    const writing = OPERATIONS.filter(({ method, reads }) => method !== "get" && !reads);
    const statuses = await page.evaluate(
      (rows) =>
        Promise.all(
          rows.map(async ({ path, method }) => {
            const address = path.replace(/\{\w+\}/g, "1");
            return `${method} ${path} ${(await fetch(address, { method: method.toUpperCase() })).status}`;
          }),
        ),
      writing.map(({ path, method }) => ({ path, method })),
    );
    expect(statuses).toEqual(writing.map(({ path, method }) => `${method} ${path} 403`));
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes("403")));
  });
});

describe.each(["clicks", "keys"] as const)("five jobs of somebody new, with %s alone", (way) => {
  let own: Serving;
  let made: Awaited<ReturnType<typeof makeDemo>>;
  let visitor: BrowserContext;

  beforeAll(async () => {
    made = await makeDemo({ values: { "sources.bundled": false }, env: { PATH: process.env.PATH } });
    await made.engine.dreams.run({ force: true });
    own = await serveOverHttp(made.engine, { port: 0, version: "0.0.0", tools: "default", note });
    visitor = await opened(own.link());
  });
  afterAll(async () => {
    await visitor?.close();
    await own?.close();
    made?.remove();
  });

  /** Home, and a way to use what is on the page, which counts how often. */
  async function begun() {
    const page = await show("#/home", visitor, originOf(own));
    let steps = 0;
    const use = async (target: Locator) => {
      steps++;
      await target.first().waitFor();
      await settled(page);
      if (way === "clicks") return target.first().click();
      await reach(page, target.first());
      await page.keyboard.press("Enter");
    };
    return { page, use, steps: () => steps };
  }

  it("finds the three skills that waste most tokens", async () => {
    const { page, use, steps } = await begun();
    await use(page.getByRole("link", { name: "Library", exact: true }));
    await use(page.getByRole("button", { name: "Never used" }));
    const stats = await made.engine.journal.stats();
    const used = new Set<string>(stats.filter(({ activated }) => activated > 0).map(({ name }) => name));
    const wasted = (await listed(page))
      .filter(({ name }) => !used.has(name))
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, 3)
      .map(({ tokens }) => String(tokens));
    const first = page.locator("tr.skill td.number");
    await expect
      .poll(async () => (await first.allTextContents()).slice(0, 3).map((text) => text.split(" ")[0]))
      .toEqual(wasted);
    expect(steps()).toBeLessThanOrEqual(3);
  });

  it("sees why a message got the wrong skill, and makes a case of it", async () => {
    const { page, use, steps } = await begun();
    await use(page.getByRole("link", { name: "write the invoice for the workshop" }));
    await use(page.getByRole("link", { name: /^why these skills/ }));
    await page
      .getByText(/evidence \d+%, \d+% needed/)
      .first()
      .waitFor();
    await page.getByLabel("Should have been", { exact: true }).fill("expense-report");
    await use(page.getByRole("button", { name: "Correct it" }));
    await page.getByText(/^Messages like this one now lead to/).waitFor();
    const cases = readFileSync(join(made.engine.turns.dataDirectory, "evals.jsonl"), "utf8").trim();
    expect(JSON.parse(cases.split("\n").at(-1)!)).toEqual({
      query: "write the invoice for the workshop",
      gold: ["expense-report"],
    });
    expect(steps()).toBeLessThanOrEqual(3);
  });

  it("reviews a proposal, accepts it, and undoes that", async () => {
    const { page, use, steps } = await begun();
    const states = async () => (await made.engine.dreams.proposals()).map(({ state }) => state).sort();
    await use(page.getByRole("link", { name: /^Archive preview-branch/ }));
    await page.getByRole("heading", { name: "Messages before and after" }).waitFor();
    await use(page.getByRole("button", { name: /^Accept/ }));
    await expect.poll(states, { timeout: 60_000 }).toContain("accepted");
    // The store has it before the page knows: until the page offers the undo, its key means nothing.
    const undo = page.locator(".toast").getByRole("button", { name: "Undo" });
    await undo.waitFor();
    if (way === "keys") await page.keyboard.press("u");
    else await use(undo);
    await page.getByText(/^Undone: /).waitFor();
    expect((await made.engine.library.show("preview-branch")).skill.state).toBe("active");
    expect(steps()).toBeLessThanOrEqual(3);
  });

  it("finds a dangerous skill and disables it", async () => {
    const { page, use, steps } = await begun();
    await use(page.locator(".card", { hasText: "Findings" }).getByRole("link", { name: "free-coupons" }));
    await page.getByRole("heading", { name: /^Findings dangerous/ }).waitFor();
    await use(page.getByRole("button", { name: "Disable" }));
    await expect
      .poll(async () => (await made.engine.library.show("free-coupons")).skill.state)
      .toBe("disabled");
    expect(steps()).toBeLessThanOrEqual(3);
    await page.goto(`${originOf(own)}/#/home`);
    const findings = page.locator(".card", { hasText: "Findings" });
    await findings.getByRole("link", { name: "1 skill with findings" }).click();
    await page.locator("tr.skill").getByRole("link", { name: "free-coupons" }).waitFor();
  });

  it("sees whether Claude Code is connected", async () => {
    const { page, steps } = await begun();
    const card = page.locator(".card").filter({ has: page.getByRole("heading", { name: "Hosts" }) });
    const row = (host: string) => card.getByRole("listitem").filter({ hasText: host });
    expect(await row("Claude Code").locator(".tag").textContent()).toBe("connected");
    expect(await row("Codex").locator(".tag").textContent()).toBe("not connected");
    await row("Codex").getByText("repertoire setup codex").waitFor();
    expect(steps()).toBe(0);
  });
});

/** The skills with the tokens of their names and descriptions. */
async function listed(page: Page): Promise<{ readonly name: string; readonly tokens: number }[]> {
  const answer = await page.evaluate(async () => (await fetch("/api/skills?brief=true")).text());
  return JSON.parse(answer).skills;
}

/** Goes on with the tabulator until the target has the focus. */
async function reach(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`The tabulator does not lead to ${target}.`);
}

it("no page said an error on its console, and none asked another address than its server's", () => {
  expect(complaints).toEqual([]);
  expect(asked.filter((url) => !url.startsWith("http://127.0.0.1:"))).toEqual([]);
});
