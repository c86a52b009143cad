// The front door of package: what other rooms may use.

export { isPortableName, isSkillFile, PACKAGE_LIMITS, SKILL_FILE, SPEC } from "./facts.ts";
export {
  compareMarks,
  type FileChanges,
  type FileMarks,
  fileMark,
  instructionsDigest,
  isSameFile,
  listPackage,
  marksOf,
  type PackageFile,
  type PackageSnapshot,
  packageDigest,
  packageFiles,
  readPackage,
  readRegularFile,
  replacePackage,
  type SnapshotFile,
  sha256Of,
  skillFileOf,
  snapshotPackage,
  walkPackage,
  writeNewPackage,
} from "./files.ts";
export { surveyFile, surveyPackage } from "./survey.ts";
