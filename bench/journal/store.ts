// Owns what the journal's benchmark uses of the sources, so that it can be bundled as one file.

export { openRepertoire } from "../../src/engine/engine.ts";
export { effectivenessFrom } from "../../src/journal/effectiveness.ts";
export { eventOf, recalledEvents, shownEvents } from "../../src/journal/turn-events.ts";
export { openLightStore } from "../../src/stores/light.ts";
export { openSqliteStore } from "../../src/stores/sqlite.ts";
