// The front door of disclose: what other rooms may use.

export { type Prompt, type PromptOptions, Turns } from "./turn-prompt.ts";
export type { MemoryItem } from "./working-memory.ts";
