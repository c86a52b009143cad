// A process that loads a toolset and calls a tool, for tests that end it: MOUNT HOW TOOL.

import { createToolRegistry } from "../../src/tools/registry.ts";
import { findSandbox } from "../../src/tools/sandbox.ts";
import { loadToolsets } from "../../src/tools/toolsets.ts";

const [mount = "", how, tool] = process.argv.slice(2);
const none = async () => ({ ok: false, reason: "not wanted", fix: "" }) as const;
const { tools } = await loadToolsets(
  {
    ...{ mount, manifest: { toolsets: ["t:Set"] }, skillName: "demo", env: process.env },
    policy: { acceptUnsandboxed: how === "unsandboxed" },
  },
  { findSandbox: how === "unsandboxed" ? none : findSandbox },
);
const registry = createToolRegistry();
registry.add(tools);
process.stdout.write(`${JSON.stringify({ loaded: tools.length })}\n`);
process.stdout.write(`${JSON.stringify(await registry.call(`demo__${tool}`, {}))}\n`);
