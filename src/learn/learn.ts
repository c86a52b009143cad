// The front door of learn: what other rooms may use.

export { checkConformance } from "./checks.ts";
export type { LearnedStep, Notice, SaveRequest } from "./drafts.ts";
export {
  Enrichment,
  type EnrichmentPlan,
  type EnrichmentQuestion,
  type EnrichmentResult,
  type EnrichmentSubmitted,
} from "./enrichment.ts";
export type { ArchivedSkill, HistoryOptions, HistoryReport } from "./history.ts";
export type { LanguageModel, ModelAnswer, ModelRequest } from "./language-model.ts";
export {
  type Attribution,
  type Changed,
  type LearnedNeeds,
  LearnedSkills,
  type PlacedPackage,
} from "./learned-skills.ts";
export { SkillPlaces } from "./places.ts";
export { type CreatedSkill, type CreateOptions, TEMPLATES, type Template } from "./scaffold.ts";
export type { SkillContent } from "./skill-content.ts";
export { bundledStarters, type Starter, type StarterFate, type StarterProvider } from "./starters.ts";
export {
  type BlobStore,
  followRedirects,
  isSamePlace,
  type PendingChange,
  placeOf,
  type RedirectRecord,
  type RedirectStore,
  redirectAfter,
  type SkillPlace,
  VERSION_ACTIONS,
  type VersionAction,
  type VersionFile,
  type VersionRecord,
  type VersionStore,
} from "./version-store.ts";
export type { BesidePackage, ChangeStore, PackagePlace, PackageSurroundings } from "./versions.ts";
