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
  type ReplacedPackage,
  readPackage,
  readRegularFile,
  replacePackages,
  type SnapshotFile,
  sha256Of,
  skillFileOf,
  snapshotPackage,
  walkPackage,
  writeNewPackage,
} from "./files.ts";
export { packagePatch } from "./patch.ts";
export { surveyFile, surveyPackage } from "./survey.ts";
