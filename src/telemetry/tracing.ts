// Owns whether anybody listens: a telemetry that the host gave, or an OpenTelemetry provider that it registered. While
// nobody does, nothing of this folder but this file is loaded. Does not own what is told (`operations.ts`).

import type { Recaller } from "../engine/engine.ts";
import { messageOf } from "../model/errors.ts";
import type { About, Operation, Result, Teller } from "./operations.ts";

/** Where the OpenTelemetry API keeps what was registered, in every copy of its first major version. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

function isProviderRegistered(): boolean {
  const registry = (globalThis as Record<symbol, unknown>)[REGISTRY] as { trace?: unknown } | undefined;
  return registry?.trace !== undefined;
}

export class Tracing {
  private readonly engine: Recaller;
  private teller: Promise<Teller | undefined> | undefined;

  constructor(engine: Recaller) {
    this.engine = engine;
  }

  /** Runs the work, and tells about it when somebody listens. */
  async trace<K extends Operation>(
    operation: K,
    about: About<K>,
    work: () => Promise<Result<K>>,
  ): Promise<Result<K>> {
    const teller = await this.listener();
    return teller === undefined ? work() : teller.tell(operation, about, work);
  }

  /** A provider may be registered after the engine was opened. */
  private listener(): Promise<Teller | undefined> | undefined {
    const { telemetry } = this.engine.options;
    if (telemetry === false || (telemetry === undefined && !isProviderRegistered())) return undefined;
    this.teller ??= this.open().catch((error) => {
      process.emitWarning(`Telemetry is off: ${messageOf(error)}`, { code: "telemetry-unavailable" });
      return undefined;
    });
    return this.teller;
  }

  private async open(): Promise<Teller> {
    const [{ Teller }, telemetry] = await Promise.all([
      import("./operations.ts"),
      this.engine.options.telemetry || import("./opentelemetry.ts").then((module) => module.openTelemetry()),
    ]);
    return new Teller(this.engine, telemetry);
  }
}
