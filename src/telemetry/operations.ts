// Owns what is told about each operation: the span's name, its attributes and its events. A person's words and a skill's
// text are told only where the configuration says `telemetry.content`. Does not own how it is told (the port `Telemetry`).

import type { Activation, TaskContext } from "../activate/activate.ts";
import type { Prompt } from "../disclose/disclose.ts";
import type { DreamResult } from "../dream/dream.ts";
import type { Recaller } from "../engine/engine.ts";
import type { JournalEvent, NewEvent } from "../journal/journal.ts";
import type { ModelAnswer, ModelRequest } from "../learn/learn.ts";
import type { Turn } from "../model/turn.ts";
import type { RecallAnswer } from "../recall/recall.ts";
import type { ScriptCall, ScriptResult } from "../tools/tools.ts";
import type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./port.ts";

interface Operations {
  readonly recall: { readonly about: Turn; readonly result: RecallAnswer };
  readonly prompt: { readonly about: Turn; readonly result: Prompt };
  readonly activate: { readonly about: TaskContext & { readonly name: string }; readonly result: Activation };
  readonly script: {
    readonly about: ScriptCall & { readonly name: string; readonly script: string };
    readonly result: ScriptResult;
  };
  readonly dream: { readonly about: { readonly apply?: boolean }; readonly result: DreamResult };
  readonly model: { readonly about: ModelRequest & { readonly model: string }; readonly result: ModelAnswer };
  readonly outcome: {
    readonly about: readonly NewEvent[];
    /** What the journal kept. */
    readonly result: readonly JournalEvent[];
  };
}

export type Operation = keyof Operations;
export type About<K extends Operation> = Operations[K]["about"];
export type Result<K extends Operation> = Operations[K]["result"];

/** What the rows below may look at. */
interface Scope {
  readonly engine: Recaller;
  readonly content: boolean;
}

interface Row<K extends Operation> {
  readonly before: (about: About<K>, scope: Scope) => TelemetryAttributes;
  readonly after: (
    span: TelemetrySpan,
    result: Result<K>,
    scope: Scope & { readonly about: About<K> },
  ) => void;
}

const ROWS: { readonly [K in Operation]: Row<K> } = {
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
      // Of the catalog nothing is told: it stands in every prompt.
      for (const { name, level } of shown.filter((one) => matches.some((match) => match.name === one.name))) {
        span.event("skill.shown", { "skill.name": name, "skill.level": level });
        if (level === "body") span.event("skill.activated", activated({ name, by: "style" }, scope));
      }
    },
  },
  activate: {
    before: ({ name, ...context }, { engine }) => ({
      ...contextOf(context),
      "skill.name": engine.shelf?.library.find(name)?.name,
    }),
    after(span, { payload: { name, digest } }, scope) {
      span.set({ "skill.name": name });
      const by = scope.about.audience ?? "model";
      span.event("skill.activated", { ...activated({ name, by }, scope), "skill.package": digest });
    },
  },
  script: {
    before: ({ name, script, ...context }, { engine, content }) => ({
      ...contextOf(context),
      "skill.name": engine.shelf?.library.find(name)?.name,
      ...(content && { "repertoire.script": script }),
    }),
    after: (span, { ok, isolation }) => span.set({ "repertoire.ok": ok, "repertoire.isolation": isolation }),
  },
  dream: {
    before: ({ apply = false }) => ({ "repertoire.apply": apply }),
    after: (span, { thinking, staged, declined, skipped }) =>
      span.set({
        "repertoire.thinking": thinking,
        "repertoire.staged": staged.length,
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

export class Teller {
  private readonly scope: Scope;
  private readonly telemetry: Telemetry;

  constructor(engine: Recaller, telemetry: Telemetry) {
    this.scope = { engine, content: engine.config.telemetry.content };
    this.telemetry = telemetry;
  }

  tell<K extends Operation>(
    operation: K,
    about: About<K>,
    work: () => Promise<Result<K>>,
  ): Promise<Result<K>> {
    const { before, after } = ROWS[operation] as Row<K>;
    return this.telemetry.span(`repertoire.${operation}`, before(about, this.scope), async (span) => {
      const result = await work();
      after(span, result, { ...this.scope, about });
      return result;
    });
  }
}

function turnOf({ session, message }: Turn, { content }: Scope): TelemetryAttributes {
  return { "session.id": session, ...(content && { "repertoire.message": message }) };
}

function contextOf({ session, task, agent }: TaskContext): TelemetryAttributes {
  return { "session.id": session, "repertoire.task": task, "repertoire.agent": agent };
}

/** Which content of which skill, and where it came from. */
function activated(
  { name, by }: { readonly name: string; readonly by: string },
  { engine }: Scope,
): TelemetryAttributes {
  const skill = engine.shelf?.library.find(name);
  return {
    "skill.name": name,
    "skill.digest": skill?.digest,
    "skill.source": skill?.source,
    "skill.scope": engine.sources.find(({ id }) => id === skill?.source)?.scope,
    "skill.by": by,
  };
}
