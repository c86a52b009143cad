// The front door of stores: what other rooms may use.

export { type LightStore, openLightStore } from "./light.ts";
export { observedStore, type StoreNews } from "./observed.ts";
export { overridden } from "./overridden.ts";
export { openSqliteStore } from "./sqlite.ts";
export type { Store } from "./store.ts";
