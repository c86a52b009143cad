// The port that receives spans.

/** What a span or an event says: names and numbers. */
export type TelemetryAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface TelemetrySpan {
  set(attributes: TelemetryAttributes): void;
  event(name: string, attributes: TelemetryAttributes): void;
}

/** Tells a tracing system what happens. Runs the work exactly once; a failure of its own never reaches it. */
export interface Telemetry {
  span<T>(
    name: string,
    attributes: TelemetryAttributes,
    work: (span: TelemetrySpan) => Promise<T>,
  ): Promise<T>;
}
