// The public promise of the package: everything here is documented and stays; nothing else is public.

export { CONFIG_FILE, type Config, type ConfigInput, loadConfig } from "./config.ts";
export { type OpenOptions, openRepertoire, Repertoire } from "./engine.ts";
export type { LibraryChanges } from "./library/diff.ts";
export type { Library } from "./library/library.ts";
export type { Audience, LibraryView } from "./library/view.ts";
export type { SkillReport } from "./management.ts";
export type { Diagnostic, Severity } from "./model/diagnostic.ts";
export { isRepertoireError, RepertoireError } from "./model/errors.ts";
export { FRAMES, type Frame } from "./model/frame.ts";
export { type NameResult, type SkillName, toSkillName } from "./model/name.ts";
export type { ListedSkill, Requirements, Skill, SkillManifest, SkillState, Triggers } from "./model/skill.ts";
export type { ExtraSource, Source } from "./model/source.ts";
export {
  type Budget,
  type Match,
  type Reason,
  type Section,
  STYLES,
  type Style,
  type Turn,
} from "./model/turn.ts";
export { type ParsedSkill, type Profile, parseSkill } from "./parse/parse.ts";
export type { Clock, Embedder } from "./ports.ts";
export type { Recalled } from "./recall/recall.ts";
export type { Explanation } from "./recall/why.ts";
export type { Prompt, PromptOptions, RecallAnswer, RecallRequest } from "./turns.ts";
