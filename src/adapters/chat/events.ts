// The events of a turn in the chat, as the view shows them and `--json` prints them.

import type { FinishReason } from "ai";
import type { Prompt, TokenUsage } from "../../engine/engine.ts";

export type ChatEvent =
  | { readonly type: "recalled"; readonly matches: Prompt["matches"] }
  /** `expanded` is the text that the model gets, if it differs from what was typed. */
  | { readonly type: "prompt"; readonly section: Prompt; readonly expanded?: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly input: unknown }
  | { readonly type: "result"; readonly name: string; readonly ok: boolean; readonly text: string }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  | { readonly type: "done"; readonly end: End; readonly steps: number; readonly usage: TokenUsage };

/** Why an answer ended: the reason of the model, the person stopped it, or there is no model. */
export type End = FinishReason | "stopped" | "no-model";
