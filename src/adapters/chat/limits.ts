// Owns the numbers of the chat, each with its why.

export const LIMITS = {
  /** Recall, activate, read, run and report take five; a longer way is usually a circle. */
  steps: 12,
  /** With the section, the tools and an answer it fits a model with room for 32,000 tokens. */
  historyTokens: 20_000,
  /** Reasons behind a recalled skill that stand on its line. */
  reasons: 3,
  /** Of what a tool was asked and answered, as much as fits beside its name. */
  toolChars: 100,
  /** Skills that `/skills` lists before the rest is counted. */
  skills: 40,
} as const;
