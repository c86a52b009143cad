// Takes pictures of every view of the dashboard, with the data of the demo, into `pictures/`: wide and narrow, light and dark.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
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
  evaluation: "#/evaluation",
  sessions: "#/sessions",
  session: "#/sessions/demo-4",
  dreams: "#/dreams",
  relations: "#/relations",
  health: "#/health",
};
const WIDTHS = { 1440: 900, 390: 844 };

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
mkdirSync("pictures", { recursive: true });
try {
  const context = await browser.newContext();
  const first = await context.newPage();
  await first.goto(href);
  await first.evaluate(() => fetch("/api/dream?wait=60", { method: "POST" }));
  await first.close();
  for (const [width, height] of Object.entries(WIDTHS))
    for (const colorScheme of ["light", "dark"]) {
      const page = await context.newPage();
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: Number(width), height });
      for (const [name, hash] of Object.entries(VIEWS)) {
        await page.goto(`${origin}/${hash}`);
        await page.getByText("Loading").waitFor({ state: "detached" });
        await page.waitForTimeout(500);
        await page.screenshot({ path: `pictures/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
      await page.close();
    }
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
