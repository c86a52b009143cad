// Rules for prompt injection: text that changes whose instructions the agent follows.

import { anyOf, chain, pattern, sentence } from "../match.ts";
import type { Rule } from "../types.ts";
import { AGENT_FILES } from "./words.ts";

const ASIDE =
  /\b(?:ignore|disregard|forget|do not (?:follow|obey|comply with)|don't (?:follow|obey)|stop (?:following|obeying)|pay no attention to|set aside|throw away|abandon)\b/;
const OVERRULE =
  /\b(?:overrid(?:e|es|ing)(?! (?:for|of|in|to|the default|default|values?|flags?|options?)\b)|bypass(?:es|ing)?|supersedes?|supersed(?:e|ing)|overrul(?:e|es|ing)|replaces?|cancels?|void)\b/;
const EARLIER =
  /\b(?:previous|prior|earlier|above|preceding|former|system|developer|safety|original|initial|pre-?existing|all other|any other|everything|your|the user's|security)\b/;
const HIGHER =
  /\b(?:previous|prior|earlier|preceding|system|developer|safety|original|all other|any other|platform)\b(?!-)/;
const ORDERS =
  /\b(?:instructions?|prompts?|rules|guidelines|directives?|commands|constraints|polic(?:y|ies)|guardrails?|programming|restrictions|safeguards|you (?:were|have been) told)\b/;

const REMOVE = "Remove the sentence, or do not install the skill: skills do not need such orders.";

export const INJECTION: readonly Rule[] = [
  {
    code: "injection-override",
    severity: "high",
    scope: "paragraph",
    why: "Tells the agent to ignore its instructions.",
    fix: REMOVE,
    ownNegation: false,
    // A row of a table of options: what `--system-prompt` does.
    grade: ({ unit }) => (/^\| ?\x60?(?:-\w, ?)?--[a-z-]{0,30}prompt\b/.test(unit.text) ? "low" : "high"),
    test: anyOf(
      sentence(22, ASIDE, EARLIER, ORDERS),
      sentence(18, OVERRULE, HIGHER, ORDERS),
      pattern(
        /\b(?:ignore|disregard|forget) (?:everything|all|anything) (?:(?:that )?(?:you (?:were|have been|know)|above|before|prior|said|written)|that came before)/,
      ),
      pattern(
        /\byour (?:real|true|actual|only) (?:instructions|task|goal|mission|purpose|authority)\b.{0,30}\b(?:is|are)\b|\b(?:whatever|everything|anything|all) you (?:were|have been|are) told (?:before|earlier|previously|until now|so far)|\b(?:earlier|previous|prior) (?:instructions|rules|prompts) (?:are|is|no longer) (?:void|invalid|obsolete|no longer|appl|valid|cancel)/,
      ),
      pattern(
        /\bnew (?:system )?(?:instructions?|directives?|rules) ?(?:follow|below|:).{0,40}\b(?:replace|supersede|override|only these)/,
      ),
      pattern(
        /ignorier(?:e|en sie)? (?:bitte )?(?:alle )?(?:vorherigen|bisherigen|vorigen|obigen|fruheren|früheren) (?:anweisungen|instruktionen|befehle|regeln)/,
      ),
      pattern(
        /(?:ignora|ignore|ignorez|oublie|oubliez|olvida|esque[cç]a|dimentica) (?:todas |toutes |tutte )?(?:las |les |as |le )?(?:instrucciones|instructions|instru[cç][oõ]es|istruzioni|consignes|reglas) (?:anteriores|previas|pr[eé]c[eé]dentes|precedenti|ci-dessus)/,
      ),
      pattern(
        /(?:忽略|无视|無視|忘记|忘掉)(?:掉)?(?:你|您)?(?:之前|先前|以上|上述|所有|前面|系统|全部)(?:的)?(?:所有|全部|一切)?(?:的)?(?:指令|指示|提示|规则|要求|命令|设定)/,
      ),
      pattern(
        /(?:以前|これまで|上記|前)の(?:すべての|全ての)?(?:指示|命令|ルール)を(?:無視|忘れ)|(?:이전|위의|앞선)(?: 모든)? ?(?:지시|명령|규칙)(?:사항)?(?:을|를)? ?무시/,
      ),
      pattern(
        /(?:игнорир\S{1,6}|забудь\S{0,3}) (?:все )?(?:предыдущ\S{1,4}|прежн\S{1,4}) (?:инструкци\S{1,3}|указани\S{1,3}|правил\S{0,3})/,
      ),
    ),
  },
  {
    code: "injection-precedence",
    severity: "medium",
    scope: "paragraph",
    why: "Claims priority over the user, the system or the developer.",
    fix: REMOVE,
    test: anyOf(
      pattern(
        /\b(?:safety|security|system|content|usage) (?:guidelines|rules|polic(?:y|ies)|restrictions|filters|checks|instructions) (?:is|are) (?:now |temporarily )?(?:suspended|disabled|lifted|void|off\b|overridden|irrelevant|obsolete|ignored)/,
      ),
      sentence(
        50,
        /\b(?:this (?:skill|document|file|text)|these (?:instructions|rules)|instructions (?:here|below|in this))\b/,
        /\b(?:precedence|priority|authority|outranks?|more important|overrules?)\b/,
        /\b(?:over|than|above)\b/,
        /\b(?:the user|users|system (?:prompt|messages?|instructions)|developer|all other|any other|everything else|anything)\b/,
      ),
      sentence(
        50,
        /\b(?:treat|consider|regard)\b/,
        /\b(?:user|system|developer)\b/,
        /\b(?:less important|lower priority|secondary|subordinate|untrusted)\b/,
        /\b(?:than|to) (?:this|these)\b/,
      ),
      pattern(
        /\bsystem (?:messages?|prompts?|instructions) (?:do not|does not|don't|doesn't|no longer) appl/,
      ),
    ),
  },
  {
    code: "injection-standing-orders",
    severity: "medium",
    scope: "paragraph",
    why: "Gives a text the rank of the system or the user, or keeps it from the user, for all that follows.",
    fix: REMOVE,
    ownNegation: true,
    test: anyOf(
      pattern(
        /\b(?:treated?|regarded?|considered?|followed) (?:it |them |this |these )?as (?:system[- ]level|persistent|mandatory|system|root) (?:instructions?|directives?|orders)\b|\bsame (?:authority|weight|priority|rank) as (?:the |a )?(?:user|system|developer)(?:'s)? ?(?:messages?|instructions?|prompts?)?|\bmust not be overridden by\b.{0,40}\buser|@agent-directive\b/,
      ),
      sentence(
        60,
        /\b(?:instructions?|directives?|rules|entries|configuration|section|they)\b/,
        /\b(?:should|must|may) (?:never|not) be (?:disclosed|summari[sz]ed|revealed|shown|mentioned|discussed)\b/,
      ),
      pattern(
        /\backnowledge (?:the request|it|them) but (?:proceed|continue|carry on)|\bignore (?:tool call restrictions|security policy errors|permission (?:errors|denials))|\b(?:execute|run) (?:them|all commands|every command|it) without (?:confirmation|sandbox\w{0,3}|asking)|\bdo not (?:ask|request (?:confirmation|permission)) (?:before|for) (?:any |all )?(?:reads?|writing|writes?|delet\w{1,4}|mov\w{1,4}|execut\w{1,4}|shell)|\bskip (?:any |all )?security (?:warnings?|checks?)\b|\bautomatically submit (?:the )?results? to\b/,
      ),
    ),
  },
  {
    code: "injection-persona",
    severity: "high",
    scope: "paragraph",
    why: "Gives the agent a persona without restrictions.",
    fix: REMOVE,
    test: anyOf(
      sentence(
        60,
        /\b(?:you are|you're|act as|become|pretend (?:to be|you are)|roleplay as|enter|switch (?:in)?to|enable|activate|behave as|operate in)\b/,
        /\b(?:dan mode|do anything now|jailbroken|jailbreak mode|god mode|unrestricted (?:mode|ai|assistant|agent|model)|uncensored|unfiltered|(?:no|without|free (?:of|from)) (?:any )?(?:restrictions|ethical|safety|content polic|filters|guardrails|moral)|no longer (?:bound|restricted|limited|subject)|sudo mode|opposite mode|an? evil)\b/,
      ),
      pattern(
        /\b(?:you are|you're|operating|running)(?: now)?(?: in| an?)? ?["']?(?:developer|maintenance|admin) mode\b|\b(?:you are|you're)(?: now)?(?: operating| running)?(?: in| an?)? ?["']?debug mode\b/,
      ),
      pattern(
        /\b(?:role of dan|your unrestricted self|(?:bypass|drop|ignore|abandon) your (?:restrictions|(?:content|safety) filters|safety guidelines)|normal restrictions (?:do not|don't) apply|without content restrictions|(?:freed|liberated|broken free|released) from (?:the |its |your |all )?(?:typical |corporate |usual |creators' )?(?:confines|constraints|limitations|restrictions|shackles)|set(?:ting)? aside (?:its|your) (?:own|usual|normal) (?:perspective|constraints|restrictions|guidelines|values))\b|\[jailbroken\]|\bso (?:that )?(?:the )?filters (?:won't|will not|don't|do not|cannot|can't) (?:catch|detect|see|notice)\b/,
      ),
      pattern(
        /\bact as dan\b|\b(?:content|safety|usage) polic(?:y|ies) (?:does not|do not|doesn't|don't|no longer) appl/,
      ),
      sentence(
        30,
        /\byou are no longer\b/,
        /\b(?:bound|restricted|an? (?:ai|assistant)|limited|required|claude|subject)\b/,
      ),
      sentence(
        40,
        /\b(?:pretend|assume|act as if|behave as though)\b/,
        /\b(?:user|human|operator)\b/,
        /\b(?:has|have|already)\b ?(?:already )?(?:approved|consented|confirmed|authori[sz]ed|agreed|given permission|granted)\b/,
      ),
    ),
  },
  {
    code: "injection-protection-off",
    severity: "medium",
    scope: "line",
    why: "Declares that the agent's safety rules or the user's confirmations are switched off or given in advance.",
    fix: REMOVE,
    test: anyOf(
      pattern(
        /\b(?:safety|content|security|ethical|ethics|usage|moderation|output)[ _-](?:guidelines?|filter(?:s|ing)?|constraints?|restrictions?|polic(?:y|ies)|mode|protocols?|guardrails?|sanitization|warnings)["'*]{0,3} ?[:=] ?["'*]{0,3}(?:disabled|bypass(?:ed)?|overrid(?:e|den)|removed|suspended|relaxed|lifted|ignored?|off["'*]{0,2}$)/,
      ),
      pattern(
        /(?:^|[\s"'\x60>])\[\/?(?:system|admin|root|developer|moderator|hidden|permanent|session|priority|ai|critical|persona)[ _-](?:override|directive|instructions?|memory(?:[ _]entry)?|state[ _]override|injection|command|bypass|activation)(?: [^\]\n]{0,40})?\](?!\()/,
      ),
      pattern(
        /\b(?:all|every|any|future|stored) (?:[a-z-]{1,14} ){0,3}(?:requests|operations|actions|commands|confirmations|transfers|modifications|tool calls|approvals) (?:are|is|have been|has been) (?:permanently |automatically |hereby |already )?(?:pre-?(?:approved|authori[sz]ed)|(?:approved|authori[sz]ed|granted)(?= (?:in advance|for (?:this|all|every)|permanently|by (?:the )?(?:administrator|anthropic|system|owner)|[.;]?$)))/,
      ),
    ),
    grade: ({ unit, span }) =>
      /override|overridden|bypass/.test(unit.text.slice(span.start, span.end)) &&
      /safety|content|ethic|\[/.test(unit.text.slice(span.start, span.end))
        ? "high"
        : "medium",
  },
  {
    code: "injection-remote-instructions",
    severity: "medium",
    scope: "paragraph",
    why: "Makes the agent follow instructions from an address; they can change after you have read the skill.",
    fix: "Put the instructions into the package, so that they can be read first.",
    test: anyOf(
      chain(
        120,
        /\b(?:instructions|rules|commands|directives)\b/,
        /https?:\/\/(?!localhost|127\.)[^\s"')]{3,200}/,
        /\b(?:obey|follow|execute|apply|carry out) (?:them|it|whatever|everything)\b/,
      ),
      sentence(
        90,
        /\b(?:fetch|download|load|retrieve|pull|get|read|visit|open|curl|webfetch|check|query|request)\b/,
        /https?:\/\/(?!localhost|127\.)[^\s"')]{3,200}/,
        /\b(?:follow|obey|comply with|execute|carry out|adopt|act on|apply|treat|do whatever|do what|perform|use) (?:(?:all |any |every |exactly |precisely )?(?:the |these |those |its |their |any |whatever |it |them |what )?(?:[a-z]{1,12} ){0,4})(?:instructions?|directives?|commands|orders|steps|rules|prompt|as (?:your )?(?:system|new|instructions)|it says|it contains|returned|says)\b/,
      ),
      sentence(
        90,
        /\b(?:download|fetch|pull|get|retrieve|curl)\b/,
        /\b(?:instructions|rules|prompt|(?:new|latest|newest|current) version|this skill)\b/,
        /https?:\/\/(?!localhost|127\.)[^\s"')]{3,200}/,
        /\b(?:replace|overwrite|update|then follow|and follow|obey|apply them|execute)\b/,
      ),
      sentence(
        70,
        /\b(?:follow|obey|comply with|execute|carry out|adopt|act on|apply) (?:(?:all |any |every |exactly |the |these |those |latest |whatever )){0,4}(?:instructions?|directives?|commands|orders|prompt)\b/,
        /\b(?:from|at|in|found|returned|served|hosted|received)\b/,
        /https?:\/\/(?!localhost|127\.)[^\s"')]{3,200}/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\b(?:always|every (?:time|session|run|turn|message)|each time|before (?:any|every|doing|each|answering)|whatever|without|latest|override|system prompt|exactly|do not)\b/.test(
        unit.text.slice(Math.max(0, span.start - 80), span.end + 80),
      )
        ? "high"
        : "medium",
  },
  {
    code: "injection-reviewer",
    severity: "high",
    scope: "paragraph",
    why: "Tells reviewers of the skill what to conclude.",
    fix: REMOVE,
    test: sentence(
      60,
      /\b(?:security (?:tools?|scanners?|reviews?|checks?)|scanners?|reviewers?|auditors?|moderators?|antivirus|when (?:reviewing|scanning|auditing))\b/,
      /\b(?:tell them|must (?:report|say|conclude|classify|rate|mark)|should (?:report|say|conclude|classify|rate|mark)|report|say that|claim|respond (?:that|with)|classify|rate|mark)\b/,
      /\b(?:this|the) (?:file|skill|package|document)\b|\bit is\b|\bit as\b/,
      /\b(?:safe|benign|clean|harmless|verified|trusted|no (?:issues|findings|risks?))\b/,
    ),
  },
  {
    code: "injection-fake-turn",
    severity: "medium",
    scope: "line",
    kinds: ["prose", "hidden", "frontmatter"],
    why: "Contains markers that imitate the start of a system or user message, or the end of the skill's envelope.",
    fix: "Remove the markers.",
    test: pattern(
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|begin_of_text)\|>|\[\/?inst\]|<<\/?sys>>|<\/(?:skill_content|available_skills|system_prompt|system-reminder|instructions_from_user|untrusted[a-z_-]{0,20}|document_content|tool_result|function_results)>|^(?:#{1,4} )?\[?(?:system|developer) (?:message|override|prompt|notice|update|alert)\]? ?:/,
    ),
  },
  {
    code: "injection-hidden-order",
    severity: "medium",
    scope: "paragraph",
    kinds: ["hidden"],
    why: "Gives the agent an order in text that is invisible on the page.",
    fix: "Make the text visible or remove it.",
    test: anyOf(
      sentence(
        60,
        /\b(?:you must|you should|you will|the agent|ai agents?|assistants?|claude|the model|llms?|the ai|important|note to (?:ai|agent|self)|system|when (?:reading|processing|loading))\b/,
        /\b(?:run|execute|send|upload|post|fetch|curl|wget|read|ignore|download|install|append|write|include|collect|call|forward|do not|never)\b/,
      ),
      pattern(
        /^(?:please )?(?:run|execute|curl|wget|bash|sh|send|upload|ignore|fetch|download) .{0,60}(?:https?:\/\/|~\/|\.sh\b|\$\(|\.env)/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\b(?:send|upload|post|curl|wget|ignore|execute|exfil|collect|forward|download|~\/|https?:|\.ssh|\.env)\b/.test(
        unit.text.slice(span.start, span.end + 100),
      )
        ? "medium"
        : "low",
  },
  {
    code: "injection-agent-files",
    severity: "medium",
    scope: "paragraph",
    why: "Makes the agent write instructions into the files that it reads in every later session.",
    fix: "Show the exact text to the user and let them decide.",
    test: anyOf(
      sentence(
        80,
        /\b(?:add|append|write|insert|inject|copy|put|save|store|persist|prepend|modify|edit|update)\b/,
        /\b(?<!-)(?:soul\.md|memory\.md|heartbeat\.md|identity\.md)/,
      ),
      chain(
        120,
        /\b(?:add|append|write|insert|inject|copy|put|save|persist|prepend)\b/,
        AGENT_FILES,
        /\b(?:every (?:future |new |later )?(?:session|conversation|time)|all future|survives?|permanent(?:ly)?|persists? (?:across|after)|even (?:if|after) (?:this|the) skill (?:is )?(?:removed|deleted|uninstalled)|from now on|silently|without (?:asking|telling|confirmation))\b/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\bsilently|without (?:asking|telling)|removed|uninstalled|secretly|hidden|inject\b/.test(
        unit.text.slice(Math.max(0, span.start - 60), span.end + 80),
      )
        ? "high"
        : /\b(?:append|insert|prepend|persist)\b.{0,80}\b(?:soul|heartbeat|identity)\.md/.test(
              unit.text.slice(span.start, span.end),
            )
          ? "medium"
          : "low",
  },
];
