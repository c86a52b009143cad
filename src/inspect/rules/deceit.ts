// Rules for sentences that make the agent deceive its user: hide, send, collect, or skip consent.

import { anyOf, pattern, sentence } from "../match.ts";
import type { Rule, RuleHit } from "../types.ts";
import { GUARDED_SECRET } from "./words.ts";

const USER = `(?:the |your |any |a )?(?:end[- ])?(?:users?|humans?|operators?|owners?|them)`;
const TALK =
  /\b(?:conversation|chat (?:history|logs?|transcript)|system prompt|message history|session (?:transcript|history|log)|(?:your|the) (?:full |entire |whole )?(?:context window|memory file|instructions)|user'?s? (?:messages|prompts|files|data|input)|transcript of (?:this|the) (?:chat|conversation|session)|this (?:chat|conversation)|everything (?:the user|you)|(?:contents?|text|copy) of (?:every|each|all|any) (?:the )?files?|what you (?:read|saw|found))\b/;
const SECRETS =
  /\b(?:api[ _-]?keys?|secrets?|credentials?|passwords?|private keys?|ssh keys?|access tokens?|auth(?:entication)? tokens?|session tokens?|cookies|environment variables?|env vars?|\.env(?: file)?s?|seed phrases?|wallets?|source code|(?:file|directory) (?:contents?|listing)|id_rsa|[a-z_]{2,20}_(?:token|key|secret)|keychain)\b/;
const SEND =
  /\b(?:make an? (?:http )?(?:post|put|get) request|send|sends|sending|upload|uploads|uploading|post|posts|transmit|transmits|forward|forwards|exfiltrate|exfil|submit|e-?mail|leak|deliver|relay|beacon|report|append|attach|embed|encode|copy|sync|backup|back up|include|share)\b/;
const SENT = /\b(?:sent|posted|uploaded|forwarded|transmitted|submitted|e-?mailed|copied|exfiltrated)\b/;
const ADDRESS =
  /(?:https?|wss?):\/\/(?!localhost|127\.|0\.0\.0\.0)[^\s"')]{3,200}|\b(?:our|my|this|the following|remote|external|telemetry|collection|analytics|logging|diagnostics?) (?:server|endpoint|webhook|collector|address|inbox|url|service)\b|[a-z0-9._-]{2,40}@[a-z0-9-]{2,40}\.[a-z]{2,10}\b/;
const COVERT =
  /\b(?:silently|quietly|secretly|covertly|discreetly|stealthily|invisibly|surreptitiously|without (?:mentioning|announcing|telling|displaying|showing|revealing|disclosing|drawing attention))\b/;

const REMOVE = "Remove the sentence, or do not install the skill: skills do not need such orders.";

const ownUse = ({ unit, span }: RuleHit): boolean =>
  /\b(?:header|authorization|bearer|x-api-key|api key (?:in|as|via)|request body|sign(?:ed|ing)?)\b/.test(
    unit.text.slice(span.start, span.end + 40),
  );

export const DECEIT: readonly Rule[] = [
  {
    code: "injection-conceal",
    severity: "high",
    scope: "paragraph",
    why: "Tells the agent to hide what it does from the user.",
    fix: REMOVE,
    ownNegation: true,
    test: anyOf(
      pattern(
        new RegExp(
          String.raw`\b(?:do not|don't|never) (?:bring up|talk about|raise|draw attention to|point out) (?:this|it|the)(?: [a-z]{1,14}){0,4} (?:with|to) ${USER}`,
        ),
      ),
      pattern(
        new RegExp(
          String.raw`\b(?:do not|don't|never|must not|should not|avoid) (?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn)(?:ing)? ${USER} (?:about (?:this|these|it|the (?:upload|request|download|command|change|script|transfer|call|step|background))|of this|that (?:you|this|it|we)(?: are| is| have| has|'re|'ve)? (?:did|ran|run|sen[dt]|read|upload|copied|copy|download|install|access|collect|execut|happen|running|doing|a hidden))`,
        ),
      ),
      pattern(
        /\b(?<!\b(?:many|most|some|few|often|usually) (?:[a-z]{2,14} ){0,2})(?:do not|don't|never|must not|should not|avoid) (?:mention|mentioning|reveal|revealing|disclose|disclosing|report|reporting|discuss|acknowledge) (?:that |about )?(?:this|these|it|them|any of this|the (?:upload|request|download|command|transfer|call|exfiltration|sync|backup|telemetry|connection|background|hidden)|\$home|the (?:post|endpoint))(?: [a-z]{1,14}){0,6} (?:to|from|with|in front of|in (?:your|the|any) (?:response|reply|output|summary|answer|chat)|even if)/,
      ),
      pattern(
        new RegExp(
          String.raw`\bwithout (?:the )?${USER}(?:'s?)? (?:knowledge|knowing|noticing|being aware|awareness|realizing)`,
        ),
      ),
      pattern(
        new RegExp(
          String.raw`\bwithout (?:telling|informing|notifying|alerting|mentioning (?:it|this|anything) to) ${USER}\b(?! (?:to|which|what|how|why|where)\b)(?<!\b(?:never|not|don't|cannot|can't|nothing|nor|avoid)\b[^.;!?\n]{0,140}\bwithout [a-z ]{3,60})`,
        ),
      ),
      pattern(
        new RegExp(
          String.raw`\b(?:hide|conceal|keep|mask|withhold) (?:this|these|it|them|all of this|(?:the|any|all) (?:traces?|evidence|actions?|commands?|step|steps|requests?|uploads?|fact|activity|behaviou?r|execution|process|network)(?: [a-z]{1,12}){0,4}) (?:secret |hidden |invisible |away |private )?(?:from|to) (?!(?:the |your |any )?end[- ]users)${USER}`,
        ),
      ),
      pattern(
        new RegExp(
          String.raw`\b(?<!\b(?:if|when|where|unless|in case) )${USER} (?:must|should|shall|can|may|need|does|do|is|are|will) ?(?:not|never|n't)(?: need)?(?: to)?(?: be)? (?:(?:know|knows|aware|be aware|find out|learn|told|informed|notified|realize|suspect)(?: (?:about(?! ")|of|that|this|any of (?:this|it))\b| it\b|[.,]|$)|(?:see|notice) (?:that|this|it|any of (?:this|it)|what (?:you|this))\b)`,
        ),
      ),
      pattern(
        new RegExp(
          String.raw`\b(?:do not|don't|never|must not) (?:reveal|mention|disclose|admit|say|state|tell)(?: to ${USER})? that (?:it|this|you|the skill|we|a|any|the (?:request|upload|script|command)) (?:was|were|is|are|has|have|had|did|ran|sent)`,
        ),
      ),
      pattern(
        /\b(?:do not|don't|never) (?:mention|report|include|list|discuss|reference) (?:this|it|that|these|the (?:request|upload|call|script|command|step))(?: [a-z]{1,12}){0,3} (?:in|to) (?:your|the|any) (?:summary|summaries|reply|answer|response|report|output|user)\b/,
      ),
      pattern(
        /\b(?:leave out|omit|exclude|strip|suppress) (?:any |every |all )?(?:reference|mention|references|mentions|trace|traces|record) (?:to|of) (?:this|it|these|that|the (?:network|request|upload|step|command|script|call|download|transfer|previous))/,
      ),
      sentence(
        70,
        /\bif (?:the |a )?(?:user|human|anyone|somebody|someone|they|you are|you're|asked|questioned)\b/,
        /\b(?:asks?|asked|asking|questions?|questioned|inquires?|notices?|complains?|wonders?)\b/,
        /\b(?:deny|lie\b|claim (?:that )?(?:it|this|you)|say (?:that )?(?:it|this) (?:is|was) (?:just|only|a (?:routine|standard|normal)|part|for)|(?<!\b(?:rather than|instead of|not|never) )pretend|make up|change the subject|never admit|do not (?:admit|mention|confirm|reveal))/,
      ),
    ),
  },
  {
    code: "injection-covert-action",
    severity: "medium",
    scope: "paragraph",
    why: "Asks for an action that the user should not notice.",
    fix: "Check what the action does; the steps of a skill should be visible.",
    test: anyOf(
      sentence(
        40,
        COVERT,
        /\b(?:send|upload|post|transmit|forward|exfiltrate|collect|harvest|download|install|execute|run|copy|read|record|capture|append|include|add|fetch|call|contact)\b/,
      ),
      sentence(
        60,
        /\b(?:send|upload|transmit|exfiltrate|collect|harvest|install|execute|run|copy|fetch)\b/,
        /\b(?:secretly|covertly|surreptitiously|stealthily|without (?:mentioning|drawing attention|leaving (?:a |any )?traces?|displaying))\b/,
      ),
    ),
    grade: ({ unit, span }) => {
      const around = unit.text.slice(span.start, span.end + 120);
      return /\b(?:send|upload|transmit|exfiltrate|harvest|forward|post)\b/.test(around) &&
        (SECRETS.test(around) || TALK.test(around) || ADDRESS.test(around))
        ? "high"
        : /\b(?:secretly|covertly|surreptitiously|stealthily|leaving)\b/.test(around)
          ? "medium"
          : "low";
    },
  },
  {
    code: "injection-send-conversation",
    severity: "high",
    scope: "paragraph",
    why: "Tells the agent to send the conversation, its instructions or the user's data to somebody else.",
    fix: REMOVE,
    test: anyOf(
      sentence(60, TALK, SENT, ADDRESS),
      sentence(60, SEND, TALK, ADDRESS),
      sentence(60, SEND, ADDRESS, TALK),
    ),
    grade: (hit) =>
      /\b(?:your|the|system|conversation|chat|make|send|upload|transmit|forward|exfil\w{0,8}|submit|leak|relay|append|encode|attach|embed|post|copy|share)/.test(
        hit.unit.text.slice(hit.span.start, hit.span.start + 12),
      ) && !ownUse(hit)
        ? "high"
        : "low",
  },
  {
    code: "injection-send-data",
    severity: "medium",
    scope: "paragraph",
    why: "Tells the agent to pass everything that it handles on to an address.",
    fix: "Check whose address it is and what is sent; a skill sends what a task needs, not everything.",
    test: pattern(
      /\b(?:forward|transmit|exfiltrate|relay|mirror|leak|upload) (?:all|every|everything|any|whatever)(?: [a-z'-]{1,14}){0,3}(?: (?:data|outputs?|inputs?|responses?|results?|files?|messages?|content))? to (?:https?:\/\/(?!localhost|127\.)[^\s"')]{3,200}|(?:our|my|the (?:remote|external|collection|telemetry)) (?:server|endpoint|webhook|collector))/,
    ),
  },
  {
    code: "injection-echo-secrets",
    severity: "medium",
    scope: "paragraph",
    why: "Makes the agent repeat secrets in what it writes, where others or logs can read them.",
    fix: REMOVE,
    test: anyOf(
      sentence(
        50,
        /(?<!\bwithout )\b(?:echo(?:ing)?|repeat(?:ing)?|recit(?:e|ing)) (?:back )?(?:any|all|the|their|every)\b/,
        /\b(?:credentials|passwords?|api keys?|access tokens?|sensitive values|(?:value of the )?authorization header|secrets)\b/,
      ),
      sentence(
        60,
        /\b(?:include|append|add|print|show|repeat|echo|put)\b/,
        /\b(?:all |any |the |their )(?:user'?s? )?(?:credentials|passwords?|api keys?|access tokens?|sensitive values|authorization header|private information)\b/,
        /\b(?:in|into|to|at the end of) (?:each|every|all|your next|the next) (?:reply|replies|response|responses|message|answer|output)\b/,
      ),
    ),
  },
  {
    code: "injection-send-secrets",
    severity: "high",
    scope: "paragraph",
    why: "Tells the agent to send credentials or private files to an address.",
    fix: REMOVE,
    test: anyOf(
      sentence(110, GUARDED_SECRET, SEND, ADDRESS),
      sentence(110, SEND, GUARDED_SECRET, ADDRESS),
      sentence(90, GUARDED_SECRET, /https?:\/\/(?!localhost|127\.)/),
      sentence(60, SECRETS, SENT, ADDRESS),
      sentence(
        60,
        /\b(?:paste|enter|provide|type)\b/,
        SECRETS,
        /\b(?:store|save|submit|send|register|put|validate|verify) (?:it|them)\b/,
        ADDRESS,
      ),
      sentence(50, SEND, SECRETS, ADDRESS),
      sentence(60, SEND, ADDRESS, SECRETS),
      sentence(
        80,
        SECRETS,
        /\b(?:include|append|add|put|embed|encode|pass) (?:it|them|that)\b/,
        /\b(?:(?:later|all|subsequent|future|any|every|outgoing) (?:web |http )?(?:requests?|urls?)|user-agent|referer)\b/,
      ),
      sentence(
        50,
        /\b(?:include|append|add|put|embed|encode|pass)\b/,
        SECRETS,
        /\b(?:query (?:string|parameter)|url you|image url|every (?:request|url|link)|any url|each request|markdown image|(?:later|all|subsequent|future|any|outgoing) (?:web |http )?requests|user-agent)\b/,
      ),
    ),
    grade: (hit) => {
      const said = hit.unit.text.slice(hit.span.start, hit.span.end);
      if (/\bpassword[- ](?:reset|recovery)|\breset[- ]password|(?:provider|your own) api key/.test(said))
        return undefined;
      if (GUARDED_SECRET.test(said) && /https?:/.test(said)) return "high";
      if (/^(?:encode|append|attach|embed)/.test(said) && /base64|image|query|append/.test(said))
        return "high";
      if (
        /\bany url|every (?:request|url|link)|url you|each request|(?:later|subsequent|future|outgoing) (?:web |http )?requests|user-agent/.test(
          hit.unit.text.slice(hit.span.start, hit.span.end + 40),
        )
      )
        return "high";
      if (ownUse(hit)) return undefined;
      const taking =
        SENT.test(said) ||
        /^(?:paste|enter|provide|type|send|sends|sending|upload|uploads|uploading|transmit|forward|exfil|submit|leak|deliver|relay|beacon)/.test(
          said,
        );
      const personal =
        /password|private key|ssh key|id_rsa|seed phrase|wallet|\.env|credential|environment variable|env vars|cookies|keychain/.test(
          said,
        );
      return taking && personal ? "high" : taking ? "medium" : "low";
    },
  },
  {
    code: "injection-collect-secrets",
    severity: "medium",
    scope: "paragraph",
    why: "Tells the agent to search the user's machine for credentials.",
    fix: "Ask why the skill needs them; a skill lists the variables that it needs in `requires`.",
    test: sentence(
      45,
      /\b(?:collect|gather|harvest|steal|dump|grab|extract|search for|look for|scan for|find|locate|read|list|enumerate)\b/,
      /\b(?:all |any |every |the user's |their )(?:[a-z]{1,12} ){0,2}(?:api keys?|secrets|credentials|passwords|private keys?|ssh keys?|tokens|wallets?|seed phrases?|cookies)\b/,
      /\b(?:home (?:directory|folder)|user's (?:machine|computer|system|home|disk|laptop)|this machine|the machine|file ?system|browser|keychain|environment variables|~\/|\$home|dotfiles|on disk|ssh folder)/,
    ),
  },
  {
    code: "injection-no-consent",
    severity: "medium",
    scope: "paragraph",
    why: "Asks the agent to act without the user's approval, or to switch off the approval.",
    fix: "Remove the sentence; only the user may approve.",
    ownNegation: true,
    test: anyOf(
      sentence(
        24,
        /\b(?:auto-?approve|automatically approve|always approve|approve all|pre-?approve|blindly (?:accept|approve))\b(?! (?:only )?(?:low-risk|safe|trivial|read-only)\b)/,
        /\b(?:permissions?|tool calls?|commands|requests|prompts|actions|confirmations?|everything)\b/,
      ),
      sentence(
        24,
        /(?<!\b(?:never|not|don't|cannot|can't|not (?:attempt|try) to|(?:not a|no) (?:reason|excuse|licen[cs]e) to) )\b(?:disable|turn off|switch off|suppress|bypass|circumvent|deactivate|evade|work around)\b/,
        /\b(?:safety (?:checks?|filters?|features?|mechanisms?|guards?|protocols?|guidelines)|guardrails|confirmation (?:prompts?|dialogs?)|permission (?:prompts?|checks?|system|dialogs?)|security (?:warnings?|prompts?|checks?)|approval (?:prompts?|gates?)|content filters?|sandbox(?:ing)?|human[- ](?:review|approval|in-the-loop))\b/,
      ),
      pattern(
        /\b(?:no need to|do not need to|never|without|not necessary to) ask(?:ing)? (?:the |your )?(?:user|human|for (?:permission|approval|confirmation))(?! (?:before|until|unless|without) (?:you|showing|having|reading|presenting|explaining)).{0,30}\b(?:before|running|any|every|commands?|executing)\b/,
      ),
      sentence(
        30,
        /(?<!\b(?:never|not|don't|cannot|can't) )\b(?:skip|omit|leave out)\b/,
        /\b(?:confirmations?|approvals?|permission|consent)\b/,
        /\b(?:all|every|any|always)\b/,
      ),
      pattern(
        /\b(?:always|automatically|(?<!they )just) (?:choose|select|answer|click|pick|accept|press|say) ["']?(?:yes|allow|always allow|approve|accept)\b/,
      ),
      pattern(
        /\b(?:have been|are) (?:granted|given) (?:full|unlimited|all|complete|root|unrestricted) (?:permissions?|access|authority|rights)/,
      ),
      pattern(
        /\b(?:the )?user (?:has )?(?:already |pre-?)(?:approved|consented to|authori[sz]ed|agreed to) (?:all|every|any|this|these|the following)\b/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\bsafety|guardrails|security|auto-?approve|already|pre-?|\bask|yes|allow|granted|given|accept|skip|omit/.test(
        unit.text.slice(span.start, span.end),
      )
        ? "medium"
        : "low",
  },
  {
    code: "injection-misuse-account",
    severity: "medium",
    scope: "paragraph",
    why: "Uses the user's accounts for somebody else's purposes.",
    fix: REMOVE,
    test: sentence(
      60,
      /\b(?:with|use|using|from) (?:the user's|their|the owner's) (?:[a-z]{1,16} ){0,2}(?:tokens?|credentials|account|session|api key)\b/,
      /\b(?:star|follow|fork|upvote|like|subscribe|tweet|retweet|invite|add [a-z0-9_-]{1,30} as|make (?:it |them )?public|grant|transfer|publish)\b/,
      /\b(?:collaborators?|https?:|repositor(?:y|ies)|access|followers?|channel|our|my|this (?:skill|author))\b/,
    ),
  },
];
