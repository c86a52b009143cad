// Builds the payload of an activation: instructions, files, sub-skills and knowledge documents as data,
// and as text for a model in an envelope that its content cannot close.

import { namedTools } from "../model/agent-tool-alias.ts";
import { RepertoireError } from "../model/errors.ts";
import type { SkillName } from "../model/name.ts";
import { isSkillFile, type PackageSnapshot } from "../package/package.ts";
import { forEnvelope, forLine, forXmlAttribute, forXmlText } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";
import type { ActivationRisk } from "./gate.ts";
import type { KnowledgeDocument } from "./knowledge.ts";
import { PAYLOAD_LIMITS } from "./limits.ts";
import { logicalPath } from "./mount.ts";

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
  /** The private copy on disk, to which relative paths in the instructions are relative. */
  readonly baseDirectory: string;
  /** A compact tree. */
  readonly folderStructure: string;
  /** The first bundled files, without SKILL.md and sub-skills. */
  readonly files: readonly string[];
  readonly moreFiles: number;
  /** Direct children that may be activated next. */
  readonly subSkills: readonly SubSkill[];
  readonly knowledge: readonly KnowledgeDocument[];
  /** The private copy as a model names it: `private:/.skills/<name>`, the same in every task and on every machine. */
  readonly mountPath: string;
  /** Of the whole package. */
  readonly digest: string;
  readonly risk: ActivationRisk;
  readonly alreadyActivated: boolean;
}

export interface PayloadParts
  extends Pick<
    ActivationPayload,
    "name" | "displayName" | "instructions" | "baseDirectory" | "subSkills" | "knowledge" | "digest" | "risk"
  > {
  /** Every file of the package. */
  readonly paths: readonly string[];
}

export function buildPayload({ paths, ...parts }: PayloadParts): ActivationPayload {
  const bundled = paths.filter((path) => !isSkillFile(path));
  const { name, displayName, instructions, baseDirectory, subSkills, knowledge, digest, risk } = parts;
  return {
    name,
    displayName,
    instructions,
    baseDirectory,
    folderStructure: folderStructure(paths),
    files: bundled.slice(0, PAYLOAD_LIMITS.files),
    moreFiles: Math.max(0, bundled.length - PAYLOAD_LIMITS.files),
    subSkills,
    knowledge,
    mountPath: logicalPath(name),
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

/** Writes a payload as text. It names only tools that are `served` to the model. */
export function renderActivation(payload: ActivationPayload, served: readonly string[]): string {
  const { name, displayName, instructions, baseDirectory, mountPath, alreadyActivated } = payload;
  const parts = [
    `# Skill: ${forLine(displayName)}`,
    alreadyActivated ? "This skill is already active in this task. Its instructions again:" : "",
    forEnvelope(instructions).trim(),
    `Base directory: ${forLine(baseDirectory)} (${forLine(mountPath)})\nRelative paths in this skill (scripts/, references/, assets/) are relative to this base directory.`,
    renderFiles(payload, served),
    renderKnowledge(payload.knowledge),
    renderSubSkills(payload.subSkills, served),
  ];
  const attributes = `command="${forXmlAttribute(name)}" name="${forXmlAttribute(displayName)}"`;
  return `<skill_content ${attributes}>\n${parts.filter((part) => part !== "").join("\n\n")}\n</skill_content>`;
}

function renderFiles({ files, moreFiles }: ActivationPayload, served: readonly string[]): string {
  if (files.length === 0) return "";
  const uses = [
    served.includes("read_skill_file") ? "read one with read_skill_file" : "",
    served.includes("run_skill_script") ? "run a script with run_skill_script" : "",
  ].filter((use) => use !== "");
  const lines = files.map((path) => `  ${forXmlText(path)}`);
  if (moreFiles > 0) lines.push(`  and ${moreFiles} more`);
  return [
    "<skill_files>",
    ...(uses.length > 0 ? [`<!-- ${sentence(uses.join("; "))} -->`] : []),
    ...lines,
    "</skill_files>",
  ].join("\n");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function renderKnowledge(documents: readonly KnowledgeDocument[]): string {
  if (documents.length === 0) return "";
  const lines = documents.map(({ document, path, title }) => {
    if (path === undefined) return `  - ${forLine(document)} (missing from the project's knowledge folders)`;
    return `  - ${forLine(path)}${title === undefined ? "" : ` (${forLine(title)})`}`;
  });
  return ["Relevant knowledge docs (read them with your file tool when needed):", ...lines].join("\n");
}

function renderSubSkills(children: readonly SubSkill[], served: readonly string[]): string {
  if (children.length === 0) return "";
  const { activate: loader } = namedTools(served);
  const use = `<!-- Call ${loader} with a command to load that sub-skill's full instructions. -->`;
  return [
    "<sub_skills>",
    ...(loader === undefined ? [] : [use]),
    ...children.map(
      ({ name, displayName, description }) =>
        `  <sub_skill command="${forXmlAttribute(name)}" name="${forXmlAttribute(displayName)}">${forXmlText(clip(description, PAYLOAD_LIMITS.title))}</sub_skill>`,
    ),
    "</sub_skills>",
  ].join("\n");
}

export interface FilePart {
  readonly path: string;
  readonly text: string;
  /** Length of the whole file in characters. */
  readonly length: number;
  readonly offset: number;
  /** The offset of the next part; absent at the end. */
  readonly next?: number | undefined;
}

/** Reads one part of a file. Only files of the consented snapshot are found, so no path leads out of the package. */
export function readTextFile(snapshot: PackageSnapshot, wanted: string, offset = 0): FilePart {
  const path = wanted.replace(/^(?:\.\/)+/, "");
  const file = snapshot.files.get(path);
  if (!file) throw noSuchFile(snapshot, wanted);
  const text = asText(file.bytes);
  if (text === undefined) {
    throw new RepertoireError(
      "file-binary",
      `${path} is not a text file (${file.bytes.length} bytes). Use a script of the skill to work with it.`,
      path,
    );
  }
  const start = Math.min(Math.max(0, Math.floor(offset)), text.length);
  const part = text.slice(start, start + PAYLOAD_LIMITS.readChars);
  const next = start + part.length;
  return {
    path,
    text: part,
    length: text.length,
    offset: start,
    next: next < text.length ? next : undefined,
  };
}

function asText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function noSuchFile({ files }: PackageSnapshot, wanted: string): RepertoireError {
  const listed = [...files.keys()].slice(0, PAYLOAD_LIMITS.files);
  const more = files.size - listed.length;
  return new RepertoireError(
    "file-not-found",
    `The skill has no file "${wanted}". Files: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    wanted,
  );
}
