// Checks what a skill's front matter declares: toolsets and scripts that must exist, a version, a short description. Loads
// no code.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readBounded, UNREADABLE, unlessMissing } from "../disk/disk.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Skill } from "../model/skill.ts";
import { resolveEntry } from "./toolset-entry.ts";
import type { EntryProblem, ToolsetEntry } from "./toolset-protocol.ts";

/** The findings about toolsets, scripts and versions of these skills. Each names the SKILL.md that declares it. */
export async function declaredFindings(skills: readonly Skill[]): Promise<Diagnostic[]> {
  return (await Promise.all(skills.map(findingsOf))).flat();
}

async function findingsOf({ manifest, directory, path }: Skill): Promise<Diagnostic[]> {
  const entries = await Promise.all(manifest.toolsets.map((written) => resolveEntry(directory, written)));
  const toolsets = entries.flatMap((entry) => {
    const problem = "code" in entry ? entry : unexported(entry);
    return problem ? [{ ...problem, severity: "warning", path }] : [];
  });
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

/** A module is only read: it cannot have the export if its text has neither the name nor all the exports of another module. */
function unexported({ file, exported, written }: ToolsetEntry): EntryProblem | undefined {
  const read = () => readBounded(file, { maxBytes: LARGEST_MODULE }).toString("utf8");
  const text = unlessMissing(read, UNREADABLE);
  const isNamed =
    exported === "default" ? /\bdefault\b|module\.exports/ : new RegExp(`\\b${escaped(exported)}\\b`);
  if (text === undefined || isNamed.test(text) || /\bexport\s*\*|module\.exports/.test(text))
    return undefined;
  return {
    code: "toolset-export-missing",
    message: `The module of the toolset "${written}" does not export ${exported}.`,
    fix: "Export it, or correct the name after the colon.",
  };
}

const LARGEST_MODULE = 1024 * 1024;

/** An identifier may have a dollar sign. */
function escaped(identifier: string): string {
  return identifier.replaceAll("$", "\\$");
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
