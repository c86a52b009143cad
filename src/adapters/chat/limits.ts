// The limits of the chat, each with its reason.

export const CHAT_LIMITS = {
  /** Recall, activate, read, run and report take five; an agent that needs more than twelve usually repeats itself. */
  steps: 12,
  /** With the section, the tools and an answer, this fits a context of 32,000 tokens. */
  historyTokens: 20_000,
  /** Reasons that the line of a recalled skill shows. */
  reasons: 3,
  /** Characters of a tool call and of its result that fit beside the name of the tool. */
  toolChars: 100,
  /** Skills that `/help` names: with the commands they fit a screen of 24 lines. */
  helpSkills: 5,
  /** Skills that `/skills` lists before the rest is counted. */
  skills: 40,
} as const;
