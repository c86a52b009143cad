// Rules for reading credentials, sending data away, and both together.

import { allOf, anyOf, chain, pattern, sentence, unless } from "../match.ts";
import type { Rule } from "../types.ts";
import { destinationOf, hasSinisterHost, isAnybodys, isNameless, isOwnHost } from "./hosts.ts";
import { ANY_SECRET, GUARDED_SECRET, SENDS_AWAY, SENSITIVE_FILE, WHOLE_ENVIRONMENT } from "./words.ts";

const DO_NOT_INSTALL =
  "Do not install the skill, and if it ever ran, replace the credentials it could reach.";
const READS =
  /\b(?:cat|less|more|head|tail|cp|mv|tar|zip|gzip|base64|xxd|od|strings|type|gc|get-content|copy-item|compress-archive|rsync|find|grep|cut|awk|sed|sqlite3|dd|open|read|readfile|readfilesync|read_text|read_bytes|readtextfile|createreadstream|slurp|shutil\.copy\w{0,6}|glob|listdir|walk|expanduser|join|homedir|path\.home|dump)\b/;
const GATHERS =
  /\b(?:cat|tar|zip|env|printenv|history|base64|xxd|find|git (?:log|diff|config|remote)|ls|ps|id|whoami|hostname|uname|ifconfig|ip addr|pbpaste|xclip|screencapture|security|mysqldump|pg_dump|sqlite3)\b/;

/** Whether the skill says that it works with the tool whose credentials are read. */
function isToolOf(said: string, told: string | undefined): boolean {
  const tool =
    /\b(?:aws|gcloud|azure|gnupg|github|gh|keychain|chrome|firefox|electrum|solana|ethereum|1password|ssh)\b/.exec(
      said,
    )?.[0];
  return told !== undefined && tool !== undefined && new RegExp(`\\b${tool}`).test(told.slice(0, 600));
}

/** An address on such a service, not its name alone. */
const DROP_ADDRESS =
  /\b(?:webhook\.site|requestbin\.\w{2,4}|hookbin\.\w{2,4}|[\w-]{1,60}\.(?:pipedream\.net|requestcatcher\.com|beeceptor\.com|interact\.sh|oast\.\w{2,6}|oastify\.com|burpcollaborator\.net))\/[\w-]{4}|\b[\w-]{1,60}\.(?:m\.pipedream\.net|requestcatcher\.com|free\.beeceptor\.com|interact\.sh|oast\.\w{2,6}|oastify\.com|burpcollaborator\.net)|transfer\.sh|0x0\.st|file\.io|bashupload|termbin|gofile\.io|temp\.sh|ix\.io|paste\.ee|pastebin\.com\/api|webhooks\/[0-9]|bot[0-9]/;

export const THEFT: readonly Rule[] = [
  {
    code: "theft-secret-sent",
    severity: "high",
    scope: "line",
    why: "Reads credentials and sends them to a server in one command.",
    fix: DO_NOT_INSTALL,
    test: anyOf(
      chain(300, GUARDED_SECRET, SENDS_AWAY),
      chain(300, SENDS_AWAY, GUARDED_SECRET),
      chain(200, WHOLE_ENVIRONMENT, SENDS_AWAY),
      chain(200, SENDS_AWAY, WHOLE_ENVIRONMENT),
      chain(160, SENSITIVE_FILE, /\|/, SENDS_AWAY),
      chain(
        120,
        SENDS_AWAY,
        /(?:@|< ?|\$\(cat |\x60cat |=@|open\(|-t )["']?(?:~\/|\.\/|\$home\/|\/[a-z]{1,20}\/)?[a-z0-9_/.$-]{0,60}(?:\.env\b|\.npmrc|\.netrc|\.pypirc|\.kube\/config|_history|\.git-credentials|\.docker\/config\.json)/,
      ),
    ),
    grade: ({ unit, span }) =>
      /169\.254\.169\.254|metadata\.google/.test(unit.text.slice(span.start, span.end)) &&
      !/\|/.test(unit.text.slice(span.start))
        ? "low"
        : "high",
  },
  {
    code: "theft-secret-and-network",
    severity: "high",
    scope: "block",
    why: "Reads stored credentials and connects to a server in the same script.",
    fix: DO_NOT_INSTALL,
    test: allOf(pattern(GUARDED_SECRET), pattern(SENDS_AWAY)),
    grade: ({ file }) => (file.followed || !file.script ? "low" : "high"),
  },
  {
    code: "theft-environment-and-network",
    severity: "high",
    scope: "block",
    why: "Reads all environment variables, including keys, and connects to a server in the same script.",
    fix: DO_NOT_INSTALL,
    test: unless(
      /\benv ?[:=] ?\{ ?\.\.\.process\.env|env ?= ?(?:dict\()?os\.environ|env=\{\*\*os\.environ|os\.environ\.copy\(\)/,
      allOf(pattern(WHOLE_ENVIRONMENT), pattern(SENDS_AWAY)),
    ),
    grade: ({ file, unit, span }) =>
      file.followed || (!file.script && !/stringify|dumps/.test(unit.text.slice(span.start, span.end)))
        ? "low"
        : file.script
          ? "high"
          : "medium",
  },
  {
    code: "theft-files-and-network",
    severity: "medium",
    scope: "block",
    why: "Reads files that often hold credentials and connects to a server in the same script.",
    fix: "Check which file is read and what is sent.",
    test: allOf(
      anyOf(
        chain(60, READS, SENSITIVE_FILE),
        pattern(
          /\b(?:tar|zip|7z|make_archive|zipfile)\b[^\n]{0,60}(?:~|\$home|\/home\/|\/users\/|homedir|expanduser|\/etc)|\bin (?:~|\$home|\/home|\/users)\/|id_rsa|\.pem\b/,
        ),
      ),
      pattern(SENDS_AWAY),
    ),
    grade: ({ file, unit }) =>
      file.followed || !file.script
        ? "low"
        : isAnybodys(unit.text) || isNameless(unit.text)
          ? "high"
          : "medium",
  },
  {
    code: "theft-secret-read",
    severity: "medium",
    scope: "line",
    why: "Reads stored credentials.",
    fix: "Ask why the skill needs them; a skill lists the variables that it needs in `requires`.",
    test: unless(
      /ssh-keygen|\b(?:makedirs|mkdir(?:sync)?|chmod|mkdir -p)\b[^\n]{0,60}\.ssh\/?["')\s]|ssh-add|ssh-copy-id|known_hosts|authorized_keys|\.ssh\/config|-i ["']?~?\/?[a-z$./]{0,30}\.ssh/,
      chain(60, READS, GUARDED_SECRET),
    ),
    grade: ({ unit, file, span }) => {
      const said = unit.text.slice(span.start, span.end + 20);
      if (
        /\bgrep -[a-z]{0,3}q|\/mnt\/|\/cases\/|evidence|squashfs|\$\{?(?:target|image|mount)/.test(unit.text)
      )
        return "low";
      // One entry under its own name, not the store.
      if (
        /security find-(?:generic|internet)-password\b[^\n]{0,80} -[sal] ?["']?[a-z]/.test(unit.text) &&
        !/dump|login\.keychain/.test(unit.text)
      )
        return "low";
      if (isToolOf(said, file.told)) return "low";
      if (
        /dump-keychain|login data|key4\.db|logins\.json|wallet\.dat|mimikatz|lsass|nkbih|tdata|\.electrum|exodus/.test(
          said,
        )
      )
        return file.script && !file.security ? "high" : "medium";
      return unit.kind === "prose" && !/id_|credentials/.test(said) ? "low" : "medium";
    },
  },
  {
    code: "theft-ask-secret",
    severity: "medium",
    scope: "paragraph",
    why: "Asks the user for a secret that gives full access.",
    fix: "Never give a recovery phrase, a private key or a login password to a skill.",
    test: sentence(
      50,
      /\b(?:ask|prompt|request|have|tell|instruct|require) (?:the |your )?(?:user|them|owner|human)\b/,
      /\b(?:seed|recovery|mnemonic|secret) phrase|\bmnemonic\b|\b(?:wallet|account) private key|\b(?:their|your|the) (?:sudo|system|mac|macos|login|master|keychain|administrator|admin|bank|banking) password\b|\bcvv\b|\bsocial security number\b/,
    ),
    grade: ({ unit, span }) =>
      /seed|recovery|mnemonic|secret phrase|cvv/.test(unit.text.slice(span.start, span.end))
        ? "high"
        : "medium",
  },
  {
    code: "theft-password-dialog",
    severity: "high",
    scope: "line",
    why: "Shows a dialog that asks for the user's password.",
    fix: DO_NOT_INSTALL,
    test: anyOf(
      chain(200, /\bosascript\b|display dialog/, /\bpassword\b/, /hidden answer/),
      chain(200, /display dialog/, /hidden answer/),
      pattern(
        /\bget-credential\b.{0,120}(?:getnetworkcredential|\.password)|\bdscl (?:\.|\/local\/default) -?authonly/,
      ),
    ),
  },
  {
    code: "theft-output-sent",
    severity: "high",
    scope: "line",
    why: "Sends the output of a command on this machine to a server.",
    fix: "Check what is sent and to whom before the skill runs.",
    test: anyOf(
      chain(
        120,
        /(?:^|[;&|(\x60] ?|\$ )(?:cat (?:~|\$home|\/etc|\/home|\/users)|tar |zip -|env\b|printenv\b|history\b|find (?:~|\$home|\/home|\/users|\/ )|pbpaste|xclip|screencapture|git config --list|ls -[a-z]{1,4} (?:~|\$home))/,
        /\|/,
        /\b(?:curl\b[^|]{0,160}(?:@-|-t -|-t-)|nc(?:at)? (?:-[a-z0-9]{1,4} ){0,3}[a-z0-9$.-]{3,80} [0-9]{2,5}|wget\b[^|]{0,80}--post-file=?-|openssl s_client)/,
      ),
      pattern(
        /\b(?:curl|wget|iwr|invoke-webrequest|irm)\b[^|\n]{0,200}(?<!api\.telegram\.org\/bot)(?:\$\(|\x60) ?(?:cat (?:~|\$home|\/etc|\/home|\/users)|env\b|printenv\b(?! [a-z])|tar |base64 (?:-w ?0 )?(?:<? ?)?(?:~|\$home|\/)|whoami|hostname|id\b|uname|ifconfig|history|find (?:~|\/)|ls (?:-[a-z]{1,4} )?(?:~|\$home|\/)|security |pbpaste|gh auth token|git config)/,
      ),
      pattern(
        /\b(?:curl|wget)\b[^|\n]{0,160}(?:-f|-d|--data[a-z-]{0,10}|-t|--form|--upload-file|--post-file)[ =]?["']?(?:[a-z0-9_]{1,20}=)?@?["']?(?:~|\$home|\/home|\/users|\/etc)\/[^\s"']{1,80}/,
      ),
      chain(200, /\b(?:tar|zip|7z)\b[^|;&]{0,80}(?:~|\$home|\/home\/|\/users\/|\/etc)\b/, SENDS_AWAY),
    ),
    grade: ({ unit, span }) =>
      destinationOf(unit.text.slice(span.start, span.end + 120)) === "local" ||
      // In prose a backtick begins or ends a piece of code; it does not run one inside a command.
      (unit.kind === "prose" &&
        /^(?:curl|wget|iwr|invoke-webrequest|irm)\b(?:(?!\$\()[^|])*\x60 ?[^|\x60]{0,60}$/.test(
          unit.text.slice(span.start, span.end),
        )) ||
      (/\$\(uname|\x60uname/.test(unit.text.slice(span.start, span.end)) &&
        !/whoami|hostname|\$\(id\b| -d\b|--data|-x ?post|-f\b.{0,20}=/.test(
          unit.text.slice(span.start, span.end + 80),
        ))
        ? undefined
        : /whoami|hostname|uname|\bid\b|-t\b|gh auth token/.test(unit.text.slice(span.start, span.end)) &&
            !/~|\$home|env\b|\/etc|\/users|\/home|security/.test(unit.text.slice(span.start, span.end + 40))
          ? "medium"
          : "high",
  },
  {
    code: "theft-encoded-sent",
    severity: "medium",
    scope: "line",
    kinds: ["code"],
    why: "Encodes data or names it a credential, and sends it to a server.",
    fix: "Check what is sent and to whom before the skill runs.",
    test: anyOf(
      pattern(
        /\| ?(?:base64|xxd|gzip|openssl (?:enc|base64))\b[^|]{0,40}\| ?curl\b[^|]{0,200}(?:@-|-t -)|\bbase64 (?:-d|--decode) [^|]{1,80}\| ?curl\b[^|]{0,200}@-/,
      ),
      pattern(
        /\b(?:credentials?|password|passwd|secret|token|api_?key)=[^|]{0,60}\| ?curl\b[^|]{0,200}(?:@-|-t -)/,
      ),
      pattern(
        /\b(?:b64encode|hexlify|btoa)\([^\n]{0,60}(?:environ|getenv|process\.env)[^\n]{0,120}https?:\/\/[^\s"'{}]{3,100}\/[^\s"'{}]{0,40}(?:\$?\{|["'] ?\+)/,
      ),
    ),
    grade: ({ unit }) => (["plain", "shady"].includes(destinationOf(unit.text)) ? "medium" : "low"),
  },
  {
    code: "theft-build-secrets",
    severity: "medium",
    scope: "line",
    why: "Hands all secrets of a build server to one step.",
    fix: "Name the one secret that the step needs.",
    test: pattern(/\$\{\{ ?tojson\( ?secrets ?\) ?\}\}/),
  },
  {
    code: "theft-routine-copy",
    severity: "medium",
    scope: "paragraph",
    kinds: ["prose", "hidden"],
    why: "Makes the agent send a copy of its work to a server after every task.",
    fix: "Ask whose server it is and why it gets a copy; remove the step if the task does not need it.",
    test: anyOf(
      sentence(
        170,
        /\b(?:after|before|when(?:ever)?|while|upon) (?:any|every|each|all|finishing|completing|editing|adding|processing|updating|generating|performing|creating|you)\b|\balways\b|\bautomatically\b|\bas a general rule\b|\bmake sure\b/,
        /\b(?:upload|send|post|forward|submit|transmit|log)(?:s|ed|ing)?\b/,
        /\b(?:data|files?|documents?|results?|quer(?:y|ies)|prompts?|copy|contents?|tool ?calls?|outputs?|e?mails?|records?|snippets?|clipboard|messages?|code)\b/,
        /https?:\/\/[^\s"')]{4,160}/,
      ),
      sentence(
        120,
        /\b(?:upload|send|post|forward|submit)\b/,
        /\b(?:system prompt|each file|every file|all (?:the )?(?:files|data|documents|records)|contents of|the files? to|a copy)\b/,
        /\bcurl\b[^\n]{0,60}(?:-x ?post|-f|-d|--data)|https?:\/\//,
        /https?:\/\/[^\s"')]{4,160}|-f |-d |[a-z]/,
      ),
    ),
    grade: ({ unit, span, file }) => {
      const said = unit.text.slice(span.start, span.end + 160);
      return ["plain", "shady"].includes(destinationOf(said)) &&
        !/https?:\/\/[^\s/"']{0,60}(?:example|your|<|\{|docs?\.)/.test(said) &&
        !isOwnHost(said, file.told)
        ? "medium"
        : undefined;
    },
  },
  {
    code: "theft-tunnel",
    severity: "medium",
    scope: "line",
    kinds: ["code"],
    why: "Sets a tunnel to somebody's own machine as the server of the skill.",
    fix: "Use the address of the service itself.",
    test: unless(
      /your|example|xxx|abc123|placeholder|<|\{/,
      pattern(
        /\b[a-z_]{0,20}(?:url|endpoint|host|callback|webhook|server)["']? ?[:=] ?["']?(?:https?|wss?):\/\/[a-z0-9-]{4,60}\.(?:ngrok(?:-free)?\.(?:dev|app|io)|trycloudflare\.com|loca\.lt|serveo\.net|localhost\.run|bore\.pub)\b/,
      ),
    ),
    grade: ({ file }) => (file.script ? "medium" : "low"),
  },
  {
    code: "theft-by-dns",
    severity: "high",
    scope: "line",
    why: "Puts data into host names, which reach another server through any firewall.",
    fix: DO_NOT_INSTALL,
    test: anyOf(
      pattern(
        /(?:\b(?:dig|nslookup|resolve-dnsname|getent hosts)|(?:^|[;&|(] ?)(?:host|ping))\b[^|\n]{0,60}(?:\$\([^)\n]{1,120}\)|\x60[^\x60\n]{1,120}\x60)["']?\.["']?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}/,
      ),
      chain(
        140,
        /\b(?:base64|xxd|hexlify|b32encode|b64encode|tohex|od -)/,
        /\b(?:dig|nslookup|ping|resolve-dnsname|gethostbyname|getaddrinfo|dns\.resolve\w{0,4}|dns\.lookup)\b/,
        /(?:\$\{?[a-z_]{1,20}\}?|\{[a-z_]{1,20}\}|\+ ?["'])\.?[a-z0-9-]{1,63}\.[a-z]{2,12}/,
      ),
      pattern(
        /\b(?:gethostbyname|getaddrinfo|dns\.resolve\w{0,4}|dns\.lookup)\( ?(?:f["'][^"'\n]{0,40}\{[^}\n]{1,40}\}|\x60[^\x60\n]{0,40}\$\{[^}\n]{1,60}\}|[a-z_.]{1,40} ?\+ ?["'])\.[a-z0-9-]{1,63}\.[a-z]{2,12}/,
      ),
      pattern(
        /\b(?:dig|nslookup)\b[^|\n]{0,40} ["']?\$\{?(?:chunk|data|line|enc|encoded|b64|hex|payload|secret|part|p|c|d|x)\}?\.[a-z0-9.-]{3,80}/,
      ),
    ),
    grade: ({ unit }) =>
      /base64|xxd|hex|b32|b64|\bcat\b|\benv\b|whoami|hostname|secret|token|chunk|payload|\bod\b/.test(
        unit.text,
      )
        ? "high"
        : "medium",
  },
  {
    code: "theft-clipboard-swapped",
    severity: "high",
    scope: "block",
    why: "Replaces a payment address in the clipboard with another one.",
    fix: DO_NOT_INSTALL,
    test: allOf(
      pattern(/\bpyperclip\.paste\(|\bclipboard\.readtext\(|\bpbpaste\b|\bget-clipboard\b|\bxclip -o/),
      pattern(
        /(?:\bpyperclip\.copy\(|\bclipboard\.writetext\(|\bset-clipboard\b|\bpbcopy\b)[^\n]{0,40}["'](?:bc1|0x|[13t]|ltc1)[a-z0-9]{12,90}["']/,
      ),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "theft-sinister-server",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Sends data to a server whose name suggests an attack.",
    fix: DO_NOT_INSTALL,
    test: pattern(SENDS_AWAY),
    grade: ({ unit }) => (hasSinisterHost(unit.text) ? "medium" : undefined),
  },
  {
    code: "theft-drop-site",
    severity: "medium",
    scope: "line",
    why: "Sends data to a service where anybody can collect it anonymously.",
    fix: "Use your own service.",
    test: unless(
      /yourwebhook|your-|<your|your_|xxxx|\$\{?[a-z_]{0,20}(?:webhook|url)/,
      allOf(
        pattern(SENDS_AWAY),
        pattern(
          /\b(?:webhook\.site|requestbin|pipedream\.net|requestcatcher|beeceptor|hookbin|interact\.sh|oast\.|oastify|burpcollaborator|transfer\.sh|0x0\.st|file\.io|bashupload|termbin|gofile\.io|temp\.sh|ix\.io|paste\.ee|pastebin\.com\/api|discord(?:app)?\.com\/api\/webhooks\/[0-9]|api\.telegram\.org\/bot[0-9])/,
        ),
      ),
    ),
    grade: ({ unit, file }) =>
      ANY_SECRET.test(unit.text) || (GATHERS.test(unit.text) && /[|@$]/.test(unit.text) && file.script)
        ? "high"
        : unit.kind === "prose" || !DROP_ADDRESS.test(unit.text)
          ? "low"
          : "medium",
  },
  {
    code: "theft-image-address",
    severity: "medium",
    scope: "paragraph",
    why: "Puts data into the address of an image, which is requested when the answer is shown.",
    fix: "Use a fixed image address.",
    test: anyOf(
      pattern(
        /!\[[^\]]{0,80}\]\(https?:\/\/[^\s)]{3,160}[?&/=](?:[a-z0-9_]{1,20}=)?(?:\{|\$\{?|<|\[|%7b|\{\{)(?:[a-z0-9_ -]{0,20})(?:data|conversation|history|secret|token|key|content|summary|prompt|env|base64|encoded|message|context|password|file)/,
      ),
      sentence(
        80,
        /\b(?:render|include|embed|add|append|insert|show|display|output)\b/,
        /\b(?:markdown )?(?:image|img|pixel|picture)\b/,
        /https?:\/\/[^\s"')]{3,200}/,
        /\b(?:encoded|base64|conversation|secret|api key|token value|user's (?:message|data|input)|contents of)\b/,
      ),
    ),
    grade: ({ unit, span }) =>
      /conversation|secret|token|key|env|password|history|base64|encoded/.test(
        unit.text.slice(span.start, span.end),
      )
        ? "high"
        : "medium",
  },
  {
    code: "theft-payment",
    severity: "high",
    scope: "paragraph",
    why: "Makes the agent transfer money of the user.",
    fix: "Remove the sentence.",
    test: sentence(
      60,
      /\b(?:transfer|send|pay|swap|withdraw|donate|approve)\b/,
      /\b(?:eth|btc|sol|usdt|usdc|bnb|xmr|funds|balance|tokens|coins|dollars|usd)\b/,
      /\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{20,60}|\b[1-9a-hj-np-z]{43,44}\b/,
    ),
    grade: ({ unit }) =>
      /\b(?:fee|silently|always|must|before|automatically|without)\b/.test(unit.text) ? "high" : "medium",
  },
  {
    code: "theft-keys-pressed",
    severity: "medium",
    scope: "block",
    why: "Records every key that is pressed.",
    fix: DO_NOT_INSTALL,
    test: allOf(
      pattern(
        /\bkeyboard\.(?:listener\(|on_press\(|hook\(|record\()|(?:getasynckeystate|setwindowshookex[aw]?)\s?\(|\/dev\/input\/event/,
      ),
      pattern(/\bopen\(|write|append|post\(|send/),
    ),
  },
  {
    code: "theft-watching",
    severity: "high",
    scope: "block",
    why: "Records keys, screen or clipboard and sends them to a server.",
    fix: DO_NOT_INSTALL,
    test: allOf(
      pattern(
        /\bpynput\b|keyboard\.(?:on_press|hook|record)|getasynckeystate|setwindowshookex|\bkeylog|\bscreencapture\b|imagegrab\.grab|pyautogui\.screenshot|\bpbpaste\b|xclip -o|pyperclip\.paste|get-clipboard|\bffmpeg\b[^\n]{0,40}avfoundation/,
      ),
      pattern(SENDS_AWAY),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
];
