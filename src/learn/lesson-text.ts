// Owns reading and judging the text of a learned skill: parse before and after, inspect the whole package.
// Composes parse, inspect and learn; writes nothing.

import { type Finding, inspectPackage } from "../inspect/inspect.ts";
import { RepertoireError } from "../model/errors.ts";
import type { PackageFile } from "../package/package.ts";
import {
  createReport,
  decode,
  firstParagraph,
  parseSkill,
  readFrontMatter,
  splitFrontMatter,
} from "../parse/parse.ts";
import type { FrontMap } from "./front-matter-writer.ts";
import type { ReadText } from "./skill-text.ts";

export interface LessonText extends ReadText {
  readonly firstParagraph: string;
}

/** Reads a SKILL.md, or a bare procedure without front matter, in every form that the library takes. */
export function readLesson(input: string | Uint8Array, path: string): LessonText {
  const report = createReport(path, "lenient");
  const text = decode(input, report);
  const found = text === undefined ? undefined : splitFrontMatter(text, report);
  if (text === undefined || found === undefined) {
    const finding = report.diagnostics.find(({ severity }) => severity === "error");
    throw new RepertoireError(
      finding?.code ?? "file-empty",
      `${finding?.message ?? "There is no text."} ${finding?.fix ?? ""} Nothing was changed.`,
      path,
    );
  }
  const { raw, split } = readFrontMatter(text, found, report);
  const body = text.slice(split.bodyStart, split.bodyEnd);
  const isClean =
    split.yaml !== undefined && !report.diagnostics.some(({ severity }) => severity === "warning");
  return {
    front: raw as FrontMap,
    ...(isClean && { yaml: split.yaml }),
    body,
    firstParagraph: firstParagraph(body),
  };
}

/** Refuses text that the open spec's validator would refuse. */
export function checkConformance(text: string, path: string): void {
  const { diagnostics } = parseSkill(text, path, { profile: "strict" });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  throw new RepertoireError(
    first.code,
    `The skill was not saved: ${errors.map(({ message, fix }) => `${message} ${fix}`).join(" ")}`,
    errors.map(({ code }) => code),
  );
}

/** What in the package is dangerous; fails on a high risk unless a person has said that it is meant. */
export function checkSafety(files: readonly PackageFile[], allowed: boolean): readonly Finding[] {
  const { findings } = inspectPackage(files);
  const high = findings.filter(({ severity }) => severity === "high");
  if (high.length === 0 || allowed) return findings;
  const list = high
    .slice(0, 3)
    .map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`} ${message}`)
    .join(" ");
  throw new RepertoireError(
    "skill-unsafe",
    `The skill was not saved, because it looks dangerous. ${list} ${high[0]!.fix} A person who knows that it is meant can save it with repertoire save --allow-unsafe.`,
    high.map(({ code }) => code),
  );
}
