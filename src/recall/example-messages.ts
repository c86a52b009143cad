// Example messages: what a person might type for a skill, written by a model. They are kept in one file by the digest of the
// skill's content, so that they survive a rebuild of the index and end with the content they were written for.

import { appendLines, readLines, UNREADABLE, unlessMissing } from "../disk/disk.ts";

export const EXAMPLE_LIMITS = {
  /** Characters of a message: shorter ones say nothing, longer ones are not what people type. */
  minChars: 3,
  maxChars: 200,
  /** Messages kept for a skill. */
  messages: 12,
} as const;

interface ExampleRecord {
  readonly digest: string;
  readonly messages: readonly string[];
  /** The model or agent that wrote them. */
  readonly by: string;
}

const NONE: readonly string[] = [];

/**
 * The example messages of all skills.
 *
 * @example
 * const examples = new ExampleMessages(join(folder, "example-messages.jsonl"));
 * examples.add({ digest: skill.digest, messages: ["fill in this form"], by: "llama3.2" });
 * examples.of(skill); // ["fill in this form"]
 */
export class ExampleMessages {
  private readonly path: string;
  private readonly known = new Map<string, readonly string[]>();
  /** Where the part of the file begins that was not read yet. */
  private end = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads what was added since the last call, by any process. */
  refresh(): void {
    // Recall is less sure without them, and not stopped.
    const read = unlessMissing(() => readLines(this.path, this.end), UNREADABLE);
    if (read === undefined) return;
    const { values, end } = read;
    this.end = end;
    for (const value of values) {
      const { digest, messages } = value as Partial<ExampleRecord>;
      if (typeof digest === "string") this.known.set(digest, validMessages(messages));
    }
  }

  /** The messages for a skill as it is now, as of the last `refresh`. */
  of({ digest }: { readonly digest: string }): readonly string[] {
    return this.known.get(digest) ?? NONE;
  }

  add(record: ExampleRecord): void {
    appendLines(this.path, [record]);
    this.refresh();
  }
}

/** Markup that has no place in what a person types, and by which a text may try to give a model orders. */
const MARKUP =
  /<\/?[a-z!|][^>]*>|<\||```|\{\{|\[\/?INST\]|^\s*(?:#|(?:system|assistant|user|human)\s*:)|https?:\/\//i;
const CONTROL = /\p{Cc}|\p{Cf}/u;

/** The usable messages of an answer, each once: texts of the right length without control characters and markup. */
export function validMessages(given: unknown): string[] {
  if (!Array.isArray(given)) return [];
  const { minChars, maxChars, messages } = EXAMPLE_LIMITS;
  const kept = new Map<string, string>();
  for (const value of given) {
    if (typeof value !== "string") continue;
    const text = value.trim();
    if (text.length < minChars || text.length > maxChars) continue;
    if (CONTROL.test(text) || MARKUP.test(text)) continue;
    const key = text.toLowerCase();
    if (!kept.has(key)) kept.set(key, text);
  }
  return [...kept.values()].slice(0, messages);
}
