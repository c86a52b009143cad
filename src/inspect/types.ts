// The types of inspection: its input and result, the units of a file, and the shape of a rule.

import type { Category } from "./categories.ts";
import type { Matcher, Span } from "./match.ts";

export type FindingSeverity = "low" | "medium" | "high";

export interface InspectedFile {
  /** The path in the package, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The Unix mode with its file-type bits, if known. */
  readonly mode?: number | undefined;
}

/** What a rule found; the front door adds the category. */
export interface RuleFinding {
  /** The rule's id: stable, kebab-case, family first: `download-pipe-shell`. */
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly path: string;
  /** 1-based; absent if the finding is about the whole file. */
  readonly line?: number;
  /** The evidence: one printable line of at most 120 characters, other characters escaped. */
  readonly excerpt: string;
  /** Why this is a danger. */
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

export interface Finding extends RuleFinding {
  /** Of the OWASP Agentic Skills Top 10. */
  readonly category: Category;
}

/** A file, or a part of one, that was not inspected. An empty path means the whole package. */
export interface UnscannedFile {
  readonly path: string;
  readonly reason: string;
}

/**
 * - `clean`: no findings.
 * - `notice`: something to know, nothing to worry about.
 * - `unscanned`: a part could not be read, so nobody can say.
 * - `suspicious`: read it before use.
 * - `dangerous`: do not use it.
 */
export type Verdict = "clean" | "notice" | "unscanned" | "suspicious" | "dangerous";

export interface Inspection {
  /** Worst first, then by path and line. */
  readonly findings: readonly Finding[];
  /** External hosts, including those inside encoded text. */
  readonly addresses: readonly string[];
  /** Files that are executable or have the extension or shebang of a script. */
  readonly scripts: readonly string[];
  /** What was not inspected. */
  readonly unscanned: readonly UnscannedFile[];
  readonly verdict: Verdict;
}

/** The inspection of a package on disk. */
export interface PackageInspection extends Inspection {
  /** The folder of the package, or the one file that was inspected. */
  readonly path: string;
  readonly kind: "folder" | "file";
  /** Absent if the package could not be read whole. */
  readonly digest?: string | undefined;
  readonly files: number;
  /** Findings that a person knows; they are not in `findings` and do not count in the verdict. */
  readonly known: readonly Finding[];
}

/** A line is a command, a paragraph is prose, a block is a code fence or a whole script. */
export type UnitScope = "line" | "paragraph" | "block";

/** `hidden` text is invisible on the rendered page. */
export type UnitKind = "prose" | "code" | "frontmatter" | "hidden";

/** How a text was disguised, if it is not in the file as written. */
export type Disguise = "encoded" | "spliced" | "invisible" | "binary";

/** A piece of a file for matching. */
export interface Unit {
  readonly scope: UnitScope;
  readonly kind: UnitKind;
  /** Canonical text in lower case, for rules. */
  readonly text: string;
  /** Canonical text in its own case, for excerpts. */
  readonly clean: string;
  readonly lineAt: (offset: number) => number;
  /** The canonical text of the heading above. */
  readonly heading: string;
  readonly disguise?: Disguise | undefined;
  /** Whether the sentence or the heading above asks to run this code. */
  readonly ordered?: boolean | undefined;
}

/** What the severity of a finding depends on in its file. */
export interface FileContext {
  readonly path: string;
  /** Whether the file is code, not a document about code. */
  readonly script: boolean;
  /** Whether the file is data: what a host runs of it is looked at apart. */
  readonly data?: boolean | undefined;
  /** Whether the flow analysis knows the language, so that two words in one file say nothing more. */
  readonly followed?: boolean | undefined;
  /** Whether the skill is about attacks by its own description: its documents show them, its scripts list them. */
  readonly security?: boolean | undefined;
  /** The text of the skill without addresses, in lower case: what it says it works with. */
  readonly told?: string | undefined;
}

export interface RuleHit {
  readonly unit: Unit;
  readonly span: Span;
  readonly file: FileContext;
}

export interface Rule {
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly scope: UnitScope;
  /** The kinds of text that the rule applies to; all by default. */
  readonly kinds?: readonly UnitKind[];
  /** What the text does and why that is dangerous: the message of the finding. */
  readonly why: string;
  readonly fix: string;
  readonly test: Matcher;
  /** The severity of a match instead of `severity`; undefined if it is harmless. */
  readonly grade?: (hit: RuleHit) => FindingSeverity | undefined;
  /** Whether the rule looks for a negated sentence ("do not tell the user"), so that a negation is not a warning. */
  readonly ownNegation?: boolean;
}
