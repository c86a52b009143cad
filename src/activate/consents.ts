// Prepares what a person is asked about a skill, and keeps what they trust. The gate decides (`gate.ts`).

import { basename } from "node:path";
import {
  cachedInspection,
  type Finding,
  type InspectedFile,
  type InspectionCache,
  inspectionSteps,
  isScript,
  type UnscannedFile,
  type Verdict,
} from "../inspect/inspect.ts";
import { type Audience, inSlices, type RuleSubject } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import type { Skill, SkillManifest } from "../model/skill.ts";
import type { SourceScope } from "../model/source.ts";
import { type FileChanges, type PackageSnapshot, snapshotPackage } from "../package/package.ts";
import { type ParsedSkill, parseSkill } from "../parse/parse.ts";
import { firstOf } from "../text/lists.ts";
import { numberOf } from "../text/numbers.ts";
import type { TrustRecord, TrustStore } from "./task-store.ts";

/** For whom a skill is looked up. */
export interface Who {
  /** The configured agent unless given. */
  readonly agent?: string | undefined;
  /** A person also reaches the skills that only a person may invoke. */
  readonly audience?: Audience | undefined;
}

export interface ConsentNeeds {
  /** A skill that may be used now; fails with the names that may be used instead. */
  readonly find: (name: string, who: Who) => Promise<Skill>;
  /** Reads the library again, after a package turned out to have changed. */
  readonly refresh: () => Promise<unknown>;
  /** The scope of a source. */
  readonly scopeOf: (source: string) => SourceScope;
  readonly trust: TrustStore;
  readonly now: () => number;
  /** What inspection found before; the sheet is made anew each time. */
  readonly inspections?: InspectionCache | undefined;
}

/** A skill as it is on disk now, for which consent can be requested. */
export interface Offer {
  readonly skill: Skill;
  readonly subject: RuleSubject;
  readonly snapshot: PackageSnapshot;
  readonly parsed: ParsedSkill;
}

/** How many scripts a message names. */
const SCRIPTS_IN_MESSAGE = 20;

export class Consents {
  private readonly needs: ConsentNeeds;

  constructor(needs: ConsentNeeds) {
    this.needs = needs;
  }

  /**
   * Reads the whole package again. Fails if the skill is not visible, its package not valid, or its body empty.
   *
   * @example
   * const { snapshot } = await skills.consents.offer("pdf-tables", { audience: "person" });
   */
  async offer(name: string, who: Who): Promise<Offer> {
    const known = await this.needs.find(name, who);
    const first = snapshotPackage(known.directory);
    const isStale = !first.files.get(basename(known.path))?.mark.startsWith(known.digest);
    if (isStale) await this.needs.refresh();
    // The changed skill may now be disabled, or only a person may invoke it.
    const skill = isStale ? await this.needs.find(name, who) : known;
    const snapshot = skill.directory === known.directory ? first : snapshotPackage(skill.directory);
    return { skill, subject: this.subject(skill), snapshot, parsed: instructions(skill, snapshot) };
  }

  /**
   * The skill as rules of the consent policy name it.
   *
   * @example
   * const offer = await skills.consents.offer("pdf-tables", { audience: "person" });
   * const { scope } = await skills.consents.subject(offer.skill);
   */
  subject({ name, source }: Skill): RuleSubject {
    return { name, source, scope: this.needs.scopeOf(source) };
  }

  /**
   * What a person sees before they agree to an offer.
   *
   * @example
   * const offer = await skills.consents.offer("pdf-tables", { audience: "person" });
   * const { scripts } = await skills.consents.sheet(offer);
   */
  async sheet(
    { skill, snapshot, parsed: { manifest } }: Offer,
    changed?: FileChanges,
  ): Promise<ConsentSheet> {
    return consentSheet({
      name: skill.name,
      displayName: skill.displayName,
      source: skill.source,
      path: skill.directory,
      digest: snapshot.digest,
      files: inspectedFiles(snapshot),
      manifest,
      changed,
    });
  }

  /** @internal The verdict on the content of an offer, for a rule that is followed without a question. */
  async verdict(snapshot: PackageSnapshot): Promise<Verdict> {
    const { inspections } = this.needs;
    const survey = { digest: snapshot.digest, files: inspectedFiles(snapshot), unread: [] };
    const { verdict } = await inSlices(cachedInspection(survey, inspections));
    inspections?.save();
    return verdict;
  }

  /**
   * What a person sees before they trust a skill.
   *
   * @example
   * const { scripts, findings } = await skills.consents.look("pdf-tables");
   */
  async look(name: string): Promise<ConsentSheet> {
    return this.sheet(await this.offer(name, { audience: "person" }));
  }

  /**
   * Keeps a person's yes to the content of a skill that they have seen, for every task. Fails if it has changed since.
   *
   * @example
   * const { digest } = await skills.consents.look("pdf-tables");
   * await skills.consents.trust("pdf-tables", digest);
   */
  async trust(name: string, seen: string): Promise<TrustRecord & { readonly sheet: ConsentSheet }> {
    const offer = await this.offer(name, { audience: "person" });
    const { digest } = offer.snapshot;
    if (seen !== digest) {
      throw new RepertoireError(
        "consent-stale",
        `"${offer.skill.name}" has changed since it was looked at. Look at it again, then agree to its new digest.`,
        seen,
      );
    }
    const record = { digest, skill: offer.skill.name, at: this.needs.now(), source: offer.skill.source };
    await this.needs.trust.add(record);
    return { ...record, sheet: await this.sheet(offer) };
  }

  /**
   * Everything that a person trusts permanently.
   *
   * @example
   * for (const { skill, digest } of await skills.consents.trusted()) console.log(skill, digest);
   */
  async trusted(): Promise<readonly TrustRecord[]> {
    return this.needs.trust.list();
  }

  /**
   * Revokes trust by name or digest; a digest may be shortened if it stays unambiguous.
   *
   * @example
   * await skills.consents.trust("pdf-tables", (await skills.consents.look("pdf-tables")).digest);
   * const revoked = await skills.consents.revoke("pdf-tables");
   */
  async revoke(digestOrName: string): Promise<number> {
    const known = await this.needs.trust.list();
    const whole = known.filter(({ digest }) => digestOrName.length >= 8 && digest.startsWith(digestOrName));
    const digests = new Set(whole.map(({ digest }) => digest));
    const [only] = digests.size === 1 ? digests : [digestOrName];
    const revoked = await this.needs.trust.revoke(only ?? digestOrName);
    if (revoked > 0) return revoked;
    const names = [...new Set(known.map(({ skill }) => skill))].join(", ") || "none";
    throw new RepertoireError(
      "trust-not-found",
      `Nothing is trusted as "${digestOrName}". Trusted: ${names}.`,
      digestOrName,
    );
  }
}

/** The first scripts of a package, for a message. */
export function scriptsOf(snapshot: PackageSnapshot): readonly string[] {
  return inspectedFiles(snapshot)
    .filter((file) => isScript(file) && !file.path.startsWith("toolsets/"))
    .map(({ path }) => path)
    .sort()
    .slice(0, SCRIPTS_IN_MESSAGE);
}

function instructions(skill: Skill, snapshot: PackageSnapshot): ParsedSkill {
  const file = basename(skill.path);
  const { skill: parsed, diagnostics } = parseSkill(snapshot.files.get(file)?.bytes ?? "", skill.path);
  if (!parsed) {
    const error = diagnostics.find(({ severity }) => severity === "error");
    throw new RepertoireError(
      "skill-broken",
      `"${skill.name}" cannot be read: ${error?.message ?? "it is empty."} ${error?.fix ?? ""}`.trim(),
      skill.path,
    );
  }
  if (parsed.body.trim() !== "") return parsed;
  throw new RepertoireError(
    "body-empty",
    `"${skill.name}" has no instructions below its front matter, so there is nothing to activate. Write them into ${skill.path}.`,
    skill.path,
  );
}

/** A package that a person is asked about: one of the library, or one that would be added to it. */
interface AskedPackage
  extends Pick<ConsentSheet, "name" | "displayName" | "source" | "path" | "digest" | "changed"> {
  readonly files: readonly InspectedFile[];
  readonly manifest: SkillManifest;
}

/** Inspects a package and says what a person sees about it. Does not block the event loop. */
export async function consentSheet({ files, manifest, ...about }: AskedPackage): Promise<ConsentSheet> {
  const { scripts, addresses, verdict, findings, unscanned } = await inSlices(inspectionSteps(files, []));
  return {
    ...about,
    description: manifest.description,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
    scripts,
    toolsets: manifest.toolsets,
    requestedTools: manifest.allowedTools,
    environment: manifest.requires.env,
    addresses,
    verdict,
    findings,
    unscanned,
  };
}

function inspectedFiles({ files }: PackageSnapshot): InspectedFile[] {
  return [...files].map(([path, { bytes, executable }]) => ({
    path,
    bytes,
    mode: executable ? 0o100755 : 0o100644,
  }));
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
  /** Modules whose code runs as soon as the skill is activated, in a process of their own in the sandbox. */
  readonly toolsets: readonly string[];
  readonly requestedTools: readonly string[];
  /** Environment variables that its scripts and toolsets will see. */
  readonly environment: readonly string[];
  readonly addresses: readonly string[];
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** What was not inspected. */
  readonly unscanned: readonly UnscannedFile[];
  /** The changes since the last consent in this task. */
  readonly changed?: FileChanges | undefined;
}

/** Asks a person. `true` is a yes, `undefined` means that nobody answered, everything else is a no. */
export interface ConsentAsker {
  (sheet: ConsentSheet): boolean | undefined | Promise<boolean | undefined>;
  /** Set if it asks once by itself for calls at the same time; otherwise the gate sees to that. */
  readonly asksOnce?: true | undefined;
}

/** `SKILL.md changed; scripts/a.sh, scripts/b.sh added`. */
export function changesInWords(changes: FileChanges): string {
  const kinds = (["changed", "added", "removed"] as const).filter((kind) => changes[kind].length > 0);
  const inWords = kinds.map((kind) => {
    return `${firstOf(changes[kind], NAMED_FILES)} ${kind}`;
  });
  return inWords.join("; ");
}

/** What code will run, when, and what it can reach; one sentence per kind of code. */
export function codeInWords({ toolsets, scripts }: Pick<ConsentSheet, "toolsets" | "scripts">): string[] {
  const called = scripts.filter((path) => !path.startsWith("toolsets/")).length;
  return [
    ...(toolsets.length > 0
      ? [
          `The code of ${numberOf(toolsets.length, "toolset")} runs as soon as you agree, and whenever the agent calls one of their tools.`,
        ]
      : []),
    ...(called > 0 ? [`${numberOf(called, "script")} can be run by the agent.`] : []),
    ...(toolsets.length + called > 0
      ? [
          "All of it runs in a sandbox: it can read this package and installed packages, not your files, and has no network unless your configuration grants it.",
        ]
      : ["No code runs."]),
  ];
}

/** How many changed files a message names. */
const NAMED_FILES = 5;
