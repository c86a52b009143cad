// Runs long synchronous work in slices, so that a scan does not block the event loop.

/** Short enough that nobody notices, long enough that the pauses cost nothing. */
const SLICE_MS = 10;

/** Runs the steps to their end and lets other work happen about every 10 ms. */
export async function inSlices<T>(steps: Iterator<undefined, T>): Promise<T> {
  for (;;) {
    const pauseAt = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < pauseAt);
    await new Promise((goOn) => setImmediate(goOn));
  }
}
