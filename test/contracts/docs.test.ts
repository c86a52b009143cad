// Holds the documents to the tree and the program: generated parts are current, and what they name exists.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_BUDGETS } from "../../src/disclose/limits.ts";
import { STYLES } from "../../src/model/turn.ts";

const read = (path: string) => readFileSync(path, "utf8");
const namesIn = (folder: string) => readdirSync(folder).map((name) => join(folder, name));
const DOCUMENTS = [
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "README.md",
  "docs/words.md",
  ...[...namesIn("docs/guides"), ...namesIn("docs/decisions")].filter((path) => path.endsWith(".md")),
];

describe("the generated parts", () => {
  it("are up to date", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/docs.mjs", "--check"], {
      encoding: "utf8",
      // The documents show what people get; the configuration of the tests switches the encoder off.
      env: { ...process.env, REPERTOIRE_ENCODER: "auto" },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("ARCHITECTURE.md", () => {
  const text = read("ARCHITECTURE.md");
  const [, invariants = ""] = text.split("## Invariants");

  it("names for each invariant a test that exists", () => {
    const rows = [...invariants.matchAll(/\| `([^`]+\.test\.ts)`(?:: (.+))? \|$/gm)];
    const broken = rows.filter(
      ([, path, title]) => !existsSync(path!) || (title && !read(path!).includes(title)),
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(broken.map(([row]) => row)).toEqual([]);
  });
});

describe("every document", () => {
  it.each(DOCUMENTS)("%s names only files that exist", (document) => {
    const paths = [
      ...read(document).matchAll(/`((?:src|test|scripts|docs|skills|evals|bench|data|examples)\/[^`\s]*)`/g),
    ].map(([, path]) => path!);
    expect(paths.filter((path) => !path.includes("<") && !existsSync(path))).toEqual([]);
  });

  it.each(DOCUMENTS)("%s has links that lead somewhere", (document) => {
    const targets = [...read(document).matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => target!);
    expect(targets.filter((target) => !existsSync(join(dirname(document), target)))).toEqual([]);
  });

  it.each(DOCUMENTS)("%s shows no path of the machine it was written on", (document) => {
    expect(read(document)).not.toMatch(/(?:^|[\s("'`])\/(?:home|tmp|root|work|Users|var)\//m);
  });
});

describe("the guide to the styles", () => {
  const text = read("docs/guides/styles.md");

  it("has a row with the real default budget and a sample for each style", () => {
    for (const style of STYLES) {
      const { tokens, chars } = DEFAULT_BUDGETS[style];
      const budget =
        tokens === undefined ? `${inThousands(chars)} characters` : `${inThousands(tokens)} tokens`;
      expect(text).toMatch(new RegExp(`^\\| \`${style}\` \\| .+ \\| ${budget} \\|$`, "m"));
      expect(text).toContain(`\n## ${style}\n`);
      expect(text).toContain(`<!-- generated: style ${style} -->`);
    }
  });
});

describe("docs/words.md", () => {
  it("gives each word one meaning and one room", () => {
    const rows = [...read("docs/words.md").matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)];
    const words = rows.map(([, word]) => word!).filter((word) => word !== "word");
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
    expect(rows.filter(([, word, , room]) => word !== "word" && !/^`src\/[a-z]+`$/.test(room!))).toEqual([]);
  });
});

describe("the decisions", () => {
  const records = readdirSync("docs/decisions").filter((name) => name !== "README.md");
  const parts =
    /^# ([^\n]+)\n\nStatus: (accepted|replaced by \[.+\]\(.+\.md\))\n\n\*\*Context\.\*\* .+\n\n\*\*Decision\.\*\* .+\n\n\*\*Consequence\.\*\* /s;

  it.each(records)("%s is dated and has a status, context, decision and consequence", (name) => {
    expect(name).toMatch(/^\d{4}-\d\d-\d\d-[a-z-]+\.md$/);
    expect(read(join("docs/decisions", name))).toMatch(parts);
  });

  it("are listed in the index with their date, title and status", () => {
    const rows = records.map((name) => {
      const [, title, status] = parts.exec(read(join("docs/decisions", name)))!;
      return `| ${name.slice(0, 10)} | [${title}](${name}) | ${status} |`;
    });
    const listed = read("docs/decisions/README.md").split("\n");
    expect(listed.filter((line) => line.startsWith("| 2"))).toEqual(rows);
  });
});

function inThousands(count = 0): string {
  return count.toLocaleString("en-US");
}
