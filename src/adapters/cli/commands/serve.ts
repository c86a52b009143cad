// The verbs that serve over HTTP: `serve` for programs, `ui` for the person.

import { spawn } from "node:child_process";
import { InvalidArgumentError } from "commander";
import { type Repertoire, stopSlices } from "../../../engine/engine.ts";
import { messageOf } from "../../../model/errors.ts";
import type { Serving } from "../../http/serve.ts";
import { accepting, type Verb, type VerbOption } from "../command.ts";
import type { Io } from "../io.ts";
import { packageVersion } from "../program.ts";

export type ToolsChosen = "default" | "all";

/** Not a port that development servers usually take. */
const PORT = 7431;
/** Always the same: a browser keeps the theme and the last visit by port. */
const UI_PORT = 7432;

export const TOOLS_OPTION: VerbOption = [
  "--tools <which>",
  "default (six tools) or all",
  accepting(["default", "all"]),
  "default",
];

interface ServeFlags {
  readonly port: number;
  readonly listen?: string;
  readonly allowHost?: readonly string[];
  readonly tokenFile?: string;
  readonly tools: ToolsChosen;
  readonly open?: boolean;
}

interface UiFlags {
  readonly port: number;
  readonly open: boolean;
  readonly demo?: boolean;
  readonly readOnly?: boolean;
}

export const SERVE_VERBS: readonly Verb[] = [
  {
    use: "ui",
    about:
      "open the dashboard in your browser: the library, why a message got its skills, what dreams propose",
    options: [
      ["--port <n>", "0 takes a free one", portNumber, UI_PORT],
      ["--no-open", "print the link only"],
      ["--read-only", "look, and change nothing"],
      ["--demo", "with made-up skills and sessions in a temporary folder"],
    ],
    async run({ io, open, openOptions }, { demo, ...options }: UiFlags) {
      const made = demo ? await (await import("../../demo/demo.ts")).makeDemo(openOptions()) : undefined;
      try {
        await serveUntilStopped(made?.engine ?? open(), io, { ...options, tools: "default" }, (serving) => {
          const link = serving.link();
          io.answer({ link }, () => {
            io.line(`The dashboard, for one browser: ${link}`);
            io.line("The link works once, within ten minutes. Ctrl-C stops.");
          });
          if (options.open && io.streams.terminal) openInBrowser(link, io);
        });
      } finally {
        made?.remove();
      }
    },
  },
  {
    use: "serve",
    about: "serve the library on this machine, behind a token: MCP at /mcp, everything as JSON at /api",
    options: [
      ["--port <n>", "0 takes a free one", portNumber, PORT],
      ["--listen <address>", "also for other machines, as 0.0.0.0; put TLS in front (this machine alone)"],
      ["--allow-host <name...>", "names that clients reach it by, besides localhost"],
      [
        "--token-file <path>",
        "the token's file, the same for all nodes of one address (~/.repertoire/token)",
      ],
      TOOLS_OPTION,
      ["--open", "also open the dashboard in your browser"],
    ],
    run: ({ io, open }, options: ServeFlags) =>
      serveUntilStopped(open(), io, options, (serving, openapi) => {
        const address = `http://127.0.0.1:${serving.port}`;
        const places = { mcp: `${address}/mcp`, api: `${address}/api`, openapi: `${address}${openapi}` };
        const link = options.open ? serving.link() : undefined;
        io.answer({ address, ...places, token: serving.tokenPath, link }, () => {
          io.line(`Serving ${address} (MCP at /mcp, the API at /api); the token is in ${serving.tokenPath}.`);
          for (const line of tryThis(address, serving.tokenPath)) io.line(`  ${io.colour.dim(line)}`);
          if (link !== undefined) io.line(`The dashboard, for one browser: ${link}`);
          io.line("Whoever has the token acts as you: do not hand it to a model. Ctrl-C stops.");
        });
        if (link !== undefined && io.streams.terminal) openInBrowser(link, io);
      }),
  },
];

async function serveUntilStopped(
  engine: Repertoire,
  io: Io,
  options: {
    readonly port: number;
    readonly tools: ToolsChosen;
    readonly listen?: string | undefined;
    readonly allowHost?: readonly string[] | undefined;
    readonly tokenFile?: string | undefined;
    readonly readOnly?: boolean | undefined;
  },
  tell: (serving: Serving, openapi: string) => void,
): Promise<void> {
  const { serveOverHttp, OPENAPI_PATH } = await import("../../http/serve.ts");
  // Before the address is printed: a program that reads it may stop the server at once.
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const stop = workBehind(engine, io);
  const serving = await serveOverHttp(engine, {
    ...options,
    allowHosts: options.allowHost,
    version: packageVersion(),
    note: (text) => io.note(text),
    onAnswered: stopSlices,
  });
  tell(serving, OPENAPI_PATH);
  await stopped;
  stop();
  await serving.close();
}

/** How each system opens an address. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

function openInBrowser(link: string, io: Io): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  spawn(program!, [...args, link], { stdio: "ignore", detached: true })
    .once("error", (error) =>
      io.note(`No browser could be opened (${messageOf(error)}). Open the link yourself.`),
    )
    .unref();
}

/** A host's start and its first message have this long, in milliseconds, before the index is built: a busy machine needs it. */
const AFTER_START = 30_000;

/** The answer to a client's first message comes before hooks are answered, which takes a moment to begin. */
const AFTER_HELLO = 100;

/** Answers hooks, and encodes the skills for the trained encoder, once the server is up. Returns how to stop it. */
export function workBehind(engine: Repertoire, io: Io): () => void {
  const stop = new AbortController();
  const { home } = engine.config;
  const onProblem = (error: unknown) => io.note(`Hooks answer themselves: ${messageOf(error)}.`);
  const listening = setTimeout(async () => {
    const { answerHooks } = await import("../../hooks/warm-server.ts");
    if (stop.signal.aborted) return;
    const end = answerHooks({ home, onProblem });
    stop.signal.addEventListener("abort", end);
  }, AFTER_HELLO).unref();
  const begin = () =>
    engine.library.index({ signal: stop.signal }).catch((thrown) => {
      if (!stop.signal.aborted) io.note(`The skills could not be encoded: ${messageOf(thrown)}.`);
    });
  const timer = setTimeout(begin, AFTER_START).unref();
  return () => {
    clearTimeout(listening);
    clearTimeout(timer);
    stop.abort();
  };
}

/** Lines to paste into a shell. */
function tryThis(address: string, tokenPath: string): string[] {
  const curl = `curl -s -H "Authorization: Bearer $(cat '${tokenPath}')"`;
  return [
    `${curl} ${address}/api/skills`,
    `${curl} ${address}/api/recall --json '{"message": "write a skill"}'`,
    `${curl} -N ${address}/api/events`,
  ];
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError("Accepted: a whole number from 0 to 65535.");
  return port;
}
