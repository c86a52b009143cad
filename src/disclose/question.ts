// Detects messages that only ask which skills there are ("what can you do", "list skills"), in several languages.

import { isPlain, lazyPattern } from "../text/patterns.ts";

/** A longer message is a task that mentions skills. */
const LONGEST_QUESTION = 160;

/** Words before or after the question that do not change it. Each is listed once, because ambiguity slows matching. */
const COURTESY = [
  "hi|hey|hello|please|pls|thanks|thank you|so|ok|okay|now|then|exactly|here|for me|all|again|can you|could you",
  "hallo|bitte|danke|mal|denn|eigentlich|alles|genau|hier|für mich|kannst du|können sie|könntest du",
  "bonjour|salut|merci|s'il te plaît|s'il vous plaît|stp|svp|exactement|ici|donc|pour moi|peux tu|pouvez vous",
  "hola|por favor|gracias|exactamente|aquí|puedes|puede|podrías|para mí",
  "ciao|per favore|grazie|esattamente|qui|puoi|può|potresti|per me|olá|obrigado|obrigada|exatamente|você pode",
].join("|");

const WHAT_YOU_HAVE = "skills?|skill set|abilities|capabilities|tools and skills|skills and tools";

const QUESTIONS = [
  // English
  "what (?:can|could) you (?:do|help (?:me |us )?with)(?: for (?:me|us))?",
  "what (?:are you able to|do you know how to) do",
  `what (?:are )?(?:your |the |available |installed )*(?:${WHAT_YOU_HAVE})(?: (?:are|is) (?:there|available|installed|loaded))?`,
  `(?:what|which) (?:kinds? of )?(?:${WHAT_YOU_HAVE}) (?:do|can) (?:you|i|we) (?:have|know|offer|use|support)(?: access to| available)?`,
  `(?:list|show|tell|give|display|enumerate|print)(?: me| us)?(?: (?:a |the )?(?:list|overview) of)?(?: (?:all|your|my|the|of|available|installed|every))* (?:${WHAT_YOU_HAVE})(?: (?:you have|available|that you have|there are|installed))?`,
  `(?:available|installed|my|your) (?:${WHAT_YOU_HAVE})`,
  "how can you help(?: me| us)?",
  // German
  "was (?:kannst du|können sie|könnt ihr)(?: (?:alles|so|denn|für mich|für uns))*(?: (?:machen|tun))?",
  "(?:welche|was für) (?:skills|fähigkeiten|fertigkeiten) (?:hast du|haben sie|gibt es|kannst du|kennst du|sind (?:verfügbar|installiert|da))",
  "(?:zeig|zeige|zeigen sie|liste|nenn|nenne|nennen sie)(?: mir| uns)?(?: (?:bitte|mal|alle|deine|die|ihre|verfügbaren|installierten))* (?:skills|fähigkeiten|fertigkeiten)(?: auf)?",
  "(?:wobei|womit) (?:kannst du|können sie)(?: (?:mir|uns))? helfen",
  // French
  "(?:que|qu'est ce que) (?:peux tu|pouvez vous|tu peux|vous pouvez|sais tu|tu sais)(?: faire)?(?: pour (?:moi|nous))?",
  "(?:quelles?|quels?) (?:sont )?(?:(?:tes|vos|les) )?(?:compétences|capacités|skills)(?: (?:as tu|avez vous|sont disponibles|disponibles))?",
  "(?:liste|lister|montre|montrez|affiche|affichez|donne|donnez)(?: moi)?(?: (?:la liste (?:de|des)|toutes|tous|tes|vos|les))* (?:compétences|capacités|skills)(?: disponibles)?",
  // Spanish
  "qué (?:puedes|puede|sabes|sabe|podéis) hacer(?: por (?:mí|nosotros))?",
  "(?:qué|cuáles) (?:son )?(?:(?:tus|sus|las) )?(?:habilidades|capacidades|skills)(?: (?:tienes|tiene|hay|disponibles))?",
  "(?:lista|listar|muestra|muéstrame|enumera|dame)(?: (?:la lista de|todas|todos|tus|sus|las|los))* (?:habilidades|capacidades|skills)(?: disponibles)?",
  // Italian and Portuguese
  "(?:che )?cosa (?:puoi|sai|può|sa) fare(?: per me)?",
  "(?:quali|che) (?:sono )?(?:(?:le tue|le) )?(?:abilità|competenze|capacità|skill|skills)(?: (?:hai|ha|ci sono|disponibili))?",
  "(?:elenca|elencami|mostra|mostrami)(?: (?:tutte|le|tue))* (?:abilità|competenze|capacità|skill|skills)(?: disponibili)?",
  "(?:o )?que (?:você pode|você sabe|podes|sabes|consegues) fazer(?: por mim)?",
  "(?:quais|que) (?:são )?(?:(?:as suas|as tuas|suas|as) )?(?:habilidades|capacidades|competências|skills)(?: (?:você tem|tens|existem|disponíveis))?",
  "(?:liste|listar|mostre|mostra)(?: (?:todas|as|suas|tuas))* (?:habilidades|capacidades|competências|skills)(?: disponíveis)?",
];

/** Questions in scripts without spaces. */
const UNSPACED_QUESTIONS = [
  "(?:请|請)?(?:你|您)(?:都)?(?:能|会|會|可以)(?:帮我|幫我|为我)?(?:做|干|幹)?(?:些)?(?:什么|什麼|啥)",
  "(?:请|請)?(?:列出|显示|顯示|告诉我|有)(?:你|您)?(?:的)?(?:所有|全部|哪些)?(?:的)?(?:可用)?(?:的)?(?:技能|能力)",
  "(?:你|您)(?:有|会|會)(?:哪些|什么|什麼)(?:技能|能力)",
  "(?:あなたは)?(?:何|なに)が(?:できますか|できるの|できる)",
  "(?:使える|利用可能な)?スキル(?:の)?(?:一覧|リスト)?(?:を)?(?:見せて|表示して|教えて)(?:ください)?",
];

/** Words of which each question has one: the pattern of all questions takes long to compile, and most messages have none. */
const HINT = /skill|abilit|capa|comp[eé]t|habil|f(?:ä|er)|what|help|was |wobei|womit|qu[eé']|cosa/;

const SPACED = lazyPattern(`^(?:(?:${COURTESY}) )*(?:${QUESTIONS.join("|")})(?: (?:${COURTESY}))*$`, "u");
const UNSPACED = lazyPattern(`^(?:${UNSPACED_QUESTIONS.join("|")})(?:呢|吗|嗎|啊)?$`, "u");

/** Whether a message asks what the agent can do or which skills there are, and nothing else. */
export function asksForList(message: string): boolean {
  if (message.length > LONGEST_QUESTION) return false;
  if (isPlain(message)) return isSpacedQuestion(message.toLowerCase().replace(/[^a-z0-9']+/g, " "));
  const words = message
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[^\p{L}\p{M}\p{N}']+/gu, " ");
  return isSpacedQuestion(words) || UNSPACED().test(words.replaceAll(" ", ""));
}

function isSpacedQuestion(words: string): boolean {
  return HINT.test(words) && SPACED().test(words.trim());
}
