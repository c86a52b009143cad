// The front door of telemetry: what other rooms may use.

export type { Telemetry, TelemetryAttributes, TelemetrySpan } from "./port.ts";
export { tracedModel, tracedStore } from "./traced.ts";
export { Tracing } from "./tracing.ts";
