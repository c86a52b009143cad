// The parts of the API's answers that the pages show. docs/openapi.json has them whole.

export type Verdict = "clean" | "notice" | "unscanned" | "suspicious" | "dangerous";

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly path: string;
  readonly state: "active" | "unavailable" | "disabled" | "shadowed" | "hidden";
  readonly reason?: string;
  readonly digest?: string;
  readonly verdict?: Verdict;
}

export interface Funnel {
  readonly recalled: number;
  readonly shown: number;
  readonly activated: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly lastUsedAt: number;
}

export interface Stats {
  readonly skills: readonly (Funnel & { readonly name: string })[];
  readonly cost: {
    readonly always: number;
    readonly skills: readonly {
      readonly name: string;
      readonly always: number;
      readonly activated: number;
    }[];
    readonly hosts: readonly { readonly host: string; readonly shown: number; readonly chars: number }[];
  };
}

export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly path: string;
  readonly line?: number;
  readonly message: string;
  readonly fix: string;
}

export interface Finding {
  readonly code: string;
  readonly severity: "low" | "medium" | "high";
  readonly path: string;
  readonly line?: number;
  readonly excerpt: string;
  readonly message: string;
  readonly fix: string;
}

export interface SkillDetails {
  readonly skill: {
    readonly name: string;
    readonly state: ListedSkill["state"];
    readonly description: string;
    readonly path: string;
    readonly source: string;
    readonly digest?: string;
    readonly body?: string;
    readonly [field: string]: unknown;
  };
  readonly files: readonly string[];
  readonly subSkills: readonly string[];
  /** 0 for a skill that was not saved here. */
  readonly versions: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly inspection?: { readonly verdict: Verdict; readonly findings: readonly Finding[] };
}

export interface SkillStats extends Funnel {
  readonly trend: readonly number[];
  readonly companions: readonly { readonly name: string; readonly sessions: number }[];
  readonly messages: readonly { readonly text: string; readonly at: number; readonly weight: number }[];
}

export interface Version {
  readonly id: string;
  readonly action: string;
  readonly at: number;
  readonly author: string;
  readonly reason?: string;
  readonly diff?: string;
}

export interface Sheet {
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  readonly scripts: readonly string[];
  readonly toolsets: readonly string[];
  readonly requestedTools: readonly string[];
  readonly environment: readonly string[];
  readonly addresses: readonly string[];
}

export interface Match {
  readonly name: string;
  readonly score: number;
  readonly evidence: number;
  readonly boosts: number;
  readonly via?: string;
  readonly reasons: readonly Reason[];
}

export interface Reason {
  readonly signal: string;
  readonly value: number;
  readonly note: string;
  readonly boost?: true;
}

export interface Recall {
  readonly frame: { readonly name: string; readonly confidence: number };
  readonly intent?: { readonly name: string; readonly confidence: number };
  readonly matches: readonly Match[];
  readonly near: readonly { readonly name: string; readonly score: number }[];
  readonly considered: number;
  readonly ms: number;
}

export interface Why {
  readonly name: string;
  readonly recalled: boolean;
  readonly evidence: number;
  readonly threshold: number;
  readonly reasons: readonly Reason[];
  readonly fellShort: readonly string[];
  readonly advice: readonly string[];
}

export interface Prompt {
  readonly section: string;
  readonly tokens: number;
  readonly chars: number;
  readonly omitted: number;
}

export interface Session {
  readonly session: string;
  readonly host?: string;
  readonly turns: number;
  readonly lastAt: number;
  readonly skills: readonly string[];
  readonly successes: number;
  readonly failures: number;
  readonly firstMessage?: string;
}

export interface JournalEvent {
  readonly seq: number;
  readonly kind: string;
  readonly at: number;
  readonly turn?: number;
  readonly skill?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Said {
  readonly session: string;
  readonly turn: number;
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly at: number;
}

export interface ProposalRecord {
  readonly number: number;
  readonly kind: string;
  readonly title: string;
  readonly state: string;
  readonly at: number;
  readonly payload: {
    readonly evidence?: readonly string[];
    readonly diff?: string;
    readonly lost?: readonly { readonly name: string; readonly clauses: readonly string[] }[];
    readonly routes?: readonly {
      readonly message: string;
      readonly before: readonly string[];
      readonly after: readonly string[];
    }[];
    readonly tried?: number;
    readonly by?: string;
  };
}

export interface Evidence {
  readonly overlaps: readonly { readonly a: string; readonly b: string; readonly [more: string]: unknown }[];
  readonly coUse: readonly { readonly a: string; readonly b: string; readonly sessions: unknown }[];
  readonly gaps: readonly { readonly topic: readonly string[]; readonly messages: readonly string[] }[];
  readonly neverUsed: readonly { readonly name: string }[];
}

export interface Host {
  readonly host: string;
  readonly title: string;
  readonly installed: boolean;
  readonly connected: boolean;
  readonly lastAt?: number;
  readonly missing: readonly string[];
}

export interface Doctor {
  readonly node: string;
  readonly config: readonly string[];
  readonly cache: string | null;
  readonly project: { readonly folder: string; readonly shown: boolean; readonly trusted: boolean };
  readonly sources: readonly {
    readonly id: string;
    readonly root: string;
    readonly scope: string;
    readonly exists: boolean;
    readonly skills: number;
  }[];
  readonly counts: Readonly<Record<string, number>>;
  readonly diagnostics: readonly Diagnostic[];
  readonly inspection: {
    readonly verdict: Verdict;
    readonly worrying: readonly {
      readonly name: string;
      readonly verdict: Verdict;
      readonly rules: readonly string[];
    }[];
  };
}

export interface Figures {
  readonly messages: number;
  readonly hit1: number;
  readonly mrr: number;
  readonly shown3: number;
}

export interface EvalAnswer {
  readonly groups: Readonly<Record<string, Figures>>;
  readonly macro: Figures;
  readonly falseAlarms: number | null;
  readonly forbiddenFirst: number | null;
  readonly regressions: readonly string[];
  readonly failures: readonly {
    readonly query: string;
    readonly kind: "not-shown" | "false-alarm" | "forbidden-first";
    /** The right skills, or the forbidden ones. */
    readonly skills: readonly string[];
    readonly shown: readonly string[];
  }[];
}

export interface EvalCase {
  readonly query: string;
  readonly gold: readonly string[];
  readonly not: readonly string[];
}
