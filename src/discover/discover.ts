// The front door of discover: what other rooms may use.

export {
  DECIDING_HOSTS,
  type HostDecision,
  type ProjectStanding,
  projectStanding,
  trustedProjects,
  trustProject,
} from "./folder-trust.ts";
export { type HostSkills, hostSkills } from "./host-registries.ts";
export { misnamedSources } from "./misnamed.ts";
export {
  checkedSource,
  hostFolders,
  projectFolders,
  resolveSources,
  type SharedSource,
  type SourceOptions,
  sharedSources,
} from "./sources.ts";
export {
  discover,
  type EarlierFolder,
  type EarlierScan,
  type FoundFile,
  POLICY_FILE,
  type Scan,
} from "./walk.ts";
export { FolderWatch } from "./watch.ts";
