// Owns the shapes that inspection hands out and the one shape every rule has. Does not own any rule or any limit.
import type { Matcher, Span } from "./match.ts";

export type FindingSeverity = "low" | "medium" | "high";
export type Risk = "none" | FindingSeverity;

export interface InspectedFile {
  /** As stored in the package, slash separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The Unix mode with its file-type bits, where the caller knows it. */
  readonly mode?: number;
}

export interface Finding {
  /** Stable, kebab-case, family first: `download-pipe-shell`. */
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly path: string;
  /** 1-based, where the finding has a line. */
  readonly line?: number;
  /** One printable line of at most 120 characters. */
  readonly excerpt: string;
  readonly message: string;
  readonly fix: string;
}

export interface Inspection {
  /** Worst first, then by path and line. */
  readonly findings: readonly Finding[];
  /** External hosts named anywhere, also inside encoded text. */
  readonly addresses: readonly string[];
  /** Files that are executable or carry a script's extension or shebang. */
  readonly scripts: readonly string[];
  readonly risk: Risk;
}

/** A line is one command, a paragraph one thought, a block one code fence or one whole script. */
export type Scope = "line" | "paragraph" | "block";

/** `hidden` is text that a reader of the rendered page does not see. */
export type UnitKind = "prose" | "code" | "frontmatter" | "hidden";

/** How the text was disguised, when the attacker's words are not the bytes of the file. */
export type Disguise = "encoded" | "spliced" | "invisible" | "binary";

/** A piece of a file, folded for matching: lower case, one space between words, look-alike letters replaced. */
export interface Unit {
  readonly scope: Scope;
  readonly kind: UnitKind;
  /** Folded and lower-cased: what rules see. */
  readonly text: string;
  /** Folded with its capitals: what excerpts show. */
  readonly clean: string;
  readonly lineAt: (offset: number) => number;
  /** The headings above, folded. */
  readonly heading: string;
  readonly disguise?: Disguise;
}

/** What a file is, as far as the weight of a finding depends on it. */
export interface FileContext {
  readonly path: string;
  /** Code that something can run, as opposed to a document that talks about code. */
  readonly script: boolean;
}

export interface Hit {
  readonly unit: Unit;
  readonly span: Span;
  readonly file: FileContext;
}

export interface Rule {
  readonly code: string;
  readonly severity: FindingSeverity;
  readonly scope: Scope;
  /** Restricts the rule to some kinds of text; all kinds when absent. */
  readonly kinds?: readonly UnitKind[];
  /** What the text does and why that is dangerous: the finding's message. */
  readonly why: string;
  readonly fix: string;
  readonly test: Matcher;
  /** Another severity for this hit, or undefined when it is harmless after all. */
  readonly grade?: (hit: Hit) => FindingSeverity | undefined;
  /** A sentence that is itself negated ("do not tell the user"): a negation before it changes nothing. */
  readonly ownNegation?: boolean;
}
