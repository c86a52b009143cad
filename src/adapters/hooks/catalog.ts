// Which skills the catalog of a host's session lists: not those that the host lists itself, and of a large library those that are
// used or near the work, never a piece of the alphabet.

import type { CatalogChoice, TurnEngine } from "../../engine/engine.ts";
import type { SkillName } from "../../model/name.ts";
import type { Skill } from "../../model/skill.ts";
import type { HookHost } from "./event.ts";

/** What the host's prompt gets of us; `setup` explains the modes. */
export const HOOK_MODES = ["complement", "replace"] as const;
export type HookMode = (typeof HOOK_MODES)[number];

/** Characters of a session's catalog. It is read once, so it may take more than a turn's hint; beside a list of the host's a few lines. */
export const CATALOG_CHARS: Readonly<Record<HookMode, number>> = { complement: 1_500, replace: 4_000 };

/** As many skills can be listed with a few words each. */
const LISTED_WHOLE = 60;

/** The folders whose skills each host lists by itself; below the home and the project alike. */
const NATIVE_FOLDERS: Readonly<Record<HookHost, readonly string[]>> = {
  "claude-code": [".claude/skills"],
  codex: [".codex/skills", ".agents/skills"],
  opencode: [".config/opencode/skills", ".opencode/skills", ".claude/skills", ".agents/skills"],
  pi: [".pi/agent/skills", ".pi/skills", ".agents/skills"],
  gemini: [".gemini/skills", ".agents/skills"],
  qwen: [".qwen/skills"],
  copilot: [".copilot/skills", ".github/skills", ".claude/skills", ".agents/skills"],
  continue: [".continue/skills", ".claude/skills"],
  cursor: [".cursor/skills", ".claude/skills", ".codex/skills", ".agents/skills"],
};

/** The hosts that list the skills of a folder by themselves. */
export function hostsReading(root: string): HookHost[] {
  const path = root.replaceAll("\\", "/");
  const hosts = Object.entries(NATIVE_FOLDERS) as [HookHost, readonly string[]][];
  return hosts.flatMap(([host, folders]) =>
    folders.some((folder) => path.endsWith(`/${folder}`)) ? [host] : [],
  );
}

interface Hosted {
  readonly host: HookHost;
  readonly turns: Pick<TurnEngine, "sources" | "scopeOf">;
}

/** Hosts list the skills directly in their folders, not those in folders further down. */
export function nativeTo({ host, turns }: Hosted): (skill: Skill) => boolean {
  const roots = turns.sources.filter(({ root }) => hostsReading(root).includes(host));
  const ids = new Set(roots.map(({ id }) => id));
  return ({ name, source }) => ids.has(source) && !name.includes("/");
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
