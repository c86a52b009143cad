// Owns: putting skills on disk for a run: the timing corpus (copied or generated) and the edge-case folders.
// Which edge cases exist is the table in edge-cases.mjs.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** The project folder's place for skills: every tool that scans a project reads this one, and peers are given it. */
export const skillsDirOf = (project) => join(project, ".agents", "skills");

const CORPUS = {
  // Size of the timing corpus: what a large but real library holds.
  skills: 1000,
  // Bytes of a generated body: the spread (10th, 50th, 90th percentile) of public SKILL.md files.
  bodyBytes: [2700, 9700, 17400],
};

const WORDS = (
  "table report branch deploy invoice schema release review query image chart letter test patch index folder draft " +
  "meeting budget contract policy server module release note summary outline search merge filter label queue"
).split(" ");

export function writeTimingCorpus({ project, from }) {
  const target = skillsDirOf(project);
  mkdirSync(target, { recursive: true });
  mkdirSync(join(project, ".git"));
  if (from === undefined) return generate(target);
  const folders = readdirSync(from)
    .sort()
    .filter((folder) => existsSync(join(from, folder, "SKILL.md")))
    .slice(0, CORPUS.skills);
  for (const folder of folders) {
    const own = join(target, ownName(join(from, folder)) ?? folder);
    cpSync(join(from, folder), existsSync(own) ? join(target, folder) : own, { recursive: true });
  }
  return folders.length;
}

// Strict loaders refuse a skill whose folder is not called as the skill is, so a corpus stored under other
// folder names would count against them.
function ownName(folder) {
  return /^name:[ \t]*["']?([a-z0-9]+(?:-[a-z0-9]+)*)["']?[ \t]*\r?$/m.exec(
    readFileSync(join(folder, "SKILL.md"), "utf8"),
  )?.[1];
}

function generate(target) {
  let state = 7;
  const next = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 1;
    return state % limit;
  };
  const phrase = (count) => Array.from({ length: count }, () => WORDS[next(WORDS.length)]).join(" ");
  for (let i = 0; i < CORPUS.skills; i++) {
    const name = `skill-${String(i).padStart(4, "0")}`;
    const size = CORPUS.bodyBytes[next(CORPUS.bodyBytes.length)];
    const lines = [
      `---`,
      `name: ${name}`,
      `description: "Use when the user asks for ${phrase(24)}."`,
      `---`,
      ``,
    ];
    for (let bytes = 0; bytes < size; ) {
      const line = lines.length % 8 === 0 ? `\n## ${phrase(3)}\n` : `- ${phrase(12)}`;
      lines.push(line);
      bytes += line.length + 1;
    }
    mkdirSync(join(target, name));
    writeFileSync(join(target, name, "SKILL.md"), `${lines.join("\n")}\n`);
  }
  return CORPUS.skills;
}

export function writeEdgeCase({ project, edge }) {
  const root = skillsDirOf(project);
  mkdirSync(root, { recursive: true });
  mkdirSync(join(project, ".git"));
  for (const [path, content] of Object.entries(edge.files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  for (const [path, target] of Object.entries(edge.links ?? {})) symlinkSync(target, join(root, path));
  for (const path of edge.fifos ?? []) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    execFileSync("mkfifo", [join(root, path)]);
  }
}
