// Consent over HTTP: a refusal carries the sheet, and the next request carries the digest of the sheet that the person looked at.

import * as z from "zod";
import type { ConsentAsker, ConsentSheet, Consents, Deferred } from "../../../engine/engine.ts";
import { codeOf } from "../../../model/errors.ts";
import { ApiError } from "../errors.ts";

/** The first request is answered with what there is to agree to, the second carries its digest. */
export const ConsentAnswer = z
  .strictObject({
    digest: z.string().min(1).describe("Of the sheet that the person looked at."),
    scope: z.enum(["task", "always"]).describe("For this task, or for this content in every task."),
  })
  .describe("The person's yes, given after they looked at the sheet of the refusal.");

type Consent = z.output<typeof ConsentAnswer>;

/** Does the work; a question for consent is answered with yes only for the content that the person looked at. */
export async function withConsent<T>(
  consent: Pick<Consent, "digest"> | undefined,
  work: (ask: ConsentAsker) => Promise<T>,
): Promise<T> {
  let asked: ConsentSheet | undefined;
  const answer = (sheet: ConsentSheet) => {
    asked = sheet;
    return sheet.digest === consent?.digest;
  };
  // Each request brings its own answer: another one at the same time must not give it.
  const ask: ConsentAsker = Object.assign(answer, { asksOnce: true as const });
  try {
    return await work(ask);
  } catch (thrown) {
    if (asked === undefined || codeOf(thrown) !== "consent-refused") throw thrown;
    throw consentNeeded(asked, consent);
  }
}

export function consentNeeded(sheet: ConsentSheet, consent: Pick<Consent, "digest"> | undefined): ApiError {
  const isStale = consent !== undefined;
  const why = isStale ? "is not what was agreed to" : "needs a person's consent";
  return new ApiError(
    isStale ? "consent-stale" : "consent-required",
    `"${sheet.name}" ${why}. Show the sheet to the person; when they agree, send the request again with its digest.`,
    { value: sheet.name, more: { digest: sheet.digest, sheet } },
  );
}

/** Trusts the content with this digest in every task; fails with the current sheet if the content has changed. */
export async function trustSeen(
  consents: Pick<Deferred<Consents>, "look" | "trust">,
  name: string,
  digest: string,
) {
  try {
    return await consents.trust(name, digest);
  } catch (thrown) {
    if (codeOf(thrown) !== "consent-stale") throw thrown;
    throw consentNeeded(await consents.look(name), { digest });
  }
}
