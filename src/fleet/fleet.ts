// The front door of fleet: what other rooms may use.

export { type IndexFiles, keepIndex, keptIndex, sharedVectors } from "./carried-index.ts";
export {
  Exchange,
  type ExchangedSkill,
  type ExchangeOptions,
  type ExchangeReport,
  type ExchangeWay,
} from "./exchange.ts";
export { Follower, type FollowerState } from "./follower.ts";
export { type HomeImportReport, importHome } from "./home-import.ts";
export { Mirror, type MirrorChanges } from "./mirror.ts";
export { type LateConflict, Outbox, type WaitingChange } from "./outbox.ts";
export { type SharedLibrary, type SharedScope, unlessAway } from "./shared-library.ts";
