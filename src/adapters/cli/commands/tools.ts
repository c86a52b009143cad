// `repertoire tools NAME`: the tools that an activated skill brings, and calling one.

import { RepertoireError } from "../../../model/errors.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { CLI_TASK, TASK_OPTION } from "../options.ts";

interface Options {
  readonly task?: string;
  readonly call?: string;
  readonly args?: string;
}

export const registerTools: Register = (program, action) => {
  program
    .command("tools <name>")
    .description("list the tools that an activated skill brings, with their schemas, or call one")
    .option(...TASK_OPTION)
    .option("--call <tool>", "call this tool")
    .option("--args <json>", "its arguments as a JSON object")
    .action(
      action(({ io, open }, name: string, options: Options) =>
        withEngine(open(), async ({ tasks }) => {
          const context = { task: options.task ?? CLI_TASK, audience: "person" } as const;
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
        }),
      ),
    );
};

function jsonArguments(text: string | undefined): unknown {
  if (text === undefined) return {};
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
