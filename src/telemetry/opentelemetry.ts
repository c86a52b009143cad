// Owns the port `Telemetry` over the OpenTelemetry API. The host brings the SDK and the exporter; whatever they do wrong
// goes to the API's own diagnostics and never reaches the work. Does not own what is told (`operations.ts`).

import { context, diag, type Span, SpanStatusCode, type TracerProvider, trace } from "@opentelemetry/api";
import type { Telemetry, TelemetryAttributes } from "./port.ts";

/** Tells the provider, or the one that is registered when something is told. */
export function openTelemetry(provider: Pick<TracerProvider, "getTracer"> = trace): Telemetry {
  return {
    async span(name, attributes, work) {
      const span = quietly(() =>
        provider.getTracer("repertoire").startSpan(name, { attributes: given(attributes) }),
      );
      const told = {
        set: (more: TelemetryAttributes) => void quietly(() => span?.setAttributes(given(more))),
        event: (event: string, more: TelemetryAttributes) =>
          void quietly(() => span?.addEvent(event, given(more))),
      };
      let running: ReturnType<typeof work> | undefined;
      const run = () => {
        running = work(told);
      };
      if (span) quietly(() => context.with(trace.setSpan(context.active(), span), run));
      try {
        return await (running ?? work(told));
      } catch (error) {
        quietly(() => fail(span, error));
        throw error;
      } finally {
        quietly(() => span?.end());
      }
    },
  };
}

/** The kind of error only: its words may hold what a person wrote. */
function fail(span: Span | undefined, error: unknown): void {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  span?.setAttribute("error.type", String(code ?? name ?? "unknown"));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

function given(attributes: TelemetryAttributes): Record<string, string | number | boolean> {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as Record<string, string | number | boolean>;
}

function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch (error) {
    diag.error("repertoire could not tell its telemetry", error);
    return undefined;
  }
}
