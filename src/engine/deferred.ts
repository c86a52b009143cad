// An object whose methods can be called before it is opened: the first call opens it.

/** The methods of T, all asynchronous. */
export type Deferred<T> = {
  readonly [K in keyof T as T[K] extends (...args: never[]) => unknown ? K : never]: T[K] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

export function deferred<T extends object>(open: () => Promise<T>): Deferred<T> {
  return new Proxy({} as Deferred<T>, {
    get(_, key) {
      // Otherwise `await` would take the object for a promise.
      if (key === "then") return undefined;
      return async (...args: unknown[]) => {
        const opened = await open();
        return (Reflect.get(opened, key) as (...args: unknown[]) => unknown).apply(opened, args);
      };
    },
  });
}
