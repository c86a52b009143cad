// Rewrites a message of another language in English words, with a glossary of technical and office terms, so that it finds
// skills that are described in English. Names of products stay as they are.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { fold } from "../text/fold.ts";
import { isPlain, lazyPattern } from "../text/patterns.ts";

/** Languages with a glossary `<language>.tsv`: lines of a foreign term, a tab and its English words. */
type Language = "de" | "es" | "fr" | "pt" | "it" | "ru" | "zh" | "ja" | "ko";

/** Frequent function words that tell languages of the Latin script apart; words that English has are left out. */
const FUNCTION_WORDS: Readonly<Record<"de" | "es" | "fr" | "pt" | "it", string>> = {
  de: "der das und ist nicht ein eine einen einer ich wir du mir uns unser unsere mein meine für mit auf aus bei von vom zum zur wie wenn dass auch noch schon bitte kann kannst können soll sollen muss haben habe hat werden wird wurde sich sind über nach alle diese diesen dieser beim im dem den des er sie es zu wo warum welche gibt immer wieder ohne mal ob als doch jetzt hier etwas",
  es: "el los las una unos del que qué para con por en es está están mi mis nuestro nuestra como cómo pero más hay puedo puedes quiero necesito hacer este esta esto ese esa sin sobre cuando donde nos yo tu su sus al lo se le ya también desde hasta muy todo todos cada tengo tiene",
  fr: "le les des une est sont pas pour avec dans sur qui que quoi je tu nous vous mon ma mes notre nos votre ce cette ces comment pourquoi mais plus peux peut dois faut faire être avoir du au aux et ou où se sa son leur sans chaque tout tous très il elle ils on ne y en d l j c qu n s m",
  pt: "o os as uma um do da dos das que não para com por em no na nos nas é são está estão meu minha meus nosso nossa como mas mais eu você preciso quero fazer este esta isso esse essa sem sobre quando onde também já até muito todo cada tenho tem pra ao à num numa dá",
  it: "il gli della dello dei delle degli che non per con una un di da del al alla nel nella sul sulla è sono mi mio mia nostro nostra come ma più ho hai ha devo voglio fare questo questa questi quello senza quando dove anche già ogni tutto tutti lo la le ci si vorrei posso puoi",
};
const ENGLISH_WORDS =
  "the and is are was were of to for with that this it i we you my our your not do does did can could should would have has from how what why when where please but or if so then there their them about into than be been will just get got need want";

const GUESS = {
  /** Words of a message that are looked at. */
  words: 80,
  /** Function words of the language that a message must have: one may be a name. */
  atLeast: 2,
  /** With a letter that English does not have, this many. */
  atLeastAccented: 1,
} as const;

const MATCH = {
  /** Words of the longest term. */
  phraseWords: 3,
  /** Letters that inflection may add to a term or take from it. */
  endings: 3,
  /** Letters of a term that must remain. */
  stem: 5,
  /** Letters of the shortest part of a compound. */
  compoundPart: 4,
  /** English terms taken for one foreign word; further ones are rarer meanings. */
  targets: 2,
  /** Characters of the longest term of a script without spaces. */
  unspaced: 10,
} as const;

const words = lazyPattern("[\\p{L}\\p{M}\\p{N}]+", "gu");
const unspacedRun = lazyPattern("[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー々]+", "gu");
const hangulWord = lazyPattern("^[\\p{sc=Hangul}]+$", "u");
const cyrillicWord = lazyPattern("^[\\p{sc=Cyrillic}]+$", "u");
const kana = lazyPattern("[\\p{sc=Hiragana}\\p{sc=Katakana}]", "u");
const otherScript = lazyPattern(
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Cyrillic}]",
  "u",
);

const wordSets = new Map<string, ReadonlySet<string>>();

function wordSet(language: keyof typeof FUNCTION_WORDS | "en"): ReadonlySet<string> {
  let found = wordSets.get(language);
  if (found === undefined) {
    const list = language === "en" ? ENGLISH_WORDS : FUNCTION_WORDS[language];
    found = new Set(list.split(" "));
    wordSets.set(language, found);
  }
  return found;
}

/** The language of a message in the Latin script; undefined for English and for what cannot be told. */
export function latinLanguage(message: string): keyof typeof FUNCTION_WORDS | undefined {
  const own =
    message
      .toLowerCase()
      .match(isPlain(message) ? /[a-z0-9]+/g : words())
      ?.slice(0, GUESS.words) ?? [];
  const count = (set: ReadonlySet<string>) => own.reduce((sum, word) => sum + Number(set.has(word)), 0);
  const english = count(wordSet("en"));
  let best: keyof typeof FUNCTION_WORDS | undefined;
  let most = english;
  for (const language of Object.keys(FUNCTION_WORDS) as (keyof typeof FUNCTION_WORDS)[]) {
    const hits = count(wordSet(language));
    if (hits > most) {
      best = language;
      most = hits;
    }
  }
  return most >= (isPlain(message) ? GUESS.atLeast : GUESS.atLeastAccented) ? best : undefined;
}

/** A message in English words. */
export interface Glossed {
  readonly text: string;
  /** The message as it was written, if that is another language. */
  readonly original?: string | undefined;
}

interface Terms {
  /** English words by folded foreign term. */
  readonly whole: ReadonlyMap<string, string>;
  /** The same by the first letters that inflection leaves. */
  readonly stems: ReadonlyMap<string, string>;
  readonly stop: ReadonlySet<string>;
}

/** Reads the glossaries of a folder, each when a message first needs it. A language without a file is left as it is. */
export class Glossary {
  private readonly folder: string;
  private readonly terms = new Map<Language, Terms | undefined>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The message with every known foreign term replaced by English words. English messages stay as they are. */
  toEnglish(message: string): Glossed {
    const plain = isPlain(message);
    const scripts = !plain && otherScript().test(message);
    const latin = latinLanguage(message);
    if (!scripts && latin === undefined) return { text: message };
    let text = message;
    if (scripts) text = this.withoutSpaces(text);
    return { text: this.withSpaces(text, latin), original: message };
  }

  /** Chinese and Japanese: the longest known term at each place; what is unknown is left out. */
  private withoutSpaces(message: string): string {
    const terms = this.termsOf(kana().test(message) ? "ja" : "zh");
    if (terms === undefined) return message;
    return message.replace(unspacedRun(), (run) => {
      const found: string[] = [];
      for (let at = 0; at < run.length; ) {
        let size = Math.min(MATCH.unspaced, run.length - at);
        while (size > 0 && !terms.whole.has(run.slice(at, at + size))) size--;
        if (size > 0) found.push(terms.whole.get(run.slice(at, at + size))!);
        at += Math.max(1, size);
      }
      return ` ${found.join(" ")} `;
    });
  }

  private withSpaces(message: string, latin: Language | undefined): string {
    const hits = [...message.matchAll(words())];
    const out: string[] = [];
    let end = 0;
    for (let i = 0; i < hits.length; ) {
      const language = languageOf(hits[i]![0]) ?? latin;
      const terms = language && this.termsOf(language);
      const found = terms && this.match(terms, hits, i, message);
      const last = hits[i + (found?.words ?? 1) - 1]!;
      out.push(message.slice(end, hits[i]!.index), found?.english ?? last[0]);
      end = last.index + last[0].length;
      i += found?.words ?? 1;
    }
    out.push(message.slice(end));
    return out.join("");
  }

  /** The longest known phrase from the word `at` on, then the word by its stem, then its parts. */
  private match(
    { whole, stems, stop }: Terms,
    hits: readonly RegExpMatchArray[],
    at: number,
    message: string,
  ): { readonly english: string; readonly words: number } | undefined {
    const folded: string[] = [];
    for (let n = 0; n < MATCH.phraseWords && at + n < hits.length; n++) {
      const before = hits[at + n - 1];
      const gap = n === 0 ? " " : message.slice(before!.index! + before![0].length, hits[at + n]!.index);
      if (n > 0 && !/^[\s'’-]+$/.test(gap)) break;
      folded.push(fold(hits[at + n]![0]));
    }
    for (let n = folded.length; n > 1; n--) {
      const english = whole.get(folded.slice(0, n).join(" "));
      if (english !== undefined) return { english, words: n };
    }
    const word = folded[0]!;
    if (stop.has(word)) return { english: "", words: 1 };
    const english = whole.get(word) ?? byStem(word, { whole, stems }) ?? compound(word, { whole, stems });
    return english === undefined ? undefined : { english, words: 1 };
  }

  private termsOf(language: Language): Terms | undefined {
    if (!this.terms.has(language)) this.terms.set(language, this.read(language));
    return this.terms.get(language);
  }

  private read(language: Language): Terms | undefined {
    try {
      const whole = new Map<string, string>();
      const stems = new Map<string, string>();
      for (const line of readFileSync(join(this.folder, `${language}.tsv`), "utf8").split("\n")) {
        const tab = line.indexOf("\t");
        if (tab < 0) continue;
        const term = fold(line.slice(0, tab));
        const english = line.slice(tab + 1);
        const known = whole.get(term);
        const targets = known?.split(", ") ?? [];
        if (known === undefined) whole.set(term, english);
        else if (targets.length < MATCH.targets && !targets.includes(english))
          whole.set(term, `${known}, ${english}`);
        const stem = term.slice(0, Math.max(MATCH.stem, term.length - 2));
        if (!stems.has(stem)) stems.set(stem, whole.get(term)!);
      }
      const stop = readFileSync(join(this.folder, `stop-${language}.txt`), "utf8").split("\n");
      const guess = language in FUNCTION_WORDS ? FUNCTION_WORDS[language as keyof typeof FUNCTION_WORDS] : "";
      return { whole, stems, stop: new Set([...stop, ...guess.split(" ")].map(fold)) };
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  }
}

function languageOf(word: string): Language | undefined {
  if (isPlain(word)) return undefined;
  if (cyrillicWord().test(word)) return "ru";
  return hangulWord().test(word) ? "ko" : undefined;
}

type Lookup = Pick<Terms, "whole" | "stems">;

/** A term that has the word's first letters and differs from it in a short ending only. */
function byStem(word: string, { whole, stems }: Lookup): string | undefined {
  const isHangul = !isPlain(word) && hangulWord().test(word);
  const least = isHangul ? 1 : MATCH.stem;
  for (let size = word.length; size >= least && size >= word.length - MATCH.endings; size--) {
    const head = word.slice(0, size);
    const english =
      (size < word.length ? whole.get(head) : undefined) ?? (isHangul ? undefined : stems.get(head));
    if (english !== undefined) return english;
  }
  return undefined;
}

/** German joins words: "Besprechungsprotokoll" is "besprechung", a joining letter, and "protokoll". The last part is the main one. */
function compound(word: string, lookup: Lookup): string | undefined {
  let byEnding: string | undefined;
  for (let size = MATCH.compoundPart; size <= word.length - MATCH.compoundPart; size++) {
    const head = lookup.whole.get(word.slice(0, size));
    if (head === undefined) continue;
    const rest = word.slice(size).replace(/^(?:s|n|en|es)(?=\w{4})/, "");
    const tail = lookup.whole.get(word.slice(size)) ?? lookup.whole.get(rest);
    if (tail !== undefined) return `${head} ${tail}`;
    const stemmed = byStem(rest, lookup);
    if (stemmed !== undefined) byEnding ??= `${head} ${stemmed}`;
  }
  return byEnding;
}
