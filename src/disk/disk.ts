// The front door of disk: what other rooms may use.

export {
  DISK,
  entriesOf,
  type Files,
  IGNORED_FOLDERS,
  isLeftover,
  isRunning,
  makeFolder,
  removeEmptyFolders,
  removeFile,
  removeQuietly,
  sweepAbandoned,
  sweepFolder,
  sweepLeftovers,
  syncFile,
  syncFolder,
  temporaryOf,
  UNREADABLE,
  UNWRITABLE,
  unlessMissing,
  writeFileAtomically,
} from "./durable.ts";
export { isBelow, isInside, realPath } from "./inside.ts";
export { appendDurably, appendLines, forEachLine, type Lines, readLines, syncAppended } from "./lines.ts";
export { closeFolder, makePrivate, makePrivateFile, PRIVATE_FILE, PRIVATE_FOLDER } from "./private.ts";
export { readBounded, readInput, withRegularFile } from "./regular-file.ts";
export { StagedFiles, writeFilesAtomically } from "./together.ts";
