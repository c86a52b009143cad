// The time, as a port.

/** The time, passed in so that tests can set it. */
export interface Clock {
  now(): Date;
}
