// A package that could be taken: what a person sees before anything of it is written, and whether it may be taken unasked.

import { type ConsentSheet, consentSheet } from "../activate/activate.ts";
import { isWorrying } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { type FileChanges, type PackageFile, skillFileOf } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import type { LockedPackage } from "./lock.ts";
import type { PackageUpdate } from "./package-update.ts";

/** Why something is not done with a package. */
export interface PackageRefusal {
  readonly code: string;
  readonly message: string;
  /** What a person needs to decide, such as the conflicts of a merge. */
  readonly value?: unknown;
}

export interface PackageOffer {
  readonly name: SkillName;
  /** Its folder in the source. */
  readonly path: string;
  readonly plugin?: string | undefined;
  /** Absent if the package cannot be read. */
  readonly sheet?: ConsentSheet | undefined;
  /** Why nobody may take it. */
  readonly refusal?: PackageRefusal | undefined;
  /** The skill of another source that would no longer be used. */
  readonly covers?: { readonly name: SkillName; readonly source: string } | undefined;
  /** What it changes, if it replaces a package that was added before. */
  readonly update?: PackageUpdate | undefined;
  /** `there` is the same package in the same place. */
  readonly state: "new" | "there";
}

/** What is written if an offer is taken; not part of what others see. */
export interface OfferContent {
  readonly files: readonly PackageFile[];
  readonly locked: LockedPackage;
}

/** Says which of the offers a person agrees to. */
export type Agreement = (
  offers: readonly PackageOffer[],
) => Promise<readonly PackageOffer[]> | readonly PackageOffer[];

/**
 * Whether an offer may be taken without a person who looks at it: nothing worrying was found, and no other skill is covered. In an
 * update only what is new counts: the person has agreed to the rest.
 *
 * @example
 * const source = await skills.supply.open(`${dir}/.repertoire/skills/write-changelog`);
 * const fine = (await source.offers()).filter(mayTakeUnasked);
 */
export function mayTakeUnasked({ sheet, refusal, covers, update }: PackageOffer): boolean {
  if (sheet === undefined || refusal !== undefined || covers !== undefined) return false;
  if (!isWorrying(sheet)) return true;
  const isKnown = update?.newFindings.every(({ severity }) => severity === "low") ?? false;
  return isKnown && sheet.verdict === "suspicious";
}

/** What a person sees about a package. Fails if its SKILL.md cannot be read as a skill. */
export async function sheetFor(
  {
    name,
    files,
    digest,
  }: { readonly name: SkillName; readonly files: readonly PackageFile[]; readonly digest: string },
  {
    source,
    path,
    changed,
  }: { readonly source: string; readonly path: string; readonly changed?: FileChanges | undefined },
): Promise<ConsentSheet> {
  const main = skillFileOf(files);
  const { skill, diagnostics } = parseSkill(main?.bytes ?? "", `${path}/SKILL.md`);
  if (!skill) {
    const error = diagnostics.find(({ severity }) => severity === "error");
    throw new RepertoireError(
      "skill-broken",
      `"${name}" cannot be read: ${error?.message ?? "it is empty."}`,
      path,
    );
  }
  return consentSheet({
    name,
    displayName: skill.manifest.declaredName ?? name,
    source,
    path,
    digest,
    files: files.map((file) => ({ ...file, mode: file.executable ? 0o100755 : 0o100644 })),
    manifest: skill.manifest,
    changed,
  });
}
