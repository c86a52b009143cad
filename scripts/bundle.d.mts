/** Bundles the package's code into a folder; `moduleUrl` is where the code believes to stand. */
export function bundle(outdir: string, options?: { moduleUrl?: string }): Promise<void>;
