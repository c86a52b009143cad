// `repertoire mcp`: the library as an MCP server on standard input and output.

import { oneOf } from "../options.ts";
import { EXIT, type Register } from "../program.ts";

export const registerMcp: Register = (program, action) => {
  program
    .command("mcp")
    .description("serve the library over MCP on standard input and output; `setup` writes this into a host")
    .option("--tools <which>", "default (six tools) or all", oneOf(["default", "all"]), "default")
    .action(
      action(async ({ io, open }, options: { tools: "default" | "all" }) => {
        const { serveOverStdio } = await import("../../mcp/stdio.ts");
        const version = program.version() ?? "";
        await serveOverStdio(open(), { version, tools: options.tools, note: (text) => io.note(text) });
        return EXIT.ok;
      }),
    );
};
