// Writes inspections as SARIF 2.1.0, the format that code hosts and editors read.

import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { CATEGORIES } from "./categories.ts";
import type { Finding, FindingSeverity, PackageInspection } from "./types.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const LEVELS: Readonly<Record<FindingSeverity, string>> = { high: "error", medium: "warning", low: "note" };
/** What code hosts sort security findings by: 0 to 10. */
const SCORES: Readonly<Record<FindingSeverity, string>> = { high: "8.5", medium: "5.5", low: "2.0" };
const ROOT = "ROOT";

interface SarifOptions {
  /** Paths below this folder are written relative to it. */
  readonly root: string;
  readonly version: string;
}

/** One run with a result for each finding; known findings are suppressed results. */
export function sarifLog(packages: readonly PackageInspection[], options: SarifOptions): object {
  const results = packages.flatMap((inspected) => [
    ...inspected.findings.map((finding) => resultOf(inspected, finding, options)),
    ...inspected.known.map((finding) => ({
      ...resultOf(inspected, finding, options),
      suppressions: [{ kind: "external", justification: "Known finding of this content." }],
    })),
  ]);
  const rules = new Map<string, Finding>();
  for (const { findings, known } of packages)
    for (const finding of [...findings, ...known])
      if (!rules.has(finding.code)) rules.set(finding.code, finding);
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Repertoire",
            semanticVersion: options.version,
            rules: [...rules.values()].map(ruleOf),
          },
        },
        originalUriBaseIds: { [ROOT]: { uri: `${pathToFileURL(options.root).href.replace(/\/$/, "")}/` } },
        columnKind: "utf16CodeUnits",
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: packages.flatMap((inspected) =>
              inspected.unscanned.map(({ path, reason }) => ({
                level: "warning",
                message: { text: `Not inspected: ${reason}.` },
                locations: [{ physicalLocation: { artifactLocation: placeOf(inspected, path, options) } }],
              })),
            ),
          },
        ],
        results,
      },
    ],
  };
}

function ruleOf({ code, severity, category, message, fix }: Finding) {
  return {
    id: code,
    shortDescription: { text: message },
    help: { text: fix },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: ["security", category, CATEGORIES[category]],
      "security-severity": SCORES[severity],
    },
  };
}

function resultOf(inspected: PackageInspection, finding: Finding, options: SarifOptions) {
  const { code, severity, path, line, excerpt, message, fix } = finding;
  return {
    ruleId: code,
    level: LEVELS[severity],
    message: { text: `${message} ${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: placeOf(inspected, path, options),
          region: { startLine: line ?? 1, snippet: { text: excerpt } },
        },
      },
    ],
    partialFingerprints: { "finding/v1": `${code}:${path}:${excerpt}` },
  };
}

function placeOf({ path: place, kind }: PackageInspection, file: string, { root }: SarifOptions) {
  const whole = kind === "file" || file === "" ? place : join(place, file);
  const way = relative(root, whole);
  if (way === "" || way === ".." || way.startsWith(`..${sep}`)) return { uri: pathToFileURL(whole).href };
  return { uri: way.split(sep).map(encodeURIComponent).join("/"), uriBaseId: ROOT };
}
