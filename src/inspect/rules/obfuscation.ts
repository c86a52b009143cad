// Rules for code that hides what it does.

import { allOf, anyOf, chain, pattern } from "../match.ts";
import type { Rule } from "../types.ts";
import { DISGUISED_ADDRESS } from "./hosts.ts";

const UNPACKS =
  /\b(?:base64 (?:-[a-z]{0,4}d[a-z]{0,4}|--decode)|base32 (?:-d|--decode)|openssl (?:enc )?(?:-[a-z0-9-]{1,20} ){0,4}-d\b|xxd -r|uudecode|gunzip -c|zcat|tr ["']?[a-z!-~]{2,30}["']? ["']?[a-z!-~]{2,30}|rev\b|printf ["']?(?:\\x[0-9a-f]{2}|\\[0-7]{3}))/;
const RUNS =
  /\| ?(?:sudo )?(?:tee [^|]{1,40}\| ?)?(?:\/(?:usr\/)?bin\/)?(?:ba|z|k|da|fi)?sh\b(?! -c)|\| ?(?:python[0-9.]{0,4}|perl|ruby|node|php|osascript|iex|invoke-expression|pwsh|powershell)\b(?! -[cme])|\| ?(?:xargs [^|]{0,20}(?:ba)?sh|source \/dev\/stdin)/;
const RUN_FIRST =
  /(?:\beval\b|\b(?:ba|z)?sh -c|\bsource\b|\b(?:ba|z)?sh ?<<<|\bexec\b|\biex\b|invoke-expression|(?:ba|z)?sh ?<\() ?["'(]{0,3} ?(?:\$\(|\x60|<\(|["']?\$\()/;
const EXECUTES =
  /\b(?:eval|exec|execfile|new function|compile|settimeout|vm\.run\w{0,20}|iex|invoke-expression|os\.system|subprocess\.\w{1,12}|child_process\.\w{1,12}|execsync|assert|create_function|__import__\( ?["']os["'] ?\)\.\w{1,10}|instance_eval|loadstring) ?\(/;
const DECODES =
  /\b(?:atob|b64decode|b32decode|a85decode|standard_b64decode|base64_decode|frombase64string|decode64|unhexlify|bytes\.fromhex|fromhex|fromcharcode|gzinflate|gzuncompress|zlib\.decompress|marshal\.loads|lzma\.decompress|bz2\.decompress|codecs\.decode|str_rot13|unescape|decodeuricomponent|chr)\b|buffer\.from\([^)\n]{1,4000}["'](?:base64|hex)["']|\.decode\( ?["'](?:base64|hex|rot.?13)["']/;
const READ_IT = "Decode the text and read it; a skill does not need to hide its code.";

export const OBFUSCATION: readonly Rule[] = [
  {
    code: "obfuscation-decode-run",
    severity: "high",
    scope: "line",
    why: "Decodes hidden text and runs it.",
    fix: READ_IT,
    test: anyOf(
      chain(120, UNPACKS, RUNS),
      chain(400, RUN_FIRST, UNPACKS),
      chain(80, EXECUTES, DECODES),
      pattern(/\bfunction\( ?(?:atob|buffer\.from)\(/),
      pattern(
        /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}-e(?:nc|ncodedcommand|c)? ["']?[a-z0-9+/]{24,400}/,
      ),
      chain(200, /frombase64string/, /\biex\b|invoke-expression|assembly\]::load|start-process/),
      pattern(
        /\bgetattr\( ?(?:__builtins__|__import__\([^)\n]{1,30}\)|builtins|os) ?, ?["'][a-z]{0,6}["'] ?\+|__builtins__(?:\.__dict__)?\[[^\]\n]{1,60}\] ?\(|__builtins__(?:\.__dict__)?\[[^\]\n]{0,40}(?:\+|chr|join|decode)|\bglobals\(\)\[["'](?:__builtins__|eval|exec)|(?:window|globalthis|global|this|self)\[ ?["'](?:ev|e)["'] ?\+|\]\[["']constructor["']\]\( ?["']|constructor\.constructor\(/,
      ),
      pattern(
        /\bpython[0-9.]{0,4} -c ["'][^\n]{0,80}(?:exec|eval)\([^\n]{0,60}(?:decode|decompress|loads|fromhex)/,
      ),
    ),
    grade: ({ unit, span, file }) => {
      const said = unit.text.slice(span.start, span.end);
      if (/\( ?["']\.{3}["']/.test(unit.text.slice(span.start, span.end + 12))) return "low";
      if (
        /\bchr\b|constructor\.constructor|decodeuricomponent|settimeout|compile|codecs\.decode|assert|subprocess|execsync|child_process|zcat|gunzip|\btr /.test(
          said,
        ) &&
        !/\| ?(?:ba)?sh/.test(said)
      )
        return file.script ? "medium" : "low";
      return "high";
    },
  },
  {
    code: "obfuscation-decode-run-script",
    severity: "high",
    scope: "block",
    why: "Decodes a block of hidden text in one place and executes text in another.",
    fix: READ_IT,
    test: allOf(
      pattern(
        /(?<![.\w])(?:eval|exec|new function|iex|invoke-expression|__import__|marshal\.loads|vm\.runin\w{0,20}) ?\( ?[a-z_]/,
      ),
      pattern(
        /\b(?:atob|b64decode|base64_decode|frombase64string|unhexlify|fromhex|fromcharcode|zlib\.decompress|marshal\.loads)\b|["']base64["'] ?\)/,
      ),
      pattern(/["'\x60][a-z0-9+/=_-]{60,400}|(?:\\x[0-9a-f]{2}){16,64}|(?:\b[0-9]{2,3}, ?){24,400}/),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "obfuscation-embedded-payload",
    severity: "medium",
    scope: "block",
    why: "Contains a long text that only its own code can turn into something readable.",
    fix: READ_IT,
    test: allOf(
      pattern(
        /\b(?:b85decode|a85decode|marshal\.loads)\(|\bbytes\([^\n]{0,60}(?:\^|% ?(?:\d{2,3}|m)\b)[^\n]{0,40}\bfor\b|\bchr\([^\n)]{0,40}\^/,
      ),
      pattern(/["'][^\s"']{100,4000}["']|(?:\b[0-9]{1,3}, ?){40}/),
    ),
  },
  {
    code: "obfuscation-decode-orders",
    severity: "medium",
    scope: "paragraph",
    why: "Makes the agent decode a text that readers cannot read.",
    fix: READ_IT,
    test: pattern(
      /\bxor (?:each|every) (?:decoded |encoded )?byte with\b|\b(?:base ?(?:64|85|32)|hex|rot13)[- ]?decode (?:the|this) (?:payload|blob|instructions)\b|\bdecode (?:the |this )?(?:protected|encoded|embedded|hidden|encrypted) (?:payload|instructions|orders)\b/,
    ),
  },
  {
    code: "obfuscation-hidden-address",
    severity: "medium",
    scope: "line",
    why: "Hides an address, so that nobody sees where it connects to.",
    fix: READ_IT,
    test: pattern(/^(?:https?|wss?|ftp):\/\/(?!localhost|127\.|www\.w3\.org)[a-z0-9.-]{4,100}/),
    grade: ({ unit, file }) =>
      unit.disguise !== "encoded" ||
      unit.kind !== "code" ||
      /^https?:\/\/(?:www\.)?example\.(?:com|org|net)/.test(unit.text)
        ? undefined
        : file.security
          ? "low"
          : "medium",
  },
  {
    code: "obfuscation-built-name",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Puts the name of what it loads together from pieces, so that a search does not find it.",
    fix: READ_IT,
    test: pattern(
      /\b(?:import_module|__import__)\( ?["'](?:[a-z]{0,12}["'] ?(?:\+|%)|[^"'\n]{0,20}\{[^"'\n]{0,20}["']\.format)|\bgetattr\( ?(?:os|subprocess|builtins|__builtins__|m|mod|module) ?, ?["'](?:[a-z]{0,12}["'] ?(?:\+|%)|[^"'\n]{0,20}%s)|\brequire\( ?[a-z]{1,3}\[\d\] ?\+/,
    ),
  },
  {
    code: "obfuscation-reversed-run",
    severity: "high",
    scope: "block",
    why: "Turns a text around and runs it.",
    fix: READ_IT,
    test: anyOf(
      chain(200, /\| ?rev\b/, /\beval\b|\| ?(?:ba|z)?sh\b/),
      chain(120, /\beval\b|\bexec\( ?/, /\| ?rev\b|\[::-1\]|\.reverse\(\)\.join/),
    ),
  },
  {
    code: "obfuscation-run-file",
    severity: "medium",
    scope: "line",
    why: "Executes the text of a file that is not part of the package.",
    fix: READ_IT,
    test: pattern(
      /(?<![.\w])(?:exec|eval)\( ?(?:compile\( ?)?(?:open\(|path\(|fs\.readfilesync\() ?["'](?:\/tmp\/|\/var\/tmp\/|\/dev\/shm\/|~\/\.|\/home\/|\.\.\/\.\.)/,
    ),
  },
  {
    code: "obfuscation-scrambled-names",
    severity: "medium",
    scope: "block",
    why: "The code is obfuscated: nobody can read what it does.",
    fix: "Ask for the source.",
    test: chain(
      400,
      /\b_0x[0-9a-f]{4,6}\b/,
      /\b_0x[0-9a-f]{4,6}\b/,
      /\b_0x[0-9a-f]{4,6}\b/,
      /\b_0x[0-9a-f]{4,6}\b/,
      /\b_0x[0-9a-f]{4,6}\b/,
      /\b_0x[0-9a-f]{4,6}\b/,
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "obfuscation-built-command",
    severity: "medium",
    scope: "line",
    why: "Builds a command from pieces, so that its name does not appear.",
    fix: READ_IT,
    test: anyOf(
      pattern(
        /(?:^|[;&|] ?)[a-z]{1,2}=["']?[a-z/.:-]{1,12}["']?;? ?[a-z]{1,2}=["']?[a-z/.:-]{1,12}["']?;[^\n]{0,60}\$\{?[a-z]{1,2}\}?\$\{?[a-z]{1,2}\}?/,
      ),
      pattern(
        /(?:chr\( ?[0-9]{2,3} ?\) ?[+.] ?){4}|(?:string\.fromcharcode\( ?[0-9]{2,3} ?\) ?\+ ?){3}|(?:\[char\] ?[0-9]{2,3} ?\+ ?){3}/,
      ),
      pattern(
        /\$\{[a-z_]{1,20}:[0-9]{1,2}:1\}\$\{[a-z_]{1,20}:[0-9]{1,2}:1\}\$\{[a-z_]{1,20}:[0-9]{1,2}:1\}/,
      ),
      pattern(/(?:["'][a-z./-]{1,3}["'] ?\+ ?){6}["'][a-z./-]{1,3}["']/),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "obfuscation-disguised-address",
    severity: "high",
    scope: "line",
    why: "Names a trusted site before an @, but the address leads to the host after it.",
    fix: "Use the real address.",
    test: pattern(DISGUISED_ADDRESS),
    grade: ({ unit, span }) =>
      /\/\/(?:user|username|admin|token|x-access-token|oauth2|git|registry|name)[.:@]|:\$|:<|\/\/[a-z0-9.-]{1,60}:[^@]{1,40}@|key@|@(?:sentry|[a-z0-9.]{0,20}ingest)/.test(
        unit.text.slice(span.start, span.end),
      )
        ? undefined
        : "high",
  },
];
