// Reads a front matter step by step: strict YAML, then each repair, then single keys without YAML.

import type { ParseCode, Report } from "./codes.ts";
import { LIMITS } from "./limits.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { extractBare, REPAIRS } from "./repair.ts";
import { type Split, splitShorter } from "./split.ts";
import { isMap, readYaml, type YamlMap, type YamlResult, type YamlValue } from "./yaml.ts";

interface FrontMatter {
  readonly raw: YamlMap;
  /** The split that was used in the end. */
  readonly split: Split;
}

type Failure = Extract<YamlResult, { ok: false }>;

export function readFrontMatter(text: string, split: Split, report: Report): FrontMatter {
  const yaml = split.yaml ?? "";
  if (yaml.length > LIMITS.frontMatterChars) {
    const message = `The front matter has ${yaml.length} characters; ${LIMITS.frontMatterChars} are read at most.`;
    report.add("front-matter-too-large", { message, line: split.yamlLine });
    return bare(split, report);
  }
  const plain = readPlainYaml(yaml);
  if (plain) return { raw: plain, split };
  const strict = readYaml(yaml);
  if (strict.ok) return accepted(strict.value, split, report);
  if (strict.code === "yaml-too-deep" || strict.code === "yaml-too-many-nodes")
    return unreadable(strict, split, report);

  const shorter = splitShorter(text, split);
  if (shorter) {
    const value = readYaml(shorter.yaml as string);
    if (value.ok && isMap(value.value)) {
      report.add("front-matter-unclosed", {
        message: "The front matter has no closing --- of its own.",
        line: Math.max(1, split.yamlLine - 1),
      });
      return { raw: value.value, split: shorter };
    }
  }
  return mended(yaml, strict, split, report);
}

function mended(yaml: string, first: Failure, split: Split, report: Report): FrontMatter {
  const pending: { code: ParseCode; line: number; message: string }[] = [];
  let text = yaml;
  for (const repair of [undefined, ...REPAIRS]) {
    const repaired = repair?.(text);
    if (repair && !repaired) continue;
    for (const { code, line, what } of repaired?.findings ?? []) pending.push({ code, line, message: what });
    text = repaired?.text ?? text;
    const result = repair ? readYaml(text) : first;
    if (result.value === undefined) continue;
    if (!result.ok) pending.push({ ...result, message: "A key appears twice; the last one counts." });
    for (const { code, line, message } of pending)
      report.add(code, { message, line: split.yamlLine + line - 1 });
    return accepted(result.value, split, report);
  }
  return unreadable(first, split, report);
}

function unreadable({ code, reason, line }: Failure, split: Split, report: Report): FrontMatter {
  report.add(code, { message: `The YAML cannot be read: ${reason}.`, line: split.yamlLine + line - 1 });
  return bare(split, report);
}

function accepted(value: YamlValue, split: Split, report: Report): FrontMatter {
  if (isMap(value)) return { raw: value, split };
  if (value === null) return { raw: Object.create(null), split };
  report.add("front-matter-not-mapping", {
    message: "The front matter is not a map of keys.",
    line: split.yamlLine,
  });
  return bare(split, report);
}

function bare(split: Split, report: Report): FrontMatter {
  const raw = extractBare(split.yaml ?? "");
  if (raw)
    report.add("front-matter-bare", {
      message: `Only these keys could be read: ${Object.keys(raw).join(", ")}.`,
      line: split.yamlLine,
    });
  return { raw: raw ?? Object.create(null), split };
}
