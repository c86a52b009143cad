// Finds, without running anything, why an installed skill cannot do what it says: no instructions, front matter that is not YAML,
// files, toolsets or scripts that its text names and its folder does not have.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../disk/disk.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Skill } from "../model/skill.ts";
import { declaredFindings } from "../tools/tools.ts";

/** Findings that mean a part of the skill is not there, or could only be guessed. */
const BREAKING: ReadonlySet<string> = new Set([
  "front-matter-bare",
  "toolset-not-found",
  "toolset-path-refused",
  "script-not-found",
]);

/** Flaws in one report line; the rest adds nothing. */
const QUOTED = 3;

/** What is broken in a skill, in words; empty if nothing is. `findings` are those of the library. */
export async function flawsOf(
  skill: Skill,
  body: string,
  findings: readonly Diagnostic[],
): Promise<readonly string[]> {
  const found = [...findings.filter(({ path }) => path === skill.path), ...(await declaredFindings([skill]))];
  return [
    ...(body.trim() === "" ? ["It has no instructions."] : []),
    ...found.filter(({ code }) => BREAKING.has(code)).map(({ message }) => message),
    ...missingFiles(body, skill.directory).map((path) => `Its text names ${path}, which is missing.`),
  ].slice(0, QUOTED);
}

/** Folders of the spec: a path in code that begins with one of them is a file of the package. */
const OWN_FOLDER = /^(?:\.\/)?(?:references|scripts|assets|templates)\/[\w./-]+\.\w{1,8}$/;

/**
 * Files of the package that links or code in the prose name and that do not exist. Examples are in code blocks, which are
 * left out, as are addresses, places outside the package and patterns.
 */
function missingFiles(body: string, directory: string): string[] {
  const prose = body.replace(/^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\1[`~]*\s*$|(?![\s\S]))/gm, "");
  const links = [...prose.replace(/`[^`\n]*`/g, " ").matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
    .map(([, target]) => decoded(target!.replace(/[?#].*$/, "")))
    .filter((target) => /^(?![a-z][a-z0-9+.-]*:|\/|~|#)[^*{}$<]+\.\w{1,8}$/i.test(target));
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const named = [...links, ...spans.filter((span) => OWN_FOLDER.test(span))];
  return [...new Set(named)].filter((path) => {
    const file = join(directory, path);
    return isInside(directory, file) && !existsSync(file);
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (thrown) {
    if (thrown instanceof URIError) return path;
    throw thrown;
  }
}
