// `repertoire serve`: the library over HTTP, on this machine only, until it is stopped.

import { InvalidArgumentError } from "commander";
import { EXIT, type Register } from "../command.ts";
import { accepting } from "../options.ts";

/** Not a port that development servers usually take. */
const PORT = 7431;

export const registerServe: Register = (program, action) => {
  program
    .command("serve")
    .description("serve the library on this machine, behind a token: MCP at /mcp, everything as JSON at /api")
    .option("--port <n>", "0 takes a free one", portNumber, PORT)
    .option("--tools <which>", "default (six tools) or all", accepting(["default", "all"]), "default")
    .action(
      action(async ({ io, open }, options: { port: number; tools: "default" | "all" }) => {
        const { serveOverHttp, OPENAPI_PATH } = await import("../../http/serve.ts");
        const version = program.version() ?? "";
        // Before the address is printed: a program that reads it may stop the server at once.
        const stopped = new Promise<void>((resolve) => {
          for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
        });
        const serving = await serveOverHttp(open(), { ...options, version, note: (text) => io.note(text) });
        const address = `http://127.0.0.1:${serving.port}`;
        const places = { mcp: `${address}/mcp`, api: `${address}/api`, openapi: `${address}${OPENAPI_PATH}` };
        io.answer({ address, ...places, token: serving.tokenPath }, () => {
          io.line(`Serving ${address} (MCP at /mcp, the API at /api); the token is in ${serving.tokenPath}.`);
          for (const line of tryThis(address, serving.tokenPath)) io.line(`  ${io.colour.dim(line)}`);
          io.line("Whoever has the token acts as you: do not hand it to a model. Ctrl-C stops.");
        });
        await stopped;
        await serving.close();
        return EXIT.ok;
      }),
    );
};

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
