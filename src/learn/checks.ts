// Refuses changes of learned skills: by name, by author, by what changed meanwhile, by path, by text, by danger.
// Also says which skills describe nearly the same.

import { type Finding, inspectPackage } from "../inspect/inspect.ts";
import { type ErrorCode, RepertoireError } from "../model/errors.ts";
import { type SkillName, toSkillName } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { isPortableName, isSkillFile, type PackageFile, SPEC, sha256Of } from "../package/package.ts";
import { metadataOf, type ParsedSkill, parseSkill, type SkillText } from "../parse/parse.ts";
import { stem } from "../text/stem.ts";
import { isStopWord } from "../text/stopwords.ts";
import { tokenize } from "../text/tokens.ts";

const WHY = {
  "name-empty": "has a part without any letter or digit",
  "name-traversal": "would leave the folder of skills",
  "name-confusable": "has letters that only look like others",
  "name-too-long": "is too long",
} as const;

/** The name as it will be kept, or an error that says what is wrong and what would be accepted. */
export function learnedName(spelling: string): SkillName {
  const result = toSkillName(spelling.trim());
  if (!result.ok) throw refusedName(spelling, result.code, WHY[result.code]);
  const segments = result.name.split("/");
  if (segments.some((segment) => segment.length > SPEC.nameChars))
    throw refusedName(spelling, "name-too-long", `has a part of more than ${SPEC.nameChars} characters`);
  if (!segments.every(isPortableName)) {
    const instead = result.name.replace(/\.+/g, "-");
    throw refusedName(spelling, "name-not-portable", `has a dot; "${instead}" is accepted`);
  }
  return result.name;
}

function refusedName(spelling: string, code: ErrorCode, why: string): RepertoireError {
  return new RepertoireError(
    code,
    `"${spelling}" cannot be the name of a skill: it ${why}. Use lower-case letters, digits and hyphens, with "/" between levels: plan-meeting, mcp/email. Nothing was changed.`,
    spelling,
  );
}

export function metadataIn(text: SkillText | undefined): Readonly<Record<string, unknown>> {
  return (text?.front.metadata ?? {}) as Record<string, unknown>;
}

export function isPinned(text: SkillText): boolean {
  return metadataOf(metadataIn(text), "pinned") === "true";
}

/** Agents may not change pinned skills. Dreams may change only skills that agents made. */
export function checkPermission(author: string, name: SkillName, existing: SkillText | undefined): void {
  if (author === "person" || existing === undefined) return;
  if (isPinned(existing)) {
    throw new RepertoireError(
      "skill-pinned",
      `"${name}" is pinned, so only a person changes it. Ask them to change it or to unpin it.`,
      name,
    );
  }
  const provenance = metadataOf(metadataIn(existing), "provenance") ?? "person";
  if (/^dream\b/.test(author) && provenance !== "agent") {
    throw new RepertoireError(
      "skill-protected",
      `"${name}" was made by a ${provenance === "person" ? "person" : `provider (${provenance})`}; a dream changes only what agents saved.`,
      name,
    );
  }
}

/** Refuses a change of a SKILL.md that is no longer the one with the given digest. */
export function checkDigest(
  wanted: string | undefined,
  name: SkillName,
  main: PackageFile | undefined,
): void {
  const found = main && sha256Of(main.bytes);
  if (wanted === undefined || wanted === found) return;
  throw new RepertoireError(
    "skill-changed",
    `"${name}" has changed since it was read (now ${found?.slice(0, 12) ?? "gone"}). Read it again, then save. Nothing was changed.`,
    found,
  );
}

/** Refuses a support file that would be outside the skill's folder, or would make a sub-skill. */
export function checkSupportPath(path: string): void {
  const segments = path.split("/");
  const isSafe =
    !/[\\\0]/.test(path) &&
    segments.every((segment) => !["", ".", "..", ".git"].includes(segment)) &&
    !isSkillFile(segments.at(-1)!);
  if (isSafe) return;
  throw new RepertoireError(
    "file-path",
    `${JSON.stringify(path)} cannot be a file of the skill. Use a path below its folder, such as references/notes.md. Nothing was changed.`,
    path,
  );
}

/** Parses a SKILL.md. Refuses text that the open spec's validator would refuse. */
export function checkConformance(text: string, path: string): ParsedSkill {
  const { skill, diagnostics } = parseSkill(text, path, { profile: "strict" });
  if (skill) return skill;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  throw new RepertoireError(
    errors[0]!.code,
    `The skill was not saved: ${errors.map(({ message, fix }) => `${message} ${fix}`).join(" ")}`,
    errors.map(({ code }) => code),
  );
}

/** Refuses that an agent's save takes the place of a skill of another source: it would be used instead without anybody's word. */
export function checkCovering(
  { author, force = false }: { readonly author: string; readonly force?: boolean | undefined },
  { name, source }: Skill,
): void {
  if (!isAgent(author) && (force || author !== "person")) return;
  const next = isAgent(author)
    ? "which only a person decides. Choose another name, or ask the user to save it."
    : "so say that you mean it (--force), or choose another name.";
  throw new RepertoireError(
    "skill-covered",
    `"${name}" comes from ${source}. A saved skill of this name would be used instead, ${next} Nothing was changed.`,
    name,
  );
}

export function isAgent(author: string): boolean {
  return /^agent\b/.test(author);
}

/** The name of an author such as `agent:reviewer`; undefined if it has none. */
export function agentName(author: string): string | undefined {
  return /^agent:(?<name>.+)$/.exec(author)?.groups?.name;
}

interface SafetyCheck {
  readonly files: readonly PackageFile[];
  /** What the files change; its findings are known. */
  readonly basis: readonly PackageFile[];
  readonly author: string;
  /** A person has allowed what is dangerous. */
  readonly allowUnsafe?: boolean | undefined;
}

/** The dangers in a package. Refuses what is dangerous unless a person has allowed it, and of an agent what is suspicious. */
export function checkSafety({ files, basis, author, allowUnsafe = false }: SafetyCheck): readonly Finding[] {
  const { findings, verdict } = inspectPackage(files);
  const high = findings.filter(({ severity }) => severity === "high");
  if (high.length > 0 && !(allowUnsafe && author === "person")) throw unsafe("skill-unsafe", high);
  if (!isAgent(author) || verdict === "clean" || verdict === "notice") return findings;
  const known = new Set(inspectPackage(basis).findings.map(({ code }) => code));
  const fresh = findings.filter(({ severity, code }) => severity === "medium" && !known.has(code));
  if (fresh.length > 0) throw unsafe("skill-suspicious", fresh);
  return findings;
}

function unsafe(code: "skill-unsafe" | "skill-suspicious", findings: readonly Finding[]): RepertoireError {
  const list = findings
    .slice(0, 3)
    .map(({ path, line, message }) => `${path}${line === undefined ? "" : `:${line}`} ${message}`)
    .join(" ");
  const looks = code === "skill-unsafe" ? "dangerous" : "suspicious";
  return new RepertoireError(
    code,
    `The skill was not saved, because it looks ${looks}. ${list} ${findings[0]!.fix} A person who wants it anyway can save it themselves.`,
    findings.map((finding) => finding.code),
  );
}

const NUMBERS = {
  /** Share of all their words that two descriptions have in common; paraphrases lie above, neighbours below. */
  overlap: 0.5,
  /** A description with fewer words is too short to compare. */
  words: 4,
} as const;

interface Described {
  readonly name: SkillName;
  readonly description: string;
}

/** The candidates that describe nearly the same, the closest first. */
export function nearDuplicates(skill: Described, candidates: readonly Described[]): SkillName[] {
  const words = wordsOf(skill);
  if (words.size < NUMBERS.words) return [];
  return candidates
    .filter(({ name }) => name !== skill.name)
    .map((candidate) => ({ name: candidate.name, overlap: overlap(words, wordsOf(candidate)) }))
    .filter((each) => each.overlap >= NUMBERS.overlap)
    .sort((a, b) => b.overlap - a.overlap || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

function wordsOf({ name, description }: Described): Set<string> {
  const words = tokenize(`${name.replace(/[/-]/g, " ")} ${description}`);
  return new Set(words.filter((word) => !isStopWord(word)).map(stem));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common || 1);
}
