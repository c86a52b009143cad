// Makes folders of skills for tests, in a temporary place that is removed afterwards.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder with these files; removed when the test ends. */
export function temporaryTree(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "repertoire-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** The text of a small valid skill. */
export function skillText(description: string, more = "", body = "# Title\n\nDo it.\n"): string {
  return `---\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${body}`;
}
