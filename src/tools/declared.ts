// Checks what a skill's front matter declares: toolsets and scripts that must exist, a version, a short description. Loads
// no code.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Skill } from "../model/skill.ts";
import { resolveEntry } from "./toolset-entry.ts";

/** The findings about toolsets, scripts and versions of these skills. Each names the SKILL.md that declares it. */
export async function declaredFindings(skills: readonly Skill[]): Promise<Diagnostic[]> {
  return (await Promise.all(skills.map(findingsOf))).flat();
}

async function findingsOf({ manifest, directory, path }: Skill): Promise<Diagnostic[]> {
  const entries = await Promise.all(manifest.toolsets.map((written) => resolveEntry(directory, written)));
  const toolsets = entries.flatMap((entry) =>
    "code" in entry ? [{ ...entry, severity: "warning", path }] : [],
  );
  const scripts = manifest.scripts
    .filter((script) => !isThere(directory, script))
    .map((script) => ({
      code: "script-not-found",
      severity: "warning",
      path,
      message: `The front matter lists the script ${JSON.stringify(script)}, which the package does not have.`,
      fix: "Add the file, or correct the entry below `scripts:`.",
    }));
  const texts = [...versionFinding(manifest.version, path), ...lengthFinding(manifest.description, path)];
  return [...toolsets, ...scripts, ...texts] as Diagnostic[];
}

function isThere(directory: string, script: string): boolean {
  return [script, join("scripts", script)].some((path) => existsSync(join(directory, path)));
}

/** Some agents cut a description here, although the spec allows twice as much. */
const SHORT_DESCRIPTION = 500;

function lengthFinding(description: string, path: string): Diagnostic[] {
  const length = [...description].length;
  if (length <= SHORT_DESCRIPTION) return [];
  return [
    {
      code: "description-long",
      severity: "info",
      path,
      message: `The description has ${length} characters; some agents read ${SHORT_DESCRIPTION} only.`,
      fix: "Put what matters for choosing the skill first, or shorten it.",
    },
  ];
}

/** As semantic versioning writes it; `1`, `1.2` and a leading `v` are usual too. */
const VERSION = /^v?\d+(?:\.\d+){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

function versionFinding(version: string | undefined, path: string): Diagnostic[] {
  if (version === undefined || VERSION.test(version.trim())) return [];
  return [
    {
      code: "version-invalid",
      severity: "warning",
      path,
      message: `${JSON.stringify(version)} is not a version.`,
      fix: "Write a semantic version, such as 1.0.0.",
    },
  ];
}
