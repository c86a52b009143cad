// Traces operations while somebody listens: a telemetry that the host gave, or a registered OpenTelemetry provider.
// Otherwise nothing of this room but this file is loaded.

import { messageOf } from "../model/errors.ts";
import type { Operation, OperationInput, OperationResult, SpanWriter, TracingScope } from "./operations.ts";
import type { Telemetry } from "./port.ts";

/** Where the OpenTelemetry API keeps what was registered, in every copy of its first major version. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

function isProviderRegistered(): boolean {
  const registry = (globalThis as Record<symbol, unknown>)[REGISTRY] as { trace?: unknown } | undefined;
  return registry?.trace !== undefined;
}

export interface TracingOptions extends TracingScope {
  /** Receives the spans, instead of the registered OpenTelemetry provider; false turns tracing off. */
  readonly telemetry?: Telemetry | false | undefined;
}

export class Tracing {
  private readonly options: TracingOptions;
  private opened: Promise<SpanWriter | undefined> | undefined;

  constructor(options: TracingOptions) {
    this.options = options;
  }

  /** Runs the work, inside a span if somebody listens. */
  async trace<K extends Operation>(
    operation: K,
    input: OperationInput<K>,
    work: () => Promise<OperationResult<K>>,
  ): Promise<OperationResult<K>> {
    const writer = await this.writer();
    return writer === undefined ? work() : writer.span(operation, input, work);
  }

  /** A provider may be registered after the engine was opened. */
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
    const [{ SpanWriter }, telemetry] = await Promise.all([
      import("./operations.ts"),
      this.options.telemetry || import("./opentelemetry.ts").then((module) => module.openTelemetry()),
    ]);
    return new SpanWriter(this.options, telemetry);
  }
}
