// The front door of tools: what other rooms may use.

export {
  ActivatedSkills,
  matchesName,
  type ScriptCall,
  type TaskContext,
  type TaskStores,
  type TasksOptions,
} from "./activated-skills.ts";
export { type ScriptResult, UNSANDBOXED_FLAG } from "./scripts.ts";
