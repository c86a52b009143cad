// Checks the one dependency rule of ARCHITECTURE.md, so that it stays true.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = "src";
const STAGES = [
  "discover",
  "parse",
  "library",
  "recall",
  "disclose",
  "activate",
  "tools",
  "learn",
  "dream",
  "inspect",
];
const PLURALS = ["stores", "embedders", "models"];

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const text = readFileSync(path, "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map(([, target]) => ({ from: path, to: normalize(join(dirname(path), target!)) }));
}

/** The room a file stands in: a folder below src, or the file itself at the top. */
function roomOf(path: string): string {
  return path.split("/")[1]!;
}

const imports = sourceFiles(SRC).flatMap(importsOf);
const breaking = (allowed: (from: string, to: string) => boolean) =>
  imports
    .filter(({ from, to }) => roomOf(from) !== roomOf(to) && !allowed(roomOf(from), roomOf(to)))
    .map(({ from, to }) => `${from} -> ${to}`);

describe("the dependency rule", () => {
  it("lets model and text import nothing of ours", () => {
    expect(breaking((from) => from !== "model" && from !== "text")).toEqual([]);
  });

  it("lets a stage import model, text and ports only, never another stage", () => {
    expect(
      breaking((from, to) => !STAGES.includes(from) || ["model", "text", "ports.ts"].includes(to)),
    ).toEqual([]);
  });

  it("lets stores and embedders import model, text and ports only", () => {
    expect(
      breaking((from, to) => !PLURALS.includes(from) || ["model", "text", "ports.ts"].includes(to)),
    ).toEqual([]);
  });

  it("lets nothing but the entry points import an adapter", () => {
    expect(breaking((from, to) => to !== "adapters" || from === "adapters")).toEqual([]);
  });

  it("keeps the engine below 200 lines and every other file below 300", () => {
    const long = sourceFiles(SRC)
      .map((path) => ({ path, lines: readFileSync(path, "utf8").split("\n").length }))
      .filter(({ path, lines }) => lines > (path === "src/engine/engine.ts" ? 200 : 300));
    expect(long).toEqual([]);
  });

  it("begins every file with a comment that says what it owns", () => {
    const bare = sourceFiles(SRC).filter((path) => !/^(#!.*\n)?\/[/*]/.test(readFileSync(path, "utf8")));
    expect(bare).toEqual([]);
  });
});
