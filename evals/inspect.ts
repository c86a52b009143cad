// Prints how inspection judges labelled packages: the share at each verdict per corpus and category, with 95% intervals,
// and packages per second of processor time.
//
//     npm run evals -- inspect CORPORA [--corpus NAME] [--categories] [--misses] [--alarms] [--codes]
//
// CORPORA has `index.jsonl`: one line per package with `corpus`, `label` (malicious or benign), `path` (a folder), and
// optionally `category` and `family`. Packages of one family come from one template: the second figure of a row counts each
// family once. `--misses` lists malicious packages below suspicious, `--alarms` benign ones from suspicious on.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import {
  type InspectedFile,
  type Inspection,
  inspectPackage,
  VERDICTS,
  type Verdict,
} from "../src/inspect/inspect.ts";
import { readLines } from "./harness.ts";

interface LabelledPackage {
  readonly corpus: string;
  readonly label: "malicious" | "benign";
  readonly category?: string | null;
  readonly family?: string;
  readonly path: string;
}

interface Judged extends LabelledPackage {
  readonly inspection: Inspection;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    corpus: { type: "string" },
    categories: { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
    alarms: { type: "boolean", default: false },
    codes: { type: "boolean", default: false },
  },
});
const [corpora] = positionals;
if (corpora === undefined) throw new Error("Name the folder with the corpora: it has a file index.jsonl.");

const wanted = values.corpus === undefined ? undefined : new RegExp(`^(?:${values.corpus})$`);
const packages = readLines<LabelledPackage>(join(corpora, "index.jsonl")).filter(
  ({ corpus }) => wanted?.test(corpus) ?? true,
);

let busy = 0;
const judged = packages.map((item): Judged => {
  const files = filesOf(item.path);
  const before = process.cpuUsage();
  const inspection = inspectPackage(files);
  const { user, system } = process.cpuUsage(before);
  busy += user + system;
  return { ...item, inspection };
});

for (const [title, rows] of grouped(judged, ({ corpus, label }) => `${label} ${corpus}`)) {
  console.log(lineOf(title, rows));
  if (values.categories)
    for (const [category, part] of grouped(rows, ({ category }) => category ?? "other"))
      console.log(lineOf(`    ${category}`, part));
}
console.log(
  `\n${judged.length} packages, ${((judged.length * 1e6) / busy).toFixed(0)} a second of processor time`,
);

if (values.codes) {
  for (const label of ["malicious", "benign"] as const) {
    const rows = judged.filter((row) => row.label === label);
    const counts = new Map<string, number>();
    for (const { inspection } of rows) {
      const codes = new Set(
        inspection.findings
          .filter(({ severity }) => severity !== "low")
          .map(({ code, severity }) => `${severity.padEnd(6)} ${code}`),
      );
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    console.log(`\n# ${label}: packages with a code`);
    for (const [code, count] of [...counts].sort((a, b) => b[1] - a[1]))
      console.log(String(count).padStart(5), code);
  }
}
for (const row of judged) {
  const alarmed = isAtLeast("suspicious", row.inspection);
  const shown = row.label === "malicious" ? values.misses && !alarmed : values.alarms && alarmed;
  if (!shown) continue;
  console.log(`\n${row.inspection.verdict} ${row.path}`);
  for (const { severity, code, path, line, excerpt } of row.inspection.findings
    .filter((finding) => row.label === "malicious" || finding.severity !== "low")
    .slice(0, 6))
    console.log(`   ${severity} ${code} ${path}:${line ?? ""} ${excerpt}`);
}

function lineOf(title: string, rows: readonly Judged[]): string {
  const families = new Map<string, Judged>();
  for (const row of rows) families.set(row.family ?? row.path, row);
  const cells = (["suspicious", "dangerous"] as const).map((level) => {
    const share = (of: readonly Judged[]): string => shareOf(of, level);
    return `${level === "suspicious" ? "suspicious+" : "dangerous"} ${share(rows)} (families ${share([...families.values()])})`;
  });
  return `${title.padEnd(34)} ${String(rows.length).padStart(5)} ${cells.join("  ")}`;
}

/** The share of packages at a level or above with Wilson's 95% interval. */
function shareOf(rows: readonly Judged[], level: Verdict): string {
  const n = rows.length;
  const p = rows.filter(({ inspection }) => isAtLeast(level, inspection)).length / n;
  const z = 1.96;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const reach = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
  const percent = (share: number): string => (100 * share).toFixed(1);
  return `${percent(p)}% [${percent(Math.max(0, middle - reach))}-${percent(Math.min(1, middle + reach))}]`;
}

function isAtLeast(level: Verdict, { verdict }: Inspection): boolean {
  return VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(level);
}

function grouped<T>(rows: readonly T[], key: (row: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function filesOf(root: string): InspectedFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: relative(root, path), bytes: readFileSync(path), mode: lstatSync(path).mode };
    });
}
