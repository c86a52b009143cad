// Chooses one of the six frames for a message from cues in its text, if the host gives no frame.

import type { Frame } from "../model/frame.ts";
import { type Alphabet, alternativesIn, inAlphabet } from "../text/patterns.ts";

export interface FrameChoice {
  readonly name: Frame;
  /** 0 to 1: how far ahead of the next frame it is. */
  readonly confidence: number;
}

interface Cue {
  readonly frame: Frame;
  readonly weight: number;
  readonly fits: (text: string) => boolean;
}

/** Only the beginning is read, so that a pasted log neither decides the frame nor takes time. */
const READ_CHARS = 2000;

/** The weight of the frame "task", which a message without a cue gets. */
const DEFAULT_WEIGHT = 0.6;

/** Whole words in any script. The text must be lower-case, because the flags `iu` are slow to compile. */
const words = (alternatives: string) =>
  choice(
    alternatives,
    ({ letters, digits }, given) => `(?<![${letters}${digits}_])(?:${given})(?![${letters}${digits}_])`,
  );

/** The beginning of a message, after spaces and the signs that open a sentence in Spanish. */
const opening = (alternatives: string, rest: (alphabet: Alphabet) => string) =>
  choice(alternatives, (alphabet, given) => `^[\\s¡¿]*(?:${given})${rest(alphabet)}`);

/** Tests a text with a pattern of those alternatives that can occur in it. */
function choice(
  alternatives: string,
  source: (alphabet: Alphabet, given: string) => string,
): (text: string) => boolean {
  const within = alternativesIn(alternatives);
  const made = new Map<string, (text: string) => RegExp>();
  return (text) => {
    const given = within(text);
    if (given === undefined) return false;
    let pattern = made.get(given);
    if (pattern === undefined) {
      pattern = inAlphabet((alphabet) => source(alphabet, given), "");
      if (made.size >= KEPT_PATTERNS) made.clear();
      made.set(given, pattern);
    }
    return pattern(text).test(text);
  };
}

/** Patterns that a long-lived process keeps for each cue. */
const KEPT_PATTERNS = 100;

const GREETINGS =
  "hi|hey|hello|good (?:morning|evening|night|afternoon)|thanks?|thank you|thx|cheers|bye|goodbye|see you|lol|haha|nice|great|cool|awesome|perfect|hallo|danke|tsch[uü]ss|bonjour|salut|merci|hola|gracias|ciao|grazie|ol[aá]|obrigad[oa]|你好|谢谢|こんにちは|ありがとう";

/** After "do" or "have" at the beginning, these words make a request: "do some writing", "have a look". */
const THINGS = "(?:a|an|the|some|this|that|my|our|more|another|not|something|nothing)";

/** What a request may begin with: "could you please run …". */
const POLITELY =
  "(?:(?:please|pls|now|then|and|can you|could you|would you|will you|let'?s|i (?:want|need)(?: you)? to)[\\s,]+){0,4}";
const REQUESTS =
  "add|build|create|implement|make|write|generate|set ?up|configure|install|deploy|refactor|migrate|convert|update|upgrade|remove|delete|rename|move|run|test|review|publish|release|summari[sz]e|translate|analy[sz]e|extract|optimi[sz]e|document|send|schedule|plan|prepare|scan|audit|benchmark|integrate";
const wordEnd = ({ letters, digits }: Alphabet) => `(?![${letters}${digits}_])`;

const greets = alternativesIn(GREETINGS);
const asks = choice(REQUESTS, (alphabet, given) => `^[\\s¡¿]*${POLITELY}(?:${given})${wordEnd(alphabet)}`);
const asksAfterGreeting = choice(
  REQUESTS,
  (alphabet, given) => `^[\\s¡¿]*(?:(?:${GREETINGS})[\\s,!.]+)?${POLITELY}(?:${given})${wordEnd(alphabet)}`,
);

/** Phrases that name the frame weigh more than words that only occur in it. */
const CUES: readonly Cue[] = [
  {
    frame: "debug",
    weight: 2,
    fits: words(
      "stack ?trace|traceback|segfault|regression|flak(?:y|es)|root cause|bisect|does ?n[o']t work|is ?n[o']t working|not working|stopped working|why (?:does|is|did) .{1,60} (?:fail|break|crash)",
    ),
  },
  {
    frame: "debug",
    weight: 1.2,
    fits: words(
      "bugs?|debug(?:ging)?|errors?|exceptions?|fail(?:s|ed|ing|ure)?|crash(?:es|ed|ing)?|broken?|breaks|breaking|fix(?:es|ing)?|hangs?|leak(?:s|ing)?|fehler|kaputt|erreur|bogue|fallo|errore",
    ),
  },
  {
    frame: "decision",
    weight: 2.5,
    fits: words(
      "should (?:i|we)|which (?:one|is better|of)|pros and cons|trade-?offs?|decide (?:between|whether)|choose between|better (?:to|than)|worth it|sollen wir|soll ich|dois-je|deber[ií]a(?:mos)?",
    ),
  },
  {
    frame: "decision",
    weight: 1,
    fits: words("compare|versus|vs|decision|alternatives|recommend|evaluate (?:options|whether)"),
  },
  {
    frame: "creative",
    weight: 2,
    fits: words(
      "brainstorm|poem|story|lyrics|slogan|tagline|haiku|fiction|metaphor|come up with|(?:write|rewrite) (?:a|an|me|some|the|our|my) (?:blog|article|post|essay|email|letter|speech|headline|copy|newsletter|caption|toast|song|bio)|(?:do|some|bit of|creative|do (?:the|our|my|more)) (?:re|copy|ghost)?(?:writing|drawing|designing|brainstorming|storytelling)|copywriting|design (?:a|an|the) (?:logo|poster|page|banner|illustration)|(?:do|make|some|bit of|need|want) (?:(?:graphic|visual|nice|new) )?(?:design|artwork|art) for (?:a|an|the|our|my) (?:\\w+ )?(?:poster|flyer|logo|banner|cover|card|invitation|brochure|menu|album|t-?shirt|page|website|newsletter|leaflet)",
    ),
  },
  {
    frame: "creative",
    weight: 1,
    fits: words("draft|creative|illustrate|rewrite|gedicht|geschichte|po[eè]me|cuento"),
  },
  {
    frame: "question",
    weight: 1.4,
    fits: opening(
      `what|why|how|when|where|who|whose|which|is|are|am|was|were|does|did|(?:do|have)(?! ${THINGS}\\b)|(?:can|could|would|will)(?! you)|has|explain|tell me|warum|wie|wann|wo|wer|welche|que|quoi|pourquoi|comment|quand|qué|cómo|cuándo|dónde|cosa|come|perché`,
      wordEnd,
    ),
  },
  { frame: "question", weight: 0.8, fits: (text) => /[?？]\s*$/.test(text) },
  {
    frame: "conversation",
    weight: 2,
    fits: opening(GREETINGS, ({ signs }) => `[\\s${signs}]*$`),
  },
  {
    frame: "conversation",
    weight: 1,
    fits: opening(
      GREETINGS,
      (alphabet) =>
        `(?![\\s,!.]+${POLITELY}(?:${REQUESTS})${wordEnd(alphabet)})(?:[\\s,!.]+[${alphabet.letters}']+){0,4}[\\s${alphabet.signs}]*$`,
    ),
  },
  {
    frame: "task",
    weight: 1.2,
    fits: (text) => (greets(text) === undefined ? asks(text) : asksAfterGreeting(text)),
  },
];

/** The frame with the most weight; ties go to the earlier one of debug, decision, creative, question, task, conversation. */
export function chooseFrame(message: string): FrameChoice {
  const text = message.slice(0, READ_CHARS).toLowerCase().replaceAll("’", "'");
  const weights = new Map<Frame, number>([["task", DEFAULT_WEIGHT]]);
  for (const { frame, weight, fits } of CUES) {
    if (fits(text)) weights.set(frame, (weights.get(frame) ?? 0) + weight);
  }
  const order: readonly Frame[] = ["debug", "decision", "creative", "question", "task", "conversation"];
  const ranked = order
    .map((name) => ({ name, weight: weights.get(name) ?? 0 }))
    .sort((a, b) => b.weight - a.weight);
  const [best, next] = ranked;
  return {
    name: best!.name,
    confidence: Math.round((1 - next!.weight / (best!.weight + next!.weight)) * 100) / 100,
  };
}
