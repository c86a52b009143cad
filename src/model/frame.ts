// The six kinds of turn.

export const FRAMES = ["task", "debug", "decision", "question", "creative", "conversation"] as const;

/** The kind of a turn: doing, fixing, choosing, asking, making or talking. */
export type Frame = (typeof FRAMES)[number];

export function isFrame(value: unknown): value is Frame {
  return FRAMES.includes(value as Frame);
}
