// Owns what the journal's benchmark uses of the sources, so that it can be bundled as one file.

export { openRepertoire } from "../../src/engine/engine.ts";
export { eventOf, recalledEvents, shownEvents } from "../../src/journal/events.ts";
export { effectivenessFrom } from "../../src/journal/tally.ts";
export { sqliteStore } from "../../src/stores/sqlite/store.ts";
export { TurnFiles } from "../../src/stores/sqlite/turn-files.ts";
