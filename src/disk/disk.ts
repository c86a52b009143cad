// The front door of disk: what other rooms may use.

export { appendLines, type Lines, readLines } from "./lines.ts";
export { IGNORED_FOLDERS, isBelow, isInside } from "./paths.ts";
export {
  DISK,
  entriesOf,
  type Files,
  isLeftover,
  removeEmptyFolders,
  removeFile,
  removeQuietly,
  stageFile,
  sweepLeftovers,
  syncFile,
  syncFolder,
  writeFileAtomically,
} from "./write.ts";
