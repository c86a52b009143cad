// The messages that the model gets again: whole turns, so that a tool call and its result stay together. The oldest turns
// are dropped first.

import type { ModelMessage } from "ai";
import type { SaidRecord } from "../../engine/engine.ts";
import { estimateTokens } from "../../text/estimate.ts";
import { CHAT_LIMITS } from "./limits.ts";

interface KeptTurn {
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
}

export class ChatHistory {
  private turns: KeptTurn[] = [];
  private notes: string[] = [];

  get tokens(): number {
    return this.turns.reduce((sum, turn) => sum + turn.tokens, 0);
  }

  messages(): ModelMessage[] {
    return this.turns.flatMap(({ messages }) => messages);
  }

  /** Adds a text to the next message that is answered: a skill that the person loaded, what the engine shows. */
  note(text: string): void {
    if (text !== "") this.notes.push(text);
  }

  withNotes(message: string): string {
    return [...this.notes, message].join("\n\n");
  }

  /** Keeps a turn that was answered and returns the text of the answer. The newest turn always stays. */
  add(messages: readonly ModelMessage[]): string {
    if (!messages.some(({ role }) => role === "assistant")) return "";
    this.notes = [];
    this.turns.push({ messages, tokens: estimateTokens(JSON.stringify(messages)) });
    while (this.turns.length > 1 && this.tokens > CHAT_LIMITS.historyTokens) this.turns.shift();
    return messages.map(wordsOf).filter(Boolean).join("\n\n");
  }

  /** Continues a stored conversation. */
  restore(said: readonly SaidRecord[]): void {
    const numbers = [...new Set(said.map(({ turn }) => turn))];
    for (const number of numbers)
      this.add(said.filter(({ turn }) => turn === number).map(({ role, text }) => ({ role, content: text })));
  }

  clear(): void {
    this.turns = [];
    this.notes = [];
  }
}

function wordsOf({ role, content }: ModelMessage): string {
  if (role !== "assistant") return "";
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
