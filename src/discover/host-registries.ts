// Reads the files in which agents keep what is installed and what is switched off: plugins, extensions, packages, disabled skills.
// A file that is missing or cannot be read says nothing.

import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { isBelow, isInside, unlessMissing } from "../disk/disk.ts";
import { lookupKey } from "../model/name.ts";
import { isRecord, jsonIn } from "../text/json.ts";

/** An agent's file; what is larger is not a configuration. */
const LARGEST = 4 * 1024 * 1024;
const UNREADABLE = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "EISDIR", "ELOOP", "ENAMETOOLONG"];

interface HostQuestion {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface InstalledFolder {
  readonly id: string;
  readonly root: string;
  /** What a project's own file names belongs to the project, and needs the same trust. */
  readonly scope: "user" | "project";
}

/** What agents have beside their folders of skills. */
export interface HostSkills {
  /** Folders of skills that an agent installed, lowest precedence first. */
  readonly folders: readonly InstalledFolder[];
  /** Rules `NAME@SOURCE` of the skills that an agent has switched off, for its own folders. */
  readonly disabled: readonly string[];
}

type Data = Readonly<Record<string, unknown>>;

/**
 * Everything that the agents of this machine have installed and switched off.
 *
 * @example
 * const { folders, disabled } = hostSkills({ home, project, env: process.env });
 */
export function hostSkills(question: HostQuestion): HostSkills {
  // Each message asks this anew, so an agent that is not on this machine costs one look.
  const parts = HOSTS.filter(({ places }) => places(question).some(isFolder)).map(({ read }) =>
    read(question),
  );
  return {
    folders: parts.flatMap(({ folders }) => folders),
    disabled: parts.flatMap(({ disabled }) => disabled),
  };
}

const USER = "user" as const;

interface Host {
  /** The folders of the agent's settings: without any of them the agent is not here. */
  readonly places: (question: HostQuestion) => readonly string[];
  readonly read: (question: HostQuestion) => HostSkills;
}

const HOSTS: readonly Host[] = [
  {
    places: ({ home, project, env }) => [
      env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
      join(project, ".claude"),
    ],
    read: claudeCode,
  },
  {
    places: ({ home, project, env }) => [
      join(env.GEMINI_CLI_HOME || home, ".gemini"),
      join(project, ".gemini"),
    ],
    read: gemini,
  },
  { places: ({ home, project }) => [join(home, ".qwen"), join(project, ".qwen")], read: qwen },
  { places: ({ home, env }) => [env.CODEX_HOME || join(home, ".codex")], read: codex },
  {
    places: ({ home, project, env }) => [opencodeFolder(home, env), join(project, ".opencode")],
    read: opencode,
  },
  { places: ({ home, env }) => [env.OPENCLAW_STATE_DIR || join(home, ".openclaw")], read: openclaw },
  { places: ({ home, env }) => [env.HERMES_HOME || join(home, ".hermes")], read: hermes },
  {
    places: ({ home, project, env }) => [
      env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"),
      join(project, ".pi"),
    ],
    read: pi,
  },
];

function isFolder(path: string): boolean {
  return unlessMissing(() => statSync(path, { throwIfNoEntry: false })?.isDirectory(), UNREADABLE) ?? false;
}

function opencodeFolder(home: string, env: HostQuestion["env"]): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
}

/** The rules that switch these skills off in these sources. */
function off(names: readonly string[], sources: readonly string[]): string[] {
  return names.flatMap((name) => sources.map((source) => `${lookupKey(name)}@${source}`));
}

/**
 * Installed plugins by its registry; what `enabledPlugins` says, the nearest file last; denied and switched-off skills. What is
 * on only because a project's file says so needs the trust of the project.
 */
function claudeCode({ home, project, env }: HostQuestion): HostSkills {
  const directory = env.CLAUDE_CONFIG_DIR || join(home, ".claude");
  const settings = [
    join(directory, "settings.json"),
    join(project, ".claude", "settings.json"),
    join(project, ".claude", "settings.local.json"),
  ].map(readData);
  const enabled: Data = Object.assign({}, ...settings.map((each) => record(each?.enabledPlugins)));
  const installed = record(readData(join(directory, "plugins", "installed_plugins.json"))?.plugins);
  const isOn = Object.keys(enabled).filter((id) => enabled[id] === true);
  const market = marketplaces(directory);
  const folders = [...new Set([...Object.keys(installed), ...isOn])].flatMap((id) => {
    if (enabled[id] === false) return [];
    const entries = list(installed[id]).length > 0 ? list(installed[id]) : [installed[id]];
    const here = entries.findLast(
      (entry) => isRecord(entry) && typeof entry.installPath === "string" && isFor(entry, project),
    ) as { readonly installPath: string } | undefined;
    if (!here && installed[id] !== undefined) return [];
    const own = record(settings[0]?.enabledPlugins)[id];
    const scope = own === true || (own === undefined && here) ? USER : "project";
    return pluginFolders({ id, scope, installPath: here?.installPath }, market);
  });
  const denied = settings.flatMap((each) => {
    const rules = texts(record(each?.permissions).deny).flatMap(
      (rule) => /^Skill\(([^:)]+)(?::\*)?\)$/.exec(rule)?.[1] ?? [],
    );
    const overrides = Object.entries(record(each?.skillOverrides)).flatMap(([name, state]) =>
      state === "off" ? name : [],
    );
    return [...rules, ...overrides];
  });
  const own = ["~/.claude/skills", "./.claude/skills", ...folders.map(({ id }) => id)];
  return {
    folders,
    disabled: off(
      denied.map((name) => name.split(":").at(-1)!),
      own,
    ),
  };
}

/** A plugin of a project counts below that project only. */
function isFor({ projectPath }: Data, project: string): boolean {
  return typeof projectPath !== "string" || `${project}${sep}`.startsWith(`${projectPath}${sep}`);
}

/** `skills/`, and what the plugin's own file names. Without such a file, its marketplace says where it is and what it has. */
function pluginFolders(
  { id, scope, installPath }: Pick<InstalledFolder, "id" | "scope"> & { installPath: string | undefined },
  marketplaceEntry: ReturnType<typeof marketplaces>,
): InstalledFolder[] {
  const own = installPath && readData(join(installPath, ".claude-plugin", "plugin.json"));
  const entry = own ? undefined : marketplaceEntry(id);
  const path = installPath ?? entry?.path;
  if (path === undefined) return [];
  const manifest = own || readData(join(path, ".claude-plugin", "plugin.json"));
  const named = [manifest?.skills, entry?.skills].flatMap((skills) =>
    typeof skills === "string" ? skills : texts(skills),
  );
  // A plugin that is only described by its marketplace has what is named there, and nothing else.
  const always = !manifest && named.length > 0 ? [] : ["skills"];
  const roots = new Set([...always, ...named].map((folder) => resolve(path, folder)));
  return [...roots]
    .filter((root) => isInside(path, root))
    .map((root, at) => {
      const source = `claude-plugin:${id}`;
      return { id: at === 0 ? source : `${source}/${basename(root)}`, root, scope };
    });
}

/** Looks a plugin up in the marketplaces that Claude Code knows: its folder, if the marketplace has it itself, and its skills. */
function marketplaces(directory: string) {
  let known: Data | undefined;
  return (id: string): { readonly path?: string | undefined; readonly skills: unknown } | undefined => {
    const at = id.lastIndexOf("@");
    known ??= readData(join(directory, "plugins", "known_marketplaces.json")) ?? {};
    const location = record(known[id.slice(at + 1)]).installLocation;
    if (at < 1 || typeof location !== "string") return undefined;
    const listed = list(readData(join(location, ".claude-plugin", "marketplace.json"))?.plugins);
    const plugin = listed.find((each) => isRecord(each) && each.name === id.slice(0, at));
    if (!isRecord(plugin)) return undefined;
    const path = typeof plugin.source === "string" ? resolve(location, plugin.source) : undefined;
    return { path: path && isInside(location, path) ? path : undefined, skills: plugin.skills };
  };
}

function gemini({ home, project, env }: HostQuestion): HostSkills {
  return extensionsOf("gemini", join(env.GEMINI_CLI_HOME || home, ".gemini"), project);
}

function qwen({ home, project }: HostQuestion): HostSkills {
  return extensionsOf("qwen", join(home, ".qwen"), project);
}

/** Extensions that are not switched off for this folder, and skills that the settings switch off. */
function extensionsOf(host: string, directory: string, project: string): HostSkills {
  const extensions = join(directory, "extensions");
  const switches = readData(join(extensions, "extension-enablement.json")) ?? {};
  const folders = foldersIn(extensions)
    .filter((name) => !isOff(texts(record(switches[name]).overrides), project))
    .map((name) => ({
      id: `${host}-extension:${name}`,
      root: join(extensions, name, "skills"),
      scope: USER,
    }));
  const files = [join(directory, "settings.json"), join(project, `.${host}`, "settings.json")].map(readData);
  const names = files.flatMap((file) => texts(record(file?.skills).disabled));
  const own = [`~/.${host}/skills`, `./.${host}/skills`, ...folders.map(({ id }) => id)];
  return { folders, disabled: off(names, own) };
}

/** Rules such as `!/home/me/*`: the last one that fits decides. */
function isOff(rules: readonly string[], project: string): boolean {
  const fitting = rules.findLast((rule) => {
    const path = rule.replace(/^!/, "").replace(/\*$/, "");
    return `${project}/`.startsWith(path);
  });
  return fitting?.startsWith("!") ?? false;
}

/** Tables `[[skills.config]]` with `enabled = false` and a name, or the path of a SKILL.md or of its folder. */
function codex({ home, project, env }: HostQuestion): HostSkills {
  const text = readText(join(env.CODEX_HOME || join(home, ".codex"), "config.toml")) ?? "";
  const own = ["~/.codex/skills", "./.codex/skills", "~/.agents/skills", "./.agents/skills"];
  const rootOf = (id: string) => realPath(join(id.startsWith("~") ? home : project, id.slice(2)));
  const disabled = disabledTables(text).flatMap(({ name, path }) => {
    if (path === undefined) return name === undefined ? [] : off([name], own);
    const folder = realPath(path.replace(/[/\\]SKILL\.md$/i, ""));
    return own.flatMap((id) =>
      isBelow(rootOf(id), folder) ? `${relative(rootOf(id), folder).split(sep).join("/")}@${id}` : [],
    );
  });
  return { folders: [], disabled };
}

const SKILL_TABLE = /^\s*\[\[\s*skills\s*\.\s*config\s*\]\]/;
const SKILL_KEY = /^\s*(path|name|enabled)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(true|false))/;

function disabledTables(text: string) {
  const tables: { path?: string; name?: string; enabled?: string }[] = [];
  let table: (typeof tables)[number] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (SKILL_TABLE.test(line)) {
      table = {};
      tables.push(table);
    } else if (/^\s*\[/.test(line)) table = undefined;
    const [, key, quoted, literal, truth] = SKILL_KEY.exec(line) ?? [];
    if (table && key !== undefined)
      table[key as "path" | "name" | "enabled"] = truth ?? literal ?? quoted!.replace(/\\(["\\])/g, "$1");
  }
  return tables.filter(({ enabled }) => enabled === "false");
}

function realPath(path: string): string {
  return unlessMissing(() => realpathSync(path), UNREADABLE) ?? path;
}

/** `permission.skill` with a name and `deny`. */
function opencode({ home, project, env }: HostQuestion): HostSkills {
  const config = opencodeFolder(home, env);
  const files = [config, project, join(project, ".opencode")].flatMap((folder) =>
    ["opencode.json", "opencode.jsonc"].map((name) => readData(join(folder, name))),
  );
  const names = files.flatMap((file) =>
    Object.entries(record(record(file?.permission).skill)).flatMap(([name, answer]) =>
      answer === "deny" ? name : [],
    ),
  );
  const own = [
    "~/.config/opencode/skills",
    "~/.config/opencode/skill",
    "./.opencode/skills",
    "./.opencode/skill",
  ];
  return { folders: [], disabled: names.flatMap((name) => own.map((source) => `${name}@${source}`)) };
}

/** The workspace's folder, more folders by its settings, and `skills.entries` that are off. */
function openclaw({ home, env }: HostQuestion): HostSkills {
  const directory = env.OPENCLAW_STATE_DIR || join(home, ".openclaw");
  const data = readData(env.OPENCLAW_CONFIG_PATH || join(directory, "openclaw.json"));
  const skills = record(data?.skills);
  const workspace = record(record(data?.agents).defaults).workspace;
  const more = texts(record(skills.load).extraDirs).map((path) => ({
    id: `openclaw:${path}`,
    root: inHome(path, home),
    scope: USER,
  }));
  const own = typeof workspace === "string" ? inHome(workspace, home) : join(directory, "workspace");
  const folders = [...more, { id: "openclaw:workspace", root: join(own, "skills"), scope: USER }];
  const names = Object.entries(record(skills.entries)).flatMap(([name, entry]) =>
    record(entry).enabled === false ? name : [],
  );
  return { folders, disabled: off(names, ["~/.openclaw/skills", ...folders.map(({ id }) => id)]) };
}

/** `skills.disabled` and `skills.external_dirs` of its YAML file, which it writes as plain lists. */
function hermes({ home, env }: HostQuestion): HostSkills {
  const text = readText(join(env.HERMES_HOME || join(home, ".hermes"), "config.yaml")) ?? "";
  const block = /^skills:[ \t]*\r?\n((?:[ \t]+.*(?:\r?\n|$)|[ \t]*\r?\n)*)/m.exec(text)?.[1] ?? "";
  const list = (key: string) => {
    const found = new RegExp(
      `^[ \\t]+${key}:[ \\t]*(?:\\[(.*)\\][ \\t]*$|((?:\\r?\\n[ \\t]+-.*)*))`,
      "m",
    ).exec(block);
    const items = found?.[1]?.split(",") ?? found?.[2]?.split(/\r?\n[ \t]+-/).slice(1) ?? [];
    return items
      .map((item) =>
        item
          .replace(/\s+#.*$/, "")
          .trim()
          .replace(/^(["'])(.*)\1$/, "$2"),
      )
      .filter(Boolean);
  };
  const folders = list("external_dirs").map((path) => ({
    id: `hermes:${path}`,
    root: inHome(path, home),
    scope: USER,
  }));
  const sources = ["~/.hermes/skills", ...folders.map(({ id }) => id)];
  // Its folders are categories, and a name is the last part.
  const names = list("disabled").flatMap((name) => [name, `**/${name}`]);
  return { folders, disabled: names.flatMap((name) => sources.map((source) => `${name}@${source}`)) };
}

/** Packages of its settings: from npm, from git, or a folder. `skills: []` takes none of a package. */
function pi({ home, project, env }: HostQuestion): HostSkills {
  const directory = env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent");
  const places = [
    { at: directory, scope: USER, id: "pi-package:" },
    { at: join(project, ".pi"), scope: "project", id: "./.pi:" },
  ] as const;
  const folders = places.flatMap(({ at: place, scope, id }) =>
    list(readData(join(place, "settings.json"))?.packages).flatMap((entry) => {
      const source = typeof entry === "string" ? entry : record(entry).source;
      const isNone = isRecord(entry) && Array.isArray(entry.skills) && entry.skills.length === 0;
      if (typeof source !== "string" || isNone) return [];
      const path = packagePath(source, place, home);
      const named = texts(record(readData(join(path, "package.json"))?.pi).skills).filter(
        (each) => !/[*!]/.test(each),
      );
      return (named.length > 0 ? named : ["skills"])
        .map((folder, at) => ({
          id: `${id}${source}${at === 0 ? "" : `/${folder}`}`,
          root: resolve(path, folder),
          scope,
        }))
        .filter(({ root }) => scope === USER || isInside(project, root));
    }),
  );
  return { folders, disabled: [] };
}

/** Where a package is: `npm:name@version`, `git:host/owner/name@ref`, an address, or a folder. */
function packagePath(source: string, place: string, home: string): string {
  const npm = /^npm:(@?[^@]+)/.exec(source)?.[1];
  if (npm !== undefined) return join(place, "npm", "node_modules", npm);
  const git =
    /^(?:git:|https?:\/\/|ssh:\/\/)(?:https?:\/\/|ssh:\/\/)?(?:git@)?([^@]+?)(?:\.git)?(?:@[^@/]+)?$/.exec(
      source,
    )?.[1];
  if (git !== undefined) return join(place, "git", ...git.replace(":", "/").split("/"));
  return resolve(place, inHome(source, home));
}

function inHome(path: string, home: string): string {
  return path.replace(/^~(?=[/\\]|$)/, home);
}

function readText(path: string): string | undefined {
  return unlessMissing(() => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= LARGEST
      ? readFileSync(path, "utf8").replace(/^\ufeff/, "")
      : undefined;
  }, UNREADABLE);
}

/** Also with whole lines of comments and commas at the end, as people leave them. */
function readData(path: string): Data | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const data = jsonIn(text) ?? jsonIn(text.replace(/^\s*\/\/.*$/gm, "").replace(/,(?=\s*[}\]])/g, ""));
  return isRecord(data) ? data : undefined;
}

function foldersIn(path: string): string[] {
  const entries = unlessMissing(() => readdirSync(path, { withFileTypes: true }), UNREADABLE) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort();
}

function record(value: unknown): Data {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((each) => typeof each === "string");
}
