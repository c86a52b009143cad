// Which skills the catalog of a host's session lists: not those that the host lists itself, and of a large library those that are
// used or near the work, never a piece of the alphabet.

import type { CatalogChoice, TurnEngine } from "../../engine/engine.ts";
import type { SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import type { Source } from "../../model/source.ts";
import type { HookHost } from "./event.ts";

/** What the host's prompt gets of us; `setup` explains the modes. */
export const HOOK_MODES = ["complement", "replace"] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** Characters of a session's catalog. It is read once, so it may take more than a turn's hint; beside a list of the host's a few lines. */
export const CATALOG_CHARS: Readonly<Record<HookMode, number>> = { complement: 1_500, replace: 4_000 };

/** As many skills can be listed with a few words each. */
const LISTED_WHOLE = 60;

interface NativeFolders {
  readonly user: readonly string[];
  readonly project: readonly string[];
  /** Whether the host also lists the skills in folders further down. */
  readonly deep: boolean;
}

/**
 * The folders whose skills each host lists by itself, below the home and below the project, as seen in what its model was sent;
 * Cursor's are from its documentation.
 */
const NATIVE_FOLDERS: Readonly<Record<HookHost, NativeFolders>> = {
  "claude-code": { user: [".claude/skills"], project: [".claude/skills"], deep: false },
  codex: {
    user: [".codex/skills", ".agents/skills"],
    project: [".codex/skills", ".agents/skills"],
    deep: true,
  },
  opencode: {
    user: [
      ".config/opencode/skills",
      ".config/opencode/skill",
      ".opencode/skills",
      ".opencode/skill",
      ".claude/skills",
      ".agents/skills",
    ],
    project: [".opencode/skills", ".opencode/skill", ".claude/skills", ".agents/skills"],
    deep: true,
  },
  pi: {
    user: [".pi/agent/skills", ".agents/skills"],
    project: [".pi/skills", ".agents/skills"],
    deep: true,
  },
  gemini: {
    user: [".gemini/skills", ".agents/skills"],
    project: [".gemini/skills", ".agents/skills"],
    deep: false,
  },
  qwen: {
    user: [".qwen/skills", ".agents/skills"],
    project: [".qwen/skills", ".agents/skills"],
    deep: false,
  },
  copilot: {
    user: [".copilot/skills", ".agents/skills"],
    project: [".github/skills", ".claude/skills", ".agents/skills"],
    deep: true,
  },
  continue: { user: [".continue/skills"], project: [".continue/skills", ".claude/skills"], deep: false },
  cursor: {
    user: [".cursor/skills", ".claude/skills", ".codex/skills", ".agents/skills"],
    project: [".cursor/skills", ".claude/skills", ".codex/skills", ".agents/skills"],
    deep: false,
  },
};

/** The hosts that list the skills of a source by themselves. */
export function hostsReading({ root, scope }: Pick<Source, "root" | "scope">): HookHost[] {
  if (scope !== "user" && scope !== "project") return [];
  const path = root.replaceAll("\\", "/");
  const hosts = Object.entries(NATIVE_FOLDERS) as [HookHost, NativeFolders][];
  return hosts.flatMap(([host, folders]) =>
    folders[scope].some((folder) => path.endsWith(`/${folder}`)) ? [host] : [],
  );
}

/** Whether the host lists the skills in folders below those that it reads. */
export function readsDeeply(host: HookHost): boolean {
  return NATIVE_FOLDERS[host].deep;
}

interface Hosted {
  readonly host: HookHost;
  readonly turns: Pick<TurnEngine, "sources" | "scopeOf">;
}

export function nativeTo({ host, turns }: Hosted): (skill: Skill) => boolean {
  const read = turns.sources.filter((source) => hostsReading(source).includes(host));
  const ids = new Set(read.map(({ id }) => id));
  return ({ name, source }) => ids.has(source) && (readsDeeply(host) || !name.includes("/"));
}

interface CatalogNeeds extends Hosted {
  readonly mode: HookMode;
  /** How often a skill was activated. */
  readonly uses: (name: SkillName) => number;
}

/** Chooses from the skills in the order in which they compete: always shown first, then the nearest to the work. */
export function catalogChoice({ host, mode, turns, uses }: CatalogNeeds): CatalogChoice {
  const isNative = nativeTo({ host, turns });
  return (all) => {
    const ours = mode === "replace" ? all : all.filter((skill) => !isNative(skill));
    const used = ours
      .map((skill) => ({ skill, times: uses(skill.name) }))
      .filter(({ times }) => times > 0)
      .sort((a, b) => b.times - a.times)
      .map(({ skill }) => skill);
    if (ours.length <= LISTED_WHOLE) return { listed: ours, counted: 0 };
    const always = ours.filter(({ manifest }) => manifest.always);
    const listed = [...new Set([...always, ...used, ...nearIn(ours, turns)])];
    return { listed, counted: ours.length - listed.length };
  };
}

/** The skills of the project's folders, nearest folder first. A folder is listed whole or not at all: a part would be a piece of the alphabet. */
function nearIn(skills: readonly Skill[], turns: Hosted["turns"]): Skill[] {
  const inProject = skills.filter(({ source }) => turns.scopeOf(source) === "project");
  const sizes = new Map<string, number>();
  for (const { source } of inProject) sizes.set(source, (sizes.get(source) ?? 0) + 1);
  let room = LISTED_WHOLE;
  const whole = new Set<string>();
  for (const [source, size] of sizes) {
    if (size > room) continue;
    whole.add(source);
    room -= size;
  }
  return inProject.filter(({ source }) => whole.has(source));
}
