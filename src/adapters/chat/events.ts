// Owns what can happen in a turn of the chat, as the view shows it and `--json` prints it.

import type { FinishReason } from "ai";
import type { Prompt } from "../../disclose/disclose.ts";
import type { TokenUsage } from "../../models/models.ts";

export type ChatEvent =
  | { readonly type: "recalled"; readonly matches: Prompt["matches"] }
  /** `expanded` is what the model is told where that is not what was typed. */
  | { readonly type: "prompt"; readonly section: Prompt; readonly expanded?: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly name: string; readonly input: unknown }
  | { readonly type: "result"; readonly name: string; readonly ok: boolean; readonly text: string }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  | { readonly type: "done"; readonly end: End; readonly steps: number; readonly usage: TokenUsage };

/** Why an answer ended: the model's own reason, or that the person, a failure or the limit ended it. */
export type End = FinishReason | "stopped" | "no-model";
