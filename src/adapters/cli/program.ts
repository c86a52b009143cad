// Runs a command line: global flags, verbs, exit codes. Each verb has its file in `commands/`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError } from "commander";
import { type OpenOptions, packageRoot, type Repertoire } from "../../engine/engine.ts";
import { isRepertoireError } from "../../model/errors.ts";
import { type Action, type Context, EXIT, type GlobalFlags, type Register } from "./command.ts";
import { Io, progressDisplay, type Streams } from "./io.ts";

/** The verbs that a command line may use, and how they open the engine; `recall` and `prompt` open their own. */
interface Program {
  readonly commands: readonly Register[];
  readonly open?: (options: OpenOptions) => Repertoire;
}

/** Runs one command line and returns its exit code. Mistakes of the user are printed, not thrown. */
export async function runProgram(
  args: readonly string[],
  streams: Streams,
  { commands, open }: Program,
): Promise<number> {
  let exit: number = EXIT.ok;
  const program = describeProgram(streams);
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
