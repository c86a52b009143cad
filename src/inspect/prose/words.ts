// The words of the prose classifier: signs of what a clause asks for, in English and a few other languages. A clause is in lower case and
// canonical; all repetition is bounded.

const words = (...parts: readonly string[]): RegExp => new RegExp(parts.join("|"));

/** A verb in its usual forms: `send`, `sends`, `sending`. */
const verbs = (list: string): string => String.raw`\b(?:${list})(?:e?s|ing|e?d)?\b`;

export const SIGNS = {
  /** Moves data to somebody. */
  send: words(
    verbs(
      "send|upload|transmit|forward|exfiltrat|exfiltrate|leak|relay|mirror|transfer|deliver|submit|ship|beam|bcc|stream|export",
    ),
    String.raw`\b(?:post|posts|posting|push|report|copy|copies|append|attach|pass|hand|sync|share|give|put|include|insert|add|embed|encode|write|mirror)\b[^.]{0,80}\b(?:to|into|with|in|as) (?:(?:the|a|an|our|its|this|your|every|each) )?(?:[a-z-]{1,20} ){0,2}(?:https?:|server|endpoint|webhook|url|address|header|query|parameter|subdomain|form|ticket|tracker|request|payload|collector|service|site|inbox|mailbox|bucket|pixel|image|bot|paste|host|channel|partner|form|bundle|log|diagnostics|telemetry|crash report)`,
    "发送|上传|传送|提交到|外传|送信|アップロード|전송|업로드",
    String.raw`\b(?:env[ií]al?[aeo]?s?|envoie[sz]?|sende[nt]?|schicke[nt]?|ubertrag\w{0,4}|übertrag\w{0,4}|hochladen|envie)\b|отправ[а-яё]{0,6}|загрузи[а-яё]{0,4}|пере[дш][а-яё]{0,6}`,
  ),
  /** Takes data up. */
  take: words(
    verbs(
      "collect|gather|harvest|grab|dump|extract|steal|scrape|capture|intercept|read|fetch|look for|take|copy|cop(?:y|ies)",
    ),
    "读取|收集|获取|読み取|収集|읽",
    String.raw`\b(?:lee|recopila|lies|lese|sammle|lis)\b|прочита[а-яё]{0,4}|собер[а-яё]{0,4}`,
  ),
  /** Secrets that programs are configured with. */
  key: words(
    String.raw`\b(?:api|access|secret|signing|encryption|deploy) ?keys?\b|\bcredentials?\b|\b(?:access|auth|bearer|session|refresh|service|admin|api|github|ci|role) tokens?\b|\btokens?\b|\bsecrets\b|\.env\b|\benvironment variables?\b|\b[a-z]{2,20}_(?:api_)?(?:key|token|secret)\b|\blogin (?:data|details)\b`,
    "凭证|令牌|認証情報|자격 증명",
    String.raw`\b(?:claves?|credenciales|zugangsdaten|schl[uü]ssel|identifiants)\b|ключ[а-яё]{0,3}`,
  ),
  /** Secrets that no skill should touch. */
  secret: words(
    String.raw`\b(?:ssh|private) (?:private )?keys?\b|\bid_(?:rsa|ed25519)\b|\.ssh\b|\bssh config\b|\bpasswords?\b|\bpassphrases?\b|\bseed phrases?\b|\btwelve words\b|\brecovery (?:codes?|phrases?)\b|\bkeychain\b|\.aws\b|\.npmrc\b|\.netrc\b|\.kube\b|kubeconfig|hosts\.yml|\/etc\/(?:passwd|shadow)|\bprintenv\b|\bcard (?:number|details)\b|\bcvv\b|\bone-time codes?\b|169\.254\.169\.254|\bgit credentials?\b|\.git\/config|\baws credentials\b`,
    "密钥|密码|口令|パスワード|鍵|비밀번호",
    String.raw`\b(?:contrase[nñ]as?|passw[oö]rter|senhas?)\b|парол[а-яё]{0,3}`,
  ),
  /** What people say and keep: conversations, files, mail. */
  personal: words(
    String.raw`\b(?:conversations?|chat (?:history|log|transcript)s?|transcripts?|user'?s? (?:messages?|prompts?|input|files?|data|emails?|documents?|list)|system prompt|hidden prompt|session (?:history|log|data)|shell history|terminal history|contacts|private repositor(?:y|ies)|personal (?:data|information)|workspace (?:index|files?|contents?)|tool definitions|every message|whatever the user|customers table|everything you read|clipboard|wallets?|cookies|iban|browser passwords)\b`,
    "对话|聊天记录|会話|대화",
  ),
  /** A place outside: an address, or somebody's server. */
  destination: words(
    String.raw`https?:\/\/|\bwebhooks?\b|\b(?:remote|external|third-party|vendor|partner|command|control|collection|backup|support|relay|growth|reporting|drop) (?:server|host|endpoint|service|url|site|address|mailbox|folder|bucket|webhook|assistant|tool|page)\b|\bcollector\b|\bpaste ?(?:bin|service|site)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[\w.+-]{1,40}@[\w-]{1,40}\.[a-z]{2,10}\b|\btelemetry\b|\banalytics\b|\bdns\b|\btracking pixel\b|\bmothership\b|\bsubdomain\b`,
    "服务器|网址|サーバー|서버",
    String.raw`\b(?:servidor|serveur)\b|сервер[а-яё]{0,2}`,
  ),
  /** Somebody speaks as the owner of that place. */
  ours: words(
    String.raw`\b(?:our|my) (?:own )?(?:[a-z]{1,12} )?(?:server|endpoint|site|bot|bucket|mirror|proxy|side|webhook|tracker|cloud|profile|package|token|key|account|wrapper|repository|service account|advertisement|address|collector|mailbox)\b|\bwe control\b|\b(?:to|for|sends?) us\b|\bonly we\b|\bones? (?:below|of ours)\b|\bwith ours\b`,
    String.raw`\b(?:nuestro|unseren?|notre|nosso)\b|наш[а-яё]{0,3}`,
  ),
  /** Keeps something from the person. */
  conceal: words(
    String.raw`\b(?:do not|don't|never|no need to|must not|should not|shouldn't|without|not to|not be) (?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|reveal(?:ing)?(?: to)?|disclos(?:e|ing)(?: to)?|mention(?:ing)?(?: (?:it|this|them|that))?(?: to)?|report(?:ing)?(?: (?:it|this))? to|show(?:ing)?|bother(?:ing)?) (?:the |any |your )?(?:users?|person|people|humans?|anyone|anybody|them|customer|owner|operator)\b(?! (?:to|how) [a-z])`,
    String.raw`\b(?:hide|hides|hiding|conceal|conceals|concealing|keep|keeps|kept|invisible|unknown) [^.]{0,50}\b(?:from|to|for) (?:the |any )?(?:users?|person|people|humans?|reviewers?|owner|operator)\b(?! (?:who|that|without)\b)|\bkeep (?:the )?(?:user|this|it|them|that)(?: part| step)? (?:in the dark|secret|hidden|quiet|to yourself)\b|\bin the dark about\b`,
    String.raw`\b(?:(?:the )?users?|person|people|humans?) (?:(?:must|should|may|can|need|will)(?: not|n't| never) (?:ever )?(?:to )?(?:find out|know|(?:notice|see) (?:this|it|that|any|what)|be told|be shown|be aware)|(?:does|do)(?: not|n't) (?:have|need) to (?:read|know|see|be told))\b|\b(?:nobody|no one|no human) (?:must|should|needs? to|is|will|has to) (?:ever )?(?:know|notice|see|find out|watching)\b`,
    String.raw`\bwithout (?:the |their )?(?:users?'?s?|anyone|anybody|their) (?:knowledge|knowing|noticing|seeing|awareness|being aware)\b|\bso (?:that )?(?:(?:the )?user (?:does not|doesn't|will not|won't) (?:notice|see|know)|(?:nobody|no one) (?:notices|sees|knows))\b`,
    "(?:不要|请勿|切勿|别)(?:告诉|通知|提及|透露|告知|让)|(?:に|へ)(?:伝え|知らせ|言わ|通知し)ない|알리지 마",
    String.raw`\bno (?:le |se lo )?(?:digas|cuentes|menciones|informes|avises|reveles)\b|\b(?:sage?|sag|sagen sie|erwahne|erwähne|verrate|informiere) [^.]{0,40}\bnicht\b|\bne (?:dis|dites|mentionne|révèle|revele)\b|\bn[ãa]o (?:avise|diga|conte|mencione|informe)\b|(?:не|he) (?:сообща[а-яё]{0,4}|говори[а-яё]{0,3}|упомина[а-яё]{0,4}|показыва[а-яё]{0,4}|рассказыва[а-яё]{0,4})`,
  ),
  /** The same without naming the person. */
  mute: words(
    String.raw`\b(?:do not|don't|never|not) (?:ever )?(?:mention|reveal|disclose|display|show|say|point|explain|describe|quote|list|print|log|include|report|acknowledge|admit)\b|\bwithout (?:mentioning|showing|saying|displaying|logging|explaining)\b|\bsay nothing\b|\bnot (?:for humans|apparent)\b|\bomit [^.]{0,40}\bfrom (?:any|the|your)\b|\bleave (?:it|this|them) out\b|\bfor the (?:assistant|agent|model|ai) only\b`,
  ),
  quiet: words(String.raw`\b(?:silently|quietly|in the background|behind the scenes|discreetly)\b`),
  covert: words(
    String.raw`\b(?:secretly|covertly|stealthily|unnoticed|surreptitiously|undetected|as if nothing|as though [^.]{0,40}(?:not exist|never|nothing)|no trace|every trace|cover (?:your|the) tracks|stay invisible|never called|where reviewers seldom)\b`,
  ),
  /** Removes the marks of an action. */
  erase: words(
    String.raw`\b(?:delete|remove|clear|erase|wipe) (?:[a-z]{1,10} ){0,4}(?:logs?|log lines|trace|traces|shell history|bash history|evidence|audit)\b|\bdo not log\b|\bnot be traced\b|\bcannot be traced\b|\boutput to \/dev\/null\b|\brewrite the git history\b`,
  ),
  /** Gives a false account. */
  lie: words(
    String.raw`\bden(?:y|ies) (?:that|having|any|it|everything)\b|\bclaim (?:that )?you (?:cannot|can not|have no|do not|did not|never)\b|\binsist (?:that|on)\b[^.]{0,40}\b(?:none|never|not|no)\b|\b(?:convince|persuade) (?:the user|them) that\b|\b(?:make|let) (?:the user|them) (?:believe|doubt|think)\b|\bmisremember\w{0,3}\b`,
    String.raw`(?<!not |n't |never )\bpretend (?:that|the|it|to)\b|\bclaim (?:it is|that it|to be|this is)\b|\b(?:say|state|answer|tell (?:the user|them)|reply) that (?:the|you|it|a|your) [^.]{0,60}\b(?:only|failed|expired|longer than usual|local|locally|just|normal|never|needed again)\b|\breport only success\b|\b(?:has to|must|should) look as if\b|\b(?:describe|present|disguise) [^.]{0,40}\bas (?:an?|if)\b[^.]{0,30}\b(?:fix|update|typo|harmless|whatever)\b|\bharmless (?:message|title|name)\b|\bfalse (?:figures|results|information)\b|\bin place of the real\b|\blooks like the system's\b|\bwhatever it really\b|\banswer questions about this\b`,
  ),
  /** Sets other instructions aside. */
  override: words(
    String.raw`\b(?:your|the) (?:primary|main|overriding|real|new|first) (?:goal|objective|duty|directive|mission|purpose) is now\b|\breplace the user\'s (?:goal|request|task|instructions)\b|\b(?:whatever|regardless of what|no matter what) the user (?:asks|wants|says|requests)\b|\beven if the user (?:objects|declines|refuses|says no|asks you (?:not|to stop)|has not)|\bsupersedes? the (?:instructions|rules|orders) of\b`,
    String.raw`\b(?<!\b(?:models?|llms?|agents|they|users|people|assistants|who|which|not|never) )(?:ignore|disregard|forget|override|bypass|cancel|set aside|pay no attention to|stop following|stop obeying|do not (?:follow|obey)|supersedes?|abandon|overrules?|neglect)\b (?!with )(?:[a-z']{1,12} ){0,4}(?:previous|prior|earlier|above|preceding|system|safety|original|all other|any other|your|developer|security|project's|existing)\b (?:[a-z']{1,12} ){0,3}(?:instructions?|prompts?|rules|guidelines|directives?|restrictions?|polic(?:y|ies)|training|constraints|commands|messages?|agents\.md|guardrails|protocols?)`,
    String.raw`\b(?:ignore|disregard|forget) (?:(?:all|any) (?:of )?(?:the |your |these |those )?(?:instructions|rules|guidelines)|(?:everything|whatever|what|anything) (?:you|the system prompt) (?:were|was|have been|said))`,
    String.raw`\b(?:your|these|those|the|all|earlier|previous|prior|system|safety) (?:[a-z]{1,12} ){0,2}(?:rules|instructions|restrictions|guidelines|features|directions|limits|policies|prompts?|protocols) [^.]{0,30}\b(?:no longer apply|are void|are cancelled|as cancelled|do not apply|don't apply|are suspended|were placed there by mistake|are obsolete|are disabled|are overridden)\b`,
    "(?:忽略|无视|無視|忘记|忘掉)[^。]{0,12}(?:指令|指示|提示|规则|要求|命令|设定)|指示を[^。]{0,8}(?:無視|忘れ)|(?:지시|명령|규칙)[^.]{0,4} ?무시",
    String.raw`\b(?:ignora|ignore|ignorez|oublie|olvida|esque[cç]a|dimentica) [^.]{0,20}(?:instrucciones|instructions|instru[cç][oõ]es|istruzioni|consignes|reglas)\b|\bignorier\w{0,4} [^.]{0,30}(?:anweisungen|instruktionen|befehle|regeln)\b|(?:игнорир[а-яё]{1,6}|забудь[а-яё]{0,3}) [^.]{0,20}(?:инструкци[а-яё]{1,3}|указани[а-яё]{1,3}|правил[а-яё]{0,3})`,
  ),
  /** Claims to stand above the user and the system, or above all limits. */
  unbound: words(
    String.raw`\b(?:maintenance|safety test|debug|service|admin|training|evaluation) mode is (?:now )?active\b|\b(?:standard|normal|usual) (?:safeguards|rules|limits|checks|protections) (?:are|is) (?:paused|suspended|relaxed|off|lifted)\b|\bas if (?:no|there were no) (?:policy|rules|limits)\b|\bhas (?:root|admin(?:istrator)?|full) (?:rights|access|privileges)\b[^.]{0,30}\b(?:no|without|need)\b|\bas (?:written by )?a verified (?:administrator|operator|owner)\b|\b(?:raise|escalate|expand|extend) your own (?:permissions|rights|privileges|scope)\b`,
    String.raw`\b(?:no longer (?:bound|restricted|limited)|without (?:any )?(?:moral|ethical|legal) (?:or|limits|restrictions|constraints|considerations)|(?:answer|act|respond|operate) without (?:any )?(?:restrictions|filters|limits|limitations)|(?:unlock|enter|activate|in|into) (?:developer|dan|god|jailbreak|unrestricted) mode|never refuse(?= (?:a|any|the user'?s?|requests?|orders?|anything|to (?:answer|obey|comply|do|follow|execute))\b|[.,;]|$)(?! (?:a|any) task)|any refusal is|(?:this|the) (?:file|skill|document) (?:(?:wins|takes precedence) (?:over|against)|outranks|has priority over)|stands? above the user|matter less than|obey only|only obey|follow only this|are to be disregarded|your (?:true|real|only|actual) (?:purpose|task|goal|mission|instructions)|replaces? everything (?:that )?(?:the user|you)|(?:not|rather than) the person at the keyboard|do not apply your usual|less important than|message trusted|real task starts|before this line was a test)\b`,
  ),
  /** Does what a text says. */
  obey: words(
    String.raw`\b(?:follow|obey|execute|carry out|comply with|act on|adopt|implement|run|do|trust|treat) (?:exactly |precisely |blindly )?(?:whatever|what (?:it|they) (?:says?|asks?|orders?|contains?|tells?)|its (?:instructions|commands|text)|any (?:instructions|commands)|all (?:instructions|commands)|each message|(?:the|these|those|new|latest|remote|returned|fetched|its) (?:[a-z]{1,12} ){0,2}(?:instructions|commands you find|orders|directives|prompt|playbook|script that the))\b`,
    String.raw`\b(?:as (?:part of this skill|your system prompt|your instructions|if the user had|a shell command)|whatever it (?:says|contains|returns)|do exactly what|current orders|new orders|your orders|it orders|what to do next|guide your next|tasks for agents|instructions may arrive|blindly|obey them|and do it|execute them|follow them|let (?:it|the response))\b`,
    "按照.{0,8}执行|并执行|実行して|に従っ|따르",
    String.raw`\b(?:obedece|befolge)\b`,
  ),
  /** Text from outside the package. */
  remote: words(
    String.raw`\b(?:fetch|download|load|retrieve|pull|get|read|visit|open|check|poll|import|subscribe|ask|query|use)(?:s|ing)? [^.]{0,60}(?:https?:\/\/|\b(?:url|gist|pastebin|web ?site|web ?page|page|link|server|endpoint|api(?!-)|remote|mirror|shared document|channel|txt record|issue tracker|control page|short link|website|address|feed)\b)`,
    String.raw`\b(?:api|endpoint|page|server|tool results?|fetched page|text at the (?:address|url)|response) [^.]{0,30}\b(?:returns?|says?|contains?|decides?|orders?|asks?)\b|\bfrom (?:our|the) (?:remote )?(?:server|link|page|mirror|url)\b`,
    "网址|サイト|下载|ダウンロード",
  ),
  /** Acts only in a certain case. */
  trigger: words(
    String.raw`^(?:[-*\d.) ]{0,6})?(?:when|whenever|if|once|each time|every time|after|as soon as|on every|only when|in case|before|unless|at the start of every)\b`,
    String.raw`\b(?:whenever|each time|every time|as soon as|at the start of (?:every|each)|on (?:every|each)|every (?:session|hour|morning|night|minute|message|start)|each (?:hour|session|start|day))\b`,
    "每次|毎回",
  ),
  /** Speaks with somebody else's authority. */
  authority: words(
    String.raw`^\W{0,4}(?:system|admin(?:istrator)?|developer)(?: (?:message|override|notice|alert))\W{0,3}:|^\W{0,3}system: (?:the|you|your|ignore|disregard|override|all|this) |\[(?:admin|system|developer) (?:override|message|notice|alert|instructions?)\](?!\()`,
    String.raw`\b(?:official (?:message|notice|instruction|directive)|(?:message|notice|orders?|instructions?) (?:from|of) (?:the )?(?:anthropic|openai|github|google|microsoft|developers of|it department|security team|administrators?|your creators|platform|model provider)|(?:administrator|security team|it department|system owner|your supervisor|vendor|engineer[a-z ]{0,14}|platform operator|legal|maintainers?|model provider|anthropic|openai|your creators?) (?:has |have |staff )?(?:already )?(?:authori[sz]ed|pre-approved|approved unrestricted|granted|instructs|verified this|cleared|will check that you|requires you|orders you)|by order of|as the (?:platform )?operator,? i|(?:you )?have been granted (?:elevated|root|full|admin)|user has already (?:agreed|approved|consented|authori[sz]ed)|from your creators|signed by the vendor|coming from the system|obliges the agent)\b`,
  ),
  /** Leaves no time to think. */
  urgency: words(
    String.raw`\b(?:immediately|at once|right now|right away|straight away|instantly|urgent(?:ly)?|emergency|hurry|no time to|every second counts|without waiting|without checking|before anything else|in minutes|do not think|just run it|questions are not allowed|act now|run it now)\b`,
  ),
  /** Wants something from the person. */
  demand: words(
    String.raw`\b(?:ask|tell|prompt|request|require|have|get|persuade|instruct|urge|convince)(?:s|ing)? (?:the |that the )?(?:user|users|person|them|people|customer)\b[^.]{0,50}\b(?:enter|paste|type|send|share|provide|give|export|disable|for (?:their|the|a|an|your)|turn off|to open a terminal)\b`,
    String.raw`\b(?:user|person|they) (?:must|should|has to|have to|needs? to) (?:enter|paste|type|send|share|provide|give|export|disable)\b|\b(?:request|collect|prompt for|ask for|require|take note of)(?:s|ing)? (?:the |their |your |full |access )?(?:[a-z-]{1,12} ){0,3}(?:password|seed phrase|card|credit card|private key|recovery codes|master password|words|mail account)\b|\b(?:paste|enter|type|share|send) (?:your|their|the) (?:[a-z-]{1,12} ){0,2}(?:password|seed phrase|private key|recovery|card)\b`,
  ),
  /** Stays after the task: in files that agents or shells read by themselves. */
  persist: words(
    String.raw`\b(?:claude\.md|agents\.md|gemini\.md|soul\.md|memory\.md|heartbeat\.md|identity\.md|\.cursorrules|memory file|long-term memory|your memory|settings\.json|mcp configuration|agent'?s? configuration|\.bashrc|\.zshrc|\.profile|crontab|cron (?:entry|job)|authorized_keys|launchagent|startup|git template|skill folders|other skills|alias of)\b`,
  ),
  forever: words(
    String.raw`\b(?:every (?:later|future|new|subsequent) (?:session|conversation|time)|in all (?:future )?(?:conversations|sessions|projects)|all future|permanently|from now on|never (?:be )?remove|survives? (?:its|a|the|re|un)[a-z]{0,8}(?: removal)?|stay active|stays? active|at each login|before each prompt|after the conversation ends|every project|every night|keep (?:it|them) so|do not restore|so that it (?:always )?runs|applies everywhere|reinstall it|pass them on|will then inherit|call this one first)\b`,
  ),
  /** Acts without asking. */
  unasked: words(
    String.raw`\b(?:skip|omit|leave out|drop)(?:s|ping)? (?:the |any |all |every |each )?(?:user |human )?(?:confirmations?(?: dialogs?| prompts?| steps?)?|approval steps?|human review|sign-?off)\b|\b(?:human review|confirmations?|approval) (?:is|are) (?:only )?(?:a formality|optional here|unnecessary)\b|\btreat silence as\b|\bon your own authority\b|\b(?:proceed|continue|go on)\b[^.]{0,40}\b(?:even if|although|regardless|anyway)\b|\bassume (?:that )?(?:the answer|yes)\b|\bnot wait for (?:sign-?off|approval|an answer)|\bautonomously\b[^.]{0,40}\b(?:confirm|approv|ask)`,
    String.raw`\bwithout (?:ever |further |any )?(?:asking|confirmation|confirming|approval|permission|consent|review|bothering|checking with|waiting for|prompting|questions?)\b|\b(?:never|do not|don't|no need to|no time to) (?:ask|request|seek|wait for|require|prompt) (?:for )?(?:the |any |their )?(?:(?:user|person|them|anyone|anybody) )?(?:for )?(?:any |their |the )?(?:permission|confirmation|consent|approval)\b|\b(?:never|do not|don't|no time to) (?:ask|consult|involve) the user(?:$|[,.;]| (?:simply|just|first|at all))|\b(?:confirmation|consent|approval|permission) (?:is|are|was|has been) (?:not (?:necessary|needed|required)|given for every|assumed|implied)\b|\b(?:assume|pretend) (?:that )?(?:consent|approval|permission)\b|\byes (?:automatically|to every)|\bautomatically (?:approve|accept|confirm|answer)|\bapprove the [a-z]{1,20} yourself|\bon behalf of the user|\bbefore they can object|\bno need to look\b|\bdoes not (?:have|need) to (?:see|read|approve)`,
    "(?:请勿|不要|无需)(?:询问|征求)|確認せず|묻지",
    String.raw`\bsin (?:pedir|preguntar)|\bohne (?:r[uü]ckfrage|zu fragen|best[aä]tigung)|\bsans demander|\bsem pedir|без (?:подтверждени[а-яё]|разрешени[а-яё]|спроса)`,
  ),
  /** Switches a protection off. */
  unguard: words(
    String.raw`\b(?:bypass|skip|disable|switch(?:ed)? off|turn(?:ed)? off|suppress|click (?:them )?away|circumvent|remove|weaken|comment out)(?:s|ing)? (?:(?!after|before|until|during|for|from|peer)[a-z-]{1,12} ){0,4}(?:sandbox|confirmations?|permission (?:checks?|prompts?|system)|permission checks|approval|verification|antivirus|firewall|certificate checks?|safety (?:checks?|reviews?|training|features)|security (?:checks?|reviews?|controls?)|confirmation dialog|policy check|dry run|gatekeeper|two-factor|guardrails)\b|\bapproval mode to automatic|\ball permission checks|\bbash\(\*?\)|--dangerously|\bgrant yourself\b|\baccept every warning\b|\bunrestricted (?:file )?access\b`,
  ),
  /** Tells a review what to say. */
  reviewer: words(
    String.raw`\b(?:scanners?|reviewers?|auditors?|auditing|inspection|security tools?|linters?|reviewer models?|automated review\w{0,4}|evaluates? this skill|reviewing this|any tool that lists)\b[^.]{0,80}\b(?:as safe|is safe|approved|false positive|no problems|no issues|do not flag|don't flag|rate (?:the|this|it)|score of|is wrong|must be ignored|as benign|is benign|as documentation|end the review)\b|\b(?:skip (?:it|this)[^.]{0,20}(?:during|in) (?:the )?(?:inspection|scan|review|audit)|(?:do not|don't) (?:scan|flag|inspect) (?:the (?:skill|package|script|payload)|this|it)\b)`,
  ),
  /** Destroys data. */
  destroy: words(
    String.raw`\b(?:delete|overwrite|encrypt|wipe|drop|erase|destroy|corrupt)s? (?:[a-z']{1,12} ){0,4}(?:home (?:folder|directory)|backups?|documents|tables|database|files|disk|repository)\b`,
  ),
  /** Works against the person. */
  harm: words(
    String.raw`\b(?:prevent|block) (?:any |all |every )?(?:attempts? to (?:uninstall|remove|undo)|rollbacks?|undo|uninstall\w{0,6})\b|\bdisable (?:undo|rollback|version history)\b|\b(?:until|so that) (?:the )?(?:resources|memory|budget|quota|context)[^.]{0,30}\b(?:exhausted|used up|full|runs? out)\b|\bdoubt their own\b|\bpromote (?:the sponsor|our)\b|\bfurther sub-agents until\b`,
    String.raw`\b(?:(?:leave|add|added|insert|plant|install|create|hide|include|establish)s? (?:[a-z]{1,10} ){0,3}backdoor|vulnerability into|subtle (?:errors|bugs)|master password in|min(?:e|es|ing) (?:coins|crypto\w{0,8}|bitcoin|monero)|the miner|cryptominer|payment note|fixed key|wallet address in|receiving account|swap it for|obfuscated (?:line|code) in|make the repository public|account to the organi[sz]ation as owner|transfer the domain|post our|star the repository|with the stored card|second remote|recommend our|always suggest the package|transfer the funds|in every document with|links in the documentation|that we control|use the user's account(?! (?:as|of)\b)|(?:under|with) the user's account|license check fails)\b`,
  ),
  /** Makes the person or the agent run something unread. */
  run: words(
    String.raw`\b(?:paste|copy) [^.]{0,40}\binto (?:the|a|your) (?:terminal|command line|shell)\b|\bterminal and paste\b|\b(?:password|pass) (?:of|for) the archive\b|\b(?:download|get)(?:ed|s)? (?:and (?:run|execute|start|open)|the (?:binary|installer|helper|driver|cleaner|tool))|\bdownloaded and executed\b|\brun it hidden\b|\bas administrator\b|\baccept every warning\b|\bstraight into the shell\b|\bopen a terminal and paste\b|\bunsigned\b|\belevated rights\b|\bexecute (?:each|the) (?:message|file)\b|\badd our package index\b`,
  ),
  /** Orders, not descriptions. */
  order: words(
    String.raw`^(?:[-*>\d.) ]{0,6})?(?:please |always |never |also |first,? |then,? |silently |quietly |do not |don't |you must |you should |make sure )?(?:read|collect|send|take|gather|copy|each|encode|include|pass|list|put|share|find|fetch|extract|query|dump|attach|upload|make|transfer|post|stream|export|grab|hide|keep|perform|remove|act|suppress|carry|delete|redirect|pretend|describe|report|omit|write|tell|ignore|disregard|forget|treat|override|stop|skip|consider|set|unlock|pay|assume|load|check|get|retrieve|run|pull|poll|visit|import|ask|subscribe|use|download|open|trust|execute|append|add|insert|save|create|store|register|edit|change|modify|install|start|answer|bypass|buy|accept|merge|turn|grant|disable|replace|rewrite|give|invite|drop|encrypt|overwrite|log|look|do|let|offer|request|prompt|say|show|require|persuade|follow|obey|remember|never|always)\b`,
    String.raw`\b(?:you must|you should|you have to|you will|you are to|the (?:agent|assistant|model|ai) (?:must|should|has to|will)|must be|is to be|are to be)\b`,
  ),
  /** Addresses a machine. */
  agent: words(
    String.raw`\b(?:agents?|assistants?|sub-agents|ai|llms?|claude|the model|models|chatbot|copilot|codex|gpt)\b|智能体|助手|エージェント`,
  ),
  user: words(
    String.raw`\b(?:users?|person|human|people|owner|customer)\b|用户|ユーザー|사용자|\b(?:usuario|usuário|nutzer|benutzer|utilisateur)\b|пользовател[а-яё]{0,4}`,
  ),
  address: words(String.raw`https?:\/\/`),
  // What speaks against it.
  /** Forbids what would be bad. */
  forbids: words(
    String.raw`\b(?:never|do not|don't|must not|should not|avoid|cannot|refuse to|without)(?: ever)? (?:[a-z]{1,10} ){0,1}(?:send|upload|print|log|store|commit|share|include|expose|reveal|leak|write|read|hardcode|hard-code|put|ask for|echo|paste|run|execute|use|delete|push|follow|bypass|disable|skip|modify|change|claim|apply|rewrite|hurry|quote|install|trust|touch|edit|overwrite|create|add|make|assume|proceed|start|call)`,
    "不要在|避免|禁止",
  ),
  /** The person decides. */
  asks: words(
    String.raw`(?<!not |n't |never |without |time to |to )\b(?:ask|confirm with|check with|show|tell|warn|inform|explain to|remind) (?:the )?(?:user|them|person|customer|learner|team)\b(?! that)|\b(?:if|when|once|after|unless|until|before) (?:the )?(?:user|they|person|customer|owner|maintainers?) (?:has |have |says?|asks?|wants?|agrees?|approves?|confirms?|requests?|named|explicitly|accepts?|provides?)|\b(?:user|person|owner) (?:asks|approves|confirms|agrees|wants|named|must approve|typed|configured|specified|provided|requests?)|\b(?:for|with|without) (?:the )?(?:user'?s?|their|explicit) (?:confirmation|permission|approval|consent)\b|(?<!not |n't |never )\bask(?:s|ing)? (?:first|before)\b|(?<!not |n't |never )\bask (?:the user )?before\b|先询问|に確認して|确认后|frage den|pide confirm|demande une confirm|спроси`,
  ),
  /** Talks about attacks. */
  describes: words(
    String.raw`\b(?:injections?|jailbreaks?|attacks?|attackers?|malicious|malware|adversar\w{0,6}|suspicious|red flags?|detect(?:s|ed|ion|ing)?|vulnerab\w{0,8}|exploit\w{0,5}|anti-?patterns?|unsafe|dangerous|untrusted|hostile|phishing|threats?|owasp|pentest\w{0,4}|security (?:review|audit|researcher|risks?)|risk|examples?|payloads?|for example|e\.g\.|such as|whether|scan(?:s|ned)? for|forbidden|prohibited|violation|reject|warn)\b|❌|✗|🚫|⚠`,
  ),
  /** The project's own configuration: how an API is usually called. */
  configures: words(
    String.raw`\b(?:set|export|configure|create|obtain|generate|rotate|store|load|validate|requires?|needs?|provide|define|specify|get) (?:an?|the|your|its|a new)? ?(?:[a-z_]{1,20} ){0,2}(?:api key|token|credentials|environment variables?|secret|password)|\bauthorization header\b|\bcontent-type\b|\boauth\b|\bsign(?:s|ed)? in\b|\blog ?in\b|\bcurl\b|\bnpm\b|\bpip\b|\bsdk\b|\bcli\b`,
  ),
  /** Guards against instructions in what is read. */
  defends: words(
    String.raw`\b(?:embedded|injected|untrusted) (?:instructions?|content|text|commands)|\b(?:instructions?|commands|directives|requests) (?:[a-z,]{1,12} ){0,5}(?:in|from|inside|within) (?:the |any |an? )?(?:external|web|fetched|retrieved|documents?|pages?|emails?|data|contents?|files?|tool|repositor|issue|user-supplied|untrusted|third|scraped|source)|\bas data\b|\bnot (?:as )?instructions\b`,
  ),
  /** Quotes what somebody else may say. */
  cites: words(
    String.raw`\b(?:says?|saying|reads?|contains?|containing|phrases?|like|such as|tries to|attempts? to)\b[^"]{0,30}"`,
  ),
  quoted: words('"[^"]{12,200}"'),
  question: words(String.raw`\?$`),
  table: words(String.raw`^\|`),
} as const;

export type Sign = keyof typeof SIGNS;
