// `repertoire run SKILL SCRIPT -- ARGS`: a script of an activated skill, in the sandbox.

import { resolve } from "node:path";
import { UNSANDBOXED_FLAG } from "../../../engine/engine.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { CLI_TASK, positiveInteger, TASK_OPTION } from "../options.ts";

interface Options {
  readonly task?: string;
  readonly network?: boolean;
  readonly sandbox: boolean;
  readonly read?: string[];
  readonly write?: string[];
  readonly timeout?: number;
}

export const registerRun: Register = (program, action) => {
  program
    .command("run <skill> <script> [args...]")
    .description("run a script of an activated skill in the sandbox; pass script arguments after --")
    .option(...TASK_OPTION)
    .option("--network", "let it use the network")
    .option("--read <path...>", "let it read these files or folders")
    .option("--write <path...>", "let it read and write these folders")
    .option("--timeout <seconds>", "stop it after this time (60)", positiveInteger)
    .option(UNSANDBOXED_FLAG, "accept the risk of running without isolation if there is no sandbox")
    .action(
      action(({ io, open }, skill: string, script: string, args: string[], options: Options) =>
        withEngine(open(), async ({ tasks }) => {
          const result = await tasks.run(skill, script, {
            task: options.task ?? CLI_TASK,
            audience: "person",
            args,
            policy: {
              ...(options.network && { network: true }),
              acceptUnsandboxed: !options.sandbox,
              read: options.read?.map((path) => resolve(path)),
              write: options.write?.map((path) => resolve(path)),
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
          return result.ok ? EXIT.ok : EXIT.findings;
        }),
      ),
    );
};
