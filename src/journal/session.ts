// Owns what a session remembers between its turns. Does not own how it is kept: `stores/` does.

import type { Frame } from "../model/frame.ts";
import type { SkillName } from "../model/name.ts";

/** Something that stands in the agent's working memory: mostly the card of a skill. */
export interface MemoryItem {
  readonly refId: string;
  readonly refType: string;
  readonly content: string;
  /** Between 0 and 1; the least relevant leaves first. */
  readonly relevance: number;
}

export interface SessionState {
  readonly id: string;
  /** How many messages the session has had. */
  readonly turn: number;
  readonly frame?: Frame;
  readonly lastMessage?: string;
  /** Every skill shown since the agent last lost its context, in the order of its first showing. */
  readonly shown: readonly SkillName[];
  /** Recalled in the last turn. */
  readonly recalled: readonly SkillName[];
  readonly activated: readonly SkillName[];
  readonly memory: readonly MemoryItem[];
}

/** One step of a session. Each is small, stands alone and is only ever added. */
export type SessionStep =
  | { readonly step: "turn"; readonly key: string; readonly message: string; readonly claim?: string }
  | { readonly step: "recalled"; readonly names: readonly SkillName[]; readonly frame?: Frame | undefined }
  | { readonly step: "shown"; readonly names: readonly SkillName[]; readonly claim?: string }
  | { readonly step: "activated"; readonly names: readonly SkillName[] }
  | { readonly step: "memory"; readonly items: readonly MemoryItem[] }
  /** The agent has lost what it was shown (its context was cut): everything may be shown again. */
  | { readonly step: "forgotten" };
