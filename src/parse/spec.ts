// Checks the open spec's rules as its reference validator does: errors in the strict profile, advice in the lenient one.

import { isPortableName } from "../package/package.ts";
import { type Report, shown } from "./codes.ts";
import { LIMITS } from "./limits.ts";
import { isMap, type YamlMap, type YamlValue } from "./yaml.ts";

/** The keys that the open spec knows, in the order in which they are written. */
export const SPEC_FIELDS: readonly string[] = [
  "name",
  "description",
  "license",
  "compatibility",
  "allowed-tools",
  "metadata",
];

/** Checks the front matter as written. `lineOf` finds the line of a top-level key. */
export function checkSpec(
  raw: YamlMap,
  path: string,
  report: Report,
  lineOf: (key: string) => number | undefined,
): void {
  const extra = report.hears("field-unexpected")
    ? Object.keys(raw).filter((key) => !SPEC_FIELDS.includes(key))
    : [];
  if (extra.length > 0) {
    const line = lineOf(extra[0] as string);
    report.add(
      "field-unexpected",
      `Keys that the spec does not know: ${extra.slice(0, 20).map(shown).join(", ")}.`,
      line,
    );
  }
  checkName(raw.name, path, report, lineOf);
  const { description, compatibility, metadata } = raw;
  if (typeof description === "string" && longerThan(description, LIMITS.descriptionChars)) {
    const message = `The description has ${[...description].length} characters; the spec allows ${LIMITS.descriptionChars}.`;
    report.add("description-too-long", message, lineOf("description"));
  } else if (description != null && typeof description !== "string") {
    report.add("field-invalid", "`description` must be text.", lineOf("description"));
  }
  if (typeof compatibility === "string") {
    if (longerThan(compatibility, LIMITS.compatibilityChars)) {
      const message = `\`compatibility\` has ${[...compatibility].length} characters; the spec allows ${LIMITS.compatibilityChars}.`;
      report.add("compatibility-too-long", message, lineOf("compatibility"));
    }
  } else if (compatibility != null) {
    report.add("field-invalid", "`compatibility` must be text.", lineOf("compatibility"));
  }
  if (metadata != null && !isMap(metadata)) {
    report.add("field-invalid", "`metadata` must be a map of keys and values.", lineOf("metadata"));
  }
  if (!isToolList(raw["allowed-tools"])) {
    report.add("field-invalid", "`allowed-tools` must be text or a list of texts.", lineOf("allowed-tools"));
  }
}

function checkName(
  value: YamlValue | undefined,
  path: string,
  report: Report,
  lineOf: (key: string) => number | undefined,
): void {
  if (value != null && typeof value !== "string") {
    report.add("field-invalid", "`name` must be text.", lineOf("name"));
    return;
  }
  const name = (value ?? "").trim().normalize("NFKC");
  const folder = folderOf(path);
  if (name === folder && name.length <= LIMITS.nameChars && isPortableName(name)) return;
  const line = lineOf("name");
  if (name === "") {
    report.add("name-missing", "The front matter has no name; the folder's name is used.", line);
    return;
  }
  if (!isPortableName(name)) {
    if (name !== name.toLowerCase())
      report.add("name-uppercase", `The name ${shown(name)} has capital letters.`, line);
    if (/^-|-$|--/.test(name))
      report.add("name-hyphens", `The name ${shown(name)} has misplaced hyphens.`, line);
    if (!/^[\p{L}\p{N}-]+$/u.test(name))
      report.add(
        "name-characters",
        `The name ${shown(name)} has other characters than letters, digits and hyphens.`,
        line,
      );
  }
  if (longerThan(name, LIMITS.nameChars)) {
    report.add(
      "name-too-long",
      `The name has ${[...name].length} characters; the spec allows ${LIMITS.nameChars}.`,
      line,
    );
  }
  if (folder !== undefined && folder.normalize("NFKC") !== name) {
    report.add("name-mismatch", `The name is ${shown(name)}, the folder is ${shown(folder)}.`, line);
  }
}

/** Characters are code points, as the reference validator counts them. */
function longerThan(text: string, limit: number): boolean {
  return text.length > limit && [...text].length > limit;
}

function isToolList(value: YamlValue | undefined): boolean {
  if (value == null || typeof value === "string") return true;
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function folderOf(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (end <= 0) return undefined;
  const start = Math.max(path.lastIndexOf("/", end - 1), path.lastIndexOf("\\", end - 1));
  return path.slice(start + 1, end);
}
