// Owns what the SKILL.md of a learned skill says: how new text meets what was there, and which keys are ours to keep.
// Does not parse (the caller has read both texts) and does not write files.

import { lastSegment, lookupKey, type SkillName } from "../model/name.ts";
import { clip } from "../text/markdown.ts";
import { type FrontMap, type FrontValue, writeFrontMatter } from "./front-matter-writer.ts";
import { summaryOf } from "./summary.ts";

/** The open spec's keys; everything else of a skill that we write stands below `metadata`. */
const SPEC_KEYS = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];

/** The open spec's limit; only a description that we make ourselves is cut to it. */
const DESCRIPTION_CHARS = 1024;

/** Keys that say what happened to a skill. Text that somebody hands in cannot claim them. */
const MANAGED = [
  "created-at",
  "updated-at",
  "provenance",
  "pinned",
  "copied-from",
  "starter-version",
] as const;
export type ManagedKey = (typeof MANAGED)[number];

/** A SKILL.md as it was read. */
export interface ReadText {
  readonly front: FrontMap;
  /** The lines between the fences, where they can be kept. */
  readonly yaml?: string | undefined;
  readonly body: string;
}

export interface NewText {
  readonly name: SkillName;
  readonly incoming: ReadText;
  /** The skill as it is now, here or in the source it is copied from. */
  readonly existing?: ReadText | undefined;
  readonly description?: string | undefined;
  /** Serves when nobody has described the skill. */
  readonly firstParagraph: string;
  readonly summary?: string | undefined;
  readonly seeAlso?: readonly string[] | undefined;
  readonly managed: Readonly<Partial<Record<ManagedKey, string>>>;
}

/** The whole SKILL.md: new text over old, what the new one does not mention kept, our keys below `metadata`. */
export function composeSkill(parts: NewText): string {
  const { incoming, existing } = parts;
  const metadata: FrontMap = {};
  const top: FrontMap = {};
  if (existing) take(existing.front, { top, metadata });
  take(withoutManaged(incoming.front), { top, metadata });
  const description =
    parts.description?.replace(/\s+/g, " ").trim() ||
    top.description ||
    clip(parts.firstParagraph, DESCRIPTION_CHARS);
  keepDisplayName(parts, top, metadata);
  if (parts.seeAlso)
    setKey(metadata, "see-also", parts.seeAlso.map(lookupKey).join(", "), ["related-skills"]);
  const summary = summaryFor(parts, { metadata, description });
  setKey(metadata, "summary", summary);
  for (const [key, value] of Object.entries(parts.managed)) setKey(metadata, key, value);
  const front: FrontMap = { name: lastSegment(parts.name), description };
  for (const key of SPEC_KEYS.slice(2, -1)) if (top[key] !== undefined) front[key] = top[key];
  if (Object.keys(metadata).length > 0) front.metadata = metadata;
  const body = incoming.body.replace(/^\s*\n/, "").trimEnd();
  return `${writeFrontMatter(front, existing?.yaml ?? incoming.yaml)}\n${body}\n`;
}

/** The same skill with some keys below `metadata` set, or removed where the value is undefined. */
export function withMetadata(text: ReadText, changes: Readonly<Record<string, string | undefined>>): string {
  const metadata: FrontMap = { ...(isMap(text.front.metadata) ? text.front.metadata : {}) };
  for (const [key, value] of Object.entries(changes)) setKey(metadata, key, value ?? "");
  const front: FrontMap = { ...text.front, metadata };
  if (Object.keys(metadata).length === 0) delete front.metadata;
  return `${writeFrontMatter(front, text.yaml)}\n${text.body}`;
}

/** A text below `metadata`, in any spelling of its key. */
export function metadataOf(metadata: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const found = Object.keys(metadata).find((each) => folded(each) === folded(key));
  const value = found === undefined ? undefined : metadata[found];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function take(front: FrontMap, into: { top: FrontMap; metadata: FrontMap }): void {
  const { metadata, ...rest } = front;
  if (isMap(metadata)) for (const [key, value] of Object.entries(metadata)) put(into.metadata, key, value);
  for (const [key, value] of Object.entries(rest))
    put(SPEC_KEYS.includes(key) ? into.top : into.metadata, key, value);
}

function withoutManaged(front: FrontMap): FrontMap {
  const allowed = (map: FrontMap): FrontMap =>
    Object.fromEntries(
      Object.entries(map).filter(([key]) => !MANAGED.some((ours) => folded(ours) === folded(key))),
    );
  return { ...allowed(front), ...(isMap(front.metadata) && { metadata: allowed(front.metadata) }) };
}

/** A spec-conformant name is the folder's; another one that somebody gave is kept beside it. */
function keepDisplayName({ name }: NewText, top: FrontMap, metadata: FrontMap): void {
  const given = typeof top.name === "string" ? top.name.trim() : "";
  if (given !== "" && lookupKey(given) !== lastSegment(name) && lookupKey(given) !== name)
    setKey(metadata, "display-name", given);
}

/** What was said of the skill holds as long as its description does. */
function summaryFor(parts: NewText, now: { metadata: FrontMap; description: FrontValue }): string {
  if (parts.summary?.trim()) return summaryOf(parts.summary);
  const described = String(now.description);
  const given = metadataOf(now.metadata, "summary");
  const before = parts.existing?.front.description;
  const isOwn = metadataOf(takeAll(parts.incoming.front), "summary") !== undefined;
  return given !== undefined && (isOwn || before === undefined || before === described)
    ? summaryOf(given)
    : summaryOf(described);
}

function takeAll(front: FrontMap): FrontMap {
  const metadata: FrontMap = {};
  take(front, { top: {}, metadata });
  return metadata;
}

/** An empty value removes the key. */
function setKey(map: FrontMap, key: string, value: string, also: readonly string[] = []): void {
  for (const word of also) put(map, word, "");
  put(map, key, value);
  if (value === "") delete map[key];
  for (const word of also) delete map[word];
}

/** Sets a key, instead of any other spelling of it. */
function put(map: FrontMap, key: string, value: FrontValue): void {
  for (const other of Object.keys(map)) if (other !== key && folded(other) === folded(key)) delete map[other];
  map[key] = value;
}

function folded(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, "");
}

function isMap(value: FrontValue | undefined): value is FrontMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
