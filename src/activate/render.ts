// Writes an activated skill for a model: one `<skill_content>` envelope that its content cannot close.

import { forEnvelope, forLine, forXmlAttribute, forXmlText } from "../text/escape.ts";
import { clip } from "../text/markdown.ts";
import type { KnowledgeDocument } from "./knowledge.ts";
import { PAYLOAD_LIMITS } from "./limits.ts";
import type { ActivationPayload, SubSkill } from "./payload.ts";

/** Writes a payload as text. */
export function renderActivation(payload: ActivationPayload): string {
  const { name, displayName, instructions, baseDirectory, logicalPath } = payload;
  const parts = [
    `# Skill: ${forLine(displayName)}`,
    forEnvelope(instructions).trim(),
    `Base directory: ${forLine(baseDirectory)} (${forLine(logicalPath)})\nRelative paths in this skill (scripts/, references/, assets/) are relative to this base directory.`,
    renderFiles(payload),
    renderKnowledge(payload.knowledge),
    renderSubSkills(payload.subSkills),
  ];
  const attributes = `command="${forXmlAttribute(name)}" name="${forXmlAttribute(displayName)}"`;
  return `<skill_content ${attributes}>\n${parts.filter((part) => part !== "").join("\n\n")}\n</skill_content>`;
}

function renderFiles({ files, moreFiles }: ActivationPayload): string {
  if (files.length === 0) return "";
  const lines = files.map((path) => `  ${forXmlText(path)}`);
  if (moreFiles > 0) lines.push(`  and ${moreFiles} more`);
  return [
    "<skill_files>",
    "<!-- Read one with read_skill_file; run a script with run_skill_script. -->",
    ...lines,
    "</skill_files>",
  ].join("\n");
}

function renderKnowledge(documents: readonly KnowledgeDocument[]): string {
  if (documents.length === 0) return "";
  const lines = documents.map(({ document, path, title }) => {
    if (path === undefined) return `  - ${forLine(document)} (missing from the project's knowledge folders)`;
    return `  - ${forLine(path)}${title === undefined ? "" : ` (${forLine(title)})`}`;
  });
  return ["Relevant knowledge docs (read them with your file tool when needed):", ...lines].join("\n");
}

function renderSubSkills(children: readonly SubSkill[]): string {
  if (children.length === 0) return "";
  return [
    "<sub_skills>",
    "<!-- Call activate_skill with a command to load that sub-skill's full instructions. -->",
    ...children.map(
      ({ name, displayName, description }) =>
        `  <sub_skill command="${forXmlAttribute(name)}" name="${forXmlAttribute(displayName)}">${forXmlText(clip(description, PAYLOAD_LIMITS.title))}</sub_skill>`,
    ),
    "</sub_skills>",
  ].join("\n");
}
