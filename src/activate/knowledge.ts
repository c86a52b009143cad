// Finds the knowledge documents that a skill names in the project's knowledge folders, and reads their titles.

import { isAbsolute, join, relative, sep } from "node:path";
import { projectFolders } from "../discover/discover.ts";
import { isBelow, withRegularFile } from "../disk/disk.ts";
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
    const found = locate(document.replace(PREFIX, ""), folders);
    if (found === undefined) return { document, missing: true };
    const path = relative(project, found.file).split(sep).join("/");
    return { document, path, missing: false, title: found.title };
  });
}

function locate(
  document: string,
  folders: readonly string[],
): { readonly file: string; readonly title?: string | undefined } | undefined {
  if (document.trim() === "" || isAbsolute(document) || document.includes("\0")) return undefined;
  for (const folder of folders) {
    for (const name of [document, `${document}.md`]) {
      const file = join(folder, name);
      const found = isBelow(folder, file) ? titleIn(folder, file) : undefined;
      if (found) return { file, ...found };
    }
  }
  return undefined;
}

/** The title of a document. A document that cannot be read, or a link to a file elsewhere, reveals nothing. */
function titleIn(folder: string, file: string): { readonly title?: string | undefined } | undefined {
  let start: string;
  try {
    start = withRegularFile(file, { within: folder }, (open) =>
      open.start(Math.min(open.size, PAYLOAD_LIMITS.knowledgeBytes)).toString("utf8"),
    );
  } catch (thrown) {
    if (codeOf(thrown) !== "") return undefined;
    throw thrown;
  }
  const heading = headings(start.replace(/^\ufeff?---\r?\n[\s\S]*?\r?\n---\r?\n/, ""))[0]?.text;
  if (heading === undefined) return {};
  const title = clip(oneLine(heading), PAYLOAD_LIMITS.title);
  // Consent is to the skill, not to a document of the project, so its title has to be harmless by itself.
  const { verdict } = inspectPackage([{ path: "SKILL.md", bytes: Buffer.from(title) }]);
  return { title: verdict === "clean" || verdict === "notice" ? title : undefined };
}
