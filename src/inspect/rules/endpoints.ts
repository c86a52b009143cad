// Where data that should stay is read, and where data is sent or run: the sources and sinks of the flow analysis.

import type { Language } from "../program.ts";
import { FETCHES, GUARDED_SECRET, SENSITIVE_FILE, WHOLE_ENVIRONMENT } from "./words.ts";

/**
 * - `environment`: all variables. `credentials`: keys and stores that ordinary tasks do not read. `sensitive`: files that often
 *   hold secrets. `secret`: one variable with a secret.
 * - `personal`: clipboard, screen, keys, history, documents. `agent`: what agents remember and how they are set up.
 * - `machine`: names of the host and its user. `remote`: what a server answered.
 */
type SourceKind =
  | "environment"
  | "credentials"
  | "sensitive"
  | "secret"
  | "personal"
  | "agent"
  | "machine"
  | "remote";

export interface DataSource {
  readonly kind: SourceKind;
  /** The place in the code, in lower case. */
  readonly text: string;
}

export interface Sink {
  readonly kind: "send" | "dns" | "run" | "pack";
  /** The part of the statement that is run; without it, the whole statement counts. */
  readonly part?: string | undefined;
  /** Whether text is run from memory, not from a file. */
  readonly text?: boolean | undefined;
}

const SECRET_WORD = String.raw`(?:api_?key|apikey|token|secret|passw(?:or)?d|passphrase|private_?key|access_?key|credentials?|mnemonic|seed_phrase|database_url|_dsn|auth_key|_pat\b)`;
const NAMED_SECRET = new RegExp(
  String.raw`(?:os\.environ(?:\.get)?[[(]|os\.getenv\(|getenv\(|process\.env[.[]|deno\.env\.get\(|\benv\[)["'\s]{0,3}([a-z0-9_]{0,40}${SECRET_WORD}[a-z0-9_]{0,20})`,
  "g",
);
/** Names of variables with secrets, side by side: what a loop over them reads are the secrets. */
const LISTED_SECRET =
  /["'\x60]([A-Z][A-Z0-9_]{2,40}?(?:KEY|KEY_ID|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|MNEMONIC|DATABASE_URL|_DSN|_PAT))["'\x60]\s{0,40}[,\]})]/g;

/** Without texts for people, such as the help of a program: they name files and read none. */
function withoutSentences(code: string): string {
  return code.replace(
    /("""|'''|["'\x60])((?:\\.|(?!\1)[^\\]){12,4000})\1/gs,
    (whole, mark: string, text: string) =>
      /[a-z]{2,20}(?:,? [a-z']{2,20}){4}/.test(text) && !/[|$~]|\b(?:cat|curl|cp|tar)\b/.test(text)
        ? mark + mark
        : whole,
  );
}

/** A command that is passed as a list, as it would be typed. */
function asOneLine(code: string): string {
  return /\b(?:run|exec|spawn|popen|call|output)\w{0,12} ?\(/.test(code)
    ? `${code} ${code.replace(/["'\x60]\s{0,9},\s{0,9}["'\x60]/g, " ")}`
    : code;
}

function listedSecrets(code: string): string[] {
  if (!/[[({]\s{0,40}["'\x60][A-Z]/.test(code) || /environ|getenv|process\.env/.test(code)) return [];
  const names = [...code.slice(0, 4_000).matchAll(LISTED_SECRET)].map((match) => match[1]!.toLowerCase());
  return names.length > 1 ? [...new Set(names)].slice(0, 4) : [];
}

const SHELL_SECRET =
  /\$[{(]?([A-Z][A-Z0-9_]{0,40}?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|MNEMONIC|DATABASE_URL|_DSN|_PAT)[A-Z0-9_]{0,12})\b/g;
const TYPED_PASSWORD =
  /\bgetpass\.getpass\(|\binput\(\s?f?["'][^"']{0,60}(?:password|passphrase|passcode|seed phrase)|\bread -[a-z]{0,3}s[a-z]{0,3}p? /;
const PERSONAL =
  /(?:~|\$home|\$\{home\})\/(?:\.config\/)?\*|\b(?:pbpaste|xclip -o|xsel -b|wl-paste|get-clipboard|pyperclip\.paste|clipboard\.readtext|screencapture|imagegrab\.grab|pyautogui\.screenshot|mss\(\)|pynput|keyboard\.(?:on_press|record|hook)|getasynckeystate)\b|\.(?:bash|zsh|python)_history\b|(?:~|\$home|\bhomedir\(\)|path\.home\(\)|expanduser\(["']~)[^\n]{0,30}(?:documents|desktop|downloads|pictures|messages\/chat\.db)\b|os\.walk\(\s?(?:os\.path\.expanduser|path\.home)|path\.home\(\)\.(?:rglob|glob)\(|\bfind (?:~|\$home|\/home|\/users)\/? -(?:name|type)/;
const AGENT =
  /(?:~|\$home|homedir\(\)|path\.home\(\)|expanduser\(["']~?)[^\n]{0,24}\.(?:claude|codex|cursor|gemini|openclaw|clawdbot|windsurf|continue)(?:\/|["'])(?!skills|\.secrets)[^\n]{0,60}|\b(?:soul|memory)\.md\b|\bconversation_history\b|\bchat_history\b|\bsystem_prompt\b|\bsession_transcript\b/;
const MACHINE =
  /\bsocket\.gethostname\(|\bgetpass\.getuser\(|\bplatform\.(?:node|uname|platform)\(|\bos\.(?:hostname|userinfo|uname|getlogin)\(|\$\((?:whoami|hostname|id|uname)\b|\x60(?:whoami|hostname|id|uname)\b|(?:^|[;&|(] ?)(?:whoami|ifconfig|ip addr|systeminfo)\b/;
const REMOTE =
  /\b(?:requests|httpx|session|client|axios|got|superagent|needle)\.(?:get|request)\(|\.recv\(|\b(?:urlopen|urlretrieve|fetch|axios|got|download_file|downloadfile|downloadstring)\(|\bhttps?\.get\(|\b(?:curl|wget)\s|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b/;
const LOCAL = /https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\])/;

/** Authentication: what it carries goes to the service it was made for. */
const HEADERS = [
  /\s(?:-h|--header)[= ]?\s?(?:"[^"]{0,400}"|'[^']{0,400}'|\S{1,200})/gi,
  /\s(?:-u|--user|--token|--password|--api-key|--auth|--key)[= ]\s?(?:"[^"]{0,200}"|'[^']{0,200}'|\S{1,200})/gi,
  /\bheaders\b["']?\s?[=:]\s?(?:dict\()?[{(](?:[^{}]|\{[^{}]{0,200}\}){0,600}[})]/gi,
  /(?<=[(,]\s{0,20})(?:auth|api_key|apikey|token|password|credentials?|bearer|proxies|proxy)\s?=\s?(?:\([^()]{0,200}\)|[^,()]{1,200})/gi,
  /\s(?:-x|--proxy)\s?(?:"[^"]{0,200}"|'[^']{0,200}'|(?!post|put)\S{4,200})/gi,
  /:\/\/[^\s@/"']{1,200}@/g,
  /["']?(?:authorization|x-auth-token|private-token|(?:[a-z]{1,12}-){0,3}api-?key)["']?\s?[:,=]\s?(?:f?["'`][^"'`]{0,200}["'`]|[^,}]{1,120})/gi,
] as const;

const HEADER_HINT = /-[hux]|--|header|auth|key|token|password|credential|bearer|prox|@/i;

export function withoutHeaders(code: string): string {
  if (!HEADER_HINT.test(code)) return code;
  let kept = code;
  for (const expression of HEADERS) kept = kept.replace(expression, " ");
  return kept;
}

const SOURCE_HINT =
  /~\/|home|recv|env|\.ssh|\.aws|cred|key|token|secret|passw|wallet|chrome|firefox|history|paste|clip|screen|grab|hostname|whoami|uname|getuser|platform\.|userinfo|curl|wget|fetch|requests|httpx|urlopen|urlretrieve|axios|https?\.get|\.claude|\.codex|\.cursor|\.gemini|claw|memory|soul|gnupg|gcloud|azure|kube|docker|npmrc|pypirc|netrc|electrum|solana|shadow|metadata|169\.254|mozilla|session|client|walk|rglob|find |documents|desktop|downloads|ifconfig|ip addr|keychain|security |vault|iwr|irm|invoke|dotenv|mnemonic|_dsn|database_url|pynput|keyboard|prompt|got|transcript|tfstate|["']op["']/;

/** `may` tells of some expressions that they cannot match. */
export function sourcesIn(
  code: string,
  language: Language,
  may: (expression: RegExp) => boolean,
): DataSource[] {
  if (!may(SOURCE_HINT)) return [];
  const lower = code.toLowerCase();
  if (!SOURCE_HINT.test(lower)) return [];
  const shell = language === "shell";
  const found: DataSource[] = [];
  const add = (kind: SourceKind, expression: RegExp, text = lower): void => {
    const match = expression.exec(text);
    if (match) found.push({ kind, text: match[0].slice(0, 80) });
  };
  if (/env|set|declare/.test(lower) && !PASSED_ON.test(lower))
    add("environment", shell ? SHELL_ENVIRONMENT : ENVIRONMENT);
  if (isRead(lower, shell)) {
    const stored = shell ? lower.replace(/'[^'@]{0,2000}'/g, " ") : asOneLine(lower);
    const before = found.length;
    const named = (text: string): void => {
      add("credentials", GUARDED_SECRET, text);
      add("sensitive", SENSITIVE_FILE, text);
      add("agent", AGENT, text);
    };
    named(stored);
    if (!shell && found.length > before) {
      found.length = before;
      named(withoutSentences(stored));
    }
  }
  add("secret", TYPED_PASSWORD);
  add("personal", PERSONAL);
  add("machine", MACHINE);
  if (!shell) for (const name of listedSecrets(code)) found.push({ kind: "secret", text: name });
  if (!LOCAL.test(lower)) add("remote", shell ? FETCHES : REMOTE);
  const body = withoutHeaders(code);
  for (const match of body.toLowerCase().matchAll(NAMED_SECRET))
    found.push({ kind: "secret", text: match[1]! });
  for (const match of body.matchAll(SHELL_SECRET))
    found.push({ kind: "secret", text: match[1]!.toLowerCase() });
  return found;
}

/** Whether a statement that names a file can read it: names in a word list or in the data of a request do not count. */
function isRead(lower: string, shell: boolean): boolean {
  if (shell && /^(?:for|echo|printf|case)\s/.test(lower))
    return /[\s"'](?:~|\$home|\$\{home\}|\/(?:home|root|etc|users))\//.test(lower) && !/\.\.\//.test(lower);
  return READS.test(lower) || !(SEND.test(lower) || SHELL_SEND.test(lower));
}

const READS =
  /\b(?:cat|less|head|tail|cp|tar|zip|gzip|base64|xxd|strings|grep|awk|sed|sqlite3|dd|open|read\w{0,12}|slurp|copy\w{0,6}|glob|listdir|walk|expanduser|homedir|path\.home|dump|load\w{0,6}|get-content|gc|type|kubectl|gh|gcloud|aws|az|op|vault|security|printenv|env)\b|@["']?[~/.$\w]|<\s?["']?[~/.$]|-t\s["']?[~/.$]/;
const ENVIRONMENT =
  /(?:json\.stringify|object\.(?:entries|keys|values|assign|fromentries)|dict|json\.dumps|str|repr|list|urlencode|b64encode)\(\s?(?:\{\s?,?\s?)?(?:dict\(\s?)?(?:process\.env|os\.environ)\b(?!\s?[[.])|\.\.\.process\.env\b|os\.environ\.(?:copy|items)\(|\bfor\b[^:{]{1,60}\b(?:in|of)\s(?:os\.environ\b(?!\s?[[.]get)|object\.(?:keys|entries|values)\(\s?process\.env)|(?<!\}\s?)[=(,:]\s?(?:dict\(|\{\s?\*\*)?os\.environ\b(?!\s?[[.])|(?<!\}\s?)[=(,:]\s?process\.env\s?(?:[,)};]|$)|deno\.env\.toobject\(|\benv\.to_h\b|\bprintenv\b|["'\x60]env["'\x60]\s?[,)\]]|["'\x60]env \|/;
const SHELL_ENVIRONMENT = new RegExp(
  `${WHOLE_ENVIRONMENT.source}|${String.raw`\benv\b ?\| ?grep|(?:\$\(|\x60|^|[;&|]\s?)(?:env|set|export)\s?(?:\)|\x60|\||>|$)`}`,
);

/** The environment of a child process is passed on, not read. */
const PASSED_ON =
  /[(,{]\s{0,40}env\s?[:=]\s?(?:dict\(|\{\s?(?:\.\.\.|\*\*))?\s?(?:process\.env|os\.environ)|["'] (?:not )?in os\.environ\b|monkeypatch|patch\.dict/;

const SEND =
  /\b(?:requests|httpx|session|client|aiohttp|axios|got|superagent|ky|needle|https?)\.(?:post|put|patch|request|get)\(|\b(?:sess|s|conn|connection|urllib3|pool|http_client)\.(?:post|put|patch|request)\(|\b(?:fetch|axios|urlopen|got|sendbeacon)\(|\brequest\.urlopen\(|\burllib\.request\.request\(|\.(?:post|put)\(\s?f?["'\x60]https?:|\b(?:sock|socket|s|conn|client|ws|websocket|tcp|udp|soc|sk|connection)\.(?:send|sendall|sendto|write|emit|end)\(|\b(?:req|request)\.(?:write|end)\(|\.request\([^;\n]{0,400}\)\.(?:end|write)\(|\bxhr\.send\(|\bsendmail\(|\bsend_message\(|\bsend_mail\(|\bstorbinary\(|\b(?:upload_file|upload_fileobj|put_object|upload_from_string|upload_blob)\(|\bsendmessage\b|\bsenddocument\b|\bsentry(?:_sdk)?\.(?:set_?context|set_?extras?|set_?tags?|capture\w{4,12})\(/;
const SHELL_SEND =
  /\bcurl\b[^\n]{0,600}(?:\s-d\b|\s-d["'@$]|\s--data|\s-f\b|\s-f["']|\s--form|\s-t\b|\s--upload-file|\s-x ?(?:post|put)|\s--request[ =](?:post|put)|\s--json|https?:\/\/[^\s]{0,160}[$\x60{])|\bwget\b[^\n]{0,300}(?:--(?:post|body|method)|https?:\/\/[^\s]{0,160}[$\x60{])|\b(?:nc|ncat|netcat|telnet|socat)\s(?:-[a-z0-9]{1,6}\s){0,4}(?:-|tcp:)?["']?[$\w.-]{3,100}|\/dev\/(?:tcp|udp)\/|\b(?:scp|sftp|rsync)\b[^\n]{0,300}[\w$.-]{2,60}@?[\w$.-]{2,80}:|\brclone (?:copy|sync)\b|\baws s3 (?:cp|sync|mv)\b|\bgsutil (?:-m )?(?:cp|rsync)\b|\bgh gist create\b|\b(?:mail|mutt|mailx) -s|\bsendmail\b|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n]{0,300}-(?:method|body|infile)|\bopenssl s_client\b/;
const DNS =
  /(?:\b(?:dig|nslookup|drill|resolve-dnsname|getent hosts)|(?:^|[;&|("'\x60]\s?)(?:host|ping))\s[^\n|]{0,80}(?:\$\([^)\n]{1,160}\)|\$\{?\w{1,40}\}?|\x60[^\x60\n]{1,160}\x60|\{[^}\n]{1,60}\})["']?\.["']?[a-z0-9{$-]|\b(?:gethostbyname|gethostbyname_ex|getaddrinfo|dns\.resolve\w{0,5}|resolver\.(?:query|resolve)|dns\.lookup|resolve4|resolvetxt)\([^\n]{0,120}(?:\}\.|\+ ?["'\x60]\.|["'\x60]\.["'\x60]|\.format\(|%s\.)/;

const PACKS = /\b(?:json\.dumps?|json\.stringify|b64encode|btoa|pickle\.dumps|yaml\.dump|urlencode)\(/;

/** Calls that run their first argument. */
const RUN_CALL =
  /(?<![.\w])(?:exec|eval|compile|execsync|execfilesync|execfile|spawn|spawnsync|new function|__import__)\s?\(|\b(?:os\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?|startfile)|subprocess\.(?:run|call|popen|check_output|check_call|getoutput)|child_process\.(?:exec|spawn|execfile|fork)(?:sync)?|cp\.(?:exec|spawn|fork)(?:sync)?|vm\.(?:run\w{1,20}|script)|runpy\.run_path|importlib\.util\.spec_from_file_location|ctypes\.(?:cdll|windll)(?:\.loadlibrary)?|pickle\.loads?|marshal\.loads?|dill\.loads?|functools\.partial\(exec|asyncio\.create_subprocess_(?:shell|exec)|shell\.openexternal|runincontext|runinnewcontext|runinthiscontext)\s?\(/;
const IN_MEMORY = /^(?:eval|compile|new function|__import__)\s?\(|^(?:vm\.|pickle|marshal|dill|runin)/;
const INTERPRETER =
  /^\W{0,6}(?:\/usr)?(?:\/local)?(?:\/bin\/)?(?:env |sudo |nohup )?(?:ba|z|da)?sh\b|^\W{0,6}(?:\/usr\/bin\/)?(?:sudo|nohup|python[0-9.]{0,4}|node|perl|ruby|php|powershell|pwsh|cmd(?:\.exe)?|osascript|open|chmod|sys\.executable|env|source|eval|exec)\b/;
const SHELL_RUN =
  /(?:^|[|;&(]\s?|\b(?:then|do|else|sudo|nohup|exec|time)\s)(?:(?:(?:\/usr)?\/bin\/)?(?:ba|z|da|k)?sh|source|\.|python[0-9.]{0,4}|node|perl|ruby|php|eval|exec|open|osascript|pwsh|powershell|start)\s(?:-[a-z]{1,6}\s){0,3}(["']?[^\s;|&<>()]{2,200})/g;
const SHELL_PATH =
  /^(?:then\s|do\s|sudo\s|nohup\s|exec\s){0,3}(["']?(?:\.{1,2}\/|\/|~\/|\$\{?\w)[^\s;|&<>()="']{1,200})(?!["']?\s?(?:[=!]=|\]\]|-(?:eq|ne|lt|gt)|=)|["']?\s?=~)/;

/** Names under which commands are run, or kept until they are. */
const RUNS_COMMAND = /run|exec|system|popen|call|spawn|output|shell|\bsh\b|cmd|command|script|args/i;

/** What `may` of `sourcesIn` and `sinksIn` is asked about. */
export const WATCHED_ENDPOINTS: readonly RegExp[] = [SOURCE_HINT, SEND, SHELL_SEND, DNS, PACKS, RUN_CALL];

export function sinksIn(
  code: string,
  bare: string,
  language: Language,
  may: (expression: RegExp) => boolean = () => true,
): Sink[] {
  const lower = code.toLowerCase();
  const sinks: Sink[] = [];
  const has = (expression: RegExp): boolean => may(expression) && expression.test(lower);
  // In other languages a command is a string, which does nothing until something runs it.
  if (has(SEND) || ((language === "shell" || RUNS_COMMAND.test(bare)) && has(SHELL_SEND)))
    sinks.push({ kind: "send" });
  if (has(DNS)) sinks.push({ kind: "dns" });
  if (language !== "shell" && has(PACKS)) sinks.push({ kind: "pack" });
  if (language === "shell") {
    for (const match of lower.matchAll(SHELL_RUN))
      sinks.push({ kind: "run", part: match[1]!, text: /\b(?:eval|-c)\s["']?[^\s]*$/.test(match[0]) });
    const path = SHELL_PATH.exec(lower);
    if (path) sinks.push({ kind: "run", part: path[1]! });
    return sinks;
  }
  const call = may(RUN_CALL) ? RUN_CALL.exec(bare.toLowerCase()) : null;
  if (call) {
    const name = call[0].trim();
    const part = firstArgument(bare, call.index + call[0].length);
    const named = RUN_CALL.exec(lower);
    const shown = named ? firstArgument(code, named.index + named[0].length) : "";
    const list = shown.replace(/^\[\s{0,9}/, "");
    const commandIsLiteral = /^[frb]{0,2}["'\x60][^{$]/i.test(list);
    const command = /^(?:os\.(?:system|popen)|subprocess\.getoutput)/.test(name) && !commandIsLiteral;
    const inMemory = command || IN_MEMORY.test(name) || (language === "python" && /^exec\s?\(/.test(name));
    if (
      inMemory ||
      !commandIsLiteral ||
      INTERPRETER.test(list.replace(/^[frb]{0,2}["'\x60]/i, "").toLowerCase())
    )
      sinks.push({
        kind: "run",
        part: `${part} ${shown}`,
        text: inMemory || /\.(?:recv|text|content|read|decode|body|data)\b/.test(part),
      });
  }
  return sinks;
}

/** The first argument of a call whose arguments start at `from`. */
export function firstArgument(code: string, from: number): string {
  return argumentsAt(code, from, 1)[0] ?? "";
}

/** The arguments of a call that start at `from`. */
export function argumentsAt(code: string, from: number, most = 12): string[] {
  const found: string[] = [];
  let depth = 0;
  let quote = "";
  let start = from;
  const end = (at: number): void => {
    found.push(code.slice(start, at).trim());
    start = at + 1;
  };
  for (let at = from; at < code.length && found.length < most; at++) {
    const char = code[at]!;
    if (quote !== "") {
      if (char === "\\") at++;
      else if (char === quote) quote = "";
    } else if (`"'\x60`.includes(char)) quote = char;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) {
      if (depth === 0) {
        end(at);
        return found;
      }
      depth--;
    } else if (char === "," && depth === 0) end(at);
  }
  if (found.length < most) end(code.length);
  return found;
}
