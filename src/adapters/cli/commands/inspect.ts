// The verb `inspect`: which packages to worry about and why, on one screen, as JSON or as SARIF.

import { sep } from "node:path";
import {
  CATEGORIES,
  type Finding,
  type InspectedPackage,
  type InspectionReport,
  isWorrying,
  sarifLog,
  VERDICTS,
  type Verdict,
} from "../../../engine/engine.ts";
import { forLine } from "../../../text/escape.ts";
import { numberOf } from "../../../text/numbers.ts";
import { accepting, EXIT, type Verb } from "../command.ts";
import { type Io, progressDisplay } from "../io.ts";
import { namesFrom } from "../names.ts";
import { packageVersion } from "../program.ts";
import { paintVerdict, verdictCounts } from "../tell.ts";

/** The lowest verdict that `--fail-on` fails for. */
const FAIL_ON: Readonly<Record<string, Verdict | undefined>> = {
  high: "dangerous",
  medium: "suspicious",
  unscanned: "unscanned",
  low: "notice",
  never: undefined,
};

/** What one screen holds. */
const SCREEN = {
  /** Packages that are shown with their findings. */
  packages: 8,
  /** Rules of each of them, two lines each. */
  findings: 2,
  /** Findings if there is only one package, each with what to do. */
  ofOne: 40,
  /** Names in a line. */
  names: 8,
} as const;

interface InspectFlags {
  readonly sarif?: boolean;
  readonly failOn: string;
  readonly known?: string;
}

export const inspectVerb: Verb = {
  use: "inspect [targets...]",
  about:
    "look for dangers in skills (names may be globs), packages, files, folders of packages, or all skills; exits 1 for what --fail-on says",
  options: [
    ["--sarif", "print SARIF 2.1.0 for code hosts"],
    [
      "--fail-on <severity>",
      "exit 1 if a finding is at least this severe: high, medium, unscanned (also if a file could not be inspected), low, never",
      accepting(Object.keys(FAIL_ON)),
      "high",
    ],
    ["--known <file>", "known findings, instead of ~/.repertoire/inspect.json"],
  ],
  async run({ io, engine, flags }, targets: string[], options: InspectFlags) {
    const target = await namesFrom(targets, async () =>
      (await engine.library.list()).skills.map(({ skill }) => skill.name),
    );
    const report = await engine.library.inspect({
      target,
      known: options.known,
      onProgress: progressDisplay(io.streams, "inspecting packages"),
    });
    if (options.sarif) {
      const root = flags.dir ?? process.cwd();
      io.line(JSON.stringify(sarifLog(report.packages, { root, version: packageVersion() }), null, 2));
    } else io.answer(report, () => tellInspection(io, report));
    const limit = FAIL_ON[options.failOn];
    const fails = limit !== undefined && VERDICTS.indexOf(report.verdict) >= VERDICTS.indexOf(limit);
    return fails ? EXIT.findings : EXIT.ok;
  },
};

function tellInspection(io: Io, report: InspectionReport): void {
  const { packages } = report;
  const [only] = packages;
  if (only && packages.length === 1) {
    tellPackage(io, only);
    return;
  }
  const worrying = packages.filter(isWorrying);
  for (const inspected of worrying.slice(0, SCREEN.packages)) tellBriefly(io, inspected);
  const rest = worrying.slice(SCREEN.packages);
  for (const verdict of VERDICTS.toReversed()) tellNames(io, verdict, rest);
  tellNames(io, "notice", packages);
  io.line(verdictCounts(io, report));
  tellKnown(io, packages);
  if (worrying.length > 0)
    io.line(io.colour.dim("`repertoire inspect PATH` shows everything about one package; --json has all."));
}

/** A package with its findings and what to do about each. */
function tellPackage(io: Io, inspected: InspectedPackage): void {
  const { findings } = inspected;
  tellHead(io, inspected);
  for (const finding of findings.slice(0, SCREEN.ofOne)) tellFinding(io, finding);
  tellRest(io, inspected, findings.slice(SCREEN.ofOne));
}

/** A package with the findings that make it worrying, one for each rule. What is worth a notice is only counted. */
function tellBriefly(io: Io, inspected: InspectedPackage): void {
  const { findings, name, path: place, verdict } = inspected;
  const grave = findings.filter(({ severity }) => severity !== "low");
  const perRule = grave.filter(({ code }, at) => grave.findIndex((one) => one.code === code) === at);
  const shown = perRule.slice(0, SCREEN.findings);
  // Below a folder the name is the path from there.
  const where = place.split(sep).join("/").endsWith(name) ? "" : io.colour.dim(`  ${forLine(place)}`);
  io.line(cut(io, `${paintVerdict(io, verdict)}  ${io.colour.bold(forLine(name))}${where}`));
  for (const { severity, path, line, message, excerpt } of shown) {
    io.line(cut(io, `  ${paintSeverity(io, severity)} ${placeOf(path, line)} ${message}`));
    if (excerpt !== "") io.line(cut(io, `         ${io.colour.dim(`> ${forLine(excerpt)}`)}`));
  }
  const more = findings.length - shown.length;
  if (more > 0) io.line(io.colour.dim(`         and ${numberOf(more, "more finding")}`));
  tellUnread(io, inspected);
}

function tellHead(io: Io, { name, path, verdict, files, digest }: InspectedPackage): void {
  io.line(cut(io, `${paintVerdict(io, verdict)}  ${io.colour.bold(forLine(name))}`));
  const short = digest === undefined ? "" : `, digest ${digest.slice(0, 12)}`;
  io.line(cut(io, io.colour.dim(`  ${forLine(path)}  ${numberOf(files, "file")}${short}`)));
}

function tellRest(io: Io, { unscanned, known }: InspectedPackage, more: readonly Finding[]): void {
  if (more.length > 0) io.line(cut(io, `  and ${numberOf(more.length, "more finding")}: ${codesOf(more)}`));
  tellUnread(io, { unscanned });
  if (known.length > 0) io.line(cut(io, `  ${numberOf(known.length, "known finding")}: ${codesOf(known)}`));
  io.line();
}

function tellUnread(io: Io, { unscanned }: Pick<InspectedPackage, "unscanned">): void {
  for (const { path, reason } of unscanned.slice(0, SCREEN.findings))
    io.line(
      cut(io, `  ${io.colour.yellow("not inspected")} ${forLine(path || "package")}: ${forLine(reason)}`),
    );
  if (unscanned.length > SCREEN.findings)
    io.line(`  and ${unscanned.length - SCREEN.findings} more that were not inspected`);
}

function placeOf(path: string, line: number | undefined): string {
  return `${forLine(path)}${line === undefined ? "" : `:${line}`}`;
}

function paintSeverity(io: Io, severity: Finding["severity"]): string {
  const { red, yellow, dim } = io.colour;
  return { high: red, medium: yellow, low: dim }[severity](severity.padEnd(6));
}

function tellFinding(io: Io, { code, severity, category, path, line, excerpt, message, fix }: Finding): void {
  const rule = io.colour.dim(`[${code}, ${category} ${CATEGORIES[category]}]`);
  io.line(`  ${paintSeverity(io, severity)} ${placeOf(path, line)} ${rule}`);
  for (const part of wrapped(message, io.streams.width - 9)) io.line(`         ${part}`);
  if (excerpt !== "") io.line(cut(io, `         ${io.colour.dim(`> ${forLine(excerpt)}`)}`));
  for (const part of wrapped(`do: ${fix}`, io.streams.width - 9)) io.line(`         ${io.colour.cyan(part)}`);
}

function tellNames(io: Io, verdict: Verdict, packages: readonly InspectedPackage[]): void {
  const names = packages.filter((one) => one.verdict === verdict).map(({ name }) => forLine(name));
  if (names.length === 0) return;
  const more = names.length > SCREEN.names ? `, and ${names.length - SCREEN.names} more` : "";
  io.line(cut(io, `${paintVerdict(io, verdict)}  ${names.slice(0, SCREEN.names).join(", ")}${more}`));
}

function tellKnown(io: Io, packages: readonly InspectedPackage[]): void {
  const known = packages.reduce((sum, one) => sum + one.known.length, 0);
  if (known > 0) io.line(`${numberOf(known, "known finding")} not counted (inspect.json).`);
}

function codesOf(findings: readonly Finding[]): string {
  const codes = new Map<string, number>();
  for (const { code } of findings) codes.set(code, (codes.get(code) ?? 0) + 1);
  return [...codes].map(([code, times]) => (times > 1 ? `${code} (${times})` : code)).join(", ");
}

/** The colours of the terminal, which have no width. */
const COLOUR = /\u001b\[[0-9;]*m/g;

/** Shortens a line to the width of the terminal, if it is one. */
function cut(io: Io, line: string): string {
  const { width, terminal } = io.streams;
  const plain = line.replace(COLOUR, "");
  return !terminal || plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < Math.max(width, 20))
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
