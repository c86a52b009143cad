// Finds the knowledge documents that a skill names in the project's knowledge folders, and reads their titles.

import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { projectFolders } from "../discover/discover.ts";
import { isBelow } from "../disk/disk.ts";
import { inspectPackage } from "../inspect/inspect.ts";
import { codeOf } from "../model/errors.ts";
import { oneLine } from "../text/escape.ts";
import { clip, headings } from "../text/markdown.ts";
import { PAYLOAD_LIMITS } from "./limits.ts";

export interface KnowledgeDocument {
  /** As the front matter names it. */
  readonly document: string;
  /** Relative to the project's folder; absent if the document is missing. */
  readonly path?: string | undefined;
  readonly title?: string | undefined;
  readonly missing: boolean;
}

/** Our folder comes before that of other agents. */
const FOLDERS = [join(".repertoire", "knowledge"), join(".sven", "knowledge")];
const PREFIX = /^(?:\.\/)?\.(?:repertoire|sven)\/knowledge\//;

/** Searches the project first, then each folder above it up to the repository's root. */
export function findKnowledge(
  documents: readonly string[],
  project: string | undefined,
): KnowledgeDocument[] {
  if (project === undefined) return documents.map((document) => ({ document, missing: true }));
  const folders = projectFolders(project)
    .reverse()
    .flatMap((base) => FOLDERS.map((folder) => join(base, folder)));
  return [...new Set(documents)].map((document) => {
    const file = locate(document.replace(PREFIX, ""), folders);
    if (file === undefined) return { document, missing: true };
    const path = relative(project, file).split(sep).join("/");
    return { document, path, missing: false, title: titleOf(file) };
  });
}

function locate(document: string, folders: readonly string[]): string | undefined {
  if (document.trim() === "" || isAbsolute(document) || document.includes("\0")) return undefined;
  for (const folder of folders) {
    for (const name of [document, `${document}.md`]) {
      const file = join(folder, name);
      if (isBelow(folder, file) && isFileInside(folder, file)) return file;
    }
  }
  return undefined;
}

/** Whether the file is in the folder. A link must not reveal the title of a file elsewhere. */
function isFileInside(folder: string, file: string): boolean {
  try {
    return statSync(file).isFile() && isBelow(realpathSync(folder), realpathSync(file));
  } catch (thrown) {
    if (codeOf(thrown) !== "") return false;
    throw thrown;
  }
}

function titleOf(file: string): string | undefined {
  const text = startOf(file).replace(/^\ufeff?---\r?\n[\s\S]*?\r?\n---\r?\n/, "");
  const heading = headings(text)[0]?.text;
  if (heading === undefined) return undefined;
  const title = clip(oneLine(heading), PAYLOAD_LIMITS.title);
  // Consent is to the skill, not to a document of the project, so its title has to be harmless by itself.
  const { verdict } = inspectPackage([{ path: "SKILL.md", bytes: Buffer.from(title) }]);
  return verdict === "clean" || verdict === "notice" ? title : undefined;
}

function startOf(file: string): string {
  const open = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(PAYLOAD_LIMITS.knowledgeBytes);
    return bytes.toString("utf8", 0, readSync(open, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(open);
  }
}
