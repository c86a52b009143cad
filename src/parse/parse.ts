// Reads the bytes of a SKILL.md into a manifest, a body and findings. It never throws and reads no file.
// Front door of the room: a SKILL.md is written back with `readSkillText`, `composeSkill` and `withMetadata`.

import type { Diagnostic, SkillFileCode } from "../model/diagnostic.ts";
import type { SkillManifest } from "../model/skill.ts";
import { createReport, type Profile, type Report } from "./codes.ts";
import { decode, headOf } from "./decode.ts";
import { type Draft, readDraft, toManifest } from "./manifest.ts";
import { firstParagraph } from "./prose.ts";
import { readFrontMatter } from "./read.ts";
import { checkSpec } from "./spec.ts";
import { lineAt, splitFrontMatter } from "./split.ts";
import { FLOW_STYLE } from "./yaml.ts";

export type { Profile } from "./codes.ts";
export { diagnosticTable } from "./codes.ts";
export { frontMatterTable } from "./dialects.ts";
export {
  composeSkill,
  type ManagedKey,
  metadataOf,
  readSkillText,
  type SkillText,
  withMetadata,
} from "./skill-text.ts";

export interface ParseOptions {
  /** `strict` holds the file to the open spec, as its reference validator does. */
  readonly profile?: Profile | undefined;
  /** Skip a skill without a description instead of taking its first paragraph. */
  readonly requireDescription?: boolean;
  /** Skip a skill whose front matter has no name instead of taking the folder's. */
  readonly requireName?: boolean;
}

export interface ParsedSkill {
  readonly manifest: SkillManifest;
  /** The text below the front matter, without blank lines before it. */
  readonly body: string;
  /** 1-based line of the file where the body starts. */
  readonly bodyLine: number;
}

export interface ParseResult {
  /** Undefined when a diagnostic of severity `error` says why the file was skipped. */
  readonly skill: ParsedSkill | undefined;
  readonly diagnostics: Diagnostic<SkillFileCode>[];
}

/**
 * Reads a `SKILL.md`. `path` is used in findings, and its folder is compared with the name.
 *
 * @example
 * const text = "---\nname: greet\ndescription: Greets people.\n---\n\nSay hello.";
 * const { skill, diagnostics } = parseSkill(text, "skills/greet/SKILL.md");
 * console.log(skill?.manifest.description, diagnostics.length);
 */
export function parseSkill(
  input: string | Uint8Array,
  path: string,
  options: ParseOptions = {},
): ParseResult {
  const report = createReport(path, options.profile ?? "lenient");
  const skill = read(input, path, { ...options, report });
  return { skill: report.failed() ? undefined : skill, diagnostics: report.diagnostics };
}

/** As `parseSkill`, without the body: several times faster on long files, with the same manifest and findings. */
export function parseManifest(
  bytes: Uint8Array,
  path: string,
  options: ParseOptions = {},
): { readonly skill: Pick<ParsedSkill, "manifest"> | undefined; readonly diagnostics: Diagnostic[] } {
  const head = headOf(bytes);
  if (head !== undefined) {
    const result = parseSkill(head, path, options);
    if (result.skill && !result.diagnostics.some(({ code }) => NEEDS_BODY.has(code))) return result;
  }
  return parseSkill(bytes, path, options);
}

/** Findings about which the head alone may be wrong. */
const NEEDS_BODY: ReadonlySet<string> = new Set(["description-missing", "body-empty"]);

type Context = ParseOptions & { readonly report: Report };

function read(input: string | Uint8Array, path: string, context: Context): ParsedSkill | undefined {
  const { report } = context;
  const text = decode(input, report);
  const found = text === undefined ? undefined : splitFrontMatter(text, report);
  if (text === undefined || found === undefined) return undefined;

  const { raw, split } = readFrontMatter(text, found, report);
  const lineOf = (key: string) => keyLine(split.yaml ?? "", split.yamlLine, key);
  checkSpec(raw, path, report, lineOf);
  if (context.profile === "strict") noteFlowStyle(split.yaml ?? "", split.yamlLine, report);

  const body = text.slice(split.bodyStart, split.bodyEnd);
  const bodyLine = lineAt(text, split.bodyStart);
  if (body === "") report.add("body-empty", "There are no instructions below the front matter.");
  const draft = readDraft(raw, report, lineOf);
  // The strict profile has said so already.
  if (context.requireName && draft.text.declaredName === undefined && !report.hears("name-missing"))
    report.fail("name-missing", "The front matter has no name.");
  const description = draft.text.description ?? standIn(draft, body, context);
  return description === undefined ? undefined : { manifest: toManifest(draft, description), body, bodyLine };
}

/** What serves for a missing description: the summary, the one-liner, or the body's first paragraph. */
function standIn(draft: Draft, body: string, { report, requireDescription }: Context): string | undefined {
  const text = draft.text.summary ?? draft.text.brief ?? firstParagraph(body);
  if (requireDescription || text === "") {
    const message =
      text === ""
        ? "There is no description and no text that could serve for it."
        : "There is no description.";
    report.fail("description-missing", message);
    return undefined;
  }
  report.add("description-missing", "There is no description; the first text found serves for it.");
  return text;
}

function keyLine(yaml: string, yamlLine: number, key: string): number | undefined {
  const at = yaml.startsWith(`${key}:`) ? 0 : yaml.indexOf(`\n${key}:`) + 1;
  return at > 0 || yaml.startsWith(`${key}:`) ? yamlLine + lineAt(yaml, at) - 1 : undefined;
}

/** The reference validator reads a YAML without `[..]` and `{..}`. */
function noteFlowStyle(yaml: string, yamlLine: number, report: Report): void {
  const at = yaml.search(FLOW_STYLE);
  if (at >= 0)
    report.add("yaml-flow-style", "A list or map is written in brackets.", yamlLine + lineAt(yaml, at) - 1);
}
