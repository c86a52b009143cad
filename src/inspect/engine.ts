// Runs rules over the units of a file and keeps the most severe findings.

import { weigh, worse } from "./context.ts";
import { excerptOf } from "./excerpt.ts";
import { INSPECT_LIMITS } from "./limits.ts";
import { Places } from "./places.ts";
import type { Steps } from "./steps.ts";
import type { Disguise, FileContext, Rule, RuleFinding, Unit, UnitScope } from "./types.ts";

const DISGUISES: Readonly<Record<Disguise, string>> = {
  encoded: " The text was encoded.",
  spliced: " The command was split up so that a search would not find it.",
  invisible: " The text was written in invisible characters.",
  binary: " The text is inside a binary file.",
};

/** The findings of `rules` in a file: the worst per code and line, and a limited number per code. Pauses after each rule. */
export function* findingsOf(
  rules: readonly Rule[],
  units: readonly Unit[],
  file: FileContext,
): Steps<RuleFinding[]> {
  return (yield* matchesOf(rules, units, file)).findings;
}

interface RuleMatches {
  readonly findings: RuleFinding[];
  /** Whether no rule matched at all, so that what the package says about itself changes nothing. */
  readonly none: boolean;
}

/** As `findingsOf`, and whether anything matched, whatever it weighs. */
export function* matchesOf(
  rules: readonly Rule[],
  units: readonly Unit[],
  file: FileContext,
): Steps<RuleMatches> {
  const findings: RuleFinding[] = [];
  let none = true;
  for (const { scope, rules: wanted, expressions } of byScope(rules)) {
    const part = units.filter((unit) => unit.scope === scope);
    if (part.length === 0 || wanted.length === 0) continue;
    const places = new Places(
      part.map((unit) => unit.text),
      expressions,
    );
    yield;
    for (const rule of wanted) {
      const among = rule.test.among(places);
      if (among?.length === 0) continue;
      const possible = among?.map((index) => part[index]!) ?? part;
      const found = findingsOfRule(rule, possible, file);
      if (!found) continue;
      none = false;
      findings.push(...mostTelling(found));
      yield;
    }
  }
  return { findings, none };
}

/** The rules of one scope, and what they look for. */
interface RulesOfScope {
  readonly scope: UnitScope;
  readonly rules: readonly Rule[];
  readonly expressions: ReadonlySet<RegExp>;
}

const SCOPES: readonly UnitScope[] = ["line", "paragraph", "block"];
const scopesOf = new WeakMap<readonly Rule[], readonly RulesOfScope[]>();

function byScope(rules: readonly Rule[]): readonly RulesOfScope[] {
  const known = scopesOf.get(rules);
  if (known) return known;
  const scopes = SCOPES.map((scope): RulesOfScope => {
    const own = rules.filter((rule) => rule.scope === scope);
    return { scope, rules: own, expressions: new Set(own.flatMap(({ test }) => test.watched)) };
  });
  scopesOf.set(rules, scopes);
  return scopes;
}

/** Undefined if the rule matches nowhere. */
function findingsOfRule(rule: Rule, units: readonly Unit[], file: FileContext): RuleFinding[] | undefined {
  let byLine: Map<number, RuleFinding> | undefined;
  for (const unit of units) {
    if (rule.kinds && !rule.kinds.includes(unit.kind)) continue;
    const span = rule.test.find(unit.text);
    if (!span) continue;
    byLine ??= new Map();
    const severity = weigh(rule, { unit, span, file });
    if (!severity) continue;
    const line = unit.lineAt(span.start);
    const known = byLine.get(line);
    if (known && !worse(severity, known.severity)) continue;
    const shown = unit.clean.length === unit.text.length ? unit.clean : unit.text;
    byLine.set(line, {
      code: rule.code,
      severity,
      path: file.path,
      line,
      excerpt: excerptOf(shown, span),
      message:
        rule.why +
        (unit.disguise
          ? DISGUISES[unit.disguise]
          : unit.kind === "hidden"
            ? " The text is hidden from readers."
            : ""),
      fix: rule.fix,
    });
  }
  return byLine && [...byLine.values()];
}

function mostTelling(findings: readonly RuleFinding[]): RuleFinding[] {
  return findings.toSorted((a, b) => compareSeverity(a, b)).slice(0, INSPECT_LIMITS.sameCodePerFile);
}

/** Worst first. */
export function compareSeverity(a: RuleFinding, b: RuleFinding): number {
  return worse(a.severity, b.severity) ? -1 : worse(b.severity, a.severity) ? 1 : 0;
}
