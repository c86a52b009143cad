// Matches a name with the patterns of an allowlist: `*` within one segment, `**` over segments, `?` one character. The
// globs of files are matched by the signal that reads `paths`.

import type { SkillName } from "../model/name.ts";
import type { SourceScope } from "../model/source.ts";

const WILD = /[*?]/;

/** Linear-time match of a name against one pattern; both are compared in lower case. */
function matchesName(pattern: string, name: string): boolean {
  // Most patterns are names, and a library has thousands of names to hold against each.
  if (!WILD.test(pattern)) return pattern.toLowerCase() === name.toLowerCase();
  return matchSegments(pattern.toLowerCase().split("/"), name.toLowerCase().split("/"));
}

export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => pattern === "*" || matchesName(pattern, name));
}

/** A skill as rules name it. */
export interface RuleSubject {
  readonly name: SkillName;
  readonly source: string;
  readonly scope: SourceScope;
}

/** Whether a rule `GLOB` or `GLOB@SOURCE` covers this skill. A source is an id or a scope; names never contain `@`, ids may. */
export function ruleFits(rule: string, subject: RuleSubject): boolean {
  const at = rule.indexOf("@");
  if (at < 0) return matchesAny([rule], subject.name);
  const glob = rule.slice(0, at);
  if (glob !== "" && !matchesAny([glob], subject.name)) return false;
  const source = rule.slice(at + 1);
  return source === subject.source || source === subject.scope;
}

/** `matchesAny` for many names: those patterns that are names are looked up. */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !WILD.test(pattern)).map((name) => name.toLowerCase()));
  const wild = patterns.filter((pattern) => WILD.test(pattern));
  return (name) => names.has(name.toLowerCase()) || matchesAny(wild, name);
}

function matchSegments(pattern: readonly string[], name: readonly string[]): boolean {
  return wildcard(pattern, name, {
    isStar: (part) => part === "**",
    same: (part, segment) =>
      wildcard([...part], [...segment], { isStar: (c) => c === "*", same: (p, c) => p === "?" || p === c }),
  });
}

/** Greedy wildcard matching with one point of return: no recursion, no exponential case. */
function wildcard(
  pattern: readonly string[],
  text: readonly string[],
  rule: { isStar: (part: string) => boolean; same: (part: string, item: string) => boolean },
): boolean {
  let at = 0;
  let star = -1;
  let mark = 0;
  let i = 0;
  while (i < text.length) {
    const part = pattern[at];
    if (part !== undefined && rule.isStar(part)) {
      star = at++;
      mark = i;
    } else if (part !== undefined && rule.same(part, text[i]!)) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++mark;
    } else return false;
  }
  while (at < pattern.length && rule.isStar(pattern[at]!)) at++;
  return at === pattern.length;
}
