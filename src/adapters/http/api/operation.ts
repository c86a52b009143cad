// Owns what an operation of the API is: one row from which the router, the validation and the OpenAPI document are made.
// Does not own any operation: one file an area holds them.

import type * as z from "zod";
import type { Repertoire, Workshop } from "../../../engine/engine.ts";
import type { McpParts } from "../../mcp/parts.ts";
import type { EventHub } from "../events.ts";
import type { JobBoard, JobControl } from "../jobs.ts";
import type { Metrics } from "../metrics.ts";

/** What the operations work with. */
export interface Api {
  readonly version: string;
  readonly engine: Repertoire;
  readonly workshop: Workshop;
  /** The tools that a model gets, where one of them does what is asked. */
  readonly tools: McpParts["tools"];
  readonly jobs: JobBoard;
  readonly events: EventHub;
  readonly metrics: Metrics;
  /** Whether the library is read and watched, and the recall index brought up to date. */
  readonly isReady: () => boolean;
  /** When the server began, in milliseconds. */
  readonly startedAt: number;
}

export interface Asked extends JobControl {
  header(name: string): string | undefined;
  /** Ends the connection without another word. */
  hangUp(): void;
}

type Shape = z.ZodObject;
type Read<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

export interface OperationSpec<P extends Shape, Q extends Shape, B extends z.ZodType> {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly area: string;
  readonly summary: string;
  /** The command of the command line that does the same. */
  readonly command?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: z.ZodType;
  /** 200 unless given. */
  readonly status?: 201;
  /** Answers in this type instead of JSON, with text or a stream. */
  readonly type?: string;
  /** May take long: runs as a job, unless the request waits for it. */
  readonly job?: true;
  /** Needs no token. */
  readonly open?: true;
  readonly bodyBytes?: number;
  /** Statuses of refusals besides those that every operation has. */
  readonly refuses?: readonly number[];
  readonly run: (
    input: { readonly params: Read<P>; readonly query: Read<Q>; readonly body: Read<B> },
    api: Api,
    asked: Asked,
  ) => unknown;
}

/** A row whose handler no longer knows its types; the router has checked the input by then. */
export type Operation = Omit<OperationSpec<Shape, Shape, z.ZodType>, "run"> & {
  readonly run: (input: { params: never; query: never; body: never }, api: Api, asked: Asked) => unknown;
};

/** Gives the handler the types of its schemas. */
export function operation<P extends Shape = never, Q extends Shape = never, B extends z.ZodType = never>(
  spec: OperationSpec<P, Q, B>,
): Operation {
  return spec as unknown as Operation;
}

type Defined<T> = { [key in keyof T]: Exclude<T[key], undefined> };

/** Without the keys that were not given. */
export function defined<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<T>;
}
