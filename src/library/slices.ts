// Runs long synchronous work in slices, so that it does not block the event loop, and lets requests go first.

import { RepertoireError } from "../model/errors.ts";

/** Short enough that nobody notices, long enough that the pauses cost nothing. */
const SLICE_MS = 10;

/** How work in the background keeps out of the way of requests. */
const BEHIND = {
  /** A request that arrives now waits this long at most. */
  sliceMs: 2,
  /** After a request the next one is awaited for this long: a model that has asked once asks again. */
  quietMs: 25,
  /** Requests without a pause hold the work up for this long at most, then it gets one slice. */
  heldMs: 100,
} as const;

/** A clock that only goes forward. `performance` would load ten modules of Node, at every hook. */
export function milliseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** The requests of this process: it has one event loop, however many engines are open in it. */
const requests = { running: 0, endedAt: Number.NEGATIVE_INFINITY };

/** Since when the event loop has not turned, as far as slices know; undefined if it has turned since the last slice. */
let turnSince: number | undefined;

/** When a slice that begins now has to end. Slices that follow each other in one turn of the event loop share its time. */
function endOfSlice(ms: number): number {
  const now = milliseconds();
  // A clock that was set back counts from now.
  if (turnSince === undefined || turnSince > now) {
    turnSince = now;
    setImmediate(() => {
      turnSince = undefined;
    });
  }
  return turnSince + ms;
}

let isStopping = false;

/** For a process that is about to end: whatever works in slices from now on fails with `cancelled` at its next pause. */
export function stopSlices(): void {
  isStopping = true;
}

function throwIfStopping(): void {
  if (isStopping) throw new RepertoireError("cancelled", "The process is stopping.");
}

/** Runs a request: until it is answered, and a moment longer, work in the background holds still. */
export async function asRequest<T>(answer: () => Promise<T>): Promise<T> {
  requests.running++;
  try {
    return await answer();
  } finally {
    requests.running--;
    requests.endedAt = milliseconds();
  }
}

/** Runs the steps to their end and lets other work happen about every 10 ms. */
export function inSlices<T>(steps: Iterator<undefined, T>): Promise<T> {
  return inSlicesBehind(steps, () => true);
}

/** Runs the steps to their end behind all requests, unless somebody has come to wait for them. */
export async function inSlicesBehind<T>(
  steps: Iterator<undefined, T>,
  isAwaited: () => boolean = () => false,
): Promise<T> {
  for (;;) {
    const pauseAt = endOfSlice(isAwaited() ? SLICE_MS : BEHIND.sliceMs);
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (milliseconds() < pauseAt);
    throwIfStopping();
    await quiet(isAwaited);
  }
}

/** Waits for another process. */
export async function pause(ms: number): Promise<void> {
  throwIfStopping();
  await new Promise((goOn) => setTimeout(goOn, ms));
}

/** Lets other work happen if the event loop has not turned for a slice. For work that awaits things that are there at once. */
export async function breathe(): Promise<void> {
  throwIfStopping();
  if (milliseconds() >= endOfSlice(SLICE_MS)) await quiet(() => true);
}

/** Lets other work happen, and waits until no request is running, unless that takes too long. */
export async function quiet(isAwaited: () => boolean = () => false): Promise<void> {
  const started = milliseconds();
  await new Promise((goOn) => setImmediate(goOn));
  for (;;) {
    const now = milliseconds();
    const isQuiet = requests.running === 0 && now - requests.endedAt >= BEHIND.quietMs;
    if (isQuiet || isAwaited() || now - started >= BEHIND.heldMs) return;
    await new Promise((goOn) => setTimeout(goOn, 5));
  }
}
