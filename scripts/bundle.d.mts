import type { Plugin } from "esbuild";

/** Bundles the package's code into a folder; `modulePath` replaces `import.meta.filename`; `plugins` see every source file. */
export function bundle(
  outdir: string,
  options?: { modulePath?: string; plugins?: readonly Plugin[] },
): Promise<void>;

/** Bundles the program that runs toolsets into one file in a folder. */
export function bundleToolsetProgram(outdir: string): Promise<void>;
