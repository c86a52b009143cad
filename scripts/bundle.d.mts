import type { Plugin } from "esbuild";

/** Bundles the package's code into a folder; `moduleUrl` replaces `import.meta.url`; `plugins` see every source file. */
export function bundle(
  outdir: string,
  options?: { moduleUrl?: string; plugins?: readonly Plugin[] },
): Promise<void>;

/** Bundles the program that runs toolsets into one file in a folder. */
export function bundleToolsetProgram(outdir: string): Promise<void>;
