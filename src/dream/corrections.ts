// Finds by rule the messages in which a person corrects what the agent has just done: "no, that is wrong", "you forgot …".

import { fold } from "../text/fold.ts";

/** A correction says so at its beginning; what comes later is a new request, or a text that was pasted. */
const LOOKED_AT = 240;

/** Written for folded text: lower case, without accents. A subject must be the agent ("you") or its work ("that", "it"). */
const ENGLISH = [
  // "no, that is wrong"; not "no, thanks" or "no problem".
  /^(?:no|nope|nah|hm+|uh|wait|stop|sorry|hey|oh|ok|but|actually|please|still)*[\s,.!:;-]*(?:no|nope|nah)\b[\s,.!:;-]+(?:no\b[\s,.!:;-]+)*(?:not\b|wrong|you\b|i (?:said|asked|meant|told|wanted)|(?:that|this|it|these|those)(?:'?s|'?re| is| are| was| were| does| did)\b(?! (?:fine|ok|okay|good|right|correct|enough|all|great|perfect|it)\b))/,
  /^(?:well|sorry|hm+|but|ok|okay|wait|actually)?[\s,]*(?:wrong|incorrect|not (?:quite|right|correct|like that|what i|that|this one))\b(?! (?:but close enough|a problem))/,
  /(?<!\b(?:if|whether|that|when|where|why|says?|returns?|unless) )\b(?:that|this|it|your (?:answer|output|result|version|change|code|text|summary|solution))(?:'s| is| was| looks| seems)? (?:still |all |just |completely |totally |also |simply |not |n't )*(?:wrong|incorrect|mistaken|not (?:right|correct|true|what (?:i|we)\b))/,
  /\bnot what (?:i|we) (?:asked|wanted|meant|said|had in mind|need|requested)/,
  /(?:^|[.,;!?] ?|\b(?:but|and|because|since|no|again|sorry|hey|wait|also|think|see|that) )you(?:'ve| have)? (?:\w+ly |just |also |again |still |once again )?(?:forgot|forgotten|missed|overlooked|omitted|left out|skipped|ignored|misunderstood|misread|broke|messed up|got (?:it|that|this|them) wrong|made a mistake|mixed up|haven't|failed to|were supposed to|should(?:n't| not)? have (?!access|permission|received|a\b|the\b|an\b))/,
  /\byou (?:did not|didn't) (?!have to|need to|break|miss|forget|do anything wrong)(?:\w+)/,
  /^(?:as )?i (?:already )?(?:told you|said|asked (?:you )?(?:for|to)|meant|wanted)\b.*\b(?:not|instead|rather)\b/,
  /^(?:sorry[, ]+)?(?:but )?i (?:meant(?! to)|said|told you|already told you|explicitly (?:said|asked)|specifically (?:said|asked))\b/,
  /^(?:why|how come) (?:did|didn't|have|haven't|are|aren't) you\b/,
  /^(?:please )?(?:undo|revert|take back|roll back) (?:that|this|it|your|what you|the last (?:change|edit|step|answer))\b/,
  /^(?:please )?(?:put|bring|give) back .*\byou\b/,
  /^(?:no[, ]+)?(?:that|this|it) (?:still )?(?:did not|didn't|does not|doesn't|is not|isn't) (?:work|help|do it|what)/,
  /^(?:it'?s |it |that'?s |this is )?still (?:wrong|broken|crash\w*|fail\w*|not (?:working|right|fixed)|no\b|the same (?:error|problem|mistake|message))/,
  // "no, the dates are in the wrong format", "nope, same error"; other words after a "no" may answer a question.
  /^(?:h?m+[, ]+)?(?:no|nope|nah)(?:[, ]+no)*[,.!:]+ (?:the|your|same|keep|put|it should|they should|there (?:is|are))\b/,
  // "no, use tabs", "use tabs, not spaces", "in metric instead": what to do, in place of what was done.
  /^(?:no|nope|nah)(?:[, ]+no)*[,.!:;-]+ ?(?:please |always |just )?(?:use|make|write|format|name|call|round|sort|start|say|spell|go with|stick (?:to|with)|in|with|only)\b(?! (?:sense|sure|case|mind|your time|on\b))/,
  /^(?:please )?(?:use|make (?:it|them)|write (?:it|them)|in|with) .{1,40}(?:, not |, never |\binstead\b(?! of\b))/,
  /^(?:no[, ]+)?(?:that|this)(?:'s| is) (?:not it\b|the wrong|exactly what i (?:told|asked) you not)/,
  /^(?:and |but |now )?you (?:also |again |just |still )?(?:left|deleted|removed|dropped|misspelled|mistyped|overwrote|duplicated|keep \w+ing|kept)\b/,
  /^(?:that|this|it|your \w+) (?:just )?(?:broke|breaks)\b/,
  /^(?:the|this|that|your|these|those) (?:(?:answer|result|output|summary|translation|total)s?|\w+ (?:that )?you (?:gave|wrote|made|sent|added)(?: me)?) (?:is|are|was|were|does|do) ?(?:still |also |not |n't )*(?:wrong|incorrect|off\b|broken|work)/,
  /\byou (?:\w+ )?(?:\w+ed|did|got|put|made|wrote|took|sent) (?:\w+ ){0,2}(?:wrong|backwards|the (?:wrong|opposite)\b)/,
  /(?:^|[,;.!?] )i (?:said|told you)\b/,
  /^did you even\b|^(?:please )?redo\b|^not the \w+, the \w+/,
  /^(?:it|this|that)(?:'s| is| was) supposed to\b|^i wanted (?:it|them|this|that|the)\b/,
  /^(?:it|this|that|they|the \w+) should(?: have)? (?:be|been|say|go|read)\b.*\b(?:not|instead of)\b/,
  /^(?:again|once more)[:,]/,
  // "nope. still the wrong colour", "non, trop long": too much or too little of something, after a no.
  /^(?:no|nope|nah|non|nein|nee|nao)[\s,.!:;-]+(?:still\b|too (?!bad\b|late\b|many things)\w|(?:trop|zu|troppo|demasiado|muito) \w)/,
  /^(?:this|that|it|these \w+|those \w+) (?:still )?(?:doesn't|don't|won't|does not|do not|will not) (?:compile|build|parse|add up)\b/,
  /^(?:please )?stop (?:adding|asking|changing|doing|ignoring|inventing|making|putting|removing|repeating|using|writing)\b/,
  /^(?:do|try) (?:it|that|this) again[,.]? (?:but|and this time|properly|correctly|without)/,
];

const OTHERS = [
  /^(?:falsch|faux|incorrecto|sbagliato|errado|fout)\b[\s,.!:]/,
  // German
  /^(?:nein|nee|ne|stopp|halt)[\s,.!:-]+(?:nicht|falsch|das|so|du|ich (?:meinte|sagte|wollte|habe))(?! (?:ist|war) (?:gut|ok|okay|richtig|in ordnung|nicht notig)\b)/,
  /\b(?:das|dies|es) (?:ist|war|stimmt|passt) (?:immer noch |leider |so |einfach |aber )*(?:falsch|nicht (?:richtig|korrekt|das,? was|so)|nicht[.!,]?$)/,
  /\b(?:du hast|sie haben|hast du nicht) .{0,60}\b(?:vergessen|ubersehen|ausgelassen|missverstanden|ignoriert)\b/,
  /\bdas (?:habe ich|hab ich|wollte ich|meinte ich) (?:so )?nicht\b|^ich (?:meinte|sagte doch|habe doch gesagt|hatte doch .*\b(?:gesagt|gebeten|geschrieben))\b|\bnicht (?:das, )?was ich (?:wollte|meinte|gesagt|verlangt)/,
  // French
  /^non[\s,.!:-]+(?:c'est (?:faux|pas)|ce n'est pas|tu\b|vous\b|pas\b|je (?:voulais|parlais|t'ai|vous ai))/,
  /\bc(?:e n)?'est (?:pas (?:ca|correct|bon|juste|ce que)|faux|incorrect|errone)/,
  /\bc'est l'inverse\b/,
  /\b(?:tu as|t'as|vous avez) (?:encore )?(?:oublie|omis|saute|mal compris|ignore)\b|\bpas ce que (?:j'ai|je) (?:demande|voulais|dit)/,
  // Spanish, Portuguese, Italian
  /^no[\s,.!:-]+(?:eso|esto|asi|te|has|yo (?:dije|pedi|queria)|quise decir|esta mal|es incorrecto)\b/,
  /\b(?:eso|esto) (?:esta mal|no (?:es|era) (?:lo que|asi|correcto)|es incorrecto)|\b(?:te olvidaste|olvidaste|has olvidado|te falto|se te olvido)\b|\bno es lo que (?:te )?(?:pedi|queria|dije)/,
  /^nao[\s,.!:-]+(?:isso|esta|voce|assim|nao|eu (?:disse|pedi|quis))\b|\b(?:isso|isto) (?:esta|ta) errado|\b(?:voce|tu) (?:se )?esqueceu|\bnao (?:foi|era|e) (?:isso|o) que (?:eu )?(?:pedi|queria|disse)/,
  /^no[\s,.!:-]+(?:e sbagliato|hai\b|non\b|cosi no|intendevo|volevo)|\b(?:e|questo e|cosi e) sbagliat[oa]|\bhai (?:dimenticato|saltato|frainteso|ignorato)\b|\bnon e (?:quello|cio) che (?:ho|volevo|intendevo)/,
  // Dutch, Polish, Russian
  /^nee[\s,.!:-]+(?:dat|dit|je|niet|ik (?:bedoelde|zei))\b|\bdat (?:is (?:fout|verkeerd|niet (?:goed|juist|wat ik))|klopt niet)|\bje (?:bent|hebt) .{0,40}\b(?:vergeten|overgeslagen)\b/,
  /^nie[\s,.!:-]+(?:to|tak|nie|chodzilo)\b|\bto (?:jest )?(?:zle|blad|nieprawda|nie to)\b|\b(?:zapomniales|zapomnialas|pominales|pominelas)\b/,
  /^нет[\s,.!:-]+(?:это|не|ты|вы|я (?:имел|имела|просил|просила|сказал))|это (?:неправильно|неверно|не то|ошибка)|(?:ты|вы) (?:забыл|забыла|забыли|пропустил|пропустила|пропустили)/,
  // Chinese, Japanese, Korean
  /^(?:不对|不是这样|错了|不,|不，|不是,|不是，)|(?:你|您)(?:忘了|忘记|漏了|弄错|搞错|理解错)|这(?:是错的|不对|不是我)|我(?:说的是|要的是|的意思是)/,
  /^(?:違う|違います|ちがう|いや、)|(?:それ|これ)は(?:違|間違)|間違って(?:い|る|ます)|(?:を|が)忘れて(?:い|る|ます)|抜けて(?:い|る|ます)/,
  /^(?:아니|틀렸|그게 아니)|(?:빠뜨렸|빼먹었|잊었|잘못했)/,
];

/** Polite or unrelated messages that begin like a correction. */
const NOT_ONE =
  /^(?:no|nope|nein|non|nao|nee|нет)[\s,.!-]*(?:thanks?|thank you|thx|problem|worries|need|idea|rush|changes?|questions?|more|further|one\b|matter|danke|merci|gracias|obrigad|grazie|dank|спасибо|$)|\b(?:nothing|not anything|n't anything) wrong\b|\bwhat(?:'s| is| was) (?:wrong|not right)\b/;

/** Whether a message that follows an answer corrects it. Quotes and code are not the person's words. */
export function isCorrection(message: string): boolean {
  const own = message
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/^\s*>.*$/gm, " ")
    .replace(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, " ")
    .replace(/[\u2018\u2019]/g, "'");
  const text = fold(own).replace(/\s+/g, " ").trim().slice(0, LOOKED_AT);
  if (text === "" || NOT_ONE.test(text)) return false;
  return [...ENGLISH, ...OTHERS].some((pattern) => pattern.test(text));
}
