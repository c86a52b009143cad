// Every number of dreams, each with its reason.

import { SPEC } from "../package/package.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export const EVIDENCE_LIMITS = {
  /** What happened in the last month says what the library lacks now. */
  windowMs: 30 * DAY_MS,
  /** Once is chance; a second session makes a pattern. */
  minSessions: 2,
  /** Shorter words are mostly grammar. */
  termLetters: 4,
  terms: 15,
  pairs: 10,
  /** Less than this is a note, not a procedure. */
  sparseChars: 200,
  /** A skill may grow for a week before it is called sparse. */
  sparseAgeMs: 7 * DAY_MS,
  /** A skill that nobody has used for a quarter is idle. */
  idleMs: 90 * DAY_MS,
  /** A new skill has had its chance after a month. */
  unusedAgeMs: 30 * DAY_MS,
  /** Without any use in so many sessions, an installed skill is not needed. */
  unusedSessions: 10,
  /** A skill that was recalled so often and never activated only takes room. */
  shownTurns: 10,
  /** So many sessions ask for something before rules draft a skill for it, or doubt what was recalled. */
  draftSessions: 5,
  /** Turns for which two skills were recalled together before that is called a conflict. */
  conflictTurns: 3,
  /** Messages looked at for gaps; the newest count. Comparing is quadratic. */
  messages: 600,
  /** Skills compared with each other; comparing is quadratic. */
  skills: 2_000,
  /** Items of one kind in a report. */
  items: 20,
  /** Messages quoted for one item. */
  quotes: 5,
} as const;

/** What is asked for after a skill was followed. */
export const WISHES = {
  /** A longer message is a new request, or a text that was pasted. */
  chars: 160,
  /** Words of one message that are compared; every two of them are. */
  words: 12,
} as const;

export const SIMILARITY = {
  /** A message with fewer words of its own is small talk or an answer, not a request. */
  messageWords: 3,
  /** Words and meaning together: one in five hundred unrelated messages is this close, four in ten related ones. */
  message: 0.34,
  /** Two messages alone must be closer than a group, because one chance pair is enough to make two. */
  messagePair: 0.42,
  /** With a word that half of a group has, this share of the likeness is enough to join it. */
  joining: 0.7,
  /** The same by words alone, without an embedder. */
  messageWordsOnly: 0.26,
  /** Two skills say the same when the words of their whole text agree this far… */
  skill: 0.6,
  /** …and their descriptions are this near, if meaning is known. */
  skillMeaning: 0.6,
} as const;

export const GUARD = {
  /** At most this share of the library changes in one run… */
  share: 0.2,
  /** …or this many skills, whichever is more, so that a small library can dream at all. */
  least: 5,
  /** Of each kind of fact, this share must be found again in what absorbs a skill. */
  coverage: 0.8,
  /** Of the ordinary words, half: a merge says things once and in its own words. */
  wordCoverage: 0.5,
  /** A merge may reword: of each clause, this share of the words must be found in one place. */
  clauseMerged: 0.6,
  /** A clause of which words were cut, with nothing in their place, is never the same: what is gone is shown. */
  clauseCut: 0.75,
  /** What is archived because another skill says the same must be said there nearly word for word. */
  clauseSame: 0.8,
  /** An improvement is about the same as before if the new text has this share of the words. */
  aboutBody: 0.4,
  aboutDescription: 0.5,
  /** A rewrite keeps at least this share of the old length. */
  shrink: 0.6,
  /** A merge is at least this share of its longest source. */
  mergeShrink: 0.8,
  /** A skill below this length cannot guide anybody. */
  minChars: 120,
  /** A longer skill does not fit into a prompt. */
  maxChars: 60_000,
  seeAlso: 12,
  summaryChars: 240,
  descriptionChars: SPEC.descriptionChars,
} as const;

export const GATE = {
  /** As many skills as recall shows. */
  top: 3,
  /** Stored messages that are tried again, those of the touched skills first. */
  routes: 300,
  /** Messages shown with a proposal. */
  shown: 6,
} as const;

export const THINKING = {
  /** Input of one pass, in tokens: fits every current model with room for the answer. */
  inputTokens: 24_000,
  /** One list within it: an index of some hundred skills. */
  listTokens: 6_000,
  /** One skill's instructions within it. */
  skillTokens: 1_500,
  messageTokens: 120,
  messages: 120,
  outputTokens: 8_000,
  /** An answer beyond this is not read. */
  answerChars: 400_000,
  /** One call: a slow local model needs minutes, a hanging one must not hold the dream. */
  callMs: 180_000,
  /** First answer, and one more with the complaint. */
  tries: 2,
  /** Saves or archives in one plan; more is noise. */
  planItems: 200,
  directiveChars: 20_000,
} as const;

export const FOLLOW_UP = {
  /** Fewer outcomes say too little. */
  outcomes: 5,
  /** So much lower a rate is clearly worse. */
  drop: 0.2,
} as const;

/** Messages that are recalled before and after a text is changed: some seconds for the first time, then well under one. */
export const WHAT_IF = { messages: 200 } as const;
