// `repertoire mcp`: the library as an MCP server on standard input and output.

import { CONSENT_APPROVALS, type ConsentApproval } from "../../../model/consent-approval.ts";
import { EXIT, type Register } from "../command.ts";
import { accepting } from "../options.ts";

interface McpFlags {
  readonly tools: "default" | "all";
  readonly consent?: ConsentApproval;
}

export const registerMcp: Register = (program, action) => {
  program
    .command("mcp")
    .description(
      "serve the library over MCP on standard input and output; `setup` configures a host to start this",
    )
    .option("--tools <which>", "default (six tools) or all", accepting(["default", "all"]), "default")
    .option("--consent <by>", "consent.approval for this server: ask or host", accepting(CONSENT_APPROVALS))
    .action(
      action(async ({ io, open }, options: McpFlags) => {
        const { serveOverStdio } = await import("../../mcp/stdio.ts");
        const version = program.version() ?? "";
        const { consent } = options;
        const engine = open({ ...(consent && { "consent.approval": consent }) });
        await serveOverStdio(engine, { version, tools: options.tools, note: (text) => io.note(text) });
        return EXIT.ok;
      }),
    );
};
