// Starts and stops the HTTP server, which listens on this machine only unless the person says otherwise.

import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import type { Repertoire } from "../../engine/engine.ts";
import { codeOf, messageOf, RepertoireError } from "../../model/errors.ts";
import { openParts } from "../mcp/parts.ts";
import { createApp } from "./app.ts";
import { tokenAt } from "./gate.ts";
import { HTTP_LIMITS, type HttpLimits, SHARED_LIMITS } from "./limits.ts";

export { OPENAPI_PATH } from "./api/operations.ts";

export interface ServeOptions {
  readonly port: number;
  /** The address to listen on; that of this machine alone unless given. */
  readonly listen?: string | undefined;
  /** More names that clients reach the server by, as behind a balancer, each with its port unless that is the usual one. */
  readonly allowHosts?: readonly string[] | undefined;
  /** The file of the token, which nodes of one address share; `~/.repertoire/token` unless given. */
  readonly tokenFile?: string | undefined;
  readonly version: string;
  readonly tools: "default" | "all";
  readonly note: (text: string) => void;
  /** Replaces single values of `HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>;
  /** The dashboard may look, and change nothing. */
  readonly readOnly?: boolean | undefined;
  /** Called by `close` once everything is answered that was accepted: work that nobody waits for may be cut off. */
  readonly onAnswered?: (() => void) | undefined;
}

export interface Serving {
  readonly port: number;
  readonly tokenPath: string;
  /** The address of the dashboard, which lets one browser in, once. */
  link(): string;
  /** Finishes open requests, then closes the server and the engine. */
  close(): Promise<void>;
}

const ADDRESS = "127.0.0.1";
/** A slow connection is cut at most this long after its time. */
const SLOW_CHECK_MS = 1_000;
/** How often a stopping server looks for connections that nobody uses any more. */
const IDLE_MS = 20;

export async function serveOverHttp(engine: Repertoire, options: ServeOptions): Promise<Serving> {
  const { version, note } = options;
  const { tokenFile: tokenPath = join(engine.turns.dataDirectory, "token") } = options;
  const token = tokenAt(tokenPath);
  const parts = openParts(engine, options.tools);
  const { listen = ADDRESS, allowHosts = [] } = options;
  let port = options.port;
  const hosts = () => [
    ...[ADDRESS, "localhost"].map((name) => `${name}:${port}`),
    ...allowHosts.map((name) => name.toLowerCase()),
  ];
  const limits = { ...HTTP_LIMITS, ...(listen === ADDRESS ? {} : SHARED_LIMITS), ...options.limits };
  let ready = false;
  // Opens the store: a server that cannot open it does not start.
  await engine.toolbox();
  const app = createApp({
    parts,
    version,
    token,
    hosts,
    isReady: () => ready,
    limits,
    readOnly: options.readOnly === true,
    note,
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      // How often Node looks for connections that are too slow.
      connectionsCheckingInterval: Math.min(limits.headersMs, SLOW_CHECK_MS),
    },
  }) as Server;
  server.maxConnections = limits.connections;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(options.port, listen, resolve);
    });
  } catch (thrown) {
    await app.close();
    await engine.close();
    if (codeOf(thrown) !== "EADDRINUSE") throw thrown;
    throw new RepertoireError(
      "port-taken",
      `Port ${port} is taken. A server may be running already; --port 0 takes a free one.`,
      port,
    );
  }
  port = (server.address() as AddressInfo).port;
  let isClosing = false;
  const onProblem = (error: unknown) => {
    if (!isClosing) note(messageOf(error));
  };
  // Clients are served meanwhile: neither the watch over many folders nor the index keeps the first one waiting.
  const prepared = engine.library
    .watch((changes) => app.changed(changes), onProblem)
    .then(() => engine.turns.indexing())
    .then((indexing) => indexing.current())
    .then(() => {
      ready = true;
      return engine.shareIndex();
    })
    .catch(onProblem);
  return {
    port,
    tokenPath,
    link: () => `http://${ADDRESS}:${port}${app.link()}`,
    async close() {
      isClosing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      await app.close();
      // A connection whose last answer was under way would stay open for the next request, which never comes.
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
      await closed;
      clearInterval(idle);
      options.onAnswered?.();
      await app.stopped();
      await prepared;
      await engine.close();
    },
  };
}
