// The front door of activate: what other rooms may use.

export {
  type ConsentAsker,
  type ConsentSheet,
  changesInWords,
  decide,
  deniedByPolicy,
  ruleFits,
} from "./consent.ts";
export { Grants } from "./consents.ts";
export { typedCommand } from "./expand.ts";
export { PACKAGE_LIMITS } from "./limits.ts";
export { mountPackage, verifiedMount } from "./mount.ts";
export { logicalPath, type Place, skillFolder } from "./private-folder.ts";
export { type FilePart, readTextFile } from "./read-file.ts";
export type { ConsentRecord, TaskRecord, TaskStore, TrustRecord, TrustStore } from "./task-store.ts";
export { type Activation, type ScriptCall, type TaskContext, Tasks } from "./tasks.ts";
