// How a skill is represented in the index: its fields, its evidence, and the texts whose meaning is kept. The skill
// itself is in the library's snapshot.

import { lookupKey } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { type IndexDocument, quantize, quantizeOne } from "../search/search.ts";
import { type BodySection, type DescriptionClauses, descriptionClauses } from "../text/sections.ts";
import { tokenize } from "../text/tokens.ts";
import { encodeEvidence, sectionTerms, termHash } from "./evidence.ts";
import { type BackgroundIdf, backgroundOfTerms, MESSAGE } from "./features-message.ts";
import { phraseStart } from "./signals/triggers.ts";

export const DOCUMENT = {
  /** Raise it when a document of the same skill would become another one: the index is then built anew. */
  format: 5,
  /** Sections whose meaning is kept: a body of 24 sections is longer than nineteen of twenty. */
  sections: 24,
} as const;

/** How a skill is found without sharing a word of text. No token has the sign that they begin with. */
export const MARK = {
  /** A name that people use and that is not the identity. */
  alias: (key: string) => `\u0001alias ${key}`,
  /** The first two words of a trigger phrase, or its only one. */
  trigger: (start: string) => `\u0001trigger ${start}`,
  pattern: "\u0001pattern",
  path: "\u0001path",
} as const;

interface DocumentInput {
  readonly skill: Skill;
  readonly sections: readonly BodySection[];
  readonly clauses: DescriptionClauses;
  /** Example messages. */
  readonly messages?: readonly string[] | undefined;
  /** Unit vectors of `headText`, and of each of `sectionTexts` and of the messages; empty without an embedder. */
  readonly vectors: { readonly head: Float32Array | undefined; readonly sections: readonly Float32Array[] };
  readonly background: BackgroundIdf;
}

/** What stands for the whole skill in meaning: its name in words and what it is for. */
export function headText(skill: Skill): string {
  return headTextOf(skill, descriptionClauses(skill.manifest.description));
}

export function headTextOf(skill: Skill, { positive }: DescriptionClauses): string {
  return `${titleOf(skill).replace(/[-_/]/g, " ")}. ${positive}`;
}

/** The texts whose meaning stands for the parts of the body. */
export function sectionTexts(sections: readonly BodySection[]): string[] {
  const kept = sections.filter((section) => !section.notFor);
  return kept.slice(0, DOCUMENT.sections).map((section) => section.text);
}

export function toDocument(input: DocumentInput): IndexDocument {
  const { skill, clauses, messages = [], vectors, background } = input;
  const title = titleOf(skill);
  const triggers = triggerTexts(skill);
  const known = backgroundOfTerms(title, background);
  const rarity = (term: string) => known.get(term) ?? MESSAGE.unseenIdf;
  const fields = { headings: [] as string[], prose: [] as string[], code: [] as string[] };
  const sections = sectionTerms(input.sections, (kind, terms) => {
    const field = fields[kind];
    for (const term of terms) field.push(term);
  });
  const evidence = encodeEvidence(
    { name: title, description: skill.manifest.description, triggers, messages, clauses, sections },
    { rarity },
  );
  return {
    key: skill.name,
    digest: documentDigest(skill, messages),
    fields: [
      tokenize(title),
      tokenize(`${clauses.positive}\n${triggers.join("\n")}`),
      fields.headings,
      fields.prose,
      fields.code,
      ...(messages.length > 0 ? [tokenize(messages.join("\n"))] : []),
    ],
    marks: marksOf(skill),
    payload: evidence,
    ...(vectors.head && {
      vector: quantizeOne(vectors.head),
      passages: quantize(vectors.sections, vectors.head.length),
    }),
  };
}

function marksOf({ name, displayName, manifest }: Skill): string[] {
  const { keywords, verbs, patterns } = manifest.triggers;
  const alias = lookupKey(displayName);
  return [
    ...(alias !== "" && alias !== name ? [MARK.alias(alias)] : []),
    ...[...keywords, ...verbs].map((phrase) => MARK.trigger(phraseStart(phrase))),
    ...(patterns.length > 0 ? [MARK.pattern] : []),
    ...(manifest.paths.length > 0 ? [MARK.path] : []),
  ];
}

/** Tells one state of a document from another. Of a SHA-256 sum, 80 bits are enough. */
export function documentDigest({ digest }: Skill, messages: readonly string[] = []): string {
  const own = `${DOCUMENT.format}|${digest.length === 64 ? digest.slice(0, 20) : digest}`;
  const text = messages.join("\n");
  return text === "" ? own : `${own}|${text.length}.${termHash(text)}`;
}

/** The digest of the skill behind a document's digest. */
export function skillDigest(documentDigest: string): string {
  return documentDigest.split("|", 2)[1] ?? "";
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
