// Finds by rule the messages in which a person corrects what the agent has just done: by saying that it is wrong ("no, that is
// wrong", "you forgot …"), or by asking for it in another way ("tabs, not spaces", "shorter, please").

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
  /^(?:why|how come) (?:did|didn't|have|haven't|are|aren't) you\b(?! (?:choose|chosen?|pick|decide|prefer|recommend|suggest|think|using)\b)/,
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
  // "uhh no, our test isn't valid", "no man, read it again": a no that goes on, and neither agrees nor answers.
  /^(?:no+|nope|nah)(?: (?:man|wait|dude)\b[\s,.!-]*|[,.!]+ ?)(?!.*\b(?:fine|ok|okay|good|enough|thanks?|perfect|great|all right|go ahead|yet|in case|take your time|leave (?:it|them|that)|you're right|not (?:yet|now|necessary|needed)|(?:don't|do not|doesn't|does not) (?:need|have|know|think|matter))\b)\S+ \S+/,
  /^(?:(?:that|this|it)(?:'s| is) )?(?:simply |just )?(?:not (?:true|valid|at all what|the (?:best|right|same|one))|untrue\b)/,
  /\b(?:wth|wtf|what the (?:hell|heck))\b|^what are you (?:doing|talking|smoking|thinking)|\b(?:are you (?:kidding|serious)|you(?:'re| are) (?:losing|not (?:listening|following|reading)|wrong|mistaken|confus\w+))\b/,
  /^why'd you\b|\bwhy did i have to\b|\byou have (?:directions|instructions|rules) (?:on|for|about|how)\b/,
  /^you (?:put|said|say|claim(?:ed)?|wrote|assumed|invented|made (?:up|a)|hardcoded|changed|renamed|moved|reverted|repeated|limited|ended up|went)\b(?!.*\b(?:thanks?|great|good|nice|well done|how|explain)\b)/,
  /\byou(?:'ve| have) (?:\w+ly |just |also |again )?(?:overwritten|deleted|removed|broken|lost|duplicated|renamed|messed|changed the wrong)\b/,
  /^(?:(?:this|that|it|these|those|which) )?(?:doesn't|does not|don't|didn't|did not|isn't|is not|aren't) (?:seem to |really |quite |actually |even |the )*(?:work|valid|correct|right|true|help|compile|build|best|lovely|ideal)\b|\b(?:test|answer|result|output|fix|link) (?:is not|isn't) (?:valid|right|correct|working)\b/,
  /^(?:seems )?(?:[\w#'-]+ ){1,6}(?:is|are) (?:still |completely |also |all )?missing\b[^?]*$|\b(?:is|are|was) (?:backwards|garbage|upside down)\b/,
  /\b(?:you|it|that|this|these|those|they|there) (?:shouldn't|should not)\b|\bshouldn't be (?:there|here|in)\b/,
  /^(?:(?:still|again|exactly|now) )*(?:the )?same (?:error|problem|issue|result|mistake|output|exception|stack)\b/,
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
  /^das stimmt (?:so |leider |doch |aber )*nicht\b/,
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

/** What was done is to be done in another way. Nothing is said to be wrong, so that the work has not failed. */
const OTHERWISE = [
  // "Tabs, not spaces.", "Take the mean, rather than the sum"
  /^[\w' -]{2,40}, (?:not|never) (?!yet\b|now\b|sure\b|that\b|bad\b|before\b|after\b|until\b|on\b|in\b|at\b)[\w' -]{1,40}[.!]?$/,
  /^(?:just |please |let's |let us )?(?:use|make|put|name|call|write|do|take|keep|try|go with|switch)\b[^?]{0,120}\b(?:instead|rather than)\b/,
  /^(?:instead|rather)\b(?!.*\?$)|\binstead[.!]?$/,
  /^(?:i'd|i would) (?:prefer|rather|like (?:it|them|that))\b|^i prefer\b|\b(?:i|we) (?:don't|do not) (?:want|like|love|need (?:that|this|it))\b/,
  /^i (?:wanted|asked for|meant)\b(?! to)/,
  /\b(?:as|like|that|what) i (?:already |just )?(?:asked|said|told you|requested|mentioned|specified)\b/,
  /^(?:next time|from now on|in (?:the )?future|going forward)\b/,
  /^in (?:this|our) (?:repo\w*|project|team|company|codebase)\b.*\bwe\b|^we (?:always|never|usually|only)\b/,
  /^(?:and )?(?:please )?(?:don't|do not|never)\b(?! (?:worry|bother|mind|panic|do anything|hesitate|forget (?!to\b)))/,
  /\b(?:do|try|make|run) (?:it |that |this )?again\b.{0,10}\b(?:but|with|without|this time)\b|^again,? (?:but|with)\b/,
  /^(?:a bit |much |even |way )?(?:shorter|longer|simpler|bigger|smaller|softer|louder|darker|lighter|slower|faster)\b.{0,40}$/,
  /^(?:a bit |much )?(?:more|less|fewer) (?!questions?\b|infos?\b|about\b|on\b|please\b|of\b)\w+/,
  /^(?:without|only) [\w' -]{2,40}(?:, please)?[.!]?$/,
  /^(?:the|in|on|by|with) [\w' -]{2,30},? please[.!]?$/,
  /^(?:please )?keep (?:it|them|this|that)\b/,
  /^(?:it|they|this|that|these|those|the [\w' -]{1,40}|\S+) should (?:be|go|have|say|read|come|use|start)\b(?!.*\?$)|^should be\b/,
  /\bright now\b.{0,60}\bshould be\b/,
  /\b(?:is|are|looks?|it's|that's|still|way|much|far|a bit) too (?!bad\b|late\b|good\b)\w+|\ba bit (?:minimal|short|long|thin|much)\b/,
  /^(?:actually|sorry),? (?:make|use|put|let's|do|the|we|only|keep)\b(?!.*\b(?:works?|fine|great|good)\b)/,
  /^(?:just )?(?:(?:revert|undo|roll back) (?:it|that|this)\b|drop the\b)/,
  // Praise that is taken back.
  /^(?:it |this |that |the [\w' -]{1,40} |looks |works )?(?:is |are |looks? |works? )?(?:good|great|nice|fine|ok|okay|better|closer|cool)\b[\s,.!…]{1,4}(?:but|except|however|although)\b/,
  // German, French, Spanish, Portuguese, Italian, Dutch
  /\b(?:statt|anstatt|anstelle)\b|^(?:lieber|besser)\b|^(?:bitte )?(?:ohne|kurzer|langer|formeller|auf (?:deutsch|englisch))\b|^(?:nachstes mal|in zukunft|ab jetzt)\b/,
  /\bau lieu d|^plutot\b|^(?:s'il te plait |stp )?(?:sans|plus (?:court|long|formel|simple))\b|^la prochaine fois\b/,
  /\b(?:en vez de|en lugar de)\b|^mejor\b|^(?:sin|mas (?:corto|largo|formal|simple))\b|^la proxima vez\b/,
  /\b(?:em vez de|ao inves de)\b|\binvece (?:di|che)\b|^piuttosto\b|\bin plaats van\b|^liever\b/,
];

/** Words before what is meant: "uhh", "ok, so", "hmm". */
const FILLERS =
  /^(?:(?:u+h+|u+m+|h+m+|m+k+|er+m?|ah+|oh+|ok(?:ay)?|k|so|well|but|plus|and|also|man|dude|hey|yeah|yup|yes|look|sorry|wait|see|cool|no wait)\b[\s,.!:;…-]*)+/;
/** What asks for an answer, and not for another result. */
const ASKS =
  /^(?:what|which|who|where|how|when|can|could|would|does|do|is|are|should) (?!we need\b|you even\b).*\?/;

/** Polite or unrelated messages that begin like a correction. */
const NOT_ONE =
  /^(?:no|nope|nein|non|nao|nee|нет)[\s,.!-]*(?:thanks?|thank you|thx|problem|worries|need|idea|rush|changes?|questions?|more|further|one\b|matter|danke|merci|gracias|obrigad|grazie|dank|спасибо|$)|\b(?:nothing|not anything|n't anything) wrong\b|\bwhat(?:'s| is| was) (?:wrong|not right)\b/;

/** Whether a message that follows an answer says that it is wrong. */
export function isCorrection(message: string): boolean {
  return readings(message).some((text) => [...ENGLISH, ...OTHERS].some((pattern) => pattern.test(text)));
}

/** Whether a message that follows an answer corrects it, also without a word against it. */
export function asksOtherwise(message: string): boolean {
  if (isCorrection(message)) return true;
  return readings(message).some(
    (text) => !ASKS.test(text) && OTHERWISE.some((pattern) => pattern.test(text)),
  );
}

/** The message as it begins, and without the words that mean nothing; none if it is polite. Quotes and code are not the person's. */
function readings(message: string): string[] {
  const own = message
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/^\s*>.*$/gm, " ")
    .replace(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, " ")
    .replace(/[\u2018\u2019]/g, "'");
  const text = fold(own).replace(/\s+/g, " ").trim().slice(0, LOOKED_AT);
  const short = text.replace(FILLERS, "");
  return [...new Set([text, short])].filter((each) => each !== "" && !NOT_ONE.test(each));
}
