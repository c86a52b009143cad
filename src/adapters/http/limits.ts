// The limits of the HTTP server, each with its reason.

const KB = 1024;
const MB = 1024 * KB;

export const HTTP_LIMITS = {
  /** A message with what was pasted into it. */
  bodyBytes: 256 * KB,
  /** A SKILL.md of 256 KB, written as a JSON string. */
  skillBytes: 1 * MB,
  /** Arguments and standard input of a script; more is better put into a file. */
  scriptBytes: 3 * MB,
  /** A journal or a list of messages with their answers. */
  uploadBytes: 16 * MB,
  /** An MCP message: a skill with its files fits; a larger body is a mistake or an attack. */
  mcpBytes: 4 * MB,

  /** The time for the headers of a request: they come at once, or from somebody who wants to keep connections busy. */
  headersMs: 10_000,
  /** The time for a whole request, uploads included; answers may take longer. */
  requestMs: 120_000,
  /** Connections at a time: a page, some agents and all event streams. */
  connections: 512,

  /** How long the rest of a refused body is read, so that its sender gets the answer. */
  unreadMs: 500,

  /** Requests that the holder of the token may send at once: a page that loads everything, a test that hurries. */
  burst: 300,
  /** And then for every second: more than any person or agent asks, less than would keep the machine busy. */
  perSecond: 50,
  /** The same over MCP, where all agents of this machine share one address and one token: 100 that begin at once. */
  mcpBurst: 5_000,
  /** A recall takes a few milliseconds, so that no more than this could be answered. */
  mcpPerSecond: 500,
  /** Whoever has no token gets a few mistakes, so that guessing is hopeless. */
  strangerBurst: 20,
  strangerPerSecond: 1,
  /** Callers remembered; the longest silent is forgotten first. On one machine there are few. */
  callers: 1_000,

  /** Events that a reader who lost the connection can catch up on. */
  keptEvents: 1_000,
  /** What waits for a slow reader before it is dropped; it can come back and catch up. */
  streamBytes: 256 * KB,
  /** Open event streams. */
  streams: 64,
  /** Proxies and clients give up a silent connection after 30 seconds or more. */
  heartbeatMs: 15_000,

  /** Ended jobs whose results can be fetched. */
  keptJobs: 50,
  /** The longest that a request waits for a job. */
  waitSeconds: 60,
  /** How long a shutdown waits for jobs to come to a stopping point. */
  lastJobsMs: 10_000,
} as const;

export type HttpLimits = { readonly [key in keyof typeof HTTP_LIMITS]: number };

/** For a server that other machines reach: behind a balancer all agents have one address. */
export const SHARED_LIMITS = { burst: HTTP_LIMITS.mcpBurst, perSecond: HTTP_LIMITS.mcpPerSecond } as const;
