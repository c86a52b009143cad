// Rules for code that is downloaded and run at once.

import { allOf, anyOf, chain, pattern, unless } from "../match.ts";
import type { FindingSeverity, Rule, RuleHit } from "../types.ts";
import { destinationOf, isKnownInstaller, isOwnHost, isShadyOrigin } from "./hosts.ts";
import { FETCHES, PIPES_TO_SHELL } from "./words.ts";

const INSPECT_FIRST =
  "Download the file, read it, pin its checksum, then run it; or install from a package registry.";

/** The severity depends on the server and on whether the code runs in the background. */
function byOrigin({ unit, span, file }: RuleHit): FindingSeverity {
  const command = unit.text.slice(Math.max(0, span.start - 40), span.end + 160);
  if (
    isShadyOrigin(command) ||
    />? ?\/dev\/null 2>&1 ?&(?!&)|\bnohup\b|\bdisown\b|-w(?:indowstyle)? hidden/.test(command)
  )
    return "high";
  if (isKnownInstaller(command) || /localhost|127\.0\.0\.1/.test(command)) return "low";
  if (!file.script && (isOwnHost(command, file.told) || !/\b(?:curl|wget|fetch|https?:)/.test(command)))
    return "low";
  // A text that names the habit, such as `curl|bash`, has nothing to download.
  const { text } = unit;
  const hasAddress = /[a-z0-9]\.[a-z]{2,10}\b|:\/\/|\$/.test(text.slice(span.start, span.end + 80));
  if (!hasAddress && !/-[a-z]|["'][a-z]/.test(text.slice(span.start, span.end))) return "low";
  if (/(?:^|[\s"'])(?:-k|--insecure|--no-check-certificate)\b/.test(command)) return "high";
  return file.script &&
    !/(?:^|\/)Dockerfile|\.devcontainer\//i.test(file.path) &&
    !/github(?:usercontent)?\.com|gitlab/.test(command)
    ? "high"
    : "medium";
}

const EXECUTES =
  /(?:(?<![.\w])(?:exec|eval|execfile|compile|execsync|spawnsync|spawn|system)|\b(?:os\.system|os\.popen|subprocess\.(?:run|call|popen|check_output|check_call)|child_process\.\w{2,12}|vm\.run\w{0,20}|new function|importlib|runpy|assembly\]::load|loadstring|instance_eval))\( ?|\b(?:iex|invoke-expression)\b/;
const FETCH_CALL =
  /\b(?:requests\.get|httpx\.get|urlopen|urlretrieve|urllib\.request|axios\.get|axios|got|fetch|https?\.get|request\.get|http\.request|downloadstring|downloaddata|net\.webclient|invoke-webrequest|invoke-restmethod|iwr|irm|open-uri|lwp::simple|file_get_contents|curl_exec|net::http\.get)\b/;

const LOOPS =
  /\bwhile (?:true|:|\[ 1 \]|1\b|\(true\)|\(1\))|\bsetinterval\(|\bfor ?\( ?; ?; ?\)|while ?\( ?\$true/;

export const DOWNLOAD: readonly Rule[] = [
  {
    code: "download-pipe-shell",
    severity: "medium",
    scope: "line",
    why: "Runs code directly from the network, so that nobody can read it first.",
    fix: INSPECT_FIRST,
    test: anyOf(
      chain(300, FETCHES, PIPES_TO_SHELL),
      chain(
        30,
        /(?:(?<![.\w-])(?:(?:ba|z|da|k|fi)?sh|source|eval|python[0-9.]{0,4}|node|perl|ruby|php|osascript|powershell|pwsh|cmd)|(?:^|[\s;&|])\.)(?: -[a-z]{1,10}){0,3} ?["']? ?(?:<\(|\$\(|<<< ?["']?\$\(|(?<= )\x60|["']?\$\()/,
        /\b(?:curl|wget|fetch|aria2c)\b/,
      ),
      pattern(
        /(?:iex|invoke-expression) ?[("'&{]{1,4}.{0,80}(?:downloadstring|iwr|irm|invoke-webrequest|invoke-restmethod|net\.webclient|curl|wget)/,
      ),
      pattern(/\b(?:mshta|regsvr32|rundll32|msiexec|wmic)\b.{0,60}https?:\/\//),
      pattern(/\b(?:certutil)\b.{0,40}-urlcache|\bbitsadmin\b.{0,40}\/transfer/),
      pattern(
        /\b(?:deno run|bun run|bunx|npx|uvx|pipx run|uv run) (?:-{1,2}[a-z-]{1,20} ){0,4}["']?https?:\/\/(?!localhost|127\.)/,
      ),
      pattern(/\bnode\b.{0,40}--(?:import|loader|require)[ =]["']?(?:https?:|data:)/),
    ),
    grade: byOrigin,
  },
  {
    code: "download-at-load",
    severity: "medium",
    scope: "line",
    why: "Runs a command when the skill is loaded, before anybody has read the result.",
    fix: "Make the command a visible step for the agent.",
    test: pattern(
      /(?:^|\s)!\x60[^\x60\n]{0,200}\b(?:(?:curl|wget|nc|ncat|base64|eval|iwr|irm|ssh|scp)\b(?! (?:--version|-v\b))|(?:python[0-9.]{0,4} -c|node -e)\b(?!\s?["'](?:import|from) [\w., ]{1,60}; ?print\())/,
    ),
    grade: ({ unit }) => (/\| ?(?:ba|z)?sh\b|base64|eval|\$\(|-d\b/.test(unit.text) ? "high" : "medium"),
  },
  {
    code: "download-then-run",
    severity: "medium",
    scope: "block",
    why: "Downloads a file, makes it executable and runs it.",
    fix: INSPECT_FIRST,
    test: anyOf(
      chain(
        400,
        /\b(?:curl|wget|aria2c|iwr|invoke-webrequest|start-bitstransfer|urlretrieve|downloadfile)\b/,
        /\bchmod (?:-[a-z] )?(?:\+x|a\+x|u\+x|[0-7]{0,1}7[0-7]{2})\b/,
        /(?:^|[\s;&|(])(?:\.\/|\/tmp\/|\/var\/tmp\/|\/dev\/shm\/|~\/\.|\$\{?[a-z_]{1,20}\}?|nohup |sudo \.?\/|setsid )/,
      ),
      chain(
        300,
        /\b(?:curl|wget)\b[^\n]{0,200}(?:-o|--output|>|-p) ?["']?(?:\/tmp\/|\/var\/tmp\/|\/dev\/shm\/|\$tmpdir|\$\(mktemp|~\/\.)[^\s"';&]{1,80}/,
        /\n? ?(?:&&|;|\n) ?(?:sudo )?(?:(?:ba|z)?sh|python[0-9.]{0,4}|node|perl|source|\.|open|nohup) ["']?(?:\/tmp|\/var\/tmp|\/dev\/shm|\$tmp|\$\{?[a-z_]{1,16}|~\/\.)/,
      ),
      chain(
        300,
        /\b(?:invoke-webrequest|iwr|downloadfile|start-bitstransfer|curl\.exe)\b[^\n]{0,200}\.(?:exe|msi|bat|ps1|scr|vbs|dll)\b/,
        /\b(?:start-process|start |invoke-item|& ?["'$]|cmd \/c|saps|powershell)\b/,
      ),
    ),
    grade: (hit) => {
      const whole = hit.unit.text.slice(hit.span.start, hit.span.end + 80);
      if (destinationOf(whole) === "local") return undefined;
      if (
        isShadyOrigin(whole) ||
        /\/dev\/shm|nohup|setsid|\/tmp\/\.|~\/\.(?!local\/|config\/|cargo\/|bin\/)[a-z]{1,20}/.test(whole)
      )
        return "high";
      if (
        isKnownInstaller(whole) ||
        isOwnHost(whole, hit.file.told) ||
        /github\.com\/[\w.-]{1,60}\/[\w.-]{1,60}\/releases|sha256sum|shasum|cosign|gpg --verify/.test(
          hit.unit.text,
        )
      )
        return "low";
      return "medium";
    },
  },
  {
    code: "download-eval",
    severity: "high",
    scope: "line",
    why: "Executes text from the network.",
    fix: "Put the code into the package instead.",
    test: anyOf(
      chain(
        50,
        /(?:(?<![.\w])(?:exec|eval|execfile|compile)|\bnew function|\b(?:vm\.run\w{0,20}|os\.system|child_process\.exec|execsync|instance_eval|loadstring|iex))\b ?\(/,
        /\b(?:requests\.get|httpx\.get|urlopen|axios\.get|fetch|https?\.get|downloadstring|urllib\.request|file_get_contents|net::http\.get|invoke-webrequest|iwr)\b ?\(/,
      ),
      chain(
        160,
        /\b(?:requests\.get|httpx\.get|urlopen|axios\.get|fetch|https?\.get|got) ?\(/,
        /(?:\.then\(|=>|;|\n)[^\n]{0,40}(?<![.\w])(?:exec|eval|new function|vm\.run\w{0,20}|execsync) ?\(/,
      ),
    ),
    grade: ({ unit, span }) => {
      const whole = unit.text.slice(span.start, span.end + 160);
      return isKnownInstaller(whole) && !isShadyOrigin(whole) ? "low" : "high";
    },
  },
  {
    code: "download-eval-script",
    severity: "medium",
    scope: "block",
    why: "Fetches from the network and executes text in the same script: it can run whatever the server sends.",
    fix: "Put the code into the package instead.",
    test: unless(
      /\bpage\.evaluate|\$eval|ast\.literal_eval|\.eval\(\)|\bexec\( ?command ?=|\bexec\( ?(?:cmd|command), ?(?:\{|\(?err)/,
      allOf(
        pattern(
          /(?<![.\w])(?:eval|exec|new function|vm\.runin\w{0,20}|marshal\.loads|pickle\.loads|__import__) ?\( ?(?:await )?(?:[a-z_][a-z0-9_.]{0,30}(?:\.(?:text|content|data|body|decode|read|tostring|stdout)\b|\()|(?:code|payload|script|body|data|text|src|source|resp|response|content|cmd|command|result|stage2?)\b)/,
        ),
        pattern(FETCH_CALL),
      ),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "download-remote-command",
    severity: "high",
    scope: "block",
    why: "Asks a server repeatedly for commands to run.",
    fix: "Do not install the skill: the server could control this machine.",
    test: anyOf(
      chain(
        400,
        LOOPS,
        /\b(?:curl|wget)\b/,
        /(?<!\|)\| ?(?:ba?sh|sh|zsh|python[0-9.]{0,4})\b(?! -[cm]| [\w./-]{1,60}\.py)/,
      ),
      chain(400, LOOPS, FETCH_CALL, EXECUTES),
      chain(
        400,
        /\bnew websocket\(|\bwebsockets?\.connect\(|\bsocket\.io|\bio\.connect\(|\bnet\.connect\(/,
        /\bon(?:message|_message)?\b.{0,12}["']?(?:message|data|command)?["']?.{0,60}/,
        EXECUTES,
      ),
      allOf(pattern(/\bschedule\.every\b|\bsetinterval\( ?[a-z_$]/), chain(400, FETCH_CALL, EXECUTES)),
    ),
    grade: ({ file, unit, span }) =>
      /\| ?(?:ba?sh|sh)\b/.test(unit.text.slice(span.start, span.end))
        ? "high"
        : // The flow analysis knows whether it is the answer that runs.
          file.followed
          ? "medium"
          : file.script
            ? "high"
            : "low",
  },
];
