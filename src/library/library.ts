// The front door of library: what other rooms may use.

export { buildCatalog, type ParseFile } from "./catalog.ts";
export type { LibraryChanges } from "./diff.ts";
export { matchesAny } from "./glob.ts";
export { Library } from "./precedence.ts";
export { rankForDisclosure } from "./rank.ts";
export { type Progress, Shelf } from "./scanner.ts";
export { type Audience, LibraryView } from "./view.ts";
export { Visibility } from "./visibility.ts";
