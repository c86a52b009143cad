// Owns the table of configuration keys: what each accepts, its default, and who may set it.
// The documentation of the configuration is generated from this table.

import { AGENT_TOOL_ALIASES } from "../model/agent-tool-alias.ts";
import { STYLES } from "../model/turn.ts";
import { MODEL_KEYS } from "./model-keys.ts";
import { RECALL_KEYS } from "./recall-keys.ts";
import { isCount, isObject, isText, isTextList, onlyKeys, same } from "./values.ts";

/** Whose word counts as consent where nobody can be asked: nobody's, or the host's that lets the call through. */
export const CONSENT_APPROVALS = ["ask", "host"] as const;
export type ConsentApproval = (typeof CONSENT_APPROVALS)[number];

export interface ConfigKey {
  /** Dotted: `sources.drop` stands for `{"sources": {"drop": …}}`. */
  readonly key: string;
  /** In words, for messages and the documentation. */
  readonly accepted: string;
  readonly accepts: (value: unknown) => boolean;
  readonly default: unknown;
  /** Environment variable that sets it, and how its text is read. */
  readonly env?: string;
  readonly fromText: (text: string) => unknown;
  /** False where a cloned project must not decide: whom to trust, what leaves the machine. */
  readonly projectMaySet: boolean;
  readonly about: string;
}

function isExtraSource(value: unknown): boolean {
  if (!isObject(value) || !isText(value.path)) return false;
  const flags = ["rootSkill", "trustLinks", "requireDescription", "requireName"];
  return (
    onlyKeys(value, ["path", "id", ...flags]) &&
    (value.id === undefined || isText(value.id)) &&
    flags.every((flag) => value[flag] === undefined || typeof value[flag] === "boolean")
  );
}

function isAgents(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every(
      (agent) =>
        isObject(agent) &&
        onlyKeys(agent, ["skills"]) &&
        (agent.skills === undefined || isTextList(agent.skills)),
    )
  );
}

function isBudget(value: unknown): boolean {
  return isObject(value) && onlyKeys(value, ["tokens", "chars"]) && Object.values(value).every(isCount);
}

const list = (text: string) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
const budgetText = (text: string) => ({ tokens: Number(text) });
const TEXT_LIST = 'a list of texts, for example ["a", "b"]';

/** A key that names skills; only the person's own word counts. */
function skillRules(key: string, options: { about: string; default?: readonly string[] }): ConfigKey {
  return {
    key,
    accepted: 'a list such as ["code-*", "*@user", "deploy/**@~/.claude/skills"]',
    accepts: isTextList,
    default: options.default ?? [],
    fromText: list,
    projectMaySet: false,
    about: options.about,
  };
}

export const CONFIG_KEYS: readonly ConfigKey[] = [
  {
    key: "agent",
    accepted: "the name of an agent",
    accepts: isText,
    default: undefined,
    env: "REPERTOIRE_AGENT",
    fromText: same,
    projectMaySet: true,
    about: "The agent whose view is used when none is given.",
  },
  {
    key: "agents",
    accepted: 'an object such as {"reviewer": {"skills": ["code-*"]}}',
    accepts: isAgents,
    default: {},
    fromText: same,
    projectMaySet: true,
    about:
      'Per agent, the names and globs of the skills that it may see: absent = all, [] = none, ["*"] = all.',
  },
  {
    key: "sources.bundled",
    accepted: "true or false",
    accepts: (value) => typeof value === "boolean",
    default: true,
    env: "REPERTOIRE_BUNDLED",
    fromText: (text) => text !== "false" && text !== "0",
    projectMaySet: true,
    about: "Whether the skills that ship with Repertoire take part.",
  },
  {
    key: "sources.add",
    accepted: 'a list such as [{"path": "../team/skills", "id": "team"}]',
    accepts: (value) => Array.isArray(value) && value.every(isExtraSource),
    default: [],
    env: "REPERTOIRE_SOURCES",
    fromText: (text) => list(text).map((path) => ({ path })),
    projectMaySet: false,
    about: "More sources, above all others; paths are relative to the project, ~ is the home folder.",
  },
  {
    key: "sources.only",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about: "Ids of the only sources to use; empty means all.",
  },
  {
    key: "sources.drop",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about: "Ids of sources to leave out (`repertoire sources` lists the ids).",
  },
  {
    key: "sources.order",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: false,
    about: "Ids of sources, lowest precedence first; they come above the ones not named.",
  },
  {
    key: "sources.trustLinks",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: false,
    about: "Ids of sources whose symbolic links may lead anywhere.",
  },
  {
    key: "sources.requireDescription",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about: "Ids of sources that skip a skill without a description instead of taking its first paragraph.",
  },
  {
    key: "sources.requireName",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about:
      "Ids of sources that skip a skill without a name in its front matter instead of taking the folder's.",
  },
  {
    key: "enable",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about: "Names and globs of skills to switch on although they are off by default.",
  },
  {
    key: "disable",
    accepted: TEXT_LIST,
    accepts: isTextList,
    default: [],
    fromText: list,
    projectMaySet: true,
    about: "Names and globs of skills to switch off; wins over enable.",
  },
  {
    key: "style",
    accepted: STYLES.join(", "),
    accepts: (value) => STYLES.includes(value as (typeof STYLES)[number]),
    default: "adaptive",
    env: "REPERTOIRE_STYLE",
    fromText: same,
    projectMaySet: true,
    about: "How skills are shown to the model.",
  },
  {
    key: "budget",
    accepted: 'an object such as {"tokens": 2000} or {"chars": 8000}',
    accepts: isBudget,
    default: {},
    env: "REPERTOIRE_BUDGET",
    fromText: budgetText,
    projectMaySet: true,
    about: "How much room the section may take; without it each style has its own.",
  },
  skillRules("consent.allow", {
    default: ["*@bundled"],
    about:
      "Skills that are activated without asking: names and globs, with @ and a source's id or bundled, user, project or custom behind it. The skills that ship with Repertoire, unless you set it.",
  }),
  skillRules("consent.ask", {
    about:
      "Skills that are always asked for, although consent.allow names them; all others are asked for anyway.",
  }),
  skillRules("consent.deny", { about: "Skills that are never activated, whatever else says so." }),
  {
    key: "consent.approval",
    accepted: CONSENT_APPROVALS.join(" or "),
    accepts: (value) => CONSENT_APPROVALS.some((approval) => approval === value),
    default: "ask",
    fromText: same,
    projectMaySet: false,
    about:
      "Over MCP, where the client cannot put a question to you: ask refuses and names the command to run; host takes the call as your yes, for a host that asks you before each tool call. Skills with grave findings are refused all the same.",
  },
  skillRules("scripts.network", {
    about: "Skills whose scripts may use the network, in the same form as consent.allow.",
  }),
  {
    key: "tools.aliases",
    accepted: `a list of ${AGENT_TOOL_ALIASES.join(", ")}`,
    accepts: (value) =>
      isTextList(value) && value.every((alias) => AGENT_TOOL_ALIASES.some((known) => known === alias)),
    default: [],
    env: "REPERTOIRE_TOOL_ALIASES",
    fromText: list,
    projectMaySet: true,
    about: "Other names under which activate_skill is also offered, for agents that were told one of them.",
  },
  ...RECALL_KEYS,
  ...MODEL_KEYS,
  {
    key: "telemetry.content",
    accepted: "true or false",
    accepts: (value) => typeof value === "boolean",
    default: false,
    env: "REPERTOIRE_TELEMETRY_CONTENT",
    fromText: (text) => text === "true" || text === "1",
    projectMaySet: false,
    about:
      "Whether spans also hold what was said: messages, sections, notes. Names and numbers only, unless set.",
  },
  {
    key: "cache",
    accepted: "true, false, or a folder",
    accepts: (value) => typeof value === "boolean" || isText(value),
    default: true,
    env: "REPERTOIRE_CACHE",
    fromText: (text) => (text === "false" || text === "0" ? false : text),
    projectMaySet: false,
    about: "Where parsed skills are kept between runs; true = ~/.repertoire/cache.",
  },
];
