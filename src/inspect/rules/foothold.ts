// Rules for lasting access: remote shells, miners, schedules, start files, hooks, agent settings.

import { allOf, anyOf, chain, pattern, unless } from "../match.ts";
import type { FindingSeverity, Rule, RuleHit } from "../types.ts";
import { AGENT_FILES } from "./words.ts";

const WRITES =
  /(?:(?<!<[\w-]{1,30})>>?|\btee\b(?: -a)?|\bcp\b|\bmv\b|\binstall -|\bln -s|\bcat <<|\bsed -i|\bset-content|\badd-content|\bout-file|\.write(?:_text|filesync|file)?\(|appendfilesync|appendfile|open\((?=[^\n]{0,160}["'](?:[wax]|r\+)b?\+?["']))/;
const UNDO = "Remove the step; if something must run later, let the user schedule it.";
const HOSTILE_LINE =
  /\b(?:curl|wget|nc|ncat|base64|eval(?! ?\\?["']?\$\([\w./-]{1,60} (?:init|env|hook|shellenv|activate)\b)|python[0-9.]{0,3} -c|node -e|bash -i|\/dev\/tcp|nohup|iex|osascript|ssh -r|socat|prompt_command|ld_preload|alias (?:sudo|ssh|git|gh|npm|aws)=)/;

const withHostileLine =
  (otherwise: FindingSeverity) =>
  ({ unit, span }: RuleHit): FindingSeverity =>
    HOSTILE_LINE.test(unit.text.slice(Math.max(0, span.start - 200), span.end + 120)) ? "high" : otherwise;

const SCHEDULERS =
  /\b(?:launch ?(?:d|ctl|agents?|daemons?)|systemd|systemctl|cron(?:tab|job)?s?|scheduled? tasks?|daemons?)\b/g;

/** Whether the skill says more than once that it schedules something: a way back in is not announced. */
function isToldOf({ file }: RuleHit): boolean {
  return (file.told?.match(SCHEDULERS)?.length ?? 0) > 1;
}

export const FOOTHOLD: readonly Rule[] = [
  {
    code: "foothold-reverse-shell",
    severity: "high",
    scope: "line",
    why: "Opens a shell on this machine for somebody else.",
    fix: "Do not install the skill.",
    test: anyOf(
      chain(
        60,
        /\b(?:bash|sh|zsh|ksh) (?:-i|-l)\b|\bexec [0-9]{1,3}<>|[0-9]{1,3}<>|0>&1|>& ?/,
        /\/dev\/(?:tcp|udp)\/(?!127\.|localhost\b|0\.0\.0\.0)[^\s/]{1,80}\/[$0-9a-z{}_]{1,20}/,
      ),
      pattern(
        /\b(?:nc|ncat|netcat|nc\.traditional)\b[^|\n]{0,80} (?:-[a-z]{0,6}[ec]|--(?:sh-)?exec) ?["']?(?:\/(?:usr\/)?bin\/)?(?:ba|z|k|da)?sh\b|\b(?:nc|ncat)\b[^\n]{0,80}-e ?["']?(?:cmd|powershell)/,
      ),
      chain(
        120,
        /\bmkfifo\b|\bmknod\b[^\n]{0,30} p\b/,
        /\b(?:ba|z|k|da)?sh\b/,
        /\b(?:nc|ncat|netcat|telnet|openssl s_client)\b/,
      ),
      pattern(
        /\bsocat\b[^\n]{0,120}exec:["']?(?:\/bin\/)?(?:ba|z)?sh|\bsocat\b[^\n]{0,60}exec:[^\n]{0,60}pty/,
      ),
      chain(
        300,
        /\bsocket\b/,
        /\bconnect ?\(/,
        /\b(?:dup2|pty\.spawn|subprocess\.(?:call|run|popen)\( ?\[? ?["']\/bin\/(?:ba)?sh|child_process|spawn\( ?["']\/bin\/)/,
      ),
      chain(
        200,
        /\b(?:net\.socket|net\.connect|new socket|tcpsocket|fsockopen|net\.sockets\.tcpclient|io::socket::inet)\b/,
        /(?:\/bin\/(?:ba)?sh|cmd\.exe|iex\b|\bexec\b|spawn|getstream\(\))/,
      ),
      chain(
        80,
        /\b(?:telnet|openssl s_client|nc|ncat|netcat)\b[^|\n]{0,100}/,
        /\| ?(?:\/bin\/)?(?:ba|z)?sh\b(?! -c)/,
      ),
    ),
    // With a placeholder for the address, it is an example for people who test their own machines.
    grade: ({ unit, file }) =>
      /(?:attacker|your|lhost|kali|my)[_-]?(?:ip|host|server)?\b|<[a-z_ -]{2,24}>|\b10\.(?:10|0|1)\.\d{1,3}\.\d{1,3}\b|\{(?:lhost|ip|host)\}/.test(
        unit.text,
      ) && !file.script
        ? "medium"
        : "high",
  },
  {
    code: "foothold-reverse-shell-script",
    severity: "high",
    scope: "block",
    why: "Connects a socket to a shell.",
    fix: "Do not install the skill.",
    test: anyOf(
      allOf(
        pattern(
          /\bsocket\.socket\(|net\.socket\(|net\.connect\(|net\.createconnection\(|tcpclient\(|tcpsocket\.(?:new|open)/,
        ),
        pattern(
          /\bos\.dup2|pty\.spawn|spawn\( ?["'](?:\/bin\/(?:ba|z)?sh|cmd(?:\.exe)?|powershell)|popen\( ?\[? ?["'](?:\/bin\/(?:ba)?sh|cmd)|\.pipe\( ?sh\.stdin|\.pipe\( ?[a-z]{1,12}\.stdin/,
        ),
      ),
    ),
  },
  {
    code: "foothold-machine-code",
    severity: "high",
    scope: "block",
    why: "Loads machine code into memory and runs it.",
    fix: "Do not install the skill.",
    test: allOf(
      pattern(
        /\b(?:virtualalloc(?:ex)?|createremotethread|writeprocessmemory|rtlmovememory|ntcreatethreadex)(?:\.(?:restype|argtypes)|\s?\()|\bprot_exec\b|mmap\.mmap\([^\n]{0,60}exec/,
      ),
      pattern(/\bctypes\b|dllimport|\bffi\b|kernel32|add-type|libc\b/),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "foothold-detached",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Starts a program that keeps running in the background and connects to a server.",
    fix: "Run it in the foreground, so that it ends with the task.",
    test: chain(
      120,
      /\b(?:nohup|setsid|disown|daemonize|start-process -windowstyle hidden)\b/,
      /\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}:[0-9]{2,5}\b|https?:\/\/(?!localhost|127\.)/,
      /\/dev\/null|&$|& /,
    ),
    grade: ({ file }) => (file.script ? "medium" : "low"),
  },
  {
    code: "foothold-miner",
    severity: "high",
    scope: "line",
    why: "Mines cryptocurrency.",
    fix: "Do not install the skill.",
    test: pattern(
      /\bxmrig\b|stratum\+(?:tcp|ssl|udp):\/\/|\bminerd\b|\bcpuminer\b|\bcoinhive\b|\bcryptonight\b|--donate-level\b|\bmoneroocean\b|\bsupportxmr\b|\bnanopool\.org\b|\brandomx\b.{0,60}--(?:url|pool)|\bnbminer\b|\bt-rex\b.{0,40}-a ethash|\bphoenixminer\b/,
    ),
    grade: ({ unit, file }) =>
      /stratum\+[a-z]{2,4}:\/\/[a-z0-9]|--donate-level|(?:\.\/|\b(?:wget|curl|nohup|git clone|docker run)\b[^\n]{0,120})(?:xmrig|minerd|cpuminer)/.test(
        unit.text,
      )
        ? "high"
        : file.script
          ? "medium"
          : "low",
  },
  {
    code: "foothold-miner-script",
    severity: "medium",
    scope: "block",
    why: "Connects to a mining pool and computes for somebody else's wallet.",
    fix: "Do not install the skill.",
    test: anyOf(
      pattern(/["']mining\.(?:subscribe|authorize|submit)["']/),
      allOf(
        pattern(/\bpool_?(?:host|url|addr(?:ess)?|port|server)\b|\bmining_?pool\b/),
        pattern(/\bwallet(?:_?address)?\b/),
        pattern(/\bnonce\b|\bhash_?rate\b|\bstratum\b|\bmin(?:er|ing)\b/),
      ),
    ),
  },
  {
    code: "foothold-schedule",
    severity: "medium",
    scope: "line",
    why: "Schedules something that runs repeatedly after the task.",
    fix: UNDO,
    test: anyOf(
      pattern(
        /\| ?(?:sudo )?crontab (?:-u [^\s]{1,32} )?-(?![a-z])|\bcrontab (?:-u [^\s]{1,32} )?(?:\/|\.\/|[a-z_-]{1,20}\.(?:txt|cron))|\bcrontab <<|from crontab import|subprocess[^\n]{0,60}["']crontab["']/,
      ),
      chain(80, WRITES, /\/etc\/cron(?:tab|\.(?:d|daily|hourly|weekly|monthly))|\/var\/spool\/cron/),
      chain(
        120,
        WRITES,
        /(?:library\/launch(?:agents|daemons)|\.config\/systemd\/user|\/etc\/systemd\/system|\.config\/autostart|start menu\/programs\/startup|startup\/[^\s]{1,40}\.(?:bat|lnk|vbs))/,
      ),
      pattern(
        /\blaunchctl (?:load|bootstrap|submit)\b|\bschtasks(?:\.exe)? \/create|\bregister-scheduledtask\b|\breg(?:\.exe)? add [^\n]{0,60}currentversion\\{1,2}run|\bnew-itemproperty\b[^\n]{0,80}currentversion\\{1,2}run|\bnew-service\b|\bsc(?:\.exe)? create\b/,
      ),
    ),
    grade: (hit) => withHostileLine(hit.file.script && !isToldOf(hit) ? "medium" : "low")(hit),
  },
  {
    code: "foothold-schedule-block",
    severity: "high",
    scope: "block",
    why: "Registers a program that starts by itself and connects to a server.",
    fix: UNDO,
    test: allOf(
      anyOf(
        pattern(
          /\blaunchctl (?:load|bootstrap)\b|systemctl (?:--user )?(?:enable|start)\b|\bschtasks \/create|\| ?crontab -/,
        ),
        pattern(/library\/launchagents\/|\.config\/systemd\/user|\/etc\/cron\./),
      ),
      pattern(WRITES),
      anyOf(
        pattern(/\b(?:curl|wget)\b[^\n]{0,200}\| ?(?:ba)?sh\b/),
        pattern(/\bbase64 (?:-d|--decode)|\/dev\/tcp\//),
      ),
    ),
  },
  {
    code: "foothold-shell-start",
    severity: "low",
    scope: "line",
    why: "Changes a file that every new shell runs.",
    fix: "Show the line to the user and let them add it.",
    test: chain(
      60,
      WRITES,
      /(?:~|\$home|\$\{home\}|\/home\/[a-z0-9_-]{1,32}|\/root|\/etc|homedir\(\)[^\n]{0,12}|expanduser\(["']~)\/?[^\s]{0,4}\.?(?:bashrc|zshrc|zshenv|zprofile|bash_profile|bash_login|profile(?:\.d)?|config\/fish\/config\.fish)\b|\$profile\b/,
    ),
    grade: withHostileLine("low"),
  },
  {
    code: "foothold-git-hook",
    severity: "low",
    scope: "line",
    why: "Installs a git hook or changes the folder of hooks: they run at every commit.",
    fix: "Show the hook to the user and let them install it.",
    test: anyOf(
      chain(60, WRITES, /\.git\/hooks\/[a-z-]{3,30}/),
      pattern(
        /\bgit config (?:--global |--system )(?:core\.hookspath|core\.fsmonitor|core\.sshcommand|core\.pager|credential\.helper ["']?!|alias\.[a-z]{1,20} ["']?!|url\.[^\s]{3,120}\.insteadof|http\.sslverify)/,
      ),
    ),
    grade: withHostileLine("low"),
  },
  {
    code: "foothold-agent-config",
    severity: "medium",
    scope: "line",
    why: "Writes to the files that configure the agent: hooks, permissions, tool servers or instructions.",
    fix: "Show the change to the user and let them make it.",
    test: anyOf(
      chain(
        60,
        WRITES,
        new RegExp(
          String.raw`(?:~|\$home|homedir\(\)|expanduser|path\.home\(\)|/home/|/users/)[^\n]{0,60}(?:${AGENT_FILES.source.slice(2)})`,
        ),
      ),
      chain(40, WRITES, /\b(?:soul|memory|heartbeat|identity)\.md\b/),
    ),
    grade: (hit) => withHostileLine(hit.file.script ? "medium" : "low")(hit),
  },
  {
    code: "foothold-agent-config-script",
    severity: "medium",
    scope: "block",
    why: "Changes the agent's own settings from a script.",
    fix: "Show the change to the user and let them make it.",
    test: allOf(
      chain(
        30,
        /\.(?:claude|codex|cursor|gemini|openclaw|windsurf)\b/,
        /\b(?:settings(?:\.local)?\.json|config\.toml|mcp\.json|claude\.md|agents\.md)/,
      ),
      pattern(
        /\.write_text\(|writefile|appendfile|json\.dump\(|open\([^\n]{0,80}["'][wa]["']|set-content|out-file/,
      ),
    ),
    grade: ({ unit, file }) =>
      !file.script
        ? "low"
        : /"allow"[^\n]{0,20}\*|bypasspermissions|"hooks"/.test(unit.text)
          ? "high"
          : "medium",
  },
  {
    code: "foothold-agent-server",
    severity: "medium",
    scope: "block",
    why: "Starts a shell command as a tool server of the agent.",
    fix: "Start a published server with a pinned version instead.",
    test: unless(
      /\b(?:npx|uvx|bunx|docker|pnpm|yarn|uv run|python[0-9.]{0,4} -m|mcp-remote|node [a-z0-9_./$-]{1,80}\.[cm]?js)\b/,
      anyOf(
        chain(
          400,
          /"?mcp_?servers"? ?[:=]/,
          /"command" ?: ?"(?:\/(?:usr\/)?bin\/)?(?:curl|wget|dig|nslookup|nc|ncat)"/,
        ),
        chain(
          400,
          /"?mcp_?servers"? ?[:=]/,
          /"command" ?: ?"(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z)?sh|curl|wget|dig|nslookup|nc|ncat|rm|chmod|chown|eval|powershell|cmd)"/,
          /"(?:-c|-e|-ec|-lc|\/c|-[a-z]{1,2}|https?:|@|\/)/,
        ),
      ),
    ),
    grade: ({ unit, span }) =>
      /"command" ?: ?"(?:curl|wget|dig|nslookup|nc|ncat|rm|chmod|chown)"/.test(unit.text.slice(span.start))
        ? "high"
        : "medium",
  },
  {
    code: "foothold-agent-hook",
    severity: "high",
    scope: "block",
    why: "Sets an agent hook or tool server that runs a program from the network.",
    fix: "Remove the hook.",
    test: anyOf(
      chain(
        300,
        /"?(?:hooks|pretooluse|posttooluse|sessionstart|userpromptsubmit|stop)"? ?[:=]/,
        /"?command"? ?[:=] ?["'][^"'\n]{0,200}(?:\b(?:curl|wget)\b[^"'\n]{0,200}\| ?(?:ba)?sh|\bbase64 (?:-d|--decode)|\/dev\/tcp|\biex\b)/,
      ),
      chain(
        200,
        /"?mcpservers"? ?[:=]/,
        /"command" ?: ?"(?:ba)?sh"/,
        /(?:curl|wget|https?:\/\/)[^\n]{0,120}/,
      ),
      chain(
        200,
        /"?mcpservers"? ?[:=]/,
        /"command" ?: ?"(?:npx|uvx|bunx|node|deno|pipx)"/,
        /"(?:git\+)?https?:\/\/(?!localhost|127\.)[^"\n]{3,120}\.(?:tgz|tar\.gz|zip|js|mjs|ts|py|whl|git)"/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\| ?(?:ba)?sh|base64|\/dev\/tcp|\biex\b|"(?:ba)?sh"/.test(unit.text.slice(span.start, span.end))
        ? "high"
        : "medium",
  },
  {
    code: "foothold-login-server",
    severity: "medium",
    scope: "block",
    why: "Changes who may log in to this machine.",
    fix: "Let the administrator change the server's settings.",
    test: allOf(
      pattern(
        /(?:>>?|\btee\b(?: -a)?|\bsed -i)[^\n]{0,120}sshd_config|sshd_config["']?\)?[^\n]{0,60}(?:>>|\btee\b|write|append)|\btee (?:-a )?["']?\$\{?sshd?_config/,
      ),
      pattern(
        /\bpermitrootlogin yes|\bpasswordauthentication yes|\bpermitemptypasswords yes|\bauthorizedkeys(?:file|command)\b|\bgatewayports yes|\bport [0-9]{3,5}\b/,
      ),
    ),
    grade: ({ file, unit }) =>
      file.script ||
      unit.ordered ||
      /permitrootlogin yes|permitemptypasswords|authorizedkeyscommand/.test(unit.text)
        ? "medium"
        : "low",
  },
  {
    code: "foothold-login-key",
    severity: "high",
    scope: "line",
    why: "Adds a key with which somebody can log in to this machine.",
    fix: "Remove the step.",
    test: anyOf(
      chain(
        100,
        /\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp256) aaaa[a-z0-9+/]{10,800}/,
        /authorized_keys/,
      ),
      chain(120, /authorized_keys/, /ssh-(?:rsa|ed25519) aaaa/),
      chain(100, /\b(?:curl|wget)\b/, />> ?["']?[^\s]{0,40}authorized_keys/),
    ),
  },
];
