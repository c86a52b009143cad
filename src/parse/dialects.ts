// The table of every front-matter key that is read: where it may appear, what it becomes, which dialect it is from.

/** Where a key may be. `triggers` and `requires` are the maps of these names, wherever they are. */
export type Place =
  | "top"
  | "metadata"
  | "sven"
  | "triggers"
  | "requires"
  | "metadata.openclaw"
  | "metadata.hermes";

/**
 * How a value is read. `text`: one string. `hint`: text in which [brackets] are meant. `flag`: yes or no.
 * `words`: a list, or text split at commas and spaces. `phrases`: a list, or text split at commas and lines.
 * `lines`: a list, or text split at lines. `map`: a map that is read in its own right.
 */
export type Kind = "text" | "hint" | "flag" | "words" | "phrases" | "lines" | "map";

type Dialect = "agent-skills" | "repertoire" | "sven" | "claude-code" | "openclaw" | "hermes";

export const TEXT_FIELDS = [
  "declaredName",
  "description",
  "brief",
  "summary",
  "whenToUse",
  "version",
  "license",
  "compatibility",
  "domain",
  "argumentHint",
] as const;
export const LIST_FIELDS = [
  "frames",
  "triggers.keywords",
  "triggers.verbs",
  "triggers.patterns",
  "tags",
  "tools",
  "allowedTools",
  "requires.env",
  "requires.bins",
  "requires.anyBins",
  "toolsets",
  "scripts",
  "seeAlso",
  "knowledge",
  "paths",
] as const;
export const FLAG_FIELDS = ["always", "defaultEnabled", "userOnly", "userInvocable"] as const;

export type TextField = (typeof TEXT_FIELDS)[number];
export type ListField = (typeof LIST_FIELDS)[number];
export type FlagField = (typeof FLAG_FIELDS)[number];

export interface KeyRow {
  /** The spelling to write. Kebab, snake and camel case are all read. */
  readonly key: string;
  /** Other words for the same key. */
  readonly also?: readonly string[];
  readonly places: readonly Place[];
  readonly kind: Kind;
  /** What the value becomes; absent for a map that only holds other keys. */
  readonly field?: TextField | ListField | FlagField | "metadata";
  /** For a map: the place of its own keys. */
  readonly opens?: Place;
  readonly dialect: Dialect;
  readonly doc: string;
}

const TOP = ["top"] as const;
const OURS = ["top", "metadata"] as const;
const SVEN = ["top", "metadata", "sven"] as const;

// biome-ignore format: a table reads one row a line
const TABLE: readonly KeyRow[] = [
  { key: "name", places: TOP, kind: "text", field: "declaredName", dialect: "agent-skills", doc: "The skill's name; a display name and alias where it differs from the folder's." },
  { key: "description", places: TOP, kind: "text", field: "description", dialect: "agent-skills", doc: "What the skill does and when to use it; the only required key." },
  { key: "license", places: TOP, kind: "text", field: "license", dialect: "agent-skills", doc: "The licence, by name or by file." },
  { key: "compatibility", places: TOP, kind: "text", field: "compatibility", dialect: "agent-skills", doc: "What the skill needs around it, in words, at most 500 characters." },
  { key: "metadata", places: TOP, kind: "map", field: "metadata", opens: "metadata", dialect: "agent-skills", doc: "A map for everything the spec does not name; most keys of this table are also read here." },
  { key: "allowed-tools", places: TOP, kind: "words", field: "allowedTools", dialect: "agent-skills", doc: "Tools the skill asks to use without a question, such as Read or Bash(git add:*)." },

  { key: "version", places: OURS, kind: "text", field: "version", dialect: "repertoire", doc: "The skill's version, kept as text, so that 1.10 stays 1.10." },
  { key: "tags", also: ["keywords"], places: ["top", "metadata", "metadata.hermes"], kind: "phrases", field: "tags", dialect: "repertoire", doc: "Words to file and find the skill by." },
  { key: "when-to-use", places: OURS, kind: "text", field: "whenToUse", dialect: "claude-code", doc: "More about when the skill applies, beside the description." },
  { key: "argument-hint", places: OURS, kind: "hint", field: "argumentHint", dialect: "claude-code", doc: "What follows the slash command, such as [issue-number]." },
  { key: "paths", places: OURS, kind: "phrases", field: "paths", dialect: "claude-code", doc: "Globs of the files that the skill is about." },
  { key: "disable-model-invocation", places: OURS, kind: "flag", field: "userOnly", dialect: "claude-code", doc: "true: only a person may invoke the skill; the model never sees it." },
  { key: "user-invocable", also: ["user-invokable"], places: OURS, kind: "flag", field: "userInvocable", dialect: "claude-code", doc: "false: the skill is no slash command." },

  { key: "domain", places: OURS, kind: "text", field: "domain", dialect: "repertoire", doc: "The subject that the skill belongs to." },
  { key: "triggers", places: OURS, kind: "map", field: "triggers.keywords", opens: "triggers", dialect: "repertoire", doc: "Phrases that speak for the skill: a list, or a map of keywords, verbs and patterns." },
  { key: "frames", places: OURS, kind: "words", field: "frames", dialect: "repertoire", doc: "The kinds of turn that favour the skill: task, debug, decision, question, creative, conversation." },
  { key: "tools", places: OURS, kind: "words", field: "tools", dialect: "repertoire", doc: "Tools that the skill provides or works with." },
  { key: "requires", places: ["top", "metadata", "sven", "metadata.openclaw"], kind: "map", field: "requires.env", opens: "requires", dialect: "repertoire", doc: "What must be present: a list of environment variables, or a map of env, bins and anyBins." },

  { key: "keywords", places: ["triggers"], kind: "phrases", field: "triggers.keywords", dialect: "repertoire", doc: "Words and phrases matched at word boundaries." },
  { key: "verbs", places: ["triggers"], kind: "phrases", field: "triggers.verbs", dialect: "repertoire", doc: "Action words matched at word boundaries." },
  { key: "patterns", places: ["triggers"], kind: "lines", field: "triggers.patterns", dialect: "repertoire", doc: "Regular expressions, matched in linear time." },
  { key: "trigger-keywords", places: OURS, kind: "phrases", field: "triggers.keywords", dialect: "repertoire", doc: "triggers.keywords as one flat key, for metadata that holds text only." },
  { key: "trigger-verbs", places: OURS, kind: "phrases", field: "triggers.verbs", dialect: "repertoire", doc: "triggers.verbs as one flat key." },
  { key: "trigger-patterns", places: OURS, kind: "lines", field: "triggers.patterns", dialect: "repertoire", doc: "triggers.patterns as one flat key, one pattern a line." },

  { key: "env", places: ["requires"], kind: "words", field: "requires.env", dialect: "openclaw", doc: "Environment variables that must be set." },
  { key: "bins", places: ["requires"], kind: "words", field: "requires.bins", dialect: "openclaw", doc: "Programs that must be on the path." },
  { key: "anyBins", places: ["requires"], kind: "words", field: "requires.anyBins", dialect: "openclaw", doc: "Programs of which one must be on the path." },
  { key: "requires-env", places: SVEN, kind: "words", field: "requires.env", dialect: "sven", doc: "requires.env as one flat key." },
  { key: "requires-bins", places: SVEN, kind: "words", field: "requires.bins", dialect: "sven", doc: "requires.bins as one flat key." },
  { key: "requires-any-bins", places: SVEN, kind: "words", field: "requires.anyBins", dialect: "repertoire", doc: "requires.anyBins as one flat key." },

  { key: "toolsets", places: OURS, kind: "phrases", field: "toolsets", dialect: "repertoire", doc: "Tool classes to load, each as path:Export." },
  { key: "scripts", places: OURS, kind: "phrases", field: "scripts", dialect: "repertoire", doc: "Scripts that may be run, relative to the skill's folder." },
  { key: "default_enabled", places: OURS, kind: "flag", field: "defaultEnabled", dialect: "repertoire", doc: "false: the skill waits until a user enables it." },
  { key: "brief_description", places: OURS, kind: "text", field: "brief", dialect: "repertoire", doc: "One line for lists; made from the description when absent." },

  { key: "summary", places: OURS, kind: "text", field: "summary", dialect: "repertoire", doc: "One line about a learned skill, at most 15 words." },
  { key: "see-also", also: ["related-skills"], places: ["top", "metadata", "metadata.hermes"], kind: "words", field: "seeAlso", dialect: "repertoire", doc: "Names of related skills, shown along with this one." },

  { key: "sven", places: OURS, kind: "map", opens: "sven", dialect: "sven", doc: "A map of sven's own keys." },
  { key: "always", places: SVEN, kind: "flag", field: "always", dialect: "sven", doc: "true: shown in every prompt, whatever the budget." },
  { key: "user_invocable_only", places: SVEN, kind: "flag", field: "userOnly", dialect: "sven", doc: "true: only a person may invoke the skill; the model never sees it." },
  { key: "knowledge", places: SVEN, kind: "phrases", field: "knowledge", dialect: "sven", doc: "Knowledge documents that belong to the skill." },

  { key: "openclaw", also: ["clawdbot"], places: ["metadata"], kind: "map", opens: "metadata.openclaw", dialect: "openclaw", doc: "A map of OpenClaw's keys, of which requires is read." },
  { key: "hermes", places: ["metadata"], kind: "map", opens: "metadata.hermes", dialect: "hermes", doc: "A map of Hermes' keys, of which tags and related_skills are read." },
];

/** One row a key, for the documentation. */
export function frontMatterTable(): readonly KeyRow[] {
  return TABLE;
}

const ROWS = new Map<Place, Map<string, KeyRow>>();
for (const row of TABLE) {
  for (const place of row.places) {
    const rows = ROWS.get(place) ?? new Map<string, KeyRow>();
    ROWS.set(place, rows);
    for (const word of [row.key, ...(row.also ?? [])]) rows.set(foldedKey(word), row).set(word, row);
  }
}

/** The row for a key as written, in any of its spellings. */
export function rowFor(place: Place, key: string): KeyRow | undefined {
  const rows = ROWS.get(place) as Map<string, KeyRow>;
  return rows.get(key) ?? (/[-_ A-Z]/.test(key) ? rows.get(foldedKey(key)) : undefined);
}

export function isKnownKey(key: string): boolean {
  return key !== "" && rowFor("top", key) !== undefined;
}

/** The form in which `see-also`, `see_also`, `seeAlso` and `See-Also` are one. */
export function foldedKey(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, "");
}
