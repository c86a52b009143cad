// The table of configuration keys. The type `Config`, the defaults, the validation, docs/guides/configuration.md and
// docs/config.schema.json are derived from it.

import { AGENT_TOOL_ALIASES } from "../model/agent-tool-alias.ts";
import { CONSENT_APPROVALS } from "../model/consent-approval.ts";
import { IDENTITIES, PROJECT_TRUST } from "../model/source.ts";
import { CONTEXTS, RECALL_ORDERS, STYLES } from "../model/turn.ts";
import type { Flat, ValueKind } from "./kinds.ts";
import { boolean, enumOf, integer, listOf, mapOf, number, object, string, unionOf } from "./kinds.ts";

/** One key. `Default` is `undefined` if the key has no default. */
export interface ConfigKey<T = unknown, Default = unknown> {
  /** For the documentation and the editor's tooltip. */
  readonly about: string;
  readonly kind: ValueKind<T>;
  /** False if a cloned project must not decide it: whom to trust, what is shown, what leaves the machine, what costs money. */
  readonly projectMaySet: boolean;
  /** Adds a project's value to the person's, for a key with which a project may only restrict itself. Returns the value that is refused, if one is. */
  narrow?(own: T, project: T): T | Refused;
  readonly default: Default;
  /** The environment variable that sets it. */
  readonly env?: string;
  /** How the variable's text becomes a value, if not as usual for the kind. */
  readonly fromText?: (text: string) => T;
  /** Whether no message may quote it. */
  readonly secret?: boolean;
}

/** A value that a project may not set. */
export class Refused {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

type Extras<T> = Partial<Pick<ConfigKey<T, T>, "default" | "env" | "fromText" | "narrow" | "secret">>;

/** Lists and objects are empty by default. */
const EMPTY: Readonly<Record<string, unknown>> = { array: [], object: {} };

function keyMaker(projectMaySet: boolean) {
  return <T, const E extends Extras<T>>(about: string, kind: ValueKind<T>, extras?: E) => {
    const key = { about, kind, projectMaySet, default: EMPTY[kind.type ?? ""], ...extras };
    return key as ConfigKey<T, T extends object ? T : E extends { readonly default: T } ? T : undefined>;
  };
}

/** A key that the person and a project may set. */
const shared = keyMaker(true);
/** A key that only the person may set. */
const userOnly = keyMaker(false);

/** For how many days something is kept. */
const days = (about: string, number: number) =>
  userOnly(`Days for which this is kept: ${about}`, integer(1), { default: number });

/** Ids of a project's own sources begin with `.`: a project restricts these, never the person's or the bundled ones. */
const ownSources = (own: readonly string[], project: readonly string[]) => {
  const foreign = project.find((id) => !id.startsWith("."));
  return foreign === undefined ? [...own, ...project] : new Refused(foreign);
};
/** A project switches off its own skills only. */
const ownSkills = (own: readonly string[], project: readonly string[]) => [
  ...own,
  ...project.map((glob) => `${glob.split("@")[0]}@project`),
];

const sourceIds = listOf(string(), ["~/.codex/skills"]);
const skillGlobs = listOf(string(), ["pdf-tables", "release/*"]);
const skillRules = listOf(string(), ["code-*", "*@user", "deploy/**@~/.claude/skills"]);
const extraSource = object(
  {
    path: string(),
    id: string(),
    rootSkill: boolean,
    trustLinks: boolean,
    requireDescription: boolean,
    requireName: boolean,
  },
  { required: ["path"] },
);
const endpoint = string("http://localhost:11434/v1");

/** A group's key is written `group.key` in messages and flags, and as a nested object in a file. */
const CONFIG_TABLE = {
  agent: userOnly("The agent whose view is used if none is given.", string("reviewer"), {
    env: "REPERTOIRE_AGENT",
  }),
  agents: shared(
    'Per agent, the names and globs of the skills that it may see (skills) and, besides these, save, change and delete (write). Without skills an agent sees all, with [] none, with ["*"] all. A project may add agents that your own file does not name.',
    mapOf(object({ skills: listOf(string()), write: listOf(string()) }), {
      reviewer: { skills: ["code-*"], write: ["review-notes/*"] },
    }),
    { narrow: (own, project) => ({ ...project, ...own }) },
  ),
  sources: {
    bundled: userOnly("Whether to use the skills that ship with Repertoire.", boolean, {
      default: true,
      env: "REPERTOIRE_BUNDLED",
    }),
    add: userOnly(
      "More sources, above all others. Paths are relative to the project; ~ is the home folder.",
      listOf(extraSource, [{ path: "../team/skills", id: "team" }]),
      { env: "REPERTOIRE_SOURCES", fromText: (paths) => splitList(paths).map((path) => ({ path })) },
    ),
    only: userOnly("Ids of the only sources to use; an empty list means all.", sourceIds),
    drop: shared(
      "Ids of sources to leave out (`repertoire sources` lists the ids). A project may leave out its own.",
      sourceIds,
      { narrow: ownSources },
    ),
    order: userOnly(
      "Ids of sources, lowest precedence first. They come above the sources that are not in the list.",
      sourceIds,
    ),
    trustLinks: userOnly("Ids of sources whose symbolic links may lead anywhere.", sourceIds),
    requireDescription: shared(
      "Ids of sources that skip a skill without a description. Other sources use its first paragraph. A project may name its own.",
      sourceIds,
      { narrow: ownSources },
    ),
    requireName: shared(
      "Ids of sources that skip a skill without a name in its front matter. Other sources use the folder's name. A project may name its own.",
      sourceIds,
      { narrow: ownSources },
    ),
    identity: userOnly(
      "What names a skill: its path below the source (path), or the name in its front matter (name). Of two skills with one name the last wins. The skills that Repertoire writes or ships keep their path.",
      enumOf(...IDENTITIES),
      { default: "path" },
    ),
  },
  catalogs: userOnly(
    "Collections of skills to search that are not installed: owner/repository, a git address or a folder. `repertoire catalog` edits the list.",
    listOf(string(), ["anthropics/skills"]),
  ),
  enable: userOnly("Names and globs of skills to switch on although they are off by default.", skillGlobs),
  disable: shared(
    "Names and globs of skills to switch off, in the same form as consent.allow; wins over enable. A project switches off its own skills only.",
    skillRules,
    { narrow: ownSkills },
  ),
  style: userOnly("How skills are shown to the model.", enumOf(...STYLES), {
    default: "adaptive",
    env: "REPERTOIRE_STYLE",
  }),
  context: userOnly(
    "What your host does with the sections: append keeps them all, so nothing is shown twice; rebuild replaces each by the next, as in a system prompt, so what still matters is shown again. By default each adapter knows: hooks and chat append, the AI SDK rebuilds, and for all others the style index appends and the rest rebuild.",
    enumOf(...CONTEXTS),
    { env: "REPERTOIRE_CONTEXT" },
  ),
  budget: userOnly(
    "The most that the section of a turn may take. By default each style has its own budget.",
    object({ tokens: integer(1), chars: integer(1) }, { examples: [{ tokens: 2000 }, { chars: 8000 }] }),
    { env: "REPERTOIRE_BUDGET", fromText: (tokens) => ({ tokens: Number(tokens) }) },
  ),
  consent: {
    allow: userOnly(
      "Skills that are activated without asking: names and globs, optionally followed by @ and a source's id or one of bundled, user, project, custom.",
      skillRules,
      { default: ["*@bundled"] },
    ),
    ask: userOnly(
      "Skills that always need your consent, even if consent.allow names them. Skills in no list need it too.",
      skillRules,
    ),
    deny: userOnly("Skills that are never activated; wins over the other lists.", skillRules),
    learned: userOnly(
      "Whether agents may read without asking what was saved on this machine, if its inspection is clean and it has neither scripts nor toolsets; ask asks for these too.",
      enumOf("allow", "ask"),
      { default: "allow" },
    ),
    approval: userOnly(
      "Used over MCP if the client cannot ask you: ask refuses; host takes the call as your consent, for a host that asks you before each tool call. Skills with grave findings are always refused.",
      enumOf(...CONSENT_APPROVALS),
      { default: "ask" },
    ),
  },
  trust: {
    projects: userOnly(
      "Whose skills a project's folder may show: host believes what Claude Code, Codex, Gemini CLI, Qwen Code and pi know about the folder, and shows descriptions if the host has no opinion; ask shows nothing before you trust the project; all believes every folder.",
      enumOf(...PROJECT_TRUST),
      { default: "host", env: "REPERTOIRE_TRUST_PROJECTS" },
    ),
  },
  scripts: {
    network: userOnly(
      "Skills whose scripts and toolsets may use the network, in the same form as consent.allow.",
      skillRules,
    ),
    unsandboxed: userOnly(
      "Digests (the first 16 characters or more) of packages whose scripts and toolsets may run without a sandbox if this machine has none.",
      listOf(string(), ["cd3ea8cc27f1e306"]),
    ),
  },
  tools: {
    serve: userOnly(
      "The tools that a model gets where the host chooses none, by name; an empty list means the default ones.",
      listOf(string(), ["recall_skills", "get_skill", "save_skill", "list_skills", "delete_skill"]),
      { env: "REPERTOIRE_TOOLS" },
    ),
    aliases: shared(
      "More names for the tool activate_skill, for agents that expect one of them. To serve it under another name only, put that name into tools.serve.",
      listOf(enumOf(...AGENT_TOOL_ALIASES)),
      { env: "REPERTOIRE_TOOL_ALIASES" },
    ),
  },
  recall: {
    limit: userOnly("The most skills that are recalled for a message (3).", integer(1, 50), {
      env: "REPERTOIRE_LIMIT",
    }),
    threshold: userOnly("The evidence below which a skill is not recalled.", number(0, 1), {
      env: "REPERTOIRE_THRESHOLD",
    }),
    order: userOnly(
      "The order of matches: by score, or by triggers (named, exact phrase, recent use, score), which is the order of the style tiers.",
      enumOf(...RECALL_ORDERS),
      { env: "REPERTOIRE_ORDER" },
    ),
    links: userOnly(
      "Related skills by name: recalled with a skill as if its see-also named them.",
      mapOf(listOf(string()), { "pdf-tables": ["spreadsheets"] }),
    ),
    encoder: shared(
      "Whether the trained encoder compares meanings too: auto uses it as soon as the skills are encoded, off never.",
      enumOf("auto", "off"),
      { default: "auto", env: "REPERTOIRE_ENCODER" },
    ),
    learn: userOnly(
      "Whether recall learns from use: it remembers messages for which a skill went well or badly, on this machine only.",
      boolean,
      { default: true, env: "REPERTOIRE_LEARN" },
    ),
  },
  retention: {
    events: days(
      "What happened (shown, activated, outcomes); the tallies that were counted from it stay.",
      400,
    ),
    said: days("What was said in conversations, as dreams read it.", 90),
    sessions: days("The state of a session that nobody continues.", 30),
    damaged: days("A damaged file that was moved aside.", 30),
    caches: days(
      "The index and the snapshot of a library that nothing wrote to; it is made again when needed.",
      90,
    ),
  },
  embedder: {
    kind: userOnly(
      "What compares meanings: local needs nothing else, openai-compatible sends texts to the endpoint.",
      enumOf("local", "minilm", "openai-compatible", "none"),
      { default: "local", env: "REPERTOIRE_EMBEDDER" },
    ),
    endpoint: userOnly("Address of an OpenAI-compatible embeddings server, up to /v1.", endpoint, {
      env: "REPERTOIRE_EMBEDDER_ENDPOINT",
    }),
    model: userOnly("The embedding model that the server offers.", string("nomic-embed-text"), {
      env: "REPERTOIRE_EMBEDDER_MODEL",
    }),
    dimensions: userOnly("The length of the model's vectors.", integer(1), {
      env: "REPERTOIRE_EMBEDDER_DIMENSIONS",
    }),
    apiKeyEnv: userOnly(
      "The environment variable that holds the server's key. The key itself is never written to a file.",
      string("OPENAI_API_KEY"),
    ),
  },
  paths: {
    learned: userOnly(
      "Where learned skills are kept; ~ is the home folder, other paths are relative to ~/.repertoire. The folder is a source.",
      string("skills"),
    ),
    usage: userOnly(
      "A folder for one file of JSON lines per session, one line per activation, besides the journal; relative to ~/.repertoire.",
      string("skill-usage"),
    ),
  },
  dream: {
    directives: userOnly(
      "Files whose text replaces the instructions of a pass, relative to ~/.repertoire (skill-gap.md, skill-dream.md and skill-optimize.md).",
      object(
        { gap: string(), consolidate: string(), optimize: string() },
        { examples: [{ gap: "prompts/gap.md" }] },
      ),
    ),
    prefixes: shared(
      "How dreams treat skills whose names share a prefix: namespaced ones belong to a server each and are never merged.",
      mapOf(enumOf("namespaced", "topical"), { mcp: "namespaced", docs: "topical" }),
    ),
    gaps: shared("Whether dreams write skills for requests that no skill answers.", boolean, {
      default: true,
    }),
    share: userOnly("The share of the library that one dream may change (0.2).", number(0, 1)),
    least: userOnly("How many skills one dream may change in a library of any size (5).", integer(1)),
  },
  model: {
    kind: userOnly(
      "The language model for summaries, dreams and chat; none sends nothing.",
      enumOf("none", "openai-compatible", "openai", "anthropic"),
      { default: "none", env: "REPERTOIRE_MODEL_KIND" },
    ),
    endpoint: userOnly("Address of the server, up to /v1. Not needed for openai and anthropic.", endpoint, {
      env: "REPERTOIRE_MODEL_ENDPOINT",
    }),
    name: userOnly("The model that the server offers.", string("llama3.2"), { env: "REPERTOIRE_MODEL" }),
    apiKeyEnv: userOnly(
      "The environment variable that holds the key (OPENAI_API_KEY or ANTHROPIC_API_KEY, by kind). The key itself is never written to a file.",
      string("OPENAI_API_KEY"),
    ),
    timeoutMs: userOnly(
      "The most milliseconds that one answer may take, with retries (60000); in a chat, that the model may be silent.",
      number(1),
    ),
    retries: userOnly("How often a request to a busy server is repeated (2).", integer(0)),
    priceIn: userOnly("US dollars for a million input tokens, for the costs in the journal.", number(0)),
    priceOut: userOnly("US dollars for a million output tokens, for the costs in the journal.", number(0)),
  },
  database: {
    url: userOnly(
      "The address of a PostgreSQL database that many machines share, instead of the database in ~/.repertoire. With a password in it, set the environment variable rather than the file.",
      string("postgres://agent@db.example:5432/repertoire"),
      { env: "REPERTOIRE_DATABASE_URL", secret: true },
    ),
    token: userOnly(
      "The token that says which scope of the shared database this machine works in, and what it may do there. Without one the login must own the schema.",
      string("rpt_…"),
      { env: "REPERTOIRE_DATABASE_TOKEN", secret: true },
    ),
    scope: userOnly(
      "Without a token: the organisation, or organisation/project, whose library is used (default).",
      string("acme/website"),
      { env: "REPERTOIRE_DATABASE_SCOPE" },
    ),
  },
  telemetry: {
    content: userOnly(
      "Whether spans also contain texts: messages, sections, notes. By default they contain names and numbers only.",
      boolean,
      { default: false, env: "REPERTOIRE_TELEMETRY_CONTENT" },
    ),
  },
  cache: userOnly(
    "Where parsed skills are kept between runs: true for ~/.repertoire/cache, false for nowhere, or a folder.",
    unionOf(boolean, string(".cache/repertoire")),
    { default: true, env: "REPERTOIRE_CACHE" },
  ),
};

type Table = typeof CONFIG_TABLE;
type OptionalNames<G> = {
  [N in keyof G]: G[N] extends { readonly default: undefined } ? N : never;
}[keyof G];

/** The values of a key or of a group of keys; only keys without a default are optional. */
type Resolved<E> =
  E extends ConfigKey<infer T>
    ? T
    : Flat<
        { readonly [N in Exclude<keyof E, OptionalNames<E>>]: Resolved<E[N]> } & {
          readonly [N in OptionalNames<E>]?: Resolved<E[N]>;
        }
      >;
type Settable<E> =
  E extends ConfigKey<infer T> ? T : { readonly [N in keyof E]?: Settable<E[N]> | undefined };

/** A value for every key that has one. */
export type ResolvedValues = Resolved<Table>;
/** Any part of the configuration, in the shape of the file. */
export interface ConfigValues extends Settable<Table> {}

/** Every key by its dotted name. */
export const CONFIG_KEYS: ReadonlyMap<string, ConfigKey> = new Map(
  Object.entries(CONFIG_TABLE).flatMap(([name, entry]): [string, ConfigKey][] =>
    isKey(entry)
      ? [[name, entry]]
      : Object.entries<ConfigKey>(entry).map(([field, key]) => [`${name}.${field}`, key]),
  ),
);

/** The names of a group's keys, or undefined if there is no such group. */
export function groupKeys(name: string): readonly string[] | undefined {
  const entry = Object.entries(CONFIG_TABLE).find(([known]) => known === name)?.[1];
  return entry === undefined || isKey(entry) ? undefined : Object.keys(entry);
}

/** Reads a value from the text of an environment variable. */
export function valueFromText(key: ConfigKey, text: string): unknown {
  if (key.fromText) return key.fromText(text);
  const [yes, no] = [text === "true" || text === "1", text === "false" || text === "0"];
  if (key.kind.type === "boolean") return key.default === true ? !no : yes;
  if (key.kind.anyOf) return yes || (no ? false : text);
  if (key.kind.type === "array") return splitList(text);
  const isNumber = key.kind.type === "number" || key.kind.type === "integer";
  return isNumber && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function isKey(entry: object): entry is ConfigKey {
  return "about" in entry;
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** The JSON Schema of configuration files, for editors: accepts what `loadConfig` accepts in the person's own file. */
export function configSchema(): Readonly<Record<string, unknown>> {
  const properties = Object.keys(CONFIG_TABLE).map((name) => [name, groupSchema(name) ?? keySchema(name)]);
  // Dotted keys are accepted too. As patterns, because editors do not offer patterns for completion.
  const dotted = [...CONFIG_KEYS.keys()]
    .filter((name) => name.includes("."))
    .map((name) => [
      `^${name.replace(".", "\\.")}$`,
      { $ref: `#/properties/${name.replace(".", "/properties/")}` },
    ]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Repertoire configuration",
    type: "object",
    properties: { $schema: {}, ...Object.fromEntries(properties) },
    patternProperties: Object.fromEntries(dotted),
    additionalProperties: false,
  };
}

function groupSchema(name: string) {
  const keys = groupKeys(name)?.map((key) => [key, keySchema(`${name}.${key}`)]);
  return keys && { type: "object", properties: Object.fromEntries(keys), additionalProperties: false };
}

function keySchema(name: string) {
  const { about, kind, projectMaySet, default: fallback } = CONFIG_KEYS.get(name) as ConfigKey;
  const description = projectMaySet ? about : `${about} Not allowed in a project's file.`;
  return { description, ...kind, default: fallback };
}
