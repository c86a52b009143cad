// Owns: which adapters a run measures, and in what order they are printed.
//
// An adapter: { name, package?, note?, freshHome?, missing?(), coldCommand?(place), open() }.
// open() imports the package and returns { load(place), catalog(loaded) }, where place is { project, skillsDir,
// home } and load resolves to { skills: [{ name, description }], diagnostics? } plus whatever catalog needs.

import { adapter as bashTool } from "./bash-tool.mjs";
import { adapter as deepagents } from "./deepagents.mjs";
import { adapter as geminiCliCore } from "./gemini-cli-core.mjs";
import { adapter as mastraCore } from "./mastra-core.mjs";
import { adapter as piCodingAgent } from "./pi-coding-agent.mjs";
import { repertoireCached, repertoireUncached } from "./repertoire.mjs";
import { adapter as skillsRef } from "./skills-ref.mjs";

export const adapters = [
  repertoireUncached,
  repertoireCached,
  geminiCliCore,
  piCodingAgent,
  deepagents,
  skillsRef,
  mastraCore,
  bashTool,
];

export function adapterNamed(name) {
  const found = adapters.find((adapter) => adapter.name === name);
  if (found === undefined)
    throw new Error(`no adapter "${name}"; there are: ${adapters.map((a) => a.name).join(", ")}`);
  return found;
}
