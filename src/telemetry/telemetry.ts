// The front door of telemetry: traces operations if the host passed a telemetry or registered an OpenTelemetry provider,
// and loads the rest only then.

import type { JournalStore } from "../journal/journal.ts";
import type { LanguageModel } from "../learn/learn.ts";
import { messageOf } from "../model/errors.ts";
import { overridden, type Store } from "../stores/stores.ts";
import type {
  OperationInput,
  OperationResult,
  spanWriter,
  TracedOperation,
  TracingScope,
} from "./operations.ts";
import type { Telemetry } from "./port.ts";

export type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./port.ts";

/** The global key under which every copy of the OpenTelemetry API 1.x registers providers. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

function isProviderRegistered(): boolean {
  const registry = (globalThis as Record<symbol, unknown>)[REGISTRY] as { trace?: unknown } | undefined;
  return registry?.trace !== undefined;
}

type SpanWriter = ReturnType<typeof spanWriter>;

interface TracingOptions extends TracingScope {
  /** Receives the spans instead of the registered OpenTelemetry provider; false turns tracing off. */
  readonly telemetry?: Telemetry | false | undefined;
}

/** Traces the operations of an engine. */
export class Tracing {
  private readonly options: TracingOptions;
  private opened: Promise<SpanWriter | undefined> | undefined;

  constructor(options: TracingOptions) {
    this.options = options;
  }

  /** Runs the work, inside a span if tracing is on. */
  async trace<K extends TracedOperation>(
    operation: K,
    input: OperationInput<K>,
    work: () => Promise<OperationResult<K>>,
  ): Promise<OperationResult<K>> {
    const writer = await this.writer();
    return writer === undefined ? work() : writer(operation, input, work);
  }

  /** Checked at each operation: a provider may be registered after the engine was opened. */
  private writer(): Promise<SpanWriter | undefined> | undefined {
    const { telemetry } = this.options;
    if (telemetry === false || (telemetry === undefined && !isProviderRegistered())) return undefined;
    this.opened ??= this.open().catch((error) => {
      process.emitWarning(`Telemetry is off: ${messageOf(error)}`, { code: "telemetry-unavailable" });
      return undefined;
    });
    return this.opened;
  }

  private async open(): Promise<SpanWriter> {
    const [{ spanWriter }, telemetry] = await Promise.all([
      import("./operations.ts"),
      this.options.telemetry || import("./opentelemetry.ts").then((module) => module.openTelemetry()),
    ]);
    return spanWriter(this.options, telemetry);
  }
}

/** Traces each call of the model. */
export function tracedModel(model: LanguageModel, tracing: Tracing): LanguageModel {
  return {
    id: model.id,
    generate: (request) =>
      tracing.trace("model", { ...request, model: model.id }, () => model.generate(request)),
  };
}

/** Traces each outcome that is written to the journal. */
export function tracedStore(store: Store, tracing: Tracing): Store {
  const append: JournalStore["append"] = (events) =>
    events.some(({ kind }) => kind === "outcome")
      ? tracing.trace("outcome", events, async () => store.journal.append(events))
      : store.journal.append(events);
  return overridden(store, { journal: overridden(store.journal, { append }) });
}
