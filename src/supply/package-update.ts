// What a person sees about an update of a package.

import type { Finding } from "../inspect/inspect.ts";

/** What an update of a package changes. */
export interface PackageUpdate {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether edits made here are merged in. */
  readonly edited: boolean;
  /** File by file, as a patch. */
  readonly diff: string;
  /** What inspection finds now and did not find before. */
  readonly newFindings: readonly Finding[];
}
