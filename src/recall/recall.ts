// The front door of recall: what other rooms may use.

export { ABSTAIN_BELOW } from "./calibrate.ts";
export type { Embedder } from "./embedder.ts";
export type { EncodedParts, SharedVectors, SkillEncoder } from "./encoder.ts";
export { EVAL_RUNS, type EvalRun, keepRun, readRuns } from "./eval-runs.ts";
export {
  addCase,
  casesFrom,
  type EvalCase,
  type EvalFailure,
  type EvalOptions,
  type EvalReport,
  evaluate,
  type GroupFigures,
  OWN_CASES,
  readCases,
  readEvalJson,
  regressions,
} from "./evaluation.ts";
export { EXAMPLE_LIMITS, ExampleMessages, validMessages } from "./example-messages.ts";
export type { BackgroundIdf } from "./features-message.ts";
export type { FrameChoice } from "./frames.ts";
export { Glossary } from "./glossary.ts";
export { Indexing } from "./index-upkeep.ts";
export { createIntentModel, type Intent, type IntentWeights } from "./intent.ts";
export { RecallLearning } from "./learning.ts";
export { type IndexSettings, RecallIndex } from "./recall-index.ts";
export { type IntentChoice, type RecallOptions, type RecallSettings, recall } from "./recall-skills.ts";
export { type RecallAnswer, type RecallRequest, SessionRecall } from "./session-recall.ts";
export { NOTHING_KNOWN } from "./signals/effectiveness.ts";
export { headText } from "./skill-document.ts";
export { createTopics } from "./topics.ts";
export { triggerFindings } from "./trigger-findings.ts";
export type { Explanation } from "./why.ts";
