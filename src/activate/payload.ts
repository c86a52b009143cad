// Builds the payload of an activation: instructions, files, sub-skills and knowledge documents as data.

import type { SkillName } from "../model/name.ts";
import { isSkillFile } from "../package/package.ts";
import type { ActivationRisk } from "./consent.ts";
import type { KnowledgeDocument } from "./knowledge.ts";
import { PAYLOAD_LIMITS } from "./limits.ts";
import { logicalPath } from "./private-folder.ts";

export interface SubSkill {
  readonly name: SkillName;
  readonly displayName: string;
  readonly description: string;
}

export interface ActivationPayload {
  readonly name: SkillName;
  readonly displayName: string;
  /** The whole Markdown below the front matter. */
  readonly instructions: string;
  /** The base of relative paths in the instructions. */
  readonly baseDirectory: string;
  /** A compact tree. */
  readonly folderStructure: string;
  /** The first bundled files, without SKILL.md and sub-skills. */
  readonly files: readonly string[];
  readonly moreFiles: number;
  /** Direct children that may be activated next. */
  readonly subSkills: readonly SubSkill[];
  readonly knowledge: readonly KnowledgeDocument[];
  readonly mountPath: string;
  readonly logicalPath: string;
  /** Of the whole package. */
  readonly digest: string;
  readonly risk: ActivationRisk;
  readonly alreadyActivated: boolean;
}

export interface PayloadParts
  extends Pick<
    ActivationPayload,
    "name" | "displayName" | "instructions" | "subSkills" | "knowledge" | "mountPath" | "digest" | "risk"
  > {
  /** Every file of the package. */
  readonly paths: readonly string[];
}

export function buildPayload({ paths, ...parts }: PayloadParts): ActivationPayload {
  const bundled = paths.filter((path) => !isSkillFile(path));
  const { name, displayName, instructions, subSkills, knowledge, mountPath, digest, risk } = parts;
  return {
    name,
    displayName,
    instructions,
    baseDirectory: mountPath,
    folderStructure: folderStructure(paths),
    files: bundled.slice(0, PAYLOAD_LIMITS.files),
    moreFiles: Math.max(0, bundled.length - PAYLOAD_LIMITS.files),
    subSkills,
    knowledge,
    mountPath,
    logicalPath: logicalPath(name),
    digest,
    risk,
    alreadyActivated: risk === "safe",
  };
}

type Tree = Map<string, Tree | undefined>;

/** A tree with folders before files and two spaces per level; long folders and long trees are cut and counted. */
export function folderStructure(paths: readonly string[]): string {
  const root: Tree = new Map();
  for (const path of paths) {
    let folder = root;
    const segments = path.split("/");
    for (const segment of segments.slice(0, -1)) {
      if (!folder.has(segment)) folder.set(segment, new Map());
      folder = folder.get(segment) ?? folder;
    }
    folder.set(segments[segments.length - 1]!, undefined);
  }
  const lines = linesOf(root, "");
  const more = lines.length - PAYLOAD_LIMITS.treeLines;
  return [...lines.slice(0, PAYLOAD_LIMITS.treeLines), ...(more > 0 ? [`… ${more} more lines`] : [])].join(
    "\n",
  );
}

function linesOf(tree: Tree, indent: string): string[] {
  const entries = [...tree].sort(
    ([a, inA], [b, inB]) => Number(inA === undefined) - Number(inB === undefined) || (a < b ? -1 : 1),
  );
  const lines = entries
    .slice(0, PAYLOAD_LIMITS.treeEntries)
    .flatMap(([name, inside]) =>
      inside === undefined ? [indent + name] : [`${indent}${name}/`, ...linesOf(inside, `${indent}  `)],
    );
  const more = entries.length - PAYLOAD_LIMITS.treeEntries;
  return more > 0 ? [...lines, `${indent}… ${more} more`] : lines;
}
