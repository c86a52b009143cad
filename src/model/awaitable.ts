// A value that may come at once or later.

/** A store on this machine answers at once, a remote one later; callers `await` and need not know. */
export type Awaitable<T> = T | Promise<T>;
