// The dashboard over HTTP: its files, and the link that lets the person's browser in. The link works once and becomes a
// cookie; the cookie counts only where the browser says that the request comes from our own page.

import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { packageRoot } from "../../engine/engine.ts";
import type { Gate, HttpEnv } from "./gate.ts";

const KEY_BYTES = 32;
/** The time that a person takes to follow a link they asked for. */
const LINK_MS = 10 * 60_000;
/** Browsers that are let in at a time; the oldest is forgotten first. */
const BROWSERS = 20;

/** Scripts, styles and pictures of our own, nothing inline, no other address, no frame around it. */
const CONTENT_POLICY = [
  "default-src 'none'",
  ...["script-src", "style-src", "img-src", "connect-src", "manifest-src"].map((kind) => `${kind} 'self'`),
  ...["base-uri", "form-action", "frame-ancestors"].map((kind) => `${kind} 'none'`),
].join("; ");

const PAGE_HEADERS = {
  "Content-Security-Policy": CONTENT_POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-cache",
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The browsers that are let in, and the links that let one in. Only digests are kept. */
export class Browsers {
  private readonly links = new Map<string, number>();
  private readonly keys = new Set<string>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** The path of a link that works once, for ten minutes. */
  link(): string {
    const code = randomBytes(KEY_BYTES).toString("base64url");
    this.links.set(digestOf(code), this.now() + LINK_MS);
    return `/open/${code}`;
  }

  /** The key of a browser that comes with the code of a link; undefined if the link is used, too old or made up. */
  letIn(code: string): string | undefined {
    const digest = digestOf(code);
    const until = this.links.get(digest) ?? 0;
    this.links.delete(digest);
    if (until < this.now()) return undefined;
    const key = randomBytes(KEY_BYTES).toString("base64url");
    this.keys.add(digestOf(key));
    if (this.keys.size > BROWSERS) this.keys.delete(this.keys.values().next().value!);
    return key;
  }

  /** Whether our own page sent the request. A page of another port shares the cookie, but is another origin. */
  sent(c: Context): boolean {
    if (c.req.header("sec-fetch-site") !== "same-origin") return false;
    const key = getCookie(c, cookieName(c));
    return key !== undefined && this.keys.has(digestOf(key));
  }
}

interface PagesOptions {
  readonly browsers: Browsers;
  readonly gate: Gate;
  /** Where the built dashboard is. */
  readonly folder?: string | undefined;
}

/** Serves the dashboard, if it was built. Its files hold no data of the person, so that they need no key. */
export function mountPages(
  app: Hono<HttpEnv>,
  { browsers, gate, folder = builtFolder() }: PagesOptions,
): void {
  if (!existsSync(folder)) return;
  const files = new Map(
    readdirSync(folder)
      .filter((name) => extname(name) in TYPES)
      .map((name) => [name === "index.html" ? "/" : `/${name}`, readFileSync(join(folder, name))]),
  );
  app.get("/open/:code", (c) => {
    const slowedDown = gate.slowedDown(c);
    if (slowedDown) return slowedDown;
    const key = browsers.letIn(c.req.param("code"));
    if (key !== undefined)
      setCookie(c, cookieName(c), key, { httpOnly: true, sameSite: "Strict", path: "/api" });
    // Without a key too: a browser that is let in already stays so, and the page says what to do to any other.
    for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
    c.header("Cache-Control", "no-store");
    return c.redirect("/", 303);
  });
  for (const [path, bytes] of files) {
    const type = TYPES[path === "/" ? ".html" : extname(path)]!;
    app.get(path, (c) => c.body(new Uint8Array(bytes), 200, { ...PAGE_HEADERS, "Content-Type": type }));
  }
}

function builtFolder(): string {
  return join(packageRoot(), "dist", "dashboard");
}

/** Cookies are shared by all ports of a host; each server has its own name. */
function cookieName(c: Context): string {
  return `repertoire-${c.req.header("host")?.split(":")[1] ?? "80"}`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
