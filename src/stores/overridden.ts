// Owns putting other members in front of an object that keeps its own state: a store that is watched, or traced.

/** The same object with some of its members replaced. */
export function overridden<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in own) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
