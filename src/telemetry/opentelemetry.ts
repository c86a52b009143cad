// Sends spans to OpenTelemetry. Errors of the host's SDK go to the API's diagnostics and never reach the traced work.

import { context, diag, type Span, SpanStatusCode, type TracerProvider, trace } from "@opentelemetry/api";
import type { Telemetry, TelemetryAttributes } from "./port.ts";

/**
 * Sends spans to the provider; by default to the one that is registered when a span starts.
 *
 * @example
 * import { openTelemetry } from "repertoire/telemetry";
 * const skills = openRepertoire({ dir, telemetry: openTelemetry() });
 */
export function openTelemetry(provider: Pick<TracerProvider, "getTracer"> = trace): Telemetry {
  return {
    async span(name, attributes, work) {
      const span = quietly(() =>
        provider.getTracer("repertoire").startSpan(name, { attributes: given(attributes) }),
      );
      const writer = {
        set: (more: TelemetryAttributes) => void quietly(() => span?.setAttributes(given(more))),
        event: (event: string, more: TelemetryAttributes) =>
          void quietly(() => span?.addEvent(event, given(more))),
      };
      let running: ReturnType<typeof work> | undefined;
      const run = () => {
        running = work(writer);
      };
      if (span) quietly(() => context.with(trace.setSpan(context.active(), span), run));
      try {
        return await (running ?? work(writer));
      } catch (error) {
        quietly(() => fail(span, error));
        throw error;
      } finally {
        quietly(() => span?.end());
      }
    },
  };
}

/** Records the code of an error, not its message, which may quote a person. */
function fail(span: Span | undefined, error: unknown): void {
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  span?.setAttribute("error.type", String(code ?? name ?? "unknown"));
  span?.setStatus({ code: SpanStatusCode.ERROR });
}

function given(attributes: TelemetryAttributes): Record<string, string | number | boolean> {
  const pairs = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as Record<string, string | number | boolean>;
}

function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    diag.error("repertoire could not record telemetry", error);
    return undefined;
  }
}
