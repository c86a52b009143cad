// The front door of learn: what other rooms may use.

export { composeSkill, metadataOf } from "../parse/parse.ts";
export type { HistoryReport } from "./history.ts";
export type { LanguageModel, ModelAnswer, ModelRequest } from "./language-model.ts";
export { type Changed, type LessonStep, Lessons } from "./learned-skills.ts";
export { checkConformance } from "./lesson-text.ts";
export { LessonPlaces } from "./places.ts";
export { scaffold, TEMPLATES, type Template } from "./scaffold.ts";
export {
  type BlobStore,
  followRedirects,
  type RedirectRecord,
  type RedirectStore,
  VERSION_ACTIONS,
  type VersionRecord,
  type VersionStore,
} from "./version-store.ts";
