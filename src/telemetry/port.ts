// The port that receives spans.

/** The attributes of a span or an event. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TelemetrySpan {
  set(attributes: TelemetryAttributes): void;
  event(name: string, attributes: TelemetryAttributes): void;
}

/** Sends spans to a tracing system. Runs the work exactly once; its own failures never reach the work. */
export interface Telemetry {
  span<T>(
    name: string,
    attributes: TelemetryAttributes,
    work: (span: TelemetrySpan) => Promise<T>,
  ): Promise<T>;
}
