// The verbs that connect people and hosts: chat, mcp, serve, hook.

import { InvalidArgumentError } from "commander";
import type { Repertoire } from "../../../engine/engine.ts";
import { CONSENT_APPROVALS, type ConsentApproval } from "../../../model/consent-approval.ts";
import { messageOf } from "../../../model/errors.ts";
import { HOOK_MODES, type HookMode } from "../../hooks/catalog.ts";
import { HOOK_HOSTS } from "../../hooks/event.ts";
import { accepting, EXIT, type Verb, type VerbOption } from "../command.ts";
import type { Io } from "../io.ts";
import { packageVersion } from "../program.ts";

type ToolsChosen = "default" | "all";

interface ChatFlags {
  readonly showPrompt?: boolean;
  readonly session?: string;
  readonly task?: string;
}

/** Not a port that development servers usually take. */
const PORT = 7431;

const TOOLS_OPTION: VerbOption = [
  "--tools <which>",
  "default (six tools) or all",
  accepting(["default", "all"]),
  "default",
];

export const HOST_VERBS: readonly Verb[] = [
  {
    use: "chat [message...]",
    usesProject: true,
    about: "talk to an agent that uses your skills; with a message or a pipe it answers once",
    options: [
      ["--show-prompt", "also show what went into the prompt"],
      ["--session <id>", "continue an earlier session"],
      ["--task <id>", "the task that consents belong to; it does not end with the chat"],
    ],
    async run({ io, open }, words: string[], options: ChatFlags) {
      const { chat } = await import("../../chat/chat.ts");
      const wentWell = await chat(open(), io, { ...options, message: words.join(" ") });
      return wentWell ? EXIT.ok : EXIT.findings;
    },
  },
  {
    use: "mcp",
    about: "serve the library over MCP on standard input and output; `setup` configures a host to start this",
    options: [
      TOOLS_OPTION,
      ["--consent <by>", "consent.approval for this server: ask or host", accepting(CONSENT_APPROVALS)],
    ],
    async run({ io, open }, { tools, consent }: { tools: ToolsChosen; consent?: ConsentApproval }) {
      const { serveOverStdio } = await import("../../mcp/stdio.ts");
      const engine = open({ "consent.approval": consent });
      const stop = workBehind(engine, io);
      await serveOverStdio(engine, { version: packageVersion(), tools, note: (text) => io.note(text) });
      stop();
    },
  },
  {
    use: "serve",
    about: "serve the library on this machine, behind a token: MCP at /mcp, everything as JSON at /api",
    options: [["--port <n>", "0 takes a free one", portNumber, PORT], TOOLS_OPTION],
    async run({ io, open }, options: { port: number; tools: ToolsChosen }) {
      const { serveOverHttp, OPENAPI_PATH } = await import("../../http/serve.ts");
      // Before the address is printed: a program that reads it may stop the server at once.
      const stopped = new Promise<void>((resolve) => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
      });
      const engine = open();
      const stop = workBehind(engine, io);
      const serving = await serveOverHttp(engine, {
        ...options,
        version: packageVersion(),
        note: (text) => io.note(text),
      });
      const address = `http://127.0.0.1:${serving.port}`;
      const places = { mcp: `${address}/mcp`, api: `${address}/api`, openapi: `${address}${OPENAPI_PATH}` };
      io.answer({ address, ...places, token: serving.tokenPath }, () => {
        io.line(`Serving ${address} (MCP at /mcp, the API at /api); the token is in ${serving.tokenPath}.`);
        for (const line of tryThis(address, serving.tokenPath)) io.line(`  ${io.colour.dim(line)}`);
        io.line("Whoever has the token acts as you: do not hand it to a model. Ctrl-C stops.");
      });
      await stopped;
      stop();
      await serving.close();
    },
  },
  {
    // `bin.ts` skips this verb to start sooner; this one is for the help, and for command lines that begin with a global
    // flag.
    use: "hook <host>",
    about: `answer a host's hook event from standard input (${HOOK_HOSTS.join(", ")}); always exits 0`,
    options: [
      ["--mode <mode>", "complement or replace, as `setup` wrote it", accepting(HOOK_MODES), "complement"],
    ],
    async run({ io, flags }, host: string, { mode }: { mode: HookMode }) {
      const { runHook } = await import("../../hooks/hook.ts");
      const home = flags.home === undefined ? [] : ["--home", flags.home];
      const { misuse } = await runHook([host, "--mode", mode, ...home]);
      if (misuse !== undefined) io.note(misuse.trimEnd());
    },
  },
];

/** A host's start has this long, in milliseconds, before encoding begins. */
const AFTER_START = 5_000;

/** The answer to a client's first message comes before hooks are answered, which takes a moment to begin. */
const AFTER_HELLO = 100;

/** Answers hooks, and encodes the skills for the trained encoder, once the server is up. Returns how to stop it. */
function workBehind(engine: Repertoire, io: Io): () => void {
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
