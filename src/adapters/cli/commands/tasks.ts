// The verbs about using a skill in a task: activate, expand, run, tools, trust, task.

import { existsSync } from "node:fs";
import { resolve, sep } from "node:path";
import { type LibraryPart, type Repertoire, UNSANDBOXED_FLAG } from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { EXIT, positiveInteger, type Verb, type VerbOption } from "../command.ts";
import {
  AGREEMENT_OPTIONS,
  type AgreementFlags,
  agreedDigest,
  askerFor,
  confirmed,
} from "../consent-prompt.ts";
import type { Io } from "../io.ts";
import { answerEach, namesFrom } from "../names.ts";
import { day, minute } from "../tell.ts";

interface InTask {
  readonly task: string;
  readonly session?: string;
}

interface RunFlags {
  readonly task: string;
  readonly network?: boolean;
  readonly sandbox: boolean;
  readonly read?: string[];
  readonly write?: string[];
  readonly timeout?: number;
  readonly stdin?: boolean;
}

/** The task of the command line, which lasts until `repertoire task end cli`. */
const TASK_OPTION: VerbOption = ["--task <id>", "the task that it belongs to", undefined, "cli"];

const SESSION_OPTION: VerbOption = [
  "--session <id>",
  "the session whose latest turn uses it, so that its outcome can be reported",
];

export const TASK_VERBS: readonly Verb[] = [
  {
    use: "activate <name>",
    usesProject: true,
    about: "activate a skill after your consent, and print its instructions as a model gets them",
    options: [TASK_OPTION, SESSION_OPTION, ...AGREEMENT_OPTIONS],
    async run({ io, engine }, name: string, { task, session, ...flags }: InTask & AgreementFlags) {
      const asker = askerFor(io, { digest: agreedDigest(flags) });
      const context = { task, session, audience: "person", ...asker } as const;
      const { payload, text } = await engine.tasks.activate(name, context);
      io.answer(payload, () => {
        io.line(text);
        const how = payload.alreadyActivated ? "already activated" : "activated";
        io.note(io.colour.dim(`${payload.name} ${how} in the task "${task}".`));
      });
    },
  },
  {
    use: "expand <text...>",
    usesProject: true,
    about: 'print what a slash command becomes: "/sven/plan analyse the auth module"',
    options: [
      ["--complete", "list the commands that begin with this text instead"],
      TASK_OPTION,
      SESSION_OPTION,
    ],
    async run(
      { io, engine: { commands: slash } },
      words: string[],
      { task, session, complete }: InTask & { readonly complete?: boolean },
    ) {
      const text = words.join(" ");
      if (complete) {
        const commands = await slash.complete(text);
        const rows = commands.map(({ command, argumentHint = "", description }) => [
          `/${command}`,
          argumentHint,
          description,
        ]);
        return io.answer({ commands }, () => io.table(rows));
      }
      const expansion = await slash.expand(text, { task, session, ...askerFor(io, {}) });
      io.answer(expansion, () => io.line(expansion.text));
    },
  },
  {
    use: "run <skill> <script> [args...]",
    about:
      "run a script of an activated skill in the sandbox, with standard input, and exit with its code; its arguments come after --",
    options: [
      TASK_OPTION,
      ["--network", "let it use the network"],
      ["--read <path...>", "let it read these files or folders"],
      ["--write <path...>", "let it read and write these folders"],
      ["--stdin", "wait for standard input however long it takes to begin"],
      ["--timeout <seconds>", "stop it after this time (60)", positiveInteger],
      [UNSANDBOXED_FLAG, "accept the risk of running without isolation if there is no sandbox"],
    ],
    async run({ io, engine }, skill: string, script: string, args: string[], options: RunFlags) {
      const read = options.read?.map((path) => resolve(path));
      const write = options.write?.map((path) => resolve(path));
      const granted = [...(read ?? []), ...(write ?? [])];
      const result = await engine.tasks.run(skill, script, {
        task: options.task,
        audience: "person",
        args: args.map((arg) => pathInSandbox(arg, granted, io)),
        stdin: await io.streams.input?.(options.stdin === true),
        policy: {
          ...(options.network && { network: true }),
          acceptUnsandboxed: !options.sandbox,
          read,
          write,
          timeoutMs: options.timeout === undefined ? undefined : options.timeout * 1000,
        },
      });
      io.answer(result, () => {
        io.streams.out(result.stdout);
        io.streams.err(result.stderr);
        if (!result.ok)
          io.note(`${io.colour.red("error")} ${result.message} ${io.colour.dim(`[${result.code}]`)}`);
        io.note(io.colour.dim(`isolation: ${result.isolation}, ${result.durationMs} ms`));
      });
      return result.ok ? EXIT.ok : result.exitCode || EXIT.findings;
    },
  },
  {
    use: "tools <name>",
    about: "list the tools that an activated skill brings, with their schemas, or call one",
    options: [
      TASK_OPTION,
      ["--call <tool>", "call this tool"],
      ["--args <json>", "its arguments as a JSON object"],
    ],
    async run(
      { io, engine: { tasks } },
      name: string,
      options: { task: string; call?: string; args?: string },
    ) {
      const context = { task: options.task, audience: "person" } as const;
      if (options.call !== undefined) {
        const call = { tool: options.call, args: jsonArguments(options.args) };
        const { result, diagnostics } = await tasks.callOf(name, call, context);
        io.answer(result, () => {
          io.line(result.output);
          io.findings(diagnostics, (line) => io.note(line));
        });
        return result.ok ? EXIT.ok : EXIT.findings;
      }
      const { tools, diagnostics } = await tasks.tools(name, context);
      io.answer({ tools, diagnostics }, () => {
        if (tools.length === 0) io.line(`${name} brings no tools.`);
        for (const { name: tool, description, inputSchema } of tools) {
          io.line(`${io.colour.bold(tool)}  ${description}`);
          io.line(`  ${JSON.stringify(inputSchema)}`);
        }
        io.findings(diagnostics);
      });
      return EXIT.ok;
    },
  },
  {
    use: "trust [names...]",
    about:
      "look at skills and consent to them as they are now, in every task; any change needs new consent; names may be globs",
    examples: ["trust deploy", "trust 'git-*'", "trust --list"],
    options: [
      ["--list", "list what is trusted"],
      ["--revoke <name-or-digest>", "stop trusting it"],
      [
        "--project",
        "show the descriptions of this project's skills, if your settings or the host wait for it",
      ],
      ["--no-project", "stop showing them"],
      ...AGREEMENT_OPTIONS,
    ],
    async run({ io, engine: { consents, library } }, asked: string[], options: TrustFlags) {
      const { list, revoke, project, ...flags } = options;
      if (project !== undefined) await trustProject(io, library, project);
      else if (revoke !== undefined) {
        const revoked = await consents.revoke(revoke);
        io.answer({ revoked }, () => io.line(`${revoked} withdrawn.`));
      } else if (list) {
        const trusted = await consents.trusted();
        const projects = library.trustedProjects();
        const rows = trusted.map(({ skill, at, source, digest }) => [skill, day(at), source ?? "", digest]);
        io.answer({ trusted, projects }, () => {
          if (trusted.length === 0) io.line("Nothing is trusted.");
          else io.table([["SKILL", "SINCE", "SOURCE", "DIGEST"], ...rows]);
          for (const folder of projects) io.line(`project ${folder}`);
        });
      } else if (asked.length > 0) {
        const names = await namesFrom(asked, async () =>
          (await library.list()).skills.map(({ skill }) => skill.name),
        );
        const digest = agreedDigest(flags);
        if (digest !== undefined && names.length > 1)
          throw new RepertoireError(
            "usage",
            "--digest is the digest of one skill. Name exactly one skill.",
            digest,
          );
        const trusted = [];
        for (const name of names) trusted.push(await trustAsked(io, consents, name, digest));
        answerEach(io, trusted, ({ skill }) =>
          io.line(`${skill} is trusted as it is now. \`repertoire trust --revoke ${skill}\` withdraws it.`),
        );
      } else throw new RepertoireError("usage", "Name a skill, or use --list or --revoke.");
    },
  },
  {
    use: "task",
    about: "list the tasks that skills were activated in, or end one",
    verbs: [
      {
        use: "list",
        about: "list the tasks that have not ended, with their skills",
        async run({ io, engine }) {
          await engine.tasks.endLeft();
          const tasks = await engine.tasks.list();
          const rows = tasks.map(({ id, startedAt, skills }) => [
            id,
            minute(startedAt),
            skills.map(({ name }) => name).join(", "),
          ]);
          io.answer({ tasks }, () => {
            if (tasks.length === 0) io.line("No task is open.");
            else io.table([["TASK", "STARTED", "SKILLS"], ...rows]);
          });
        },
      },
      {
        use: "end <id>",
        about: "forget what was agreed to in a task and remove its private copies",
        async run({ io, engine }, id: string) {
          await engine.tasks.endExisting(id);
          io.answer({ ended: id }, () => io.line(`The task "${id}" has ended.`));
        },
      },
    ],
  },
];

interface TrustFlags extends AgreementFlags {
  readonly list?: boolean;
  readonly revoke?: string;
  readonly project?: boolean;
}

/** Shows one skill's sheet, and keeps the person's yes. */
async function trustAsked(
  io: Io,
  consents: Repertoire["consents"],
  name: string,
  digest: string | undefined,
) {
  const sheet = await consents.look(name);
  const { ask } = askerFor(io, { digest, verb: "Trust" });
  if (ask === undefined)
    throw new RepertoireError(
      "consent-required",
      `Trusting "${sheet.name}" needs a person who answers on a terminal.`,
      sheet.name,
    );
  if (!(await ask(sheet)))
    throw new RepertoireError("consent-refused", `"${sheet.name}" is not trusted.`, sheet.name);
  return consents.trust(name, sheet.digest);
}

/** A person says on a terminal whether a project's descriptions are shown; what is behind them still needs consent. */
async function trustProject(io: Io, library: LibraryPart, on: boolean): Promise<void> {
  const { folder } = (await library.diagnosis()).project;
  const answer = on
    ? await confirmed(io, `Show the descriptions of the skills in ${forLine(folder)} to agents?`)
    : true;
  if (answer === undefined)
    throw new RepertoireError(
      "consent-required",
      "Trusting a project needs a person who answers on a terminal.",
      folder,
    );
  if (!answer) throw new RepertoireError("consent-refused", `${folder} is not trusted.`, folder);
  const { changed } = library.trustProject(on);
  io.answer({ project: folder, trusted: on, changed }, () =>
    io.line(`${folder} is ${on ? "trusted" : "not trusted"}.`),
  );
}

function jsonArguments(text = "{}"): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw new RepertoireError(
      "usage",
      `--args is not JSON: ${thrown.message}. Write --args '{"key": "value"}'.`,
      text,
    );
  }
}

/**
 * An argument that names a file below a granted path as its absolute path, because the script runs in another folder. A
 * file that was not granted is named to the person.
 */
function pathInSandbox(arg: string, granted: readonly string[], io: Io): string {
  const path = resolve(arg);
  const isGranted = granted.some((folder) => path === folder || path.startsWith(folder + sep));
  if (isGranted) return path;
  if (arg.includes("/") || /\.\w+$/.test(arg)) {
    if (existsSync(path)) io.note(`The script cannot read ${arg} in its sandbox: add --read ${arg}.`);
  }
  return arg;
}
