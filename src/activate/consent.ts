// Decides whether a skill may be activated in a task: policy, earlier consent, trust, and the question to a person.

import { matchesAny } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { SourceScope } from "../model/source.ts";
import { compareMarks, type FileChanges, type FileMarks } from "../package/package.ts";
import type { ConsentRecord, TaskStore, TrustStore } from "./task-store.ts";

/** `risky`: a person has not yet agreed to this content in this task. */
export type ActivationRisk = "risky" | "safe";

/** Lists of `GLOB` or `GLOB@SOURCE`, where a source is an id or a scope: `*@bundled`, `deploy/**@~/.claude/skills`. */
export interface ConsentPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export interface ConsentSubject {
  readonly name: SkillName;
  readonly source: string;
  readonly scope: SourceScope;
}

/** Whether a rule `GLOB` or `GLOB@SOURCE` covers this skill. Names never contain `@`; ids of sources may. */
export function ruleFits(rule: string, subject: ConsentSubject): boolean {
  const at = rule.indexOf("@");
  const glob = at < 0 ? rule : rule.slice(0, at);
  const source = at < 0 ? undefined : rule.slice(at + 1);
  if (source !== undefined && source !== subject.source && source !== subject.scope) return false;
  return glob === "" || matchesAny([glob], subject.name);
}

/** The decision of the policy: the strictest list that fits, or `ask` if none fits. */
export function decide(policy: ConsentPolicy, subject: ConsentSubject): keyof ConsentPolicy {
  for (const decision of ["deny", "ask", "allow"] as const) {
    if (policy[decision].some((rule) => ruleFits(rule, subject))) return decision;
  }
  return "ask";
}

export interface SheetFinding {
  readonly code: string;
  readonly severity: "low" | "medium" | "high";
  readonly path: string;
  readonly line?: number | undefined;
  readonly excerpt: string;
  readonly message: string;
}

/** What a person sees before they answer. */
export interface ConsentSheet {
  readonly name: SkillName;
  readonly displayName: string;
  readonly description: string;
  readonly source: string;
  readonly path: string;
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scripts: readonly string[];
  /** Loaded into the agent's own process when its tools are used. */
  readonly toolsets: readonly string[];
  readonly requestedTools: readonly string[];
  /** Environment variables that its scripts will see. */
  readonly environment: readonly string[];
  readonly addresses: readonly string[];
  readonly findings: readonly SheetFinding[];
  /** The changes since the last consent in this task. */
  readonly changed?: FileChanges | undefined;
}

/** Asks a person. Any answer but `true` is a no. */
export type ConsentAsker = (sheet: ConsentSheet) => boolean | Promise<boolean>;

interface ConsentRequest {
  readonly task: string;
  readonly subject: ConsentSubject;
  readonly digest: string;
  readonly marks: FileMarks;
  readonly policy: ConsentPolicy;
  readonly tasks: TaskStore;
  readonly trust: TrustStore;
  readonly ask?: ConsentAsker | undefined;
  /** Called only if a person is asked. */
  readonly sheet: (changed: FileChanges | undefined) => ConsentSheet;
}

/** Returns the risk if the skill may be activated, and fails with the next step if not. Records nothing. */
export async function settleConsent(request: ConsentRequest): Promise<ActivationRisk> {
  const { task, subject, digest, ask } = request;
  const decision = decide(request.policy, subject);
  if (decision === "deny") throw deniedByPolicy(subject);
  const earlier = await request.tasks.consentFor(task, subject.name);
  if (earlier?.digest === digest) return "safe";
  if (decision === "allow" || (await request.trust.has(digest))) return "risky";
  const changed = earlier && compareMarks(earlier.files, request.marks);
  if (ask === undefined) throw unasked(request, changed);
  if ((await ask(request.sheet(changed))) !== true) {
    throw new RepertoireError(
      "consent-refused",
      `"${subject.name}" was not activated: the answer was no. Continue without it.`,
      subject.name,
    );
  }
  return "risky";
}

export function consentRecord(
  request: Pick<ConsentRequest, "task" | "subject" | "digest" | "marks">,
  at: number,
): ConsentRecord {
  const { task, subject, digest, marks } = request;
  return { task, skill: subject.name, digest, at, files: marks };
}

export function deniedByPolicy({ name, source }: ConsentSubject): RepertoireError {
  return new RepertoireError(
    "consent-denied",
    `"${name}" (from ${source}) may not be activated: your configuration denies it. Change consent.deny in ~/.repertoire/repertoire.config.json if it should.`,
    name,
  );
}

function unasked({ subject, task }: ConsentRequest, changed: FileChanges | undefined): RepertoireError {
  const { name } = subject;
  const why = changed === undefined ? "needs a person's consent" : `has changed (${changesInWords(changed)})`;
  return new RepertoireError(
    "consent-required",
    `"${name}" ${why} and nobody could be asked. A person can run \`repertoire activate ${name} --task ${quoted(task)}\` and answer, add --yes to agree at once, or run \`repertoire trust ${name}\` to agree to this content permanently.`,
    name,
  );
}

/** `SKILL.md changed; scripts/a.sh, scripts/b.sh added`. */
export function changesInWords(changes: FileChanges): string {
  const kinds = (["changed", "added", "removed"] as const).filter((kind) => changes[kind].length > 0);
  return kinds.map((kind) => `${firstFew(changes[kind])} ${kind}`).join("; ");
}

/** How many changed files a message names. */
const NAMED_FILES = 5;

function firstFew(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  return `${paths.slice(0, NAMED_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function quoted(task: string): string {
  return /^[\w.-]+$/.test(task) ? task : `'${task.replaceAll("'", "'\\''")}'`;
}
