#!/usr/bin/env node
// Owns: a compact, read-only survey of one folder, printed as text or JSON.
// Does not: write, use the network, start processes, follow symbolic links, or print file contents.
import { closeSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";

const LIMITS = {
  entries: 50_000, // a larger tree is cut, deepest folders first, and the cut is reported
  countedFileBytes: 1 << 20, // larger text files are generated or data; their lines mislead
  countedTotalBytes: 256 << 20, // keeps a survey to seconds on a slow disk
  manifestBytes: 1 << 20,
  shown: 8, // items in each list
  treeFolders: 40,
};

const SKIPPED = new Set(
  (
    ".git .hg .svn node_modules bower_components vendor dist build out target coverage .next .nuxt .turbo .cache " +
    ".venv venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache .gradle .idea .vscode .terraform Pods"
  ).split(" "),
);

const LANGUAGES = Object.entries({
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Go: "go",
  Rust: "rs",
  Java: "java",
  Kotlin: "kt kts",
  "C#": "cs",
  "C/C++": "c h cc cpp cxx hpp hh",
  Ruby: "rb",
  PHP: "php",
  Swift: "swift",
  Scala: "scala",
  Elixir: "ex exs",
  Shell: "sh bash zsh",
  SQL: "sql",
  HTML: "html htm vue svelte",
  CSS: "css scss less",
  Terraform: "tf",
  Markdown: "md mdx",
});
const LANGUAGE_OF = new Map(LANGUAGES.flatMap(([name, list]) => list.split(" ").map((e) => [`.${e}`, name])));

const MANIFEST =
  /^(package\.json|deno\.jsonc?|pyproject\.toml|setup\.py|requirements.*\.txt|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(\.kts)?|Gemfile|composer\.json|mix\.exs|Package\.swift|CMakeLists\.txt|Makefile|justfile|Dockerfile|(docker-)?compose\.ya?ml|.*\.(csproj|sln))$/;
const DOCUMENT = /^(README|CONTRIBUTING|ARCHITECTURE|DESIGN|CHANGELOG|AGENTS|CLAUDE|SECURITY)(\.\w+)?$/i;
const CI =
  /^(\.github\/workflows\/.+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|Jenkinsfile|\.ci\/.+)$/;
const TEST =
  /(^|\/)(tests?|specs?|__tests__)\/|[._-](test|spec)\.\w+$|(^|\/)test_[^/]+\.py$|_test\.(go|py|exs?|rb)$|Tests?\.(java|kt|cs|swift)$/;
const ENTRY = /^((src|app|lib|cmd\/[^/]+)\/)?(main|index|app|server|cli|lib|mod|manage|__main__)\.\w+$/i;

const depthOf = (path) => path.split("/").length;
const byPlace = (a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : a > b ? 1 : 0);

// Plain string order would put `a-b` between `a` and `a/c`, and the tree would hang `c` under the wrong folder.
const treeKey = (path) => path.replaceAll("/", "\u0000");
const parentFirst = (a, b) => (treeKey(a) < treeKey(b) ? -1 : 1);

function walk(root, notes) {
  const files = [];
  const folders = [];
  const skipped = new Set();
  let seen = 0;
  let links = 0;
  const queue = [""];
  for (let next = 0; next < queue.length; next++) {
    const folder = queue[next];
    let entries;
    try {
      entries = readdirSync(join(root, folder), { withFileTypes: true });
    } catch (error) {
      notes.push(`cannot read ${folder || "."}: ${error.code ?? error.message}`);
      continue;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (++seen > LIMITS.entries) {
        notes.push(`cut after ${LIMITS.entries} entries: survey a subfolder for the rest`);
        return { files, folders, skipped, links };
      }
      const path = folder ? `${folder}/${entry.name}` : entry.name;
      if (entry.isSymbolicLink()) links++;
      else if (entry.isDirectory() && SKIPPED.has(entry.name)) skipped.add(path);
      else if (entry.isDirectory()) {
        folders.push(path);
        queue.push(path);
      } else if (entry.isFile()) files.push(path);
    }
  }
  return { files, folders, skipped, links };
}

function countLines(path, bytes) {
  const descriptor = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    const length = readSync(descriptor, buffer, 0, bytes, 0);
    const text = buffer.subarray(0, length);
    if (text.subarray(0, 8000).includes(0)) return 0; // binary under a source extension
    let lines = length > 0 && text[length - 1] !== 10 ? 1 : 0;
    for (let at = text.indexOf(10); at !== -1; at = text.indexOf(10, at + 1)) lines++;
    return lines;
  } finally {
    closeSync(descriptor);
  }
}

function measure(root, files, notes) {
  const languages = new Map();
  const sizes = [];
  let bytes = 0;
  let counted = 0;
  let tooLarge = 0;
  for (const path of files) {
    try {
      const { size } = statSync(join(root, path));
      bytes += size;
      const language = LANGUAGE_OF.get(extname(path).toLowerCase());
      if (language === undefined) continue;
      const total = languages.get(language) ?? { language, files: 0, lines: 0 };
      languages.set(language, total);
      total.files++;
      if (size > LIMITS.countedFileBytes || counted + size > LIMITS.countedTotalBytes) {
        tooLarge++;
        continue;
      }
      counted += size;
      const lines = countLines(join(root, path), size);
      total.lines += lines;
      if (language !== "Markdown") sizes.push({ path, lines });
    } catch (error) {
      notes.push(`cannot read ${path}: ${error.code ?? error.message}`);
    }
  }
  if (tooLarge > 0) notes.push(`${tooLarge} large source file(s) listed without counting lines`);
  const ranked = [...languages.values()].sort((a, b) => b.lines - a.lines || b.files - a.files);
  return {
    bytes,
    languages: ranked,
    largest: sizes.sort((a, b) => b.lines - a.lines).slice(0, LIMITS.shown),
  };
}

function nodePackage(root, notes) {
  const path = join(root, "package.json");
  if (statSync(path).size > LIMITS.manifestBytes) return {};
  try {
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    const { main, bin, scripts } = manifest ?? {};
    const bins = typeof bin === "string" ? [bin] : Object.values(bin ?? {});
    return {
      scripts: Object.keys(scripts ?? {}),
      entries: [main, ...bins].filter((value) => typeof value === "string"),
    };
  } catch (error) {
    notes.push(`package.json does not parse: ${error.message}`);
    return {};
  }
}

function survey(root) {
  const notes = [];
  const { files, folders, skipped, links } = walk(root, notes);
  if (links > 0) notes.push(`${links} symbolic link(s) not followed`);
  const pick = (test) => files.filter(test).sort(byPlace);
  const manifest = files.includes("package.json") ? nodePackage(root, notes) : {};
  const tests = pick((path) => TEST.test(path) && LANGUAGE_OF.has(extname(path).toLowerCase()));
  const filesIn = new Map();
  for (const path of files) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
      filesIn.set(folder, (filesIn.get(folder) ?? 0) + 1);
    }
  }
  return {
    folder: basename(root),
    counts: { files: files.length, folders: folders.length },
    ...measure(root, files, notes),
    manifests: pick((path) => MANIFEST.test(basename(path))),
    scripts: manifest.scripts ?? [],
    entryPoints: [...new Set([...(manifest.entries ?? []), ...pick((path) => ENTRY.test(path))])],
    tests: { files: tests.length, folders: [...new Set(tests.map((path) => path.split("/")[0]))].sort() },
    documents: pick((path) => DOCUMENT.test(basename(path))),
    ci: pick((path) => CI.test(path)),
    skipped: [...skipped].sort(byPlace),
    tree: folders.sort(parentFirst).map((path) => ({ path, files: filesIn.get(path) ?? 0 })),
    notes,
  };
}

// File names are foreign text: a newline or an escape sequence in one must not forge a line of the survey.
const plain = (text) => String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?");
const some = (list) => {
  const more = list.length > LIMITS.shown ? ` (+${list.length - LIMITS.shown} more)` : "";
  return list.length === 0 ? "none found" : list.slice(0, LIMITS.shown).map(plain).join(", ") + more;
};

function render(result, depth) {
  const { counts, bytes, tests } = result;
  const tree = result.tree.filter(({ path }) => depthOf(path) <= depth);
  const lines = [
    `survey of ${plain(result.folder)}: ${counts.files} files, ${counts.folders} folders, ${(bytes / 1e6).toFixed(1)} MB`,
    `languages:    ${some(result.languages.map((l) => `${l.language} ${l.files} files / ${l.lines} lines`))}`,
    `manifests:    ${some(result.manifests)}`,
    `npm scripts:  ${some(result.scripts)}`,
    `entry points: ${some(result.entryPoints)}`,
    `tests:        ${tests.files} files in ${some(tests.folders)}`,
    `documents:    ${some(result.documents)}`,
    `ci:           ${some(result.ci)}`,
    `largest:      ${some(result.largest.map((f) => `${f.path} ${f.lines}`))}`,
    `not entered:  ${some(result.skipped)}`,
    `tree, ${depth} deep (files below each folder):`,
    ...tree.slice(0, LIMITS.treeFolders).map(({ path, files }) => {
      const level = depthOf(path);
      return `${"  ".repeat(level)}${plain(basename(path))}/ ${files}`;
    }),
  ];
  if (tree.length > LIMITS.treeFolders) lines.push(`  (+${tree.length - LIMITS.treeFolders} more folders)`);
  const notes = result.notes.slice(0, LIMITS.shown);
  lines.push(...notes.map((note) => `note: ${plain(note)}`));
  if (result.notes.length > notes.length)
    lines.push(`note: ${result.notes.length - notes.length} more notes`);
  return lines.join("\n");
}

function readArguments(args) {
  const options = { folder: ".", depth: 2, json: false };
  const folders = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at];
    if (argument === "--json") options.json = true;
    else if (argument === "--depth" && /^[1-9]$/.test(args[at + 1] ?? "")) options.depth = Number(args[++at]);
    else if (argument.startsWith("-")) return undefined;
    else folders.push(argument);
  }
  return folders.length > 1 ? undefined : { ...options, folder: folders[0] ?? options.folder };
}

function main(args) {
  const options = readArguments(args);
  if (options === undefined) {
    console.error("usage: survey.mjs [FOLDER] [--depth 1-9] [--json]");
    return 2;
  }
  let root;
  try {
    root = realpathSync(options.folder);
    readdirSync(root);
  } catch (error) {
    console.error(
      `cannot survey "${plain(options.folder)}" (${error.code ?? error.message}): give a readable folder`,
    );
    return 1;
  }
  const result = survey(root);
  console.log(options.json ? JSON.stringify(result, null, 2) : render(result, options.depth));
  return 0;
}

process.exitCode = main(process.argv.slice(2));
