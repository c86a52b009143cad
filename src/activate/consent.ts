// Decides whether a skill may be activated in a task: policy, earlier consent, trust, and the question to a person.

import { matchesAny } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { SourceScope } from "../model/source.ts";
import { compareMarks, type FileChanges, type FileMarks } from "../package/package.ts";
import type { ConsentRecord, TaskStore, TrustStore } from "./task-store.ts";

export type Decision = "allow" | "ask" | "deny";

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

/** Whether a rule `GLOB` or `GLOB@SOURCE` covers this skill. Names hold no `@`; ids of sources may. */
export function ruleFits(rule: string, subject: ConsentSubject): boolean {
  const at = rule.indexOf("@");
  const glob = at < 0 ? rule : rule.slice(0, at);
  const source = at < 0 ? undefined : rule.slice(at + 1);
  if (source !== undefined && source !== subject.source && source !== subject.scope) return false;
  return glob === "" || matchesAny([glob], subject.name);
}

/** If several lists fit, the strictest one holds; if none fits, a person is asked. */
export function decide(policy: ConsentPolicy, subject: ConsentSubject): Decision {
  for (const decision of ["deny", "ask", "allow"] as const) {
    if (policy[decision].some((rule) => ruleFits(rule, subject))) return decision;
  }
  return "ask";
}

export interface SheetFinding {
  readonly code: string;
  readonly severity: "low" | "medium" | "high";
  readonly path: string;
  readonly line?: number;
  readonly excerpt: string;
  readonly message: string;
}

/** What a person is shown before they answer. */
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
  /** What is different from what was agreed to before in this task. */
  readonly changed?: FileChanges;
}

/** Puts the question to a person. Anything but `true` is a no. */
export type ConsentAsker = (sheet: ConsentSheet) => boolean | Promise<boolean>;

export interface ConsentRequest {
  readonly task: string;
  readonly subject: ConsentSubject;
  readonly digest: string;
  readonly marks: FileMarks;
  readonly policy: ConsentPolicy;
  readonly tasks: TaskStore;
  readonly trust: TrustStore;
  readonly ask?: ConsentAsker | undefined;
  /** Made only when a person is asked. */
  readonly sheet: (changed: FileChanges | undefined) => ConsentSheet;
}

export interface Consent {
  readonly risk: ActivationRisk;
  /** Whose yes it was. */
  readonly by: "earlier" | "policy" | "trust" | "person";
}

/** Returns when the skill may be activated, and fails with the next step when not. Records nothing. */
export async function settleConsent(request: ConsentRequest): Promise<Consent> {
  const { task, subject, digest, ask } = request;
  const decision = decide(request.policy, subject);
  if (decision === "deny") throw deniedByPolicy(subject);
  const earlier = await request.tasks.consentFor(task, subject.name);
  if (earlier?.digest === digest) return { risk: "safe", by: "earlier" };
  if (decision === "allow") return { risk: "risky", by: "policy" };
  if (await request.trust.has(digest)) return { risk: "risky", by: "trust" };
  const changed = earlier && compareMarks(earlier.files, request.marks);
  if (ask === undefined) throw unasked(request, changed);
  if ((await ask(request.sheet(changed))) !== true) {
    throw new RepertoireError(
      "consent-refused",
      `"${subject.name}" was not activated: the answer was no. Go on without it.`,
      subject.name,
    );
  }
  return { risk: "risky", by: "person" };
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
    `"${name}" ${why} and nobody could be asked. A person runs \`repertoire activate ${name} --task ${quoted(task)}\` and answers, adds --yes to agree at once, or runs \`repertoire trust ${name}\` to agree to this content for good.`,
    name,
  );
}

/** `SKILL.md changed; scripts/a.sh, scripts/b.sh added`. */
export function changesInWords(changes: FileChanges): string {
  const kinds = (["changed", "added", "removed"] as const).filter((kind) => changes[kind].length > 0);
  return kinds.map((kind) => `${firstFew(changes[kind])} ${kind}`).join("; ");
}

/** Names of changed files that a sentence still bears. */
const NAMED_FILES = 5;

function firstFew(paths: readonly string[]): string {
  const more = paths.length - NAMED_FILES;
  return `${paths.slice(0, NAMED_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function quoted(task: string): string {
  return /^[\w.-]+$/.test(task) ? task : `'${task.replaceAll("'", "'\\''")}'`;
}
