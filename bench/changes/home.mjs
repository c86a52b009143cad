// Writes a home folder whose learned skills have a past: the files, the bytes of two versions of each, and the version log.

import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeLibrary } from "../library.mjs";

/** Lines of the log that are written at once. */
const LINES = 5_000;
const START = Date.UTC(2025, 0, 1);

/** `skills` learned skills with `versions` versions each, one skill after the other in every round of changes. */
export function writeHome(home, { skills, versions, corpus }) {
  const directory = join(home, ".repertoire");
  const root = join(directory, "skills");
  writeLibrary(root, skills, corpus);
  const texts = Array.from({ length: skills }, (_, n) => {
    const path = join(root, `skill-${n}`, "SKILL.md");
    const text = readFileSync(path, "utf8").replace(/^name: .*$/m, `name: skill-${n}`);
    writeFileSync(path, text);
    return [keep(directory, text), keep(directory, `${text}\nAn earlier text.\n`)];
  });
  const log = openSync(join(directory, "versions", "log.jsonl"), "w");
  let lines = [];
  const flush = () => {
    if (lines.length > 0) writeSync(log, `${lines.join("\n")}\n`);
    lines = [];
  };
  for (let round = 0; round < versions; round++) {
    for (let n = 0; n < skills; n++) {
      const { sha256, size } = texts[n][(versions - 1 - round) % 2];
      const id = `${round.toString(16)}-${n.toString(16)}`;
      lines.push(
        JSON.stringify({
          id,
          name: `skill-${n}`,
          action: "save",
          at: START + (round * skills + n) * 1000,
          author: "person",
          batch: `b${id}`,
          parent: round === 0 ? undefined : `${(round - 1).toString(16)}-${n.toString(16)}`,
          digest: sha256,
          files: [{ path: "SKILL.md", sha256, size }],
        }),
      );
      if (lines.length >= LINES) flush();
    }
  }
  flush();
  closeSync(log);
}

function keep(directory, text) {
  const sha256 = createHash("sha256").update(text).digest("hex");
  const path = join(directory, "versions", "blobs", sha256.slice(0, 2), sha256.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return { sha256, size: Buffer.byteLength(text) };
}
