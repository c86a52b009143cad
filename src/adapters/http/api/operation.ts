// What an operation of the API is: one row from which the router, the validation and the OpenAPI document are made.

import * as z from "zod";
import type { Repertoire } from "../../../engine/engine.ts";
import type { EventHub } from "../events.ts";
import type { JobBoard, JobControl } from "../jobs.ts";
import { HTTP_LIMITS } from "../limits.ts";
import type { Metrics } from "../metrics.ts";
import type { OtherEngines } from "../other-engines.ts";

/** What the operations work with. */
export interface Api {
  readonly version: string;
  readonly engine: Repertoire;
  readonly others: OtherEngines;
  readonly jobs: JobBoard;
  readonly events: EventHub;
  readonly metrics: Metrics;
  /** Whether the library is read and watched, and the recall index brought up to date. */
  readonly isReady: () => boolean;
  /** When the server began, in milliseconds. */
  readonly startedAt: number;
  /** The dashboard may look, and change nothing. */
  readonly readOnly: boolean;
}

export interface RequestControl extends JobControl {
  /** Who changes skills: the person, or an agent with a token of the fleet. */
  readonly author: string;
  header(name: string): string | undefined;
  /** Ends the connection at once. */
  hangUp(): void;
}

type Shape = z.ZodObject;
type Read<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

interface OperationSpec<
  Id extends string,
  A extends z.ZodType,
  P extends Shape,
  Q extends Shape,
  B extends z.ZodType,
> {
  /** The operation's id in the OpenAPI document. */
  readonly id: Id;
  readonly summary: string;
  /** The command of the command line that does the same. */
  readonly command?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly answer: A;
  /** 200 unless given. */
  readonly status?: 201;
  /** Answers in this type instead of JSON, with text or a stream. */
  readonly type?: string;
  /** May take long: runs as a job, unless the request waits for it. */
  readonly job?: true;
  /** Changes nothing, though it is no GET: the dashboard may use it in read-only mode. */
  readonly reads?: true;
  /** Needs no token. */
  readonly open?: true;
  readonly bodyBytes?: number;
  /** Statuses of refusals besides those that every operation has. */
  readonly refuses?: readonly number[];
  readonly run: (
    input: { readonly params: Read<P>; readonly query: Read<Q>; readonly body: Read<B> },
    api: Api,
    asked: RequestControl,
  ) => unknown;
}

/** A row whose handler no longer knows its types; the router has checked the input by then. */
export interface ApiOperation extends Omit<OperationSpec<string, z.ZodType, Shape, Shape, z.ZodType>, "run"> {
  readonly method: string;
  readonly path: string;
  readonly run: (
    input: { params: never; query: never; body: never },
    api: Api,
    asked: RequestControl,
  ) => unknown;
}

/** Gives the handler the types of its schemas, and keeps that of the answer. The route has `{name}` for parameters. */
export function operation<
  const Id extends string,
  A extends z.ZodType,
  P extends Shape = never,
  Q extends Shape = never,
  B extends z.ZodType = never,
>(
  route: `${"get" | "post" | "put" | "delete"} /${string}`,
  spec: OperationSpec<Id, A, P, Q, B>,
): ApiOperation & { readonly id: Id; readonly answer: A } {
  const [method, path] = route.split(" ");
  return { ...spec, method, path } as unknown as ApiOperation & { readonly id: Id; readonly answer: A };
}

/** The query parameter of a request that waits for its job. */
export const waitQuery = z.strictObject({
  wait: z.coerce
    .number()
    .min(0)
    .max(HTTP_LIMITS.waitSeconds)
    .default(0)
    .describe("Seconds to wait for the result; 202 with the job when it takes longer."),
});
