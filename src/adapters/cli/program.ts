// Runs a command line: global flags, verbs, exit codes. The verbs are in `commands/`.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { type OpenOptions, packageRoot, type Repertoire } from "../../engine/engine.ts";
import { isRepertoireError, RepertoireError } from "../../model/errors.ts";
import { type Context, EXIT, GLOBAL_FLAGS, type GlobalFlags, type Verb } from "./command.ts";
import { guarded, Io, progressDisplay, type Streams } from "./io.ts";

/** The verbs that a command line may use, and how they open the engine; `recall` and `prompt` open their own. */
interface Program {
  readonly verbs: readonly Verb[];
  readonly open?: (options: OpenOptions) => Repertoire;
  readonly allVerbs?: Context["allVerbs"];
}

/** Runs one command line and returns its exit code. Mistakes of the user are printed, not thrown. */
export async function runProgram(
  args: readonly string[],
  streams: Streams,
  { verbs, open, allVerbs = async () => verbs }: Program,
): Promise<number> {
  let exit: number = EXIT.ok;
  const program = describeProgram(streams);
  const add = (to: Command, verb: Verb) => {
    const { use, about, isDefault = false } = verb;
    const command = to.command(use, { isDefault }).description(about);
    for (const argument of verb.arguments ?? []) command.argument(...argument);
    for (const [flags, meaning, read, byDefault] of verb.options ?? []) {
      const option = command.createOption(flags, meaning).default(byDefault);
      command.addOption(read ? option.argParser(read) : option);
    }
    for (const inner of verb.verbs ?? []) add(command, inner);
    if (!verb.run) return;
    command.action(async (...received) => {
      const context = makeContext(command.optsWithGlobals<GlobalFlags>(), { streams, open, allVerbs });
      try {
        try {
          if (verb.usesProject && (await trustsProjectNow(context))) await context.close();
          exit = (await verb.run!(context, ...(received.slice(0, -1) as never[]))) ?? EXIT.ok;
        } finally {
          await context.close();
        }
      } catch (thrown) {
        exit = reportFailure(thrown, context.io);
      }
    });
  };
  for (const verb of verbs) add(program, verb);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return thrown.exitCode === 0 || thrown.code === "commander.help" ? EXIT.ok : EXIT.usage;
  }
  return exit;
}

/** Whether the person has just agreed to the project's skills, so that the engine has to be opened again. */
async function trustsProjectNow(context: Context): Promise<boolean> {
  if (!context.engine.library.project().isOpen) return false;
  const { askForProject } = await import("./project-question.ts");
  return askForProject(context);
}

function describeProgram(streams: Streams): Command {
  const program = new Command("repertoire");
  for (const [flags, about] of GLOBAL_FLAGS) program.option(flags, about);
  return program
    .description(
      "The skill engine for AI agents: finds your skills, says which ones matter for a message, and shows the model just enough.",
    )
    .version(packageVersion(), "-V, --version")
    .configureOutput({ writeOut: guarded(streams).out, writeErr: guarded(streams).err })
    .showHelpAfterError("(run with --help for the usage)")
    .exitOverride()
    .helpCommand(true);
}

function makeContext(
  flags: GlobalFlags,
  { streams, open, allVerbs }: { streams: Streams; open: Program["open"]; allVerbs: Context["allVerbs"] },
): Context & { close(): Promise<void> } {
  const { dir, home, config: configFile, agent } = flags;
  const openOptions: Context["openOptions"] = (values = {}) => ({
    dir: dir === undefined ? undefined : existingFolder(dir),
    home,
    configFile,
    values: { ...values, agent },
    requireAgent: agent !== undefined,
    host: process.env.REPERTOIRE_HOST ?? "cli",
    onProgress: progressDisplay(streams, "reading skills"),
  });
  let engine: Repertoire | undefined;
  return {
    io: new Io(streams, flags.json === true),
    flags,
    openOptions,
    allVerbs,
    open: (values) => open!(openOptions(values)),
    get engine() {
      engine ??= this.open();
      return engine;
    },
    close: async () => {
      const opened = engine;
      engine = undefined;
      await opened?.close();
    },
  };
}

/** A mistyped folder would be a project without skills. */
function existingFolder(dir: string): string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir;
  throw new RepertoireError(
    "folder-missing",
    `--dir: there is no folder ${resolve(dir)}. Name the project's folder, or leave --dir out.`,
    dir,
  );
}

function reportFailure(thrown: unknown, io: Io): number {
  if (!isRepertoireError(thrown)) throw thrown;
  const { code, message, value } = thrown;
  if (io.json) io.data({ error: { code, message, value } }, 2);
  else io.note(`${io.colour.red("error")} ${message}`);
  return code.startsWith("config-") || code === "usage" ? EXIT.usage : EXIT.findings;
}

export function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
