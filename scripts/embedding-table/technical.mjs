// Owns the technical part of the training text: descriptions, keywords and read-me prose of openly licensed npm packages.
// Output: technical.jsonl. Sentences are used to fit numbers; none of them is in the table.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { npmHighImpact, npmTopDependents } from "npm-high-impact";
import { writeLines } from "./work.mjs";

const LIMITS = {
  /** Packages whose read-me is read; for the others the description serves. */
  readmes: 2_200,
  /** Texts a read-me, spread over its length: no package drowns the others. */
  texts: 30,
  tarballBytes: 12_000_000,
  unpackedBytes: 60_000_000,
  readmeBytes: 60_000,
  connections: 12,
};
/** The one that npm is set up for. */
const REGISTRY = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
/** Generated families with one description for all. */
const FAMILIES =
  /^@types\/|^@babel\/(plugin|helper)|^@swc\/.*-|-(darwin|linux|win32|x64|arm64)|^es-|^lodash\.|^is-|^@esbuild/;
const OPEN = /MIT|Apache|ISC|BSD|CC0|MPL/;
const NOT_PROSE = /^(MIT|ISC|Copyright|Licen[sc]e)|copyright|permission is hereby|npm install|yarn add/i;

const named = readFileSync(new URL("packages.txt", import.meta.url), "utf8")
  .split(/\s+/)
  .filter(Boolean);
const names = [...new Set([...named, ...npmTopDependents, ...npmHighImpact])].filter(
  (name) => !FAMILIES.test(name),
);

async function get(address) {
  const response = await fetch(address, { signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  if (Number(response.headers.get("content-length")) > LIMITS.tarballBytes)
    throw new Error(`${address}: too large`);
  return response;
}

/** The first `readme*` at the top of a tar archive. */
function readmeIn(archive) {
  const tar = gunzipSync(archive, { maxOutputLength: LIMITS.unpackedBytes });
  for (let at = 0; at + 512 <= tar.length; ) {
    const name = tar.toString("utf8", at, at + 100).replace(/\0.*$/s, "");
    if (name === "") return "";
    const size = Number.parseInt(tar.toString("utf8", at + 124, at + 136), 8) || 0;
    if (/^[^/]+\/readme[^/]*$/i.test(name)) {
      return tar.toString("utf8", at + 512, at + 512 + Math.min(size, LIMITS.readmeBytes));
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return "";
}

const clean = (text) =>
  text
    .replace(/<[^>]+>|!\[[^\]]*\]\([^)]*\)/g, " ")
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1")
    .replace(/https?:\/\/\S+|[*_`~|#>]+|:[a-z_]+:/g, " ")
    .replace(/\s+/g, " ")
    .trim();

const isProse = (text) =>
  text.length >= 20 &&
  text.length < 700 &&
  text.split(" ").length >= 4 &&
  (text.match(/[a-zA-Z ]/g) ?? []).length > text.length * 0.8;

function proseOf(readme) {
  const found = [];
  let heading = "";
  const text = readme.replace(/```[\s\S]*?```/g, "\n\n").replace(/<!--[\s\S]*?-->/g, "");
  for (const paragraph of text.split(/\n\s*\n|\n(?=[-*#]\s)/)) {
    heading = clean(/^#+\s+(.*)/.exec(paragraph)?.[1] ?? heading);
    const body = clean(paragraph.replace(/^#+.*\n?/gm, ""));
    if (NOT_PROSE.test(body)) continue;
    const sentences = body.split(/(?<=[.!?])\s+(?=[A-Z])/);
    for (let i = 0; i < sentences.length; i += 2) {
      const pair = sentences.slice(i, i + 2).join(" ");
      const titled = found.length % 4 === 0 && heading !== "" && heading.length < 60;
      if (isProse(pair)) found.push(titled ? `${heading}. ${pair}` : pair);
    }
  }
  const step = Math.max(1, found.length / LIMITS.texts);
  return Array.from({ length: Math.min(found.length, LIMITS.texts) }, (_, i) => found[Math.floor(i * step)]);
}

async function textsOf(name, position) {
  const latest = await (await get(`${REGISTRY}${name.replace("/", "%2f")}/latest`)).json();
  const texts = [];
  const description = clean(latest.description ?? "");
  if (isProse(description)) texts.push(`${name.replace(/^@/, "").replace(/[/_-]/g, " ")}: ${description}`);
  if (Array.isArray(latest.keywords) && latest.keywords.length >= 4) {
    texts.push(latest.keywords.slice(0, 12).join(", ").slice(0, 200));
  }
  if (position < LIMITS.readmes && OPEN.test(latest.license ?? "")) {
    const archive = await (await get(latest.dist.tarball)).arrayBuffer();
    texts.push(...proseOf(readmeIn(Buffer.from(archive))));
  }
  return texts;
}

const results = names.map(() => []);
let next = 0;
let failed = 0;
async function worker() {
  while (next < names.length) {
    const position = next++;
    try {
      results[position] = await textsOf(names[position], position);
    } catch (error) {
      failed++;
      if (failed <= 5) console.warn(`left out ${names[position]}: ${error.message}`);
    }
  }
}
await Promise.all(Array.from({ length: LIMITS.connections }, worker));
const texts = [...new Set(results.flat().map((text) => Buffer.from(text).toString()))];
writeLines("technical.jsonl", texts);
console.log(`${texts.length} texts from ${names.length - failed} packages, ${failed} left out`);
