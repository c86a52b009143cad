// Makes folders of skills for tests, in a temporary place that is removed afterwards.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** A temporary folder with these files; removed when the test ends. */
export function temporaryTree(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "repertoire-"));
  onTestFinished(() => removed(root));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** A child that nobody waits for may still write there. Node retries the folder alone, not what came into it meanwhile. */
async function removed(root: string, tries = 100): Promise<void> {
  try {
    await rm(root, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) throw error;
    await setTimeout(200);
    await removed(root, tries - 1);
  }
}

/** The text of a small valid skill. */
export function skillText(description: string, more = "", body = "# Title\n\nDo it.\n"): string {
  return `---\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${body}`;
}
