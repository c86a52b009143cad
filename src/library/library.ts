// The front door of library: what other rooms may use.

export type { Progress } from "./catalog.ts";
export { alwaysTokens, type LibraryCost, libraryCost, type SkillCost } from "./cost.ts";
export type { LibraryChanges } from "./diff.ts";
export { matchesAny, type RuleSubject, ruleFits } from "./glob.ts";
export {
  type InspectedPackage,
  type InspectionPlace,
  type InspectionReport,
  type InspectionSummary,
  inspectPlaces,
  isWorrying,
  placesAt,
  placesInSources,
  summariseInspection,
} from "./inspections.ts";
export { type SkillSelection, SORTS, type Sort, selectSkills, sortedBy } from "./listing.ts";
export { Library, type ShadowedSkill } from "./precedence.ts";
export { type BodySink, type LibraryReader, StoredLibrary } from "./reader.ts";
export {
  checkSkills,
  countStates,
  listedSummary,
  packageDigests,
  reportSkill,
  reportSources,
  type SkillReport,
  type SourceReport,
  skillDetails,
} from "./reports.ts";
export { LibraryScanner } from "./scanner.ts";
export { asRequest, breathe, inSlices, quiet, stopSlices } from "./slices.ts";
export { type LibrarySnapshot, sourcesKey } from "./snapshot.ts";
export { SnapshotDamage } from "./snapshot-file.ts";
export { Targets } from "./targets.ts";
export { type Audience, LibraryView } from "./view.ts";
export { Visibility } from "./visibility.ts";
