// Owns the configuration: defaults, user file, project file, environment and flags become one validated Config.
// Does not own what the values do: each stage reads its own part.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { AgentToolAlias } from "../model/agent-tool-alias.ts";
import { codeOf, messageOf, RepertoireError } from "../model/errors.ts";
import type { ExtraSource } from "../model/source.ts";
import type { Budget, Style } from "../model/turn.ts";
import type { ModelSettings } from "../models/models.ts";
import { CONFIG_KEYS, type ConfigKey, type ConsentApproval } from "./keys.ts";

export type { ConsentApproval } from "./keys.ts";

export const CONFIG_FILE = "repertoire.config.json";

export interface AgentConfig {
  /** Names and globs of the skills that this agent may see; absent = all. */
  readonly skills?: readonly string[];
}

export interface EmbedderConfig {
  readonly kind: "local" | "minilm" | "openai-compatible" | "none";
  readonly endpoint?: string;
  readonly model?: string;
  readonly dimensions?: number;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
}

export interface Config {
  /** The project's folder. */
  readonly dir: string;
  readonly home: string;
  readonly agent?: string;
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly sources: {
    readonly bundled: boolean;
    readonly add: readonly ExtraSource[];
    readonly only: readonly string[];
    readonly drop: readonly string[];
    readonly order: readonly string[];
    readonly trustLinks: readonly string[];
    readonly requireDescription: readonly string[];
    readonly requireName: readonly string[];
  };
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  readonly style: Style;
  readonly budget: Budget;
  readonly recall: { readonly limit?: number; readonly threshold?: number };
  readonly embedder: EmbedderConfig;
  readonly dream: {
    readonly prefixes: Readonly<Record<string, "namespaced" | "topical">>;
    readonly gaps: boolean;
    readonly share?: number;
    readonly least?: number;
  };
  readonly model: ModelSettings;
  /** Lists of `GLOB` or `GLOB@SOURCE`. */
  readonly consent: {
    readonly allow: readonly string[];
    readonly ask: readonly string[];
    readonly deny: readonly string[];
    readonly approval: ConsentApproval;
  };
  readonly scripts: { readonly network: readonly string[] };
  readonly tools: { readonly aliases: readonly AgentToolAlias[] };
  readonly telemetry: { readonly content: boolean };
  /** Where caches are kept; undefined = no cache. */
  readonly cacheDir?: string;
  /** The files that took part, lowest precedence first. */
  readonly files: readonly string[];
}

export interface ConfigInput {
  readonly dir?: string;
  readonly home?: string;
  /** A config file to read instead of the project's. */
  readonly config?: string;
  /** Values by dotted key, as flags or the library's options give them; they win over everything. */
  readonly values?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads and validates. Every mistake is named with its file, its key and the accepted values. */
export function loadConfig(input: ConfigInput = {}): Config {
  const env = input.env ?? process.env;
  const home = resolve(input.home ?? env.REPERTOIRE_HOME ?? homedir());
  const dir = resolve(input.dir ?? env.REPERTOIRE_DIR ?? process.cwd());
  const values = new Map<string, unknown>();
  const files: string[] = [];
  const explicit = input.config ?? env.REPERTOIRE_CONFIG;
  const layers: [path: string, from: "user" | "project", required: boolean][] = [
    [join(home, ".repertoire", CONFIG_FILE), "user", false],
    explicit ? [resolve(explicit), "user", true] : [join(dir, CONFIG_FILE), "project", false],
  ];
  for (const [path, from, required] of layers) {
    const content = readConfigFile(path, required);
    if (content === undefined) continue;
    files.push(path);
    for (const [key, value] of flatten(content, path)) setChecked(values, key, value, { place: path, from });
  }
  for (const key of CONFIG_KEYS) {
    const text = key.env && env[key.env];
    if (text)
      setChecked(values, key.key, key.fromText(text), {
        place: `environment variable ${key.env}`,
        from: "user",
      });
  }
  for (const [key, value] of Object.entries(input.values ?? {})) {
    if (value !== undefined) setChecked(values, key, value, { place: "options", from: "user" });
  }
  return assemble({ dir, home, values, files });
}

function assemble(parts: {
  dir: string;
  home: string;
  values: Map<string, unknown>;
  files: string[];
}): Config {
  const { dir, home, values, files } = parts;
  const get = <T>(key: string): T =>
    (values.get(key) ?? CONFIG_KEYS.find((entry) => entry.key === key)?.default) as T;
  const agent = get<string | undefined>("agent");
  const cache = get<string | boolean>("cache");
  return {
    dir,
    home,
    ...(agent !== undefined && { agent }),
    agents: get("agents"),
    sources: {
      bundled: get("sources.bundled"),
      add: get("sources.add"),
      only: get("sources.only"),
      drop: get("sources.drop"),
      order: get("sources.order"),
      trustLinks: get("sources.trustLinks"),
      requireDescription: get("sources.requireDescription"),
      requireName: get("sources.requireName"),
    },
    enable: get("enable"),
    disable: get("disable"),
    style: get("style"),
    budget: get("budget"),
    recall: given({ limit: get("recall.limit"), threshold: get("recall.threshold") }),
    dream: {
      prefixes: get("dream.prefixes"),
      gaps: get("dream.gaps"),
      ...given({ share: get("dream.share"), least: get("dream.least") }),
    },
    embedder: {
      kind: get("embedder.kind"),
      ...given({
        endpoint: get<string | undefined>("embedder.endpoint"),
        model: get<string | undefined>("embedder.model"),
        dimensions: get<number | undefined>("embedder.dimensions"),
        apiKeyEnv: get<string | undefined>("embedder.apiKeyEnv"),
      }),
    },
    consent: {
      allow: get("consent.allow"),
      ask: get("consent.ask"),
      deny: get("consent.deny"),
      approval: get("consent.approval"),
    },
    scripts: { network: get("scripts.network") },
    tools: { aliases: get("tools.aliases") },
    telemetry: { content: get("telemetry.content") },
    model: {
      kind: get("model.kind"),
      ...given({
        endpoint: get<string | undefined>("model.endpoint"),
        name: get<string | undefined>("model.name"),
        apiKeyEnv: get<string | undefined>("model.apiKeyEnv"),
        timeoutMs: get<number | undefined>("model.timeoutMs"),
        retries: get<number | undefined>("model.retries"),
        priceIn: get<number | undefined>("model.priceIn"),
        priceOut: get<number | undefined>("model.priceOut"),
      }),
    },
    ...(cache !== false && {
      cacheDir: typeof cache === "string" ? resolve(dir, cache) : join(home, ".repertoire", "cache"),
    }),
    files,
  };
}

/** The fields that have a value. */
function given<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function readConfigFile(path: string, required: boolean): Record<string, unknown> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (!required && (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR")) return undefined;
    throw new RepertoireError(
      "config-unreadable",
      `The configuration ${path} cannot be read: ${messageOf(thrown)}.`,
      path,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (thrown) {
    throw new RepertoireError(
      "config-not-json",
      `${path} is not valid JSON: ${messageOf(thrown)}. Correct it or remove the file.`,
      path,
    );
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new RepertoireError("config-not-object", `${path} must hold a JSON object.`, path);
  }
  return content as Record<string, unknown>;
}

/** Nested objects become dotted keys down to the keys that the table knows. */
function flatten(content: Record<string, unknown>, path: string): [string, unknown][] {
  const pairs: [string, unknown][] = [];
  const descend = (object: Record<string, unknown>, prefix: string) => {
    for (const [name, value] of Object.entries(object)) {
      const key = prefix + name;
      if (key === "$schema") continue;
      const isGroup = CONFIG_KEYS.some((entry) => entry.key.startsWith(`${key}.`));
      if (isGroup && typeof value === "object" && value !== null && !Array.isArray(value)) {
        descend(value as Record<string, unknown>, `${key}.`);
      } else if (isGroup) {
        throw new RepertoireError("config-invalid", `"${key}" in ${path} must be an object.`, value);
      } else pairs.push([key, value]);
    }
  };
  descend(content, "");
  return pairs;
}

function setChecked(
  values: Map<string, unknown>,
  key: string,
  value: unknown,
  origin: { place: string; from: "user" | "project" },
): void {
  const entry = CONFIG_KEYS.find((known) => known.key === key);
  if (!entry) {
    throw new RepertoireError(
      "config-unknown-key",
      `"${key}" in ${origin.place} is not a configuration key. Accepted: ${CONFIG_KEYS.map((known) => known.key).join(", ")}.`,
      key,
    );
  }
  if (origin.from === "project" && !entry.projectMaySet) {
    throw new RepertoireError(
      "config-not-for-projects",
      `"${key}" in ${origin.place} may only be set in your own configuration (~/.repertoire/${CONFIG_FILE}), because a project that you cloned must not decide it. Remove it there.`,
      key,
    );
  }
  if (!entry.accepts(value)) throw invalid(entry, value, origin.place);
  values.set(key, value);
}

function invalid(entry: ConfigKey, value: unknown, place: string): RepertoireError {
  return new RepertoireError(
    "config-invalid",
    `"${entry.key}" in ${place} is ${JSON.stringify(value)}; accepted: ${entry.accepted}.`,
    value,
  );
}
