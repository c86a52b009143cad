// The claim of a skill whose `paths` globs match an open file.

import { type Signal, WORTH } from "./signal.ts";

export const pathsSignal: Signal = {
  name: "paths",
  judge({ manifest }, { files }) {
    for (const glob of manifest.paths) {
      const file = files.find((path) => matchesGlob(glob, path));
      if (file !== undefined) return { kind: "claim", value: WORTH.paths, note: `${file} fits ${glob}` };
    }
    return undefined;
  },
};

/**
 * Whether a path matches a glob: `*` within a folder, `**` across folders, `?` one character, `{a,b}` alternatives. A
 * glob without a slash is compared with the file's name.
 */
export function matchesGlob(glob: string, path: string): boolean {
  const normal = path.replaceAll("\\", "/").replace(/^\.\//, "");
  return alternatives(glob.replace(/^\.?\//, "")).some((pattern) => {
    const text = pattern.includes("/") ? normal : normal.slice(normal.lastIndexOf("/") + 1);
    return segmentsMatch(pattern.split("/"), text.split("/"));
  });
}

/** Globs are untrusted: at most this many alternatives of nested braces are tried. */
const MAX_ALTERNATIVES = 64;

function alternatives(glob: string): string[] {
  let open = [glob];
  for (;;) {
    const next = open.flatMap((pattern) => {
      const braces = /\{([^{}]*)\}/.exec(pattern);
      if (!braces) return [pattern];
      return braces[1]!
        .split(",")
        .map(
          (choice) =>
            pattern.slice(0, braces.index) + choice + pattern.slice(braces.index + braces[0].length),
        );
    });
    if (next.length > MAX_ALTERNATIVES || next.length === open.length) return next.slice(0, MAX_ALTERNATIVES);
    open = next;
  }
}

function segmentsMatch(pattern: readonly string[], path: readonly string[]): boolean {
  // reached[i]: the pattern so far matches the first i segments.
  let reached = path.map(() => false).concat(false);
  reached[0] = true;
  for (const part of pattern) {
    const next = reached.map(() => false);
    for (let i = 0; i <= path.length; i++) {
      if (part === "**") next[i] = reached[i]! || (i > 0 && next[i - 1]!);
      else if (i > 0) next[i] = reached[i - 1]! && segmentMatches(part, path[i - 1]!);
    }
    reached = next;
  }
  return reached[path.length]!;
}

function segmentMatches(pattern: string, segment: string): boolean {
  let reached = new Uint8Array(segment.length + 1);
  reached[0] = 1;
  for (const char of pattern) {
    const next = new Uint8Array(segment.length + 1);
    for (let i = 0; i <= segment.length; i++) {
      if (char === "*") next[i] = reached[i] || (i > 0 && next[i - 1]) ? 1 : 0;
      else if (i > 0 && reached[i - 1] && (char === "?" || char === segment[i - 1])) next[i] = 1;
    }
    reached = next;
  }
  return reached[segment.length] === 1;
}
