// The bearer token of this machine's server: created at the first start, readable by the user only, compared in constant time.

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, RepertoireError } from "../../model/errors.ts";

const BYTES = 32;

/** The token in the folder, created if there is none; two first starts at the same time get the same one. */
export function tokenIn(directory: string): { readonly token: string; readonly path: string } {
  const path = join(directory, "token");
  mkdirSync(directory, { recursive: true });
  try {
    writeFileSync(path, `${randomBytes(BYTES).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  const token = readFileSync(path, "utf8").trim();
  if (token.length >= BYTES) return { token, path };
  throw new RepertoireError(
    "token-unusable",
    `${path} contains no usable token. Remove the file and start again.`,
    path,
  );
}

/** Whether an `Authorization` header carries the token. Digests are compared, so that not even the length shows. */
export function isAuthorised(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
