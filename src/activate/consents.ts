// Owns what a person is asked about a skill and what they agreed to for good. Composes the view, the package's digest
// and its inspection. Does not own the decision itself: `activate/consent.ts` does.

import { basename } from "node:path";
import type { Repertoire } from "../engine/engine.ts";
import { type Inspection, inspectPackage } from "../inspect/inspect.ts";
import type { Audience } from "../library/library.ts";
import { RepertoireError } from "../model/errors.ts";
import type { Skill } from "../model/skill.ts";
import { type FileChanges, type Snapshot, snapshotPackage } from "../package/package.ts";
import { type ParsedSkill, parseSkill } from "../parse/parse.ts";
import type { Store } from "../stores/stores.ts";
import type { ConsentSheet, ConsentSubject } from "./consent.ts";
import type { TrustRecord } from "./task-store.ts";

/** A skill as it is on disk now, ready to be asked for. */
export interface Offer {
  readonly skill: Skill;
  readonly subject: ConsentSubject;
  readonly snapshot: Snapshot;
  readonly parsed: ParsedSkill;
}

/** Scripts that a message names. */
const SCRIPTS_IN_MESSAGE = 20;

export class Grants {
  private readonly engine: Repertoire;
  private readonly store: Pick<Store, "trust">;

  constructor(engine: Repertoire, store: Pick<Store, "trust">) {
    this.engine = engine;
    this.store = store;
  }

  /** Reads the whole package fresh. Fails when the skill is not visible, its package unfit, or its body empty. */
  offer(
    name: string,
    { agent, audience = "model" }: { agent?: string | undefined; audience?: Audience | undefined },
  ): Offer {
    const known = this.engine.view(agent).require(name, audience);
    const first = snapshotPackage(known.directory);
    const isStale = !first.files.get(basename(known.path))?.mark.startsWith(known.digest);
    if (isStale) this.engine.refresh();
    // What only a person may invoke, what is switched off: the file may say so by now.
    const skill = isStale ? this.engine.view(agent).require(name, audience) : known;
    const snapshot = skill.directory === known.directory ? first : snapshotPackage(skill.directory);
    return { skill, subject: this.subject(skill), snapshot, parsed: this.instructions(skill, snapshot) };
  }

  subject(skill: Skill): ConsentSubject {
    const scope = this.engine.sources.find(({ id }) => id === skill.source)?.scope ?? "custom";
    return { name: skill.name, source: skill.source, scope };
  }

  sheet({ skill, snapshot, parsed: { manifest } }: Offer, changed?: FileChanges): ConsentSheet {
    const { scripts, addresses, findings } = inspect(snapshot);
    const sizes = [...snapshot.files.values()].map(({ bytes }) => bytes.length);
    return {
      name: skill.name,
      displayName: skill.displayName,
      description: manifest.description,
      source: skill.source,
      path: skill.directory,
      digest: snapshot.digest,
      files: sizes.length,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      scripts,
      toolsets: manifest.toolsets,
      requestedTools: manifest.allowedTools,
      environment: manifest.requires.env,
      addresses,
      findings,
      ...(changed && { changed }),
    };
  }

  /** The scripts of a package, as far as a message names them. */
  scripts(snapshot: Snapshot): readonly string[] {
    return inspect(snapshot)
      .scripts.filter((path) => !path.startsWith("toolsets/"))
      .slice(0, SCRIPTS_IN_MESSAGE);
  }

  /** What a person is asked before `trust`. */
  look(name: string): ConsentSheet {
    return this.sheet(this.offer(name, { audience: "person" }));
  }

  /** Keeps a person's yes to the content that the skill has now, for every task; with `seen`, to that digest only. */
  async trust(name: string, seen?: string): Promise<TrustRecord & { readonly sheet: ConsentSheet }> {
    const offer = this.offer(name, { audience: "person" });
    if (seen !== undefined && seen !== offer.snapshot.digest) {
      throw new RepertoireError(
        "consent-stale",
        `"${offer.skill.name}" is no longer what was looked at. Look at it again, then agree to its digest.`,
        seen,
      );
    }
    const at = (this.engine.options.clock?.now() ?? new Date()).getTime();
    const { digest } = offer.snapshot;
    const record = { digest, skill: offer.skill.name, at, source: offer.skill.source };
    await this.store.trust.add(record);
    return { ...record, sheet: this.sheet(offer) };
  }

  async trusted(): Promise<readonly TrustRecord[]> {
    return this.store.trust.list();
  }

  /** By name or digest; a digest may be shortened as far as it is clear. */
  async revoke(digestOrName: string): Promise<number> {
    const known = await this.store.trust.list();
    const whole = known.filter(({ digest }) => digestOrName.length >= 8 && digest.startsWith(digestOrName));
    const digests = new Set(whole.map(({ digest }) => digest));
    const [only] = digests.size === 1 ? digests : [digestOrName];
    const revoked = await this.store.trust.revoke(only ?? digestOrName);
    if (revoked > 0) return revoked;
    const names = [...new Set(known.map(({ skill }) => skill))].join(", ") || "none";
    throw new RepertoireError(
      "trust-not-found",
      `Nothing is trusted as "${digestOrName}". Trusted: ${names}.`,
      digestOrName,
    );
  }

  private instructions(skill: Skill, snapshot: Snapshot): ParsedSkill {
    const file = basename(skill.path);
    const { skill: parsed, diagnostics } = parseSkill(snapshot.files.get(file)?.bytes ?? "", skill.path);
    if (!parsed) {
      const error = diagnostics.find(({ severity }) => severity === "error");
      throw new RepertoireError(
        "skill-broken",
        `"${skill.name}" cannot be read: ${error?.message ?? "it holds nothing"} ${error?.fix ?? ""}`.trim(),
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
}

function inspect(snapshot: Snapshot): Inspection {
  return inspectPackage(
    [...snapshot.files].map(([path, { bytes, executable }]) => ({
      path,
      bytes,
      mode: executable ? 0o100755 : 0o100644,
    })),
  );
}
