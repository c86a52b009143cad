// The span of each operation: its name, attributes and events. Messages and texts need `telemetry.content`.

import type { Activation, TaskContext } from "../activate/activate.ts";
import type { Prompt } from "../disclose/disclose.ts";
import type { DreamResult } from "../dream/dream.ts";
import type { JournalEvent, NewEvent } from "../journal/journal.ts";
import type { ModelAnswer, ModelRequest } from "../learn/learn.ts";
import type { Turn } from "../model/turn.ts";
import type { RecallAnswer } from "../recall/recall.ts";
import type { ScriptCall, ScriptResult } from "../tools/tools.ts";
import type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./port.ts";

interface Operations {
  readonly recall: { readonly input: Turn; readonly result: RecallAnswer };
  readonly prompt: { readonly input: Turn; readonly result: Prompt };
  readonly activate: { readonly input: TaskContext & { readonly name: string }; readonly result: Activation };
  readonly script: {
    readonly input: ScriptCall & { readonly name: string; readonly script: string };
    readonly result: ScriptResult;
  };
  readonly dream: { readonly input: { readonly apply?: boolean }; readonly result: DreamResult };
  readonly model: { readonly input: ModelRequest & { readonly model: string }; readonly result: ModelAnswer };
  readonly outcome: {
    readonly input: readonly NewEvent[];
    /** The events that the journal stored. */
    readonly result: readonly JournalEvent[];
  };
}

export type TracedOperation = keyof Operations;
export type OperationInput<K extends TracedOperation> = Operations[K]["input"];
export type OperationResult<K extends TracedOperation> = Operations[K]["result"];

/** The attributes of a skill in a span. */
export interface TracedSkill {
  readonly name: string;
  readonly digest: string;
  readonly source: string;
  readonly scope: string | undefined;
}

export interface TracingScope {
  /** The skill of a name; undefined if it is unknown or not scanned yet. */
  readonly skill: (name: string) => TracedSkill | undefined;
  /** Whether messages and texts of skills may be recorded. */
  readonly content: boolean;
}

interface Row<K extends TracedOperation> {
  readonly before: (input: OperationInput<K>, scope: TracingScope) => TelemetryAttributes;
  readonly after: (
    span: TelemetrySpan,
    result: OperationResult<K>,
    scope: TracingScope & { readonly input: OperationInput<K> },
  ) => void;
}

const ROWS: { readonly [K in TracedOperation]: Row<K> } = {
  recall: {
    before: turnOf,
    after(span, { matches, frame }) {
      span.set({ "repertoire.matches": matches.length, "repertoire.frame": frame.name });
      for (const [index, { name, score, via }] of matches.entries())
        span.event("skill.recalled", {
          "skill.name": name,
          "skill.score": score,
          "skill.rank": index + 1,
          "skill.via": via,
        });
    },
  },
  prompt: {
    before: turnOf,
    after(span, { matches, shown, style, tokens, omitted, text }, scope) {
      span.set({
        "repertoire.style": style,
        "repertoire.tokens": tokens,
        "repertoire.shown": shown.length,
        "repertoire.omitted": omitted,
        ...(scope.content && { "repertoire.section": text }),
      });
      // The catalog is in every prompt, so it is not recorded.
      for (const { name, level } of shown.filter((one) => matches.some((match) => match.name === one.name))) {
        span.event("skill.shown", { "skill.name": name, "skill.level": level });
        if (level === "body") span.event("skill.activated", activated({ name, by: "style" }, scope));
      }
    },
  },
  activate: {
    before: ({ name, ...context }, { skill }) => ({
      ...contextOf(context),
      "skill.name": skill(name)?.name,
    }),
    after(span, { payload: { name, digest } }, scope) {
      span.set({ "skill.name": name });
      const by = scope.input.audience ?? "model";
      span.event("skill.activated", { ...activated({ name, by }, scope), "skill.package": digest });
    },
  },
  script: {
    before: ({ name, script, ...context }, { skill, content }) => ({
      ...contextOf(context),
      "skill.name": skill(name)?.name,
      ...(content && { "repertoire.script": script }),
    }),
    after: (span, { ok, isolation }) => span.set({ "repertoire.ok": ok, "repertoire.isolation": isolation }),
  },
  dream: {
    before: ({ apply = false }) => ({ "repertoire.apply": apply }),
    after: (span, { thinking, proposals, declined, skipped }) =>
      span.set({
        "repertoire.thinking": thinking,
        "repertoire.staged": proposals.length,
        "repertoire.declined": declined.length,
        "repertoire.skipped": skipped !== undefined,
      }),
  },
  model: {
    before: ({ model, purpose }) => ({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": model,
      "repertoire.purpose": purpose,
    }),
    after: (span, { usage: { inputTokens, outputTokens } }) =>
      span.set({ "gen_ai.usage.input_tokens": inputTokens, "gen_ai.usage.output_tokens": outputTokens }),
  },
  outcome: {
    before: ([event]) => ({ "session.id": event?.session }),
    after(span, kept, { content }) {
      for (const event of kept) {
        if (event.kind !== "outcome" || event.skill === undefined) continue;
        const { result, note } = event.details;
        span.event("skill.outcome", {
          "skill.name": event.skill,
          "skill.digest": event.digest,
          "skill.outcome": result,
          ...(content && { "repertoire.note": note }),
        });
      }
    },
  },
};

/** Returns a function that runs operations inside spans. */
export function spanWriter(scope: TracingScope, telemetry: Telemetry) {
  return <K extends TracedOperation>(
    operation: K,
    input: OperationInput<K>,
    work: () => Promise<OperationResult<K>>,
  ): Promise<OperationResult<K>> => {
    const { before, after } = ROWS[operation] as Row<K>;
    return telemetry.span(`repertoire.${operation}`, before(input, scope), async (span) => {
      const result = await work();
      after(span, result, { ...scope, input });
      return result;
    });
  };
}

function turnOf({ session, message }: Turn, { content }: TracingScope): TelemetryAttributes {
  return { "session.id": session, ...(content && { "repertoire.message": message }) };
}

function contextOf({ session, task, agent }: TaskContext): TelemetryAttributes {
  return { "session.id": session, "repertoire.task": task, "repertoire.agent": agent };
}

/** The skill, its content and its source. */
function activated(
  { name, by }: { readonly name: string; readonly by: string },
  scope: TracingScope,
): TelemetryAttributes {
  const skill = scope.skill(name);
  return {
    "skill.name": name,
    "skill.digest": skill?.digest,
    "skill.source": skill?.source,
    "skill.scope": skill?.scope,
    "skill.by": by,
  };
}
