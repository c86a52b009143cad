// Reduces the forms of a word to one term: light English stemming and a table of common technical abbreviations.

// Only abbreviations with the same meaning in nearly every technical text; embeddings handle the ambiguous ones.
const SAME_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    k8s: "kubernetes",
    js: "javascript",
    ts: "typescript",
    py: "python",
    yml: "yaml",
    md: "markdown",
    golang: "go",
    postgresql: "postgres",
    repo: "repository",
    repos: "repository",
    db: "database",
    dbs: "database",
    docs: "document",
    doc: "document",
    documentation: "document",
    config: "configur",
    configs: "configur",
    app: "applic",
    apps: "applic",
    pr: "pullrequest",
    prs: "pullrequest",
    perf: "performanc",
    authn: "authentic",
    authz: "authoriz",
    infra: "infrastructur",
    deps: "depend",
    dependency: "depend",
    dependencies: "depend",
    env: "environ",
    envs: "environ",
    param: "paramet",
    params: "paramet",
    dir: "directory",
    dirs: "directory",
    img: "imag",
    msg: "messag",
    err: "error",
    utils: "utility",
    ppt: "powerpoint",
    xls: "excel",
    xlsx: "excel",
    pptx: "powerpoint",
    analysis: "analyz",
    analyses: "analyz",
    analyse: "analyz",
    analysing: "analyz",
    analyser: "analyz",
    analytics: "analytic",
    implementation: "impl",
    implementations: "impl",
    comply: "compli",
    compliance: "compli",
    compliant: "compli",
    tdd: "testdriven",
    i18n: "internationaliz",
    l10n: "localiz",
    a11y: "accessibiliti",
    behaviour: "behavior",
    colour: "color",
  }),
);

const MIN_STEM = 3;

/** The stem of a lower-case, accent-folded word. Words with letters outside a-z are returned unchanged. */
export function stem(word: string): string {
  const same = SAME_WORD.get(word);
  if (same !== undefined) return same;
  if (word.length <= MIN_STEM || !isPlainLetters(word)) return word;
  let w = singular(word);
  w = withoutVerbEnding(w);
  w = withoutDerivation(w);
  if (w.length > 4 && w.endsWith("e")) w = w.slice(0, -1);
  if (w.length > 3 && w.endsWith("y") && !isVowel(w.charCodeAt(w.length - 2))) w = `${w.slice(0, -1)}i`;
  return w;
}

function singular(w: string): string {
  if (!w.endsWith("s") || w.endsWith("ss") || w.endsWith("us") || w.endsWith("is") || w.endsWith("js")) {
    return w;
  }
  if (w.endsWith("ies")) return w.length > 4 ? `${w.slice(0, -3)}y` : w.slice(0, -1);
  if (/(?:ss|sh|ch|x|zz)es$/.test(w)) return w.slice(0, -2);
  return w.length > 3 ? w.slice(0, -1) : w;
}

function withoutVerbEnding(w: string): string {
  let base = w;
  if (w.endsWith("ing") && w.length > 5) base = w.slice(0, -3);
  else if (w.endsWith("ied") && w.length > 4) return `${w.slice(0, -3)}y`;
  else if (w.endsWith("ed") && w.length > 4) base = w.slice(0, -2);
  else return w;
  if (base.length < MIN_STEM || !/[aeiouy]/.test(base)) return w;
  if (base.endsWith("at")) return `${base}e`;
  const last = base.charCodeAt(base.length - 1);
  const doubled = last === base.charCodeAt(base.length - 2);
  // "running" -> "run", but "calling" -> "call", "passing" -> "pass".
  if (doubled && base.length > 3 && !isVowel(last) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return base;
}

// Longest first; `keep` is how many letters must remain, so that "station" is not shortened.
const DERIVATIONS: ReadonlyArray<readonly [suffix: string, keep: number, replacement: string]> = [
  ["ization", 4, "iz"],
  ["isation", 4, "iz"],
  ["ation", 4, ""],
  ["ative", 4, ""],
  ["ator", 4, ""],
  ["ising", 4, "iz"],
  ["ment", 5, ""],
  ["ness", 4, ""],
  ["ise", 5, "iz"],
  ["ize", 4, "iz"],
  ["ate", 4, ""],
  ["ion", 4, ""],
  ["ally", 4, "al"],
  ["ly", 4, ""],
  ["er", 4, ""],
  ["or", 5, ""],
];

function withoutDerivation(w: string): string {
  for (const [suffix, keep, replacement] of DERIVATIONS) {
    if (w.length - suffix.length < keep || !w.endsWith(suffix)) continue;
    return w.slice(0, w.length - suffix.length) + replacement;
  }
  return w;
}

function isPlainLetters(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const c = word.charCodeAt(i);
    if (c < 97 || c > 122) return false;
  }
  return true;
}

function isVowel(code: number): boolean {
  return code === 97 || code === 101 || code === 105 || code === 111 || code === 117;
}
