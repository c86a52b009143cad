// Owns the grammar of the command line: global flags, verbs, exit codes. Each verb lives in `commands/`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import type { OpenOptions, Repertoire } from "../../engine/engine.ts";
import { packageRoot } from "../../engine/engine.ts";
import { isRepertoireError } from "../../model/errors.ts";
import { Io, progressDisplay, type Streams } from "./io.ts";

export const EXIT = { ok: 0, findings: 1, usage: 2 } as const;

/** What a verb gets to work with. */
export interface Context {
  readonly io: Io;
  readonly flags: GlobalFlags;
  /** What the engine is opened with: the global flags and further config values. */
  readonly openOptions: (values?: Readonly<Record<string, unknown>>) => OpenOptions;
  /** Opens the engine with the global flags and further config values. */
  readonly open: (values?: Readonly<Record<string, unknown>>) => Repertoire;
}

export interface GlobalFlags {
  readonly dir?: string;
  readonly home?: string;
  readonly agent?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** A verb: adds itself to the program; its action returns the exit code. */
export type Register = (program: Command, action: Action) => void;
export type Action = <A extends unknown[]>(
  work: (context: Context, ...args: A) => number | Promise<number>,
) => (...args: [...A, Record<string, unknown>, Command]) => Promise<void>;

/** The verbs that a command line may use, and the engine behind them; a verb that recalls only needs none. */
export interface Program {
  readonly commands: readonly Register[];
  readonly open?: (options: OpenOptions) => Repertoire;
}

/** Runs one command line and returns its exit code. Never throws for a mistake of the user's. */
export async function run(args: readonly string[], streams: Streams, only?: Program): Promise<number> {
  let exit: number = EXIT.ok;
  const program = describeProgram(streams);
  const { commands, open } = only ?? (await (await import("./main.ts")).wholeProgram(args));
  const action: Action =
    (work) =>
    async (...received) => {
      const command = received[received.length - 1] as Command;
      const context = makeContext(command.optsWithGlobals<GlobalFlags>(), { streams, open });
      try {
        exit = await work(context, ...(received.slice(0, -1) as never));
      } catch (thrown) {
        exit = reportFailure(thrown, context.io);
      }
    };
  for (const register of commands) register(program, action);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 || thrown.code === "commander.help" ? EXIT.ok : EXIT.usage;
  }
  return exit;
}

function describeProgram(streams: Streams): Command {
  return new Command("repertoire")
    .description(
      "The skill engine for AI agents: finds your skills, says which ones matter for a message, and shows the model just enough.",
    )
    .version(packageVersion(), "-V, --version")
    .option("--dir <path>", "the project's folder (default: the current one)")
    .option("--home <path>", "the home folder (default: yours)")
    .option("--agent <name>", "see the library as this agent")
    .option("--config <file>", "read this configuration instead of the project's")
    .option("--json", "print JSON")
    .configureOutput({ writeOut: streams.out, writeErr: streams.err })
    .showHelpAfterError("(run with --help for the usage)")
    .exitOverride()
    .helpCommand(true);
}

function makeContext(
  flags: GlobalFlags,
  { streams, open }: { streams: Streams; open: Program["open"] },
): Context {
  const io = new Io(streams, flags.json === true);
  const { dir, home, config, agent } = flags;
  const openOptions: Context["openOptions"] = (values = {}) => ({
    ...(dir !== undefined && { dir }),
    ...(home !== undefined && { home }),
    ...(config !== undefined && { configFile: config }),
    values: { ...values, ...(agent !== undefined && { agent }) },
    host: "cli",
    onProgress: progressDisplay(streams, "reading skills"),
  });
  return { io, flags, openOptions, open: (values) => open!(openOptions(values)) };
}

function reportFailure(thrown: unknown, io: Io): number {
  if (!isRepertoireError(thrown)) throw thrown;
  const { code, message, value } = thrown;
  if (io.json) io.line(JSON.stringify({ error: { code, message, value } }, null, 2));
  else io.note(`${io.colour.red("error")} ${message}`);
  return code.startsWith("config-") || code === "usage" ? EXIT.usage : EXIT.findings;
}

function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
