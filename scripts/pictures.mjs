// Takes pictures of every view of the dashboard, with the data of the demo, into `pictures/`: wide and narrow, light and dark. With
// --readme it takes those of the README instead, into `docs/pictures/`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { startBrowser } from "./browser.mjs";

const VIEWS = {
  home: "#/home",
  library: "#/library",
  search: "#/library?q=publish+a+version",
  playground: "#/playground?m=write+the+release+notes",
  nothing: "#/playground?m=rename+the+columns",
  skill: "#/skill/invoice-pdf",
  dangerous: "#/skill/free-coupons",
  learned: "#/skill/deploy-preview",
  families: "#/library?tree=1",
  compare: "#/playground?m=write+the+release+notes&with=sources.bundled+%3D+false",
  evaluation: "#/evaluation",
  sessions: "#/sessions",
  queue: "#/sessions?look=bad",
  session: "#/sessions/demo-4",
  dreams: "#/dreams",
  relations: "#/relations",
  health: "#/health",
};
const WIDTHS = { 1440: 900, 390: 844 };
/** How many answers each page waits for; the stream of events has no end. */
const asking = new WeakMap();

const server = spawn(process.execPath, [
  "dist/bin.cjs",
  "ui",
  "--demo",
  "--no-open",
  "--port",
  "0",
  "--json",
]);
server.stderr.pipe(process.stderr);
let printed = "";
while (!printed.includes("}")) printed += (await once(server.stdout, "data"))[0];
const { origin, href } = new URL(JSON.parse(printed).link);
const browser = await startBrowser();
try {
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(href);
  await first.evaluate(() => fetch("/api/dream?wait=60", { method: "POST" }));
  await first.close();
  if (process.argv.includes("--readme")) await forReadme(context);
  else await all(context);
} finally {
  await browser.close();
  server.kill("SIGTERM");
}

async function all(context) {
  mkdirSync("pictures", { recursive: true });
  for (const [width, height] of Object.entries(WIDTHS))
    for (const colorScheme of ["light", "dark"]) {
      const page = watch(await context.newPage());
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: Number(width), height });
      for (const [name, hash] of Object.entries(VIEWS)) {
        await show(page, hash);
        await page.screenshot({ path: `pictures/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
      await page.close();
    }
}

async function show(page, hash) {
  await page.goto(`${origin}/${hash}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  // What was loaded may ask for more.
  for (let quiet = 0; quiet < 2; quiet++) {
    await page.waitForTimeout(300);
    await page.waitForFunction(() => !document.body.innerText.includes("Loading …"));
    if ((asking.get(page) ?? 0) > 0) quiet = -1;
  }
}

function watch(page) {
  const add = (change) => (request) => {
    if (request.url().endsWith("/api/events")) return;
    asking.set(page, (asking.get(page) ?? 0) + change);
  };
  page.on("request", add(1));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, add(-1));
  return page;
}

async function forReadme(context) {
  const page = watch(await context.newPage());
  await page.setViewportSize({ width: 1200, height: 680 });
  // The first recall opens the encoder.
  await show(page, "#/playground?m=write+an+invoice");
  await show(page, "#/library?q=publish+a+version");
  await keep(page, "library", await page.screenshot());
  await show(page, "#/playground?m=write+the+release+notes");
  await keep(page, "playground", await page.screenshot());
  await show(page, "#/skill/deploy-preview");
  await page.getByRole("button", { name: "Edit" }).click();
  await page
    .getByLabel(/^Description/)
    .fill("Deploys a branch to a preview address, or renames the columns of a spreadsheet.");
  await page.getByLabel("What would change").waitFor();
  await keep(page, "what-if", await page.locator(".card", { hasText: "Description" }).first().screenshot());
}

/** Browsers write WebP: a third of the size of a PNG. */
async function keep(page, name, png) {
  const written = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d").drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.85 });
    return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
  }, png.toString("base64"));
  mkdirSync("docs/pictures", { recursive: true });
  writeFileSync(`docs/pictures/${name}.webp`, Buffer.from(written, "base64"));
}
