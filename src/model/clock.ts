// The port for the current time.

/** Returns the current time; tests pass their own. */
export interface Clock {
  now(): Date;
}
