// Owns how a skill lies in the index: its fields, its evidence, the texts whose meaning is kept, and the skill itself
// packed beside them, so that a cold process answers from the index alone. Does not own the index.

import { lookupKey } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type IndexDocument, quantize, quantizeOne } from "../search/search.ts";
import { bodyFields, bodySections, descriptionClauses } from "../text/sections.ts";
import { tokenize } from "../text/tokens.ts";
import { encodeEvidence } from "./evidence.ts";
import { type BackgroundIdf, backgroundOfTerms, MESSAGE } from "./features-message.ts";
import { firstWord } from "./signals/triggers.ts";

export const DOCUMENT = {
  /** Sections whose meaning is kept: a body of 24 sections is longer than nineteen of twenty. */
  sections: 24,
} as const;

/** How a skill is found without sharing a word of text. No token has the sign that they begin with. */
export const MARK = {
  /** A name that people use and that is not the identity. */
  alias: (key: string) => `\u0001alias ${key}`,
  /** The first word of a trigger phrase. */
  trigger: (word: string) => `\u0001trigger ${word}`,
  pattern: "\u0001pattern",
  path: "\u0001path",
} as const;

/** A skill with what is needed to see whether its file has changed since. */
export interface IndexedSkill {
  readonly skill: Skill;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface DocumentInput extends IndexedSkill {
  readonly body: string;
  /** Unit vectors of `headText` and of each of `sectionTexts`; empty without an embedder. */
  readonly vectors: { readonly head: Float32Array | undefined; readonly sections: readonly Float32Array[] };
  readonly background: BackgroundIdf;
}

/** What stands for the whole skill in meaning: its name in words and what it is for. */
export function headText(skill: Skill): string {
  const { positive } = descriptionClauses(skill.manifest.description);
  return `${titleOf(skill).replace(/[-_/]/g, " ")}. ${positive}`;
}

/** The texts whose meaning stands for the parts of the body. */
export function sectionTexts(body: string): string[] {
  const sections = bodySections(body).filter((section) => !section.notFor);
  return sections.slice(0, DOCUMENT.sections).map((section) => section.text);
}

export function toDocument(input: DocumentInput): IndexDocument {
  const { skill, body, vectors, background } = input;
  const fields = bodyFields(body);
  const { positive } = descriptionClauses(skill.manifest.description);
  const title = titleOf(skill);
  const triggers = triggerTexts(skill);
  const known = backgroundOfTerms(title, background);
  const rarity = (term: string) => known.get(term) ?? MESSAGE.unseenIdf;
  const evidence = encodeEvidence(
    { name: title, description: skill.manifest.description, triggers, body },
    { rarity },
  );
  return {
    key: skill.name,
    digest: documentDigest(input),
    fields: [
      tokenize(title),
      tokenize(`${positive}\n${triggers.join("\n")}`),
      tokenize(fields.headings),
      tokenize(fields.prose),
      tokenize(fields.code),
    ],
    marks: marksOf(skill),
    payload: packSkill(input, evidence),
    vector: vectors.head && quantizeOne(vectors.head),
    passages: vectors.head && quantize(vectors.sections, vectors.head.length),
  };
}

function marksOf({ name, displayName, manifest }: Skill): string[] {
  const { keywords, verbs, patterns } = manifest.triggers;
  const alias = lookupKey(displayName);
  return [
    ...(alias !== "" && alias !== name ? [MARK.alias(alias)] : []),
    ...[...keywords, ...verbs].map((phrase) => MARK.trigger(firstWord(phrase))),
    ...(patterns.length > 0 ? [MARK.pattern] : []),
    ...(manifest.paths.length > 0 ? [MARK.path] : []),
  ];
}

/** Tells one state of a document from another: the text, and the place that the packed skill names. */
export function documentDigest({ skill, size, mtimeMs }: IndexedSkill): string {
  return `${skill.digest}|${skill.path}|${size}|${mtimeMs}`;
}

/** The name people know it by; the identity's last segment counts too where it differs. */
function titleOf(skill: Skill): string {
  return skill.manifest.declaredName ?? skill.name;
}

function triggerTexts({ manifest }: Skill): string[] {
  const { keywords, verbs } = manifest.triggers;
  const said = [manifest.whenToUse, manifest.summary].filter((text) => text !== undefined);
  return [...keywords, ...verbs, ...manifest.tags, ...said];
}

function packSkill({ skill, size, mtimeMs }: IndexedSkill, evidence: Uint8Array): Uint8Array {
  const json = Buffer.from(JSON.stringify({ skill, size, mtimeMs }));
  const packed = new Uint8Array(4 + json.length + evidence.length);
  new DataView(packed.buffer).setUint32(0, json.length, true);
  packed.set(json, 4);
  packed.set(evidence, 4 + json.length);
  return packed;
}

export function unpackSkill(packed: Uint8Array): IndexedSkill {
  const length = jsonLength(packed);
  const json = Buffer.from(packed.buffer, packed.byteOffset + 4, length).toString();
  return JSON.parse(json) as IndexedSkill;
}

export function unpackEvidence(packed: Uint8Array): Uint8Array {
  return packed.subarray(4 + jsonLength(packed));
}

function jsonLength(packed: Uint8Array): number {
  return packed[0]! | (packed[1]! << 8) | (packed[2]! << 16) | (packed[3]! << 24);
}
