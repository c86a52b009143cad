// Inspects packages on disk: one, all below a folder, or the whole library, without blocking the event loop.

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { checkedSource, discover } from "../discover/discover.ts";
import { unlessMissing } from "../disk/disk.ts";
import {
  cachedInspection,
  type InspectionCache,
  type KnownFindings,
  type PackageInspection,
  VERDICTS,
  type Verdict,
  verdictOf,
  withoutKnown,
  worseVerdict,
} from "../inspect/inspect.ts";
import { RepertoireError } from "../model/errors.ts";
import type { Source } from "../model/source.ts";
import { isSkillFile, surveyFile, surveyPackage } from "../package/package.ts";
import type { Progress } from "./catalog.ts";
import { inSlices } from "./slices.ts";

/** A package to inspect, and what it is called in the report. */
export interface InspectionPlace extends Pick<PackageInspection, "path" | "kind"> {
  readonly name: string;
}

export interface InspectedPackage extends PackageInspection {
  readonly name: string;
}

export interface InspectionReport {
  /** The worst of all. */
  readonly verdict: Verdict;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Worst first. */
  readonly packages: readonly InspectedPackage[];
  /** Packages for which the time was not enough. */
  readonly left: number;
}

/** A report in short: the packages to worry about, with the rules that they break. */
export interface InspectionSummary extends Omit<InspectionReport, "packages"> {
  readonly worrying: readonly {
    readonly name: string;
    readonly path: string;
    readonly verdict: Verdict;
    readonly rules: readonly string[];
    /** The gravest finding in words; undefined if it was not inspected whole. */
    readonly gravest: string | undefined;
  }[];
}

interface InspectionOptions {
  readonly cache?: InspectionCache | undefined;
  readonly known?: KnownFindings | undefined;
  readonly onProgress?: Progress | undefined;
  /** No package that is not in the cache is begun after this many milliseconds. */
  readonly withinMs?: number | undefined;
}

/** The packages of these sources. `nameOf` gives the name of the skill in a SKILL.md, if it has one. */
export async function placesInSources(
  sources: readonly Source[],
  nameOf: (path: string) => string | undefined,
): Promise<InspectionPlace[]> {
  const { files } = await inSlices(discover(sources));
  return files.map(({ path, directory, relativePath }) => ({
    name: nameOf(path) ?? (relativePath || basename(directory)),
    path: directory,
    kind: "folder",
  }));
}

/**
 * The packages at a path: one file alone, the folder of a package with its sub-skills, or all packages below a folder. A folder without
 * any SKILL.md is one package. Undefined if there is nothing at the path.
 */
export async function placesAt(path: string): Promise<InspectionPlace[] | undefined> {
  const real = unlessMissing(
    () => realpathSync(path),
    ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"],
  );
  if (real === undefined) return undefined;
  const stats = statSync(real);
  if (stats.isFile()) {
    const name = isSkillFile(basename(real)) ? basename(dirname(real)) : basename(real);
    return [{ name, path: real, kind: "file" }];
  }
  if (!stats.isDirectory())
    throw new RepertoireError("usage", `${path} is neither a file nor a folder.`, path);
  const { files } = await inSlices(discover([checkedSource(real)]));
  if (files.length === 0) return [{ name: basename(real), path: real, kind: "folder" }];
  return files.map(({ directory }) => ({
    name: relative(real, directory).split(sep).join("/") || basename(real),
    path: directory,
    kind: "folder",
  }));
}

/** Inspects the packages one after the other, and writes the cache at the end. */
export async function inspectPlaces(
  places: readonly InspectionPlace[],
  options: InspectionOptions = {},
): Promise<InspectionReport> {
  const { onProgress, cache } = options;
  const started = performance.now();
  const packages: InspectedPackage[] = [];
  let left = 0;
  try {
    for (const [at, place] of places.entries()) {
      const isLate = performance.now() - started > (options.withinMs ?? Infinity);
      const inspected = await inSlices(inspectPlace(place, options, isLate));
      if (inspected) packages.push({ name: place.name, ...inspected });
      else left++;
      onProgress?.(at + 1, places.length);
    }
  } finally {
    cache?.save();
  }
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of packages) counts[verdict]++;
  return {
    verdict: packages.map(({ verdict }) => verdict).reduce(worseVerdict, "clean"),
    counts,
    packages: packages.toSorted(worstFirst),
    left,
  };
}

/** Whether a person should look at a package with this verdict before they use it. */
export function isWorrying({ verdict }: { readonly verdict: Verdict }): boolean {
  return VERDICTS.indexOf(verdict) >= VERDICTS.indexOf("unscanned");
}

export function summariseInspection({
  verdict,
  counts,
  left,
  packages,
}: InspectionReport): InspectionSummary {
  const worrying = packages.filter(isWorrying).map(({ name, path, findings, ...one }) => ({
    name,
    path,
    verdict: one.verdict,
    rules: [...new Set(findings.filter(({ severity }) => severity !== "low").map(({ code }) => code))],
    gravest: findings[0]?.message,
  }));
  return { verdict, counts, left, worrying };
}

function worstFirst(a: InspectedPackage, b: InspectedPackage): number {
  const weight = ({ verdict }: InspectedPackage) => VERDICTS.indexOf(verdict);
  const high = ({ findings }: InspectedPackage) =>
    findings.filter(({ severity }) => severity === "high").length;
  return (
    weight(b) - weight(a) ||
    high(b) - high(a) ||
    b.findings.length - a.findings.length ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

/** Undefined if only the cache may be used and does not have it. */
function* inspectPlace(
  { path, kind }: InspectionPlace,
  { cache, known }: InspectionOptions,
  onlyCached: boolean,
): Generator<undefined, PackageInspection | undefined> {
  const survey = kind === "file" ? surveyFile(dirname(path), basename(path)) : surveyPackage(path);
  yield;
  const { digest } = survey;
  if (onlyCached && (digest === undefined || !cache?.has(digest))) return undefined;
  const inspected = yield* cachedInspection(survey, cache);
  const split = withoutKnown(inspected.findings, digest === undefined ? undefined : known?.get(digest));
  const verdict = verdictOf({ findings: split.findings, unscanned: inspected.unscanned });
  return { ...inspected, ...split, verdict, path, kind, digest, files: survey.files.length };
}
