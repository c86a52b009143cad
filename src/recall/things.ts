// Finds what a message only points at: addresses, paths, branches, packages, classes, code. Their words say which thing is
// meant, not what to do with it, although they often are the name of a skill.

import { lazyPattern } from "../text/patterns.ts";

export type Range = readonly [start: number, end: number];

/** A name as programs have them: several words with hyphens or underscores, perhaps with a sign before and a version. */
const NAME = "[.#@$]?[a-z0-9]{1,40}(?:[-_][a-z0-9]{1,40}){1,12}";
const QUOTED = "[\"'`“][^\"'`”\\n]{2,60}[\"'`”]";

/** Nouns before a name which say what it is: "the branch so-and-so", "the container named so-and-so". */
const KINDS_BEFORE =
  "routes?|endpoints?|paths?|urls?|folders?|director(?:y|ies)|dirs?|files?|handlers?|branch(?:es)?|tags?|packages?|crates?|gems?|modules?|dependenc(?:y|ies)|libraries|library|class(?:es)?|ids?|selectors?|propert(?:y|ies)|headers?|flags?|columns?|tables?|variables?|fields?|keys?|containers?|pods?|images?|buckets?|queues?|topics?|channels?|rooms?|labels?|buttons?|tabs?|menus?|links?|entr(?:y|ies)|strings?|comments?|headings?|titles?|captions?|subjects?|sentences?|sheets?|documents?|songs?|films?|books?|jobs?|tickets?|repos?|repositor(?:y|ies)|projects?|namespaces?|hosts?|domains?";
/** Nouns after a name. Fewer, because "a dark-mode button" describes a button. */
const KINDS_AFTER =
  "routes?|endpoints?|url|folders?|director(?:y|ies)|dir|files?|branch(?:es)?|tag|packages?|crate|gem|repo|repository|flag|variable|property|column|channel|bucket|container|pods?|label|class|attribute|redirect|module|requests?|package";
/** Commands that take such a name. */
const COMMANDS =
  "git\\s+(?:checkout|switch|merge|rebase|pull|push|branch|stash|log|diff|clone|tag|cherry-pick)(?:\\s+-\\w+)*|rebase|checkout|cherry-pick|merge|(?:npm|pnpm|yarn|bun|pip3?|cargo|gem|brew|apt|go|composer|poetry|uv)\\s+(?:i|install|uninstall|add|remove|update|upgrade|run|get)|cd|ls|cat|rm|mkdir|rmdir|curl";

const ADDRESS = lazyPattern(
  "\\b[a-z][a-z0-9+.-]{0,20}://[^\\s\"'`<>)]{0,400}[\\w/]|[\\w.+-]{1,64}@[\\w-]{1,64}\\.[\\w.-]{1,64}",
  "gi",
);
/** A path, whose first part tells that it is one; two words with a slash between them ("client/server") are not. */
const PATH = lazyPattern(
  "(?<![\\w./:@-])(?:" +
    [
      "(?:~|\\.{1,2}|[a-z]:)/[\\w./@-]+",
      "/[\\w.@-]+/[\\w./@-]+",
      "@[\\w-]+/[\\w.-]+",
      "(?:src|lib|app|apps|docs?|tests?|packages|scripts|bin|public|static|assets|config|tmp|components|pages|feature|feat|fix|bugfix|hotfix|chore|release|origin|refs|node_modules)/[\\w./-]+",
      "[\\w-]+\\.[\\w.-]*/[\\w./:-]+",
      "[\\w.-]+(?:/[\\w.-]+)+\\.[a-z]\\w{0,4}\\b",
      "(?=[\\w/]*[-_.\\d])[\\w.-]+(?:/[\\w.-]+){2,}",
    ].join("|") +
    ")",
  "gi",
);
/** A file of several words: `release-notes.md`. */
const FILE = lazyPattern(
  "(?<![\\w./-])[a-z0-9]{1,40}(?:[-_][a-z0-9]{1,40}){1,12}(?=\\.[a-z]\\w{1,4}(?![\\w-]))",
  "gi",
);
/** `.class-name`, `#id-name`, `--flag-name`, `NAME_OF_VARIABLE`, `nameOfVariable`, `name==1.2`, `name@1.2`. */
const SIGNED = lazyPattern(
  "(?<![\\w./:-])(?:[.#][a-z]\\w{0,40}(?:-\\w{1,40}){1,12}|--[a-z]\\w{0,40}(?:-\\w{1,40}){0,12}|[a-z][\\w-]{0,80}(?:==|@)\\d[\\w.]{0,20})|\\b[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,12}\\b|\\b[a-z]{2,40}(?:[A-Z][a-z0-9]{1,40}){1,12}\\b",
  "g",
);
/** A string in code: an argument, what a variable is set to, what is imported. */
const LITERAL = lazyPattern(
  "(?<=[\\w)]\\(|=\\s?|\\b(?:from|import|require)\\s)[\"'`][\\w./ -]{2,80}[\"'`]",
  "g",
);
const AFTER_KIND = lazyPattern(
  `\\b(?:(?:${KINDS_BEFORE})(?:\\s+(?:is|was|are|were))?(?:\\s+(?:called|named))?|${COMMANDS})\\s+(?:to\\s+|the\\s+)?(${NAME}|/[a-z][\\w-]*|${QUOTED})`,
  "gi",
);
const BEFORE_KIND = lazyPattern(
  `(?<![\\w./-])(${NAME}|/[a-z][\\w-]*|${QUOTED})['’]?s?\\s+(?:${KINDS_AFTER})\\b`,
  "gi",
);
/** A place after a slash: "the form at /plan", "redirect /old to /new". */
const ROUTE = lazyPattern(
  "\\b(?:in|under|at|on|behind|visit|opens?|hits?|links?|redirect|to|GET|POST|PUT|PATCH|DELETE|HEAD)\\s+[\"'`“]?(/[a-z][\\w-]*)",
  "gi",
);

/** Most messages have none of these signs. */
const SIGNS = /[/\-_@#"'`“]|[a-z][A-Z]/;

/** The ranges of a text that only name things, in order and without overlaps. Extensions of files are left out. */
export function thingsIn(text: string): Range[] {
  if (!SIGNS.test(text)) return [];
  const found: Range[] = [];
  const take = (start: number, matched: string) => {
    const extension = /\.[a-z]\w{0,4}$/i.exec(matched);
    found.push([start, start + matched.length - (extension?.[0].length ?? 0)]);
  };
  for (const pattern of [ADDRESS, PATH, FILE, SIGNED, LITERAL])
    for (const hit of text.matchAll(pattern())) take(hit.index, hit[0]);
  for (const pattern of [AFTER_KIND, BEFORE_KIND, ROUTE])
    for (const hit of text.matchAll(pattern())) take(hit.index + hit[0].indexOf(hit[1]!), hit[1]!);
  return merged(found);
}

/** Ranges in order; those that overlap become one. */
export function merged(ranges: readonly Range[]): Range[] {
  const found: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** The text without some ranges. */
export function without(text: string, ranges: readonly Range[]): string {
  let at = 0;
  const kept = ranges.map(([start, end]) => {
    const piece = text.slice(at, start);
    at = end;
    return piece;
  });
  return [...kept, text.slice(at)].join(" ");
}
