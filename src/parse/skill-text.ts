// Reads the SKILL.md of a learned skill for a change, and composes the changed SKILL.md: new text over old, and
// everything that the open spec does not name below `metadata`.

import { RepertoireError } from "../model/errors.ts";
import { lastSegment, lookupKey, type SkillName } from "../model/name.ts";
import { clip } from "../text/markdown.ts";
import { summaryOf } from "../text/summary.ts";
import { createReport } from "./codes.ts";
import { decode } from "./decode.ts";
import { foldedKey } from "./dialects.ts";
import { writeFrontMatter } from "./front-matter-writer.ts";
import { LIMITS } from "./limits.ts";
import { firstParagraph } from "./prose.ts";
import { readFrontMatter } from "./read.ts";
import { SPEC_FIELDS } from "./spec.ts";
import { splitFrontMatter } from "./split.ts";
import { isMap, type YamlMap, type YamlValue } from "./yaml.ts";

/** Keys that record what happened to a skill. Incoming text cannot set them. */
const MANAGED = [
  "created-at",
  "updated-at",
  "provenance",
  "pinned",
  "copied-from",
  "starter-version",
  "summary-by",
] as const;
export type ManagedKey = (typeof MANAGED)[number];

/** A SKILL.md as it was read. */
export interface SkillText {
  readonly front: YamlMap;
  /** The lines between the fences; undefined if they needed a repair and cannot be kept. */
  readonly yaml: string | undefined;
  readonly body: string;
  /** The first paragraph of the body, for a skill without a description. */
  readonly firstParagraph: string;
}

/** Reads a SKILL.md, or a procedure without front matter, in every form that the library reads. */
export function readSkillText(input: string | Uint8Array, path: string): SkillText {
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
  const isClean = !report.diagnostics.some(({ severity }) => severity === "warning");
  return { front: raw, yaml: isClean ? split.yaml : undefined, body, firstParagraph: firstParagraph(body) };
}

interface NewText {
  readonly name: SkillName;
  readonly incoming: SkillText;
  /** The skill as it is now, here or in the source that it is copied from. */
  readonly existing?: SkillText | undefined;
  readonly description?: string | undefined;
  readonly summary?: string | undefined;
  readonly seeAlso?: readonly string[] | undefined;
  readonly managed: Readonly<Partial<Record<ManagedKey, string>>>;
}

/** The whole SKILL.md: new text over old; keys that the new text does not mention are kept. */
export function composeSkill(parts: NewText): string {
  const { incoming, existing } = parts;
  const metadata: YamlMap = {};
  const top: YamlMap = {};
  if (existing) take(existing.front, { top, metadata });
  if (existing && hasNewText(incoming, existing)) dropDerived(existing, { top, metadata });
  take(withoutManaged(incoming.front), { top, metadata });
  const description =
    parts.description?.replace(/\s+/g, " ").trim() ||
    top.description ||
    clip(incoming.firstParagraph, LIMITS.descriptionChars);
  keepDisplayName(parts, top, metadata);
  if (parts.seeAlso)
    setKey(metadata, "see-also", parts.seeAlso.map(lookupKey).join(", "), ["related-skills"]);
  const summary = summaryFor(parts, { metadata, description });
  setKey(metadata, "summary", summary);
  for (const [key, value] of Object.entries(parts.managed)) setKey(metadata, key, value);
  const front: YamlMap = { name: lastSegment(parts.name), description };
  for (const key of SPEC_FIELDS.slice(2, -1)) if (top[key] !== undefined) front[key] = top[key];
  if (Object.keys(metadata).length > 0) front.metadata = metadata;
  const body = incoming.body.replace(/^\s*\n/, "").trimEnd();
  return `${writeFrontMatter(front, existing?.yaml ?? incoming.yaml)}\n${body}\n`;
}

/** The same skill with some keys below `metadata` set, or removed if the value is undefined. */
export function withMetadata(text: SkillText, changes: Readonly<Record<string, string | undefined>>): string {
  const metadata: YamlMap = { ...(isMap(text.front.metadata) ? text.front.metadata : {}) };
  for (const [key, value] of Object.entries(changes)) setKey(metadata, key, value ?? "");
  const front: YamlMap = { ...text.front, metadata };
  if (Object.keys(metadata).length === 0) delete front.metadata;
  return `${writeFrontMatter(front, text.yaml)}\n${text.body}`;
}

/** A text below `metadata`, in any spelling of its key. */
export function metadataOf(metadata: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const found = Object.keys(metadata).find((each) => foldedKey(each) === foldedKey(key));
  const value = found === undefined ? undefined : metadata[found];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function take(front: YamlMap, into: { top: YamlMap; metadata: YamlMap }): void {
  const { metadata, ...rest } = front;
  if (isMap(metadata)) for (const [key, value] of Object.entries(metadata)) put(into.metadata, key, value);
  for (const [key, value] of Object.entries(rest))
    put(SPEC_FIELDS.includes(key) ? into.top : into.metadata, key, value);
}

function withoutManaged(front: YamlMap): YamlMap {
  const allowed = (map: YamlMap): YamlMap =>
    Object.fromEntries(
      Object.entries(map).filter(([key]) => !MANAGED.some((ours) => foldedKey(ours) === foldedKey(key))),
    );
  return { ...allowed(front), ...(isMap(front.metadata) && { metadata: allowed(front.metadata) }) };
}

/** The spec wants the folder's name; another name that somebody gave is kept as the display name. */
function keepDisplayName({ name }: NewText, top: YamlMap, metadata: YamlMap): void {
  const given = typeof top.name === "string" ? top.name.trim() : "";
  if (given !== "" && lookupKey(given) !== lastSegment(name) && lookupKey(given) !== name)
    setKey(metadata, "display-name", given);
}

/** Whether a description can be derived anew, because the body is another one and has a first paragraph. */
function hasNewText(incoming: SkillText, existing: SkillText): boolean {
  return incoming.firstParagraph !== "" && incoming.body.trim() !== existing.body.trim();
}

/** Removes what nobody wrote: a description that was the first paragraph, and a summary that was the first sentence or a model's. */
function dropDerived(existing: SkillText, { top, metadata }: { top: YamlMap; metadata: YamlMap }): void {
  const described = String(top.description ?? "");
  const summary = metadataOf(metadata, "summary");
  const wasDerived = [described, existing.firstParagraph].some((text) => summary === summaryOf(text));
  if (wasDerived || metadataOf(metadata, "summary-by") !== undefined) setKey(metadata, "summary", "");
  setKey(metadata, "summary-by", "");
  const paragraph = clip(existing.firstParagraph, LIMITS.descriptionChars);
  if (oneSpaced(described) === oneSpaced(paragraph)) delete top.description;
}

function oneSpaced(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A summary is kept until somebody writes another description. */
function summaryFor(parts: NewText, now: { metadata: YamlMap; description: YamlValue }): string {
  if (parts.summary?.trim()) return summaryOf(parts.summary);
  const given = metadataOf(now.metadata, "summary");
  const before = parts.existing?.front.description;
  const written = parts.description ?? parts.incoming.front.description;
  const isOwn = metadataOf(takeAll(parts.incoming.front), "summary") !== undefined;
  const isKept = isOwn || before === undefined || written === undefined || written === before;
  return summaryOf(given !== undefined && isKept ? given : String(now.description));
}

function takeAll(front: YamlMap): YamlMap {
  const metadata: YamlMap = {};
  take(front, { top: {}, metadata });
  return metadata;
}

/** An empty value removes the key. */
function setKey(map: YamlMap, key: string, value: string, also: readonly string[] = []): void {
  for (const word of also) put(map, word, "");
  put(map, key, value);
  if (value === "") delete map[key];
  for (const word of also) delete map[word];
}

/** Sets a key, instead of any other spelling of it. */
function put(map: YamlMap, key: string, value: YamlValue): void {
  for (const other of Object.keys(map))
    if (other !== key && foldedKey(other) === foldedKey(key)) delete map[other];
  map[key] = value;
}
