// The front door of package: what other rooms may use.

export {
  compareMarks,
  type FileChanges,
  type FileMarks,
  fileMark,
  marksOf,
  type PackageSnapshot,
  packageDigest,
  type SnapshotFile,
  sha256Of,
  snapshotPackage,
} from "./digest.ts";
export { isPortableName, isSkillFile, PACKAGE_LIMITS, SKILL_FILE, SPEC } from "./facts.ts";
export {
  isSameFile,
  listPackage,
  type PackageFile,
  packageFiles,
  readPackage,
  readRegularFile,
  skillFileOf,
} from "./files.ts";
export { replacePackage, writeNewPackage } from "./write.ts";
