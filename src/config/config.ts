// The front door of config: merges and validates defaults, the person's file, the project's file, environment and options.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { realPath } from "../disk/disk.ts";
import { codeOf, RepertoireError } from "../model/errors.ts";
import { CONFIG_FILE, readConfigFile, userConfigPath } from "./file.ts";
import {
  CONFIG_KEYS,
  type ConfigValues,
  groupKeys,
  Refused,
  type ResolvedValues,
  valueFromText,
} from "./keys.ts";
import { acceptedValues, accepts, isObject } from "./kinds.ts";

export { CONFIG_FILE, linkSkill, switchCatalog, switchSkill } from "./file.ts";
export type { ConfigValues } from "./keys.ts";

export interface Config extends Omit<ResolvedValues, "cache"> {
  /** The project's folder. */
  readonly dir: string;
  readonly home: string;
  /** Where caches are kept; undefined = no cache. */
  readonly cacheDir?: string | undefined;
  /** Where learned skills are kept, if not in `~/.repertoire/skills`. */
  readonly learnedDir?: string | undefined;
  /** Where activations are written as JSON lines, if anywhere. */
  readonly usageDir?: string | undefined;
  /** The files that were read, lowest precedence first. */
  readonly files: readonly string[];
}

export interface ConfigInput {
  readonly dir?: string | undefined;
  readonly home?: string | undefined;
  /** A configuration file to read instead of the project's. */
  readonly configFile?: string | undefined;
  /**
   * Settings in the shape of the file; they win over files and environment.
   *
   * @example
   * loadConfig({ config: { style: "adaptive", budget: { tokens: 1500 }, recall: { limit: 3 } } });
   */
  readonly config?: ConfigValues | undefined;
  /** Settings by dotted key, as flags of the command line; they win over everything. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Fail for an agent that the configuration does not know; otherwise such an agent sees every skill. */
  readonly requireAgent?: boolean | undefined;
}

/** Where settings come from, for messages, and whether it is a file that may come with a cloned project. */
interface Origin {
  readonly place: string;
  readonly isProject?: boolean;
}

/**
 * Reads and validates the configuration. An error names the place, the key and the accepted values.
 *
 * @example
 * const { style, files } = loadConfig({ dir: "/path/to/project" });
 */
export function loadConfig(input: ConfigInput = {}): Config {
  const env = input.env ?? process.env;
  const home = resolve(input.home ?? env.REPERTOIRE_HOME ?? knownHome());
  // Its real path: a link must not put folders above it into the project that its target's trust does not cover.
  const dir = realPath(resolve(input.dir ?? env.REPERTOIRE_DIR ?? process.cwd()));
  const named = input.configFile ?? env.REPERTOIRE_CONFIG;
  const values = new Map<string, unknown>();
  const files: string[] = [];
  const setAll = (content: object, origin: Origin) => {
    for (const [key, value] of dottedEntries(content, origin)) {
      values.set(key, validated(key, value, { origin, own: values.get(key) }));
    }
  };
  const setFile = (path: string, { isProject = false, required = false } = {}) => {
    const content = readConfigFile(path, { required, within: isProject ? dir : undefined });
    if (!content) return;
    files.push(path);
    setAll(content.values, { place: path, isProject });
  };
  setFile(userConfigPath(home));
  if (named) setFile(resolve(named), { required: true });
  else setFile(join(dir, CONFIG_FILE), { isProject: true });
  for (const [name, key] of CONFIG_KEYS) {
    const text = key.env && env[key.env];
    if (text) setAll({ [name]: valueFromText(key, text) }, { place: `environment variable ${key.env}` });
  }
  setAll(input.config ?? {}, { place: "options" });
  setAll(input.values ?? {}, { place: "options" });
  const { cache, ...resolved } = withDefaults(values);
  if (input.requireAgent && resolved.agent !== undefined) checkAgent(resolved.agent, resolved.agents);
  const cacheDir = typeof cache === "string" ? resolve(dir, cache) : join(home, ".repertoire", "cache");
  const data = join(home, ".repertoire");
  const inData = (path: string | undefined) =>
    path === undefined ? undefined : resolve(data, path.replace(/^~(?=\/|$)/, home));
  const learnedDir = inData(resolved.paths.learned);
  return {
    ...resolved,
    dir,
    home,
    files,
    cacheDir: cache === false ? undefined : cacheDir,
    learnedDir: learnedDir === join(data, "skills") ? undefined : learnedDir,
    usageDir: inData(resolved.paths.usage),
  };
}

/** An empty answer would make the current folder the home folder. */
function knownHome(): string {
  let home = "";
  try {
    home = homedir();
  } catch (thrown) {
    if (codeOf(thrown) === "") throw thrown;
  }
  if (home !== "") return home;
  throw new RepertoireError("home-unknown", "There is no home folder. Set HOME, or name one with --home.");
}

function checkAgent(agent: string, agents: ResolvedValues["agents"]): void {
  if (Object.hasOwn(agents, agent)) return;
  const known = Object.keys(agents).join(", ");
  throw new RepertoireError(
    "agent-unknown",
    `There is no agent "${agent}". ${known === "" ? "The configuration has none: `agents` gives each its skills" : `Agents: ${known}`}.`,
    agent,
  );
}

/** The settings by dotted key. A group is a nested object; its keys may also be written with dots. */
function* dottedEntries(content: object, { place }: Origin): Generator<[key: string, value: unknown]> {
  for (const [name, value] of Object.entries(content)) {
    const group = groupKeys(name);
    if (name === "$schema" || value === undefined) continue;
    if (!group) yield [name, value];
    else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value))
        if (inner !== undefined) yield [`${name}.${key}`, inner];
    } else throw invalid(name, value, { place, accepted: `an object with ${group.join(", ")}` });
  }
}

/** The value to use: of a project, its value added to the person's own. */
function validated(
  name: string,
  value: unknown,
  { origin: { place, isProject }, own }: { readonly origin: Origin; readonly own: unknown },
): unknown {
  const key = CONFIG_KEYS.get(name);
  if (!key) {
    throw new RepertoireError(
      "config-unknown-key",
      `"${name}" in ${place} is not a configuration key. Accepted: ${[...CONFIG_KEYS.keys()].join(", ")}.`,
      name,
    );
  }
  if (isProject && !key.projectMaySet) throw notForProjects(name, place, name);
  if (!accepts(key.kind, value))
    throw invalid(name, key.secret ? "[redacted]" : value, { place, accepted: acceptedValues(key.kind) });
  if (!isProject || !key.narrow) return value;
  const narrowed = key.narrow(own ?? key.default, value);
  if (narrowed instanceof Refused)
    throw notForProjects(`${name}: ${JSON.stringify(narrowed.value)}`, place, narrowed.value);
  return narrowed;
}

function notForProjects(what: string, place: string, value: unknown): RepertoireError {
  return new RepertoireError(
    "config-not-for-projects",
    `"${what}" in ${place} may only be set in your own configuration (~/.repertoire/${CONFIG_FILE}), because a project that you cloned must not decide it. Remove it there.`,
    value,
  );
}

function invalid(name: string, value: unknown, { place, accepted }: { place: string; accepted: string }) {
  const message = `"${name}" in ${place} is ${inShort(value)}; accepted: ${accepted}.`;
  return new RepertoireError("config-invalid", message, value);
}

/** Characters of a value that a message quotes. */
const QUOTED = 200;

function inShort(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

/** The nested shape of the table, filled with the given values and the defaults. */
function withDefaults(values: ReadonlyMap<string, unknown>): ResolvedValues {
  const filled: Record<string, unknown> = {};
  for (const [name, key] of CONFIG_KEYS) {
    const [first = name, field] = name.split(".");
    const value = values.get(name) ?? key.default;
    const given = value === undefined ? {} : { [field ?? first]: value };
    if (field === undefined) Object.assign(filled, given);
    else filled[first] = { ...(filled[first] as object), ...given };
  }
  return filled as unknown as ResolvedValues;
}
