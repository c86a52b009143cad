// Owns the six frames a turn can be in. Does not own how a frame is chosen: `recall/` does.

export const FRAMES = ["task", "debug", "decision", "question", "creative", "conversation"] as const;

/** What kind of turn this is: doing, fixing, choosing, asking, making, or talking. */
export type Frame = (typeof FRAMES)[number];

export function isFrame(value: unknown): value is Frame {
  return FRAMES.includes(value as Frame);
}
