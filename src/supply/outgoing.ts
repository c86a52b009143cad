// Packs skills for others: as a folder, an archive or a plugin, or as a repository that is ready to be pushed. Pushes nothing.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readBounded, unlessMissing, writeFileAtomically } from "../disk/disk.ts";
import { RepertoireError } from "../model/errors.ts";
import { lastSegment } from "../model/name.ts";
import type { Skill } from "../model/skill.ts";
import { isSkillFile, snapshotPackage } from "../package/package.ts";
import { parseSkill } from "../parse/parse.ts";
import { isRecord, jsonIn } from "../text/json.ts";

export interface ExportRequest {
  /** A folder to make, or a file: `.zip`, `.skill` or `.tar.gz`. */
  readonly to: string;
  /** Wrap the skills in a plugin for Claude Code. */
  readonly plugin?: string | undefined;
}

export interface ExportReport {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

type OutFiles = ReadonlyMap<string, { readonly bytes: Uint8Array; readonly executable: boolean }>;

/** Writes the packages of these skills, whole or not at all. Overwrites nothing. */
export async function exportSkills(
  skills: readonly Skill[],
  { to, plugin }: ExportRequest,
): Promise<ExportReport> {
  if (existsSync(to))
    throw new RepertoireError(
      "export-exists",
      `There is something at ${to} already. Choose another path.`,
      to,
    );
  const files = packed(skills, plugin);
  mkdirSync(dirname(to), { recursive: true });
  const staging = mkdtempSync(join(dirname(to), ".repertoire-export-"));
  try {
    const made = join(staging, basename(to));
    if (/\.(?:zip|skill)$/i.test(to)) await writeZip(made, files);
    else if (/\.(?:tgz|tar\.gz)$/i.test(to)) await writeTar(made, files, join(staging, "files"));
    else writeFolder(made, files);
    renameSync(made, to);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  const sizes = [...files.values()].map(({ bytes }) => bytes.length);
  return { path: to, files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** One skill is packed as its folder; several, and a plugin, each in a folder of its own. */
function packed(skills: readonly Skill[], plugin: string | undefined): OutFiles {
  const files = new Map<string, { bytes: Uint8Array; executable: boolean }>();
  for (const skill of skills) {
    const name = lastSegment(skill.name);
    const prefix = plugin === undefined ? name : `skills/${name}`;
    for (const [path, { bytes, executable }] of snapshotPackage(skill.directory).files)
      files.set(`${prefix}/${path}`, { bytes, executable });
  }
  if (plugin !== undefined) {
    const description = skills.map(({ manifest }) => manifest.brief).join(" ");
    const manifest = { name: plugin, version: "1.0.0", description };
    files.set(".claude-plugin/plugin.json", { bytes: jsonBytes(manifest), executable: false });
  }
  return files;
}

function writeFolder(folder: string, files: OutFiles): void {
  for (const [path, { bytes, executable }] of files) {
    const full = join(folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, bytes, { mode: executable ? 0o755 : 0o644, flag: "wx" });
  }
}

async function writeZip(path: string, files: OutFiles): Promise<void> {
  const { zipSync } = await import("fflate");
  const entries = [...files].map(([name, { bytes, executable }]) => {
    // The same bytes give the same archive: no times, and modes as on Unix.
    const attrs = ((executable ? 0o100755 : 0o100644) << 16) >>> 0;
    return [name, [bytes, { os: 3, attrs, mtime: new Date(1980, 0, 1) }]] as const;
  });
  writeFileSync(path, zipSync(Object.fromEntries(entries) as never));
}

async function writeTar(path: string, files: OutFiles, folder: string): Promise<void> {
  const { create } = await import("tar");
  writeFolder(folder, files);
  await create(
    { cwd: folder, gzip: true, portable: true, mtime: new Date(0), file: path },
    readdirSync(folder),
  );
}

export interface PublishReport {
  readonly folder: string;
  readonly skills: readonly string[];
  /** The files that were written or changed. */
  readonly written: readonly string[];
}

const MARKETPLACE = join(".claude-plugin", "marketplace.json");
const BEGIN = "<!-- skills -->";
const END = "<!-- /skills -->";

/**
 * Makes a folder a repository of skills: the packages below `skills/`, a marketplace file and a list in the README. Keeps what else
 * these files say.
 */
export function prepareRepository(folder: string, skills: readonly Skill[]): PublishReport {
  const written: string[] = [];
  for (const skill of skills) {
    const target = join(folder, "skills", lastSegment(skill.name));
    if (skill.directory === target) continue;
    rmSync(target, { recursive: true, force: true });
    const files = [...snapshotPackage(skill.directory).files];
    writeFolder(target, new Map(files.map(([path, file]) => [path, file])));
    written.push(...files.map(([path]) => join(target, path)));
  }
  const listed = skillsIn(folder);
  if (listed.length === 0)
    throw new RepertoireError(
      "source-empty",
      `${folder} has no skills/NAME/SKILL.md. Name the skills to publish.`,
      folder,
    );
  const title = basename(folder);
  const readme = join(folder, "README.md");
  const marketplace = join(folder, MARKETPLACE);
  for (const [path, text] of [
    [marketplace, marketplaceText(textAt(marketplace), title, listed)],
    [readme, readmeText(textAt(readme), title, listed)],
  ] as const) {
    if (text === textAt(path)) continue;
    writeFileAtomically(path, text, { mode: 0o644 });
    written.push(path);
  }
  return { folder, skills: listed.map(({ name }) => name), written };
}

interface PublishedSkill {
  readonly name: string;
  readonly description: string;
}

function skillsIn(folder: string): PublishedSkill[] {
  const root = join(folder, "skills");
  const names = unlessMissing(() => readdirSync(root), ["ENOENT", "ENOTDIR"]) ?? [];
  return names.sort().flatMap((name) => {
    const file = unlessMissing(() => readdirSync(join(root, name)), ["ENOENT", "ENOTDIR"])?.find(isSkillFile);
    const path = file && join(root, name, file);
    const parsed = path && parseSkill(readBounded(path, { maxBytes: LARGEST }), path).skill;
    return parsed ? [{ name, description: parsed.manifest.description }] : [];
  });
}

const LARGEST = 16 * 1024 * 1024;

function textAt(path: string): string | undefined {
  return unlessMissing(
    () => readBounded(path, { maxBytes: LARGEST }).toString("utf8"),
    ["ENOENT", "ENOTDIR"],
  );
}

/** One plugin with all skills, unless the file lists plugins already: then only new skills are added to the first. */
function marketplaceText(
  before: string | undefined,
  title: string,
  skills: readonly PublishedSkill[],
): string {
  const data = before === undefined ? {} : jsonIn(before);
  if (!isRecord(data))
    throw new RepertoireError(
      "config-not-json",
      `${MARKETPLACE} is not valid JSON. Correct it or remove it.`,
      MARKETPLACE,
    );
  const plugins = Array.isArray(data.plugins) ? data.plugins.filter(isRecord) : [];
  const [
    first = { name: title, description: `The skills of ${title}.`, source: "./", strict: false },
    ...rest
  ] = plugins;
  const own = Array.isArray(first.skills) ? first.skills.filter((each) => typeof each === "string") : [];
  const listed = plugins.flatMap(({ skills: each }) => (Array.isArray(each) ? each : []));
  const fresh = skills.map(({ name }) => `./skills/${name}`).filter((path) => !listed.includes(path));
  const owner = data.owner ?? { name: title };
  const all = { name: title, owner, ...data, plugins: [{ ...first, skills: [...own, ...fresh] }, ...rest] };
  return `${JSON.stringify(all, null, 2)}\n`;
}

function readmeText(before: string | undefined, title: string, skills: readonly PublishedSkill[]): string {
  const rows = skills.map(({ name, description }) => {
    const text = description.replace(/\s+/g, " ").replaceAll("|", "\\|");
    return `| [${name}](skills/${name}/SKILL.md) | ${text} |`;
  });
  const table = [BEGIN, "", "| skill | what it does |", "|---|---|", ...rows, "", END].join("\n");
  const text =
    before ??
    `# ${title}\n\nSkills for AI agents. Add them with \`repertoire add OWNER/${title}\`.\n\n${BEGIN}\n${END}\n`;
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n${table}\n`;
  return text.slice(0, from) + table + text.slice(to + END.length);
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
