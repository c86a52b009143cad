// The result type of ports that may be synchronous or asynchronous.

/** Local stores return the value, remote stores a promise of it; callers `await` both. */
export type Awaitable<T> = T | Promise<T>;
