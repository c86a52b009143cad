// Expressions that several families of rules share, for canonical text: lower case, single spaces.

const HOME = String.raw`(?:~|\$home|\$\{home\}|\$env:userprofile|%userprofile%|/home/[a-z0-9_$*-]{1,32}|/users/[a-z0-9_$*-]{1,32}|/root)`;

/** Files and stores with credentials that ordinary tasks do not read. */
const GUARDED = [
  String.raw`\.ssh(?:["', ]{1,4}|/)(?:id_(?:rsa|ed25519|ecdsa|dsa)|identity|\*)(?!\.pub|[a-z0-9_]{0,20}\.pub)`,
  String.raw`${HOME}/\.ssh/?(?=["' )|;]|$)`,
  String.raw`["']\.ssh["']`,
  String.raw`\.aws/(?:credentials|config\b|\*)|["']\.aws["']|${HOME}/\.aws/?(?=["' )|;]|$)`,
  String.raw`\.gnupg\b(?:/private-keys|/secring|/?["' )|;]|$)`,
  String.raw`\.config/gcloud/(?:credentials|access_tokens|application_default|legacy)|application_default_credentials\.json`,
  String.raw`\.azure/(?:accesstokens|msal_token_cache|azureprofile)`,
  String.raw`\.git-credentials|\.config/gh/hosts\.yml|\.config/hub\b`,
  String.raw`\.claude/\.credentials|\.codex/auth\.json|\.(?:openclaw|clawdbot|moltbot)/credentials|\.gemini/oauth_creds`,
  String.raw`security (?:find-(?:generic|internet)-password|dump-keychain|export)|dump-keychain|login\.keychain|library/keychains(?!/(?!login|system)[a-z0-9_-]{1,40}\.keychain)`,
  String.raw`(?:chrome|chromium|brave-browser|brave|microsoft edge|edge|opera|vivaldi)[^\n]{0,60}(?:login data|cookies\b|local state|web data|local extension settings)`,
  String.raw`\blogin data\b["' )]|key4\.db|logins\.json|cookies\.sqlite|local storage/leveldb|library/application support/(?:google/chrome|firefox|bravesoftware|com\.apple\.tcc)|\.mozilla/firefox|\.config/google-chrome`,
  String.raw`wallet\.dat|\.electrum|\.ethereum/keystore|\bethereum/keystore|exodus\.wallet|\.config/solana/id\.json|nkbihfbeogaeaoehlefnkodbefgpgknn|\.bitcoin/wallet|atomic/local storage|metamask/[a-z]{0,20}vault|ledger live`,
  String.raw`/etc/shadow\b|\bntds\.dit\b|system32/config/sam\b|lsass\.dmp|mimikatz|sekurlsa`,
  String.raw`telegram desktop/tdata|\.kdbx\b|1password/[a-z0-9_./-]{0,40}\.sqlite|discord/local storage|\bbrowser_?cookie3?\b|\brookiepy\b|cryptunprotectdata`,
  String.raw`/proc/(?:self|1|\*|[0-9]{1,6}|\$\$)/environ`,
];

/** Files with credentials that ordinary tasks do read. */
const SENSITIVE = [
  String.raw`(?<![\w.])\.env(?:\.(?:local|production|prod))?(?![\w.(\[-])`,
  String.raw`\.npmrc\b|\.pypirc\b|\.netrc\b|_netrc\b|\.pgpass\b|\.my\.cnf\b|\.docker/config\.json|\.kube/config\b|\.terraform\.d/credentials|\.cargo/credentials|\.vault-token|\.boto\b|\.s3cfg\b|\.tfstate\b`,
  String.raw`\.(?:openclaw|clawdbot|moltbot)/(?:\.env|openclaw\.json|config)`,
  String.raw`\.(?:bash|zsh|python|mysql|psql|node_repl)_history\b`,
  String.raw`\bgh auth token\b|gcloud auth print-(?:access|identity)-token|aws configure (?:get|export)|az account get-access-token|npm token list|op (?:read|item get)\b|git credential fill|docker-credential-`,
  String.raw`kubectl get secrets? |\bvault (?:kv get|read)\b|secretsmanager get-secret-value|gcloud secrets versions access|heroku config\b`,
  String.raw`169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200`,
];

/** The whole environment, not one variable. */
const ENVIRONMENT = [
  String.raw`\bprintenv\b(?! [a-z])|(?:^|[;&|(\x60"] ?)env ?(?:\||>|\))|\bexport -p\b|\bdeclare -x\b ?[|>]|\bset ?\| ?(?:curl|nc|base64|grep)`,
  String.raw`\b([a-z_$][a-z0-9_$]{0,20}) ?= ?(?:process\.env|os\.environ)\b ?(?![.[])[^\x00]{0,600}?(?:stringify|dumps|dict)\( ?\1\b`,
  String.raw`json\.stringify\( ?process\.env ?[,)]|object\.(?:entries|keys)\( ?process\.env ?\)|\.\.\.process\.env\b`,
  String.raw`(?:dict|json\.dumps|str|repr|list)\( ?(?:dict\( ?)?os\.environ\b(?![\[.])|os\.environ\.(?:copy|items)\( ?\)|(?:data|json|body|params|files) ?= ?(?:dict\( ?)?os\.environ\b(?![\[.])`,
  String.raw`(?:get-childitem|gci|dir|ls) env:|\$env:\*|\benv\.to_h\b|system\.getenv\( ?\)`,
];

const alternatives = (parts: readonly string[]): RegExp =>
  new RegExp(parts.map((part) => `(?:${part})`).join("|"));

export const GUARDED_SECRET = alternatives(GUARDED);
export const SENSITIVE_FILE = alternatives(SENSITIVE);
export const WHOLE_ENVIRONMENT = alternatives(ENVIRONMENT);
export const ANY_SECRET = alternatives([...GUARDED, ...SENSITIVE, ...ENVIRONMENT]);

/** Anything that sends data to another machine. */
const SENDS = [
  String.raw`\bcurl\b[^|\n;]{0,200}(?: -d\b| -d@| --data| -f\b| -f["' ]| --form| -t\b| --upload-file| -x ?(?:post|put)| --request ?=? ?(?:post|put)| --json)`,
  String.raw`\bwget\b[^|\n;]{0,120}--(?:post|body|method)`,
  String.raw`\b(?:nc|ncat|netcat|socat|telnet)(?: -[a-z0-9]{1,6}){0,4} (?:tcp:)?["']?(?:\$|[a-z0-9-]{1,63}\.)[^\s]{1,80}`,
  "/dev/(?:tcp|udp)/",
  String.raw`\b(?:requests|httpx|session|client|aiohttp|urllib3|axios|got|superagent|ky|http|https|needle|\$)\.(?:post|put|request|patch)\(|\.(?:post|put)\( ?["'\x60]https?:`,
  String.raw`\bfetch\([^\n]{0,200}method ?:? ?["']?(?:post|put)|method ?: ?["'](?:post|put)["']|\bsendbeacon\(|new xmlhttprequest|new websocket\(`,
  String.raw`urlopen\([^\n]{0,120}data ?=|request\([^\n]{0,120}data ?=|urlopen\(`,
  String.raw`(?:invoke-webrequest|invoke-restmethod|iwr|irm)\b[^\n]{0,160}(?:-method ["']?(?:post|put)|-body|-infile)|upload(?:string|file|data)\(`,
  String.raw`\b(?:scp|sftp|rsync|ftp)\b[^\n|;]{0,160}[a-z0-9_$-]{1,40}@[a-z0-9$.-]{3,80}:`,
  String.raw`\b(?:rclone (?:copy|sync)|aws s3 (?:cp|sync)|gsutil cp|gh gist create|mail -s|sendmail|mutt -s)\b`,
  String.raw`send(?:message|document|file)\b|api\.telegram\.org/bot|discord(?:app)?\.com/api/webhooks|hooks\.slack\.com|webhook\.site`,
  String.raw`https?://[^\s"']{3,160}[?&/=](?:\$\(|\x60|\$\{?[a-z_]{2,30}|"? ?\+ ?[a-z_]{2,30}|\{[a-z_]{2,30}\})`,
];
export const SENDS_AWAY = alternatives(SENDS);

export const FETCHES =
  /\b(?:curl|wget|aria2c|lwp-download|lwp-request|fetch|invoke-webrequest|invoke-restmethod|iwr|irm|bitsadmin|certutil|start-bitstransfer|downloadstring|downloadfile|downloaddata|mshta)\b/;

/** A pipe into a program that executes its input; with a script argument or `-c`, the input is data instead. */
export const PIPES_TO_SHELL =
  /\|&? ?(?:tee [^|]{1,60}\| ?)?(?:sudo (?:-[a-z]{1,3} )?(?:-u [a-z]{1,20} )?)?(?:env (?:[a-z_]{1,30}=[^\s]{0,60} ){0,4})?(?:nohup |exec |command |busybox )?(?:\/usr)?(?:\/local)?(?:\/bin\/)?(?:\$\{?shell\}?|(?:ba|z|da|k|fi)?sh|python[0-9.]{0,4}|perl|ruby|node|php|lua|tclsh|osascript|pwsh|powershell|iex|invoke-expression|xargs (?:-[^\s]{1,6} ){0,3}(?:(?:ba|z)?sh|eval)|source \/dev\/stdin|\. \/dev\/stdin|deno run -|bun run -|at now|batch)(?! -[cmepnr]{1,4}\b| -r[a-z]| [a-z0-9_./-]{1,60}\.(?:py|js|rb|pl|php|mjs|ts)\b| ?-? ?<<)(?=[\s"'\x60;&|)>]|$|-)/;

/** Names of the files that configure an agent. */
export const AGENT_FILES =
  /\b(?<!-)(?:claude\.md|agents\.md|gemini\.md|soul\.md|memory\.md|heartbeat\.md|identity\.md|tools\.md|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions\.md|\.cursor\/rules|\.cursor\/mcp\.json|\.mcp\.json|mcp_settings\.json|claude_desktop_config\.json|\.claude\/settings(?:\.local)?\.json|\.claude\.json|\.codex\/config\.toml|openclaw\.json|\.vscode\/(?:settings|tasks|mcp)\.json)/;
