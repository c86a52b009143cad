// The front door of package: what other rooms may use.

export {
  compareMarks,
  type FileChanges,
  type FileMarks,
  fileMark,
  marksOf,
  packageDigest,
  type Snapshot,
  snapshotPackage,
} from "./digest.ts";
export { isSkillFileName, listPackage, packageFiles } from "./listing.ts";
export { readRegularFile } from "./regular-file.ts";
export {
  isSameFile,
  isSkillFile,
  type PackageFile,
  readPackage,
  replacePackage,
  sha256Of,
  skillFileOf,
} from "./skill-package.ts";
export { writeNewPackage } from "./write-package.ts";
