// The front door of disclose: the section of a turn.

export { budgetOf } from "./budget.ts";
export { asksForList } from "./question.ts";
export {
  type BringTools,
  type CatalogChoice,
  type Prompt,
  type PromptOptions,
  TurnPrompt,
} from "./turn-prompt.ts";
export type { MemoryItem } from "./working-memory.ts";
