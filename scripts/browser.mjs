// Starts a real browser for the tests of the dashboard and its pictures: the system's Chromium if there is one, else the one
// in the package @sparticuz/chromium.

import { existsSync } from "node:fs";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

export async function startBrowser() {
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed !== undefined) return playwright.launch({ executablePath: installed });
  // In one process, the end of one window would be the end of all.
  const args = chromium.args.filter((arg) => arg !== "--single-process");
  return playwright.launch({ executablePath: await chromium.executablePath(), args });
}
