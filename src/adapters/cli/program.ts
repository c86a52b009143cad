// Runs a command line: global flags, verbs, help, exit codes. The verbs are in `commands/`.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { type OpenOptions, openTurnEngine, packageRoot, type Repertoire } from "../../engine/engine.ts";
import { RepertoireError } from "../../model/errors.ts";
import { didYouMean, nearTo } from "../../text/near.ts";
import {
  type Context,
  EXIT,
  GLOBAL_FLAGS,
  type GlobalFlags,
  type HelpGroup,
  nameOf,
  type Verb,
} from "./command.ts";
import { failureOf, helpOf, wantsJson } from "./failure.ts";
import { guarded, Io, progressDisplay, type Streams } from "./io.ts";
import { verbOf } from "./verb.ts";

/** The verbs that a command line may use, and how they open the engine; `recall` and `prompt` open their own. */
interface Program {
  readonly verbs: readonly Verb[];
  readonly open?: (options: OpenOptions) => Repertoire;
  readonly allVerbs?: Context["allVerbs"];
  readonly groupOf?: (verb: string) => HelpGroup | undefined;
}

/** Words that other programs use, with our verbs for them; the first that exists is meant. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  find: ["search", "recall"],
  search: ["recall"],
  query: ["recall"],
  remove: ["delete"],
  rm: ["remove", "delete"],
  uninstall: ["remove", "delete"],
  ls: ["list"],
  info: ["show"],
  cat: ["show"],
  view: ["show"],
  create: ["new"],
  init: ["new"],
  add: ["save"],
  validate: ["check"],
  lint: ["check"],
  scan: ["inspect"],
  audit: ["inspect"],
  explain: ["why"],
  log: ["history"],
  status: ["doctor"],
  connect: ["setup"],
  on: ["enable"],
  off: ["disable"],
  revert: ["undo"],
  mv: ["rename"],
  use: ["activate"],
  exec: ["run"],
  test: ["eval"],
  version: ["--version"],
};

/** Runs one command line and returns its exit code. Whatever fails is printed, not thrown. */
export async function runProgram(
  args: readonly string[],
  streams: Streams,
  { verbs, open, allVerbs = async () => verbs, groupOf = () => undefined }: Program,
): Promise<number> {
  let exit: number = EXIT.ok;
  const isJson = wantsJson(args);
  const program = describeProgram(streams, isJson);
  const add = (to: Command, verb: Verb) => {
    const { use, about, isDefault = false, isHidden = false } = verb;
    const command = to.command(use, { isDefault, hidden: isHidden }).description(about);
    const group = to === program ? groupOf(nameOf(verb)) : undefined;
    if (group !== undefined) command.helpGroup(`${group.title} ($ repertoire ${group.example})`);
    for (const argument of verb.arguments ?? []) command.argument(...argument);
    for (const [flags, meaning, read, byDefault] of verb.options ?? []) {
      const option = command.createOption(flags, meaning).default(byDefault);
      command.addOption(read ? option.argParser(read) : option);
    }
    if (verb.examples) command.addHelpText("after", examplesText(verb.examples));
    for (const inner of verb.verbs ?? []) add(command, inner);
    if (!verb.run) return;
    command.action(async (...received) => {
      const context = makeContext(command.optsWithGlobals<GlobalFlags>(), { streams, open, allVerbs });
      try {
        try {
          if (verb.usesProject) await askAboutProject(context);
          exit = (await verb.run!(context, ...(received.slice(0, -1) as never[]))) ?? EXIT.ok;
        } finally {
          await context.close();
        }
      } catch (thrown) {
        exit = reportFailure(thrown, context.io, nameOf(verb));
      }
    });
  };
  for (const verb of verbs) add(program, verb);
  const used = verbOf(args);
  const io = new Io(streams, isJson);
  try {
    if (used !== undefined && used !== "help" && !verbs.some((verb) => nameOf(verb) === used))
      throw unknownVerb(used, verbs);
    await program.parseAsync(args, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return reportFailure(thrown, io, undefined);
    const isHelp = thrown.exitCode === 0 || (thrown.code === "commander.help" && used === undefined);
    if (isHelp) return EXIT.ok;
    return reportFailure(grammarError(thrown, used), io, used);
  }
  return exit;
}

/** Asks about a project that waits for an answer, before the verb opens its own engine. */
async function askAboutProject({ io, openOptions }: Context): Promise<void> {
  // The whole engine is loaded only to ask: `recall` and `prompt` do without it.
  if (!openTurnEngine(openOptions()).project.isOpen) return;
  const { openRepertoire } = await import("../../engine/engine.ts");
  const { askForProject } = await import("./project-question.ts");
  const engine = openRepertoire(openOptions());
  try {
    await askForProject({ io, engine });
  } finally {
    await engine.close();
  }
}

function describeProgram(streams: Streams, isJson: boolean): Command {
  const program = new Command("repertoire");
  for (const [flags, about] of GLOBAL_FLAGS) program.option(flags, about);
  const { out, err } = guarded(streams);
  const width = () => Math.min(streams.width, HELP_WIDTH);
  return program
    .description(
      "The skill engine for AI agents: finds your skills, says which ones matter for a message, and shows the model just enough.",
    )
    .version(packageVersion(), "-V, --version")
    .configureOutput({
      writeOut: out,
      // Only the help of a verb that needs another word is written here; errors are reported with their next step.
      writeErr: (text) => isJson || text.startsWith("error:") || err(text),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    })
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // Two lines each at most, so that the list of all verbs can be read.
      subcommandDescription: (command) => command.description().split("; ", 1)[0]!,
    })
    .exitOverride()
    .helpCommand(true)
    .addHelpText(
      "after",
      "\n`repertoire VERB --help` has more, with examples.\nThe exit code is 0, 1 (problems, or nothing found) or 2 (wrong usage).",
    );
}

/** Longer lines are hard to read. */
const HELP_WIDTH = 100;

function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ repertoire ${example}`).join("\n")}`;
}

function unknownVerb(used: string, verbs: readonly Verb[]): RepertoireError {
  const names = verbs.map(nameOf);
  const meant = OTHER_WORDS[used.toLowerCase()]?.find((word) => names.includes(word) || word.startsWith("-"));
  const near = meant === undefined ? nearTo(used, names) : [meant];
  const next = near[0] === undefined || near[0].startsWith("-") ? near[0] : `${near[0]} --help`;
  return new RepertoireError(
    "usage",
    `There is no command "${used}".${didYouMean(near)}`,
    used,
    next === undefined ? helpOf(undefined) : `repertoire ${next}`,
  );
}

/** What the grammar refuses, without the form that its library gives to it. */
function grammarError({ code, message }: CommanderError, verb: string | undefined): RepertoireError {
  if (code === "commander.help")
    return new RepertoireError("usage", `"repertoire ${verb}" needs one more word.`, verb);
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  return new RepertoireError("usage", `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`, verb);
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
  if (dir !== "" && statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return dir;
  throw new RepertoireError(
    "folder-missing",
    `--dir: there is no folder ${dir === "" ? '""' : resolve(dir)}. Name the project's folder, or leave --dir out.`,
    dir,
  );
}

function reportFailure(thrown: unknown, io: Io, verb: string | undefined): number {
  const failure = failureOf(thrown, verb);
  const { code, message, next } = failure;
  if (io.json) io.data({ error: failure }, 2);
  else {
    io.note(`${io.colour.red("error")} ${message}`);
    if (!message.includes(next)) io.note(`${io.colour.dim("next:")} ${next}`);
  }
  return code.startsWith("config-") || code === "usage" ? EXIT.usage : EXIT.findings;
}

export function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
