// The front door of disk: what other rooms may use.

export { appendDurably, writeDurably } from "./durable.ts";
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
  syncFolder,
} from "./durable-write.ts";
export { appendLines, type Lines, readLines } from "./line-file.ts";
