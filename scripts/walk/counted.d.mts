import type { Plugin } from "esbuild";

/** An esbuild plugin that counts calls of the functions in its table. Fails if one does not exist below `root`. */
export function countCalls(root: string): Plugin;
