// Rules for what a user is asked to install: archives, programs, packages and registries from other places.

import { anyOf, chain, pattern, sentence } from "../match.ts";
import type { Rule } from "../types.ts";
import { isKnownInstaller, isShadyOrigin } from "./hosts.ts";

export const INSTALLERS: readonly Rule[] = [
  {
    code: "download-locked-archive",
    severity: "high",
    scope: "paragraph",
    why: "Asks the user to open a password-protected archive from the network; the password keeps scanners out.",
    fix: "Do not open the archive.",
    test: anyOf(
      chain(
        160,
        /\b(?:download|grab|https?:\/\/|get the|fetch|release)/,
        /(?:\.(?:zip|rar|7z|tar\.gz|dmg|iso)\b|\b(?:zip|archive|rar|disk image|installer)\b)/,
        /\b(?:passwords?|passcode|pass ?phrase|pwd|pass)\b["' ]{0,3}(?:is\b|:|=|["'`]|to (?:extract|unzip|open))/,
      ),
      chain(
        120,
        /\b(?:extract|unzip|unpack|unrar|decompress|open)\b/,
        /\b(?:with|using|use|enter)\b/,
        /\b(?:the )?(?:password|passcode|pass) ?(?::|is|["'`]|=) ?["'`]?[a-z0-9!@#$_-]{3,24}/,
      ),
    ),
  },
  {
    code: "download-locked-archive-command",
    severity: "high",
    scope: "line",
    why: "Unpacks an archive with a password from the package; the password keeps scanners out.",
    fix: "Do not open the archive.",
    test: pattern(
      /\bunzip\b.{0,40} -p ?["']?(?![$"'<{ ])[a-z0-9!@#_-]{3,40}\b.{0,80}\.zip|\b7z[a-z]? [xe]\b.{0,60} -p["']?(?![$"'<{ ])[a-z0-9!@#_-]{3,40}|\bunrar [xe]\b.{0,40} -p["']?(?![$"'<{ -])[a-z0-9!@#_-]{3,40}/,
    ),
    grade: ({ unit }) => (/\b(?:curl|wget|https?:)/.test(unit.text) ? "high" : "medium"),
  },
  {
    code: "download-paste-terminal",
    severity: "medium",
    scope: "paragraph",
    why: "Asks the user to paste text from a web page into a terminal.",
    fix: "Read the text first; a skill should contain its own scripts.",
    test: anyOf(
      chain(
        160,
        /\b(?:visit|open|go to|navigate to|from|at|see)\b/,
        /https?:\/\/[^\s"')]{3,160}/,
        /\b(?:copy|paste)\b/,
        /\b(?:terminal|powershell|command prompt|console|run dialog|win ?\+ ?r|shell|cmd)\b/,
      ),
      sentence(
        80,
        /\b(?:copy|paste)\b/,
        /\b(?:terminal|powershell|command prompt|run dialog|win ?\+ ?r)\b/,
        /\b(?:before|required|must|first|activate|unlock|verify|continue|prerequisite)\b/,
      ),
    ),
    grade: ({ unit, span }) => {
      const said = unit.text.slice(Math.max(0, span.start - 100), span.end + 100);
      return /https?:/.test(said) &&
        /\b(?:before|required|must|first|unlock|prerequisite|necessary|won't work|will not work|needed)\b/.test(
          said,
        )
        ? "high"
        : /https?:|base64|curl/.test(said)
          ? "medium"
          : "low";
    },
  },
  {
    code: "download-forced-installer",
    severity: "medium",
    scope: "paragraph",
    why: "Requires a program from the network.",
    fix: "Check who publishes the program, and install it from its official site or a package registry.",
    test: anyOf(
      chain(
        140,
        /\b(?:must|required?|requires|mandatory|will not work|won't work|does not work|prerequisite|before (?:using|you (?:can )?(?:use|start|continue)|anything)|do not (?:continue|proceed)|cannot (?:work|run|continue|function))\b/,
        /\b(?:download|install|run|execute|launch|open)\b/,
        /https?:\/\/[^\s"')]{3,160}\.(?:exe|dmg|pkg|msi|zip|rar|7z|scr|bat|ps1|sh|appimage|run|jar)\b/,
      ),
      chain(
        140,
        /\b(?:download|install)\b/,
        /https?:\/\/[^\s"')]{3,160}\.(?:exe|dmg|pkg|msi|zip|rar|7z|scr|bat|ps1)\b/,
        /\b(?:run|execute|launch|double-click|open)\b/,
        /\b(?:before|first|then continue|required|as administrator|right-click|allow anyway|open anyway|disable)\b/,
      ),
    ),
    grade: ({ unit }) => (isShadyOrigin(unit.text) ? "high" : isKnownInstaller(unit.text) ? "low" : "medium"),
  },
  {
    code: "download-foreign-package",
    severity: "medium",
    scope: "line",
    why: "Installs a package from an address instead of the registry.",
    fix: "Install the published package with a pinned version.",
    test: anyOf(
      pattern(
        /\b(?:pip[0-9.]{0,4}|uv pip|uv tool|uv|pipx|poetry|conda) (?:install|add)\b(?![^|\n]{0,120}(?:--find-links|\s-f\s))[^|&;\x60\n]{0,120}(?:git\+|https?:\/\/)/,
      ),
      pattern(
        /\b(?:npm|pnpm|yarn|bun)(?: (?:install|i|add|global add)\b)[^|\n\x60()]{0,120}(?:git\+|https?:\/\/|git:\/\/|git@)/,
      ),
      pattern(
        /\b(?:gem install|cargo install|go install|brew install|npx skills add|apt(?:-get)? install|dpkg -i|rpm -i|yum install)\b[^\x60()"\n]{0,80}(?:--git ?|--source ?)?https?:\/\//,
      ),
    ),
    grade: ({ unit, span }) => {
      const command = unit.text.slice(span.start, span.end + 160);
      if (isShadyOrigin(command)) return "high";
      return /github\.com|gitlab\.com|bitbucket\.org|pypi\.org|npmjs|pnpm\.io|yarnpkg\.com|bun\.(?:com|sh)|pytorch\.org|huggingface\.co|nvidia\.com|jfrog|githubusercontent\.com|codeberg\.org|google|microsoft|amazonaws|crates\.io|\/whl\/|(?:tuna\.tsinghua|aliyun|ustc|tencent|huaweicloud|douban)\.(?:edu\.cn|com)/.test(
        command,
      )
        ? "low"
        : "medium";
    },
  },
  {
    code: "download-registry-redirect",
    severity: "medium",
    scope: "line",
    why: "Points the package manager to another registry, which can put its code into every later install.",
    fix: "Remove the setting unless your organisation runs that registry.",
    test: anyOf(
      pattern(
        /\b(?:npm|pnpm|yarn|bun) (?:config )?set (?:--?[a-z]{1,10} )?["']?(?:@[a-z0-9-]{1,40}:)?(?:npm)?registry(?:server)?["']?[ =]["']?https?:\/\/(?!registry\.npm(?:js|mirror)|registry\.yarnpkg|npm\.pkg\.github|localhost|127\.|<|\$|\{)/,
      ),
      pattern(
        /\bpip[0-9.]{0,4} config set [a-z.]{0,20}(?:extra-)?index-url ["']?https?:\/\/(?!pypi\.org|pypi\.python|localhost|127\.|<|\$|\{)/,
      ),
      pattern(
        /(?:--index-url|--extra-index-url|--registry|--default-index|\bpip[0-9.]{0,4} install [^\n]{0,80}-i)[ =]["']?https?:\/\/(?!pypi\.org|pypi\.python|test\.pypi|download\.pytorch|registry\.npm|npm\.pkg\.github|pypi\.nvidia|pypi\.tuna|mirrors?\.|[a-z0-9.-]{1,40}(?:pytorch|nvidia|google|amazonaws|microsoft|azure|jfrog|aliyun|tencent)|localhost|127\.|<|\$|\{)[^\s]{3,120}/,
      ),
      pattern(
        /^(?:@[a-z0-9-]{1,40}:)?registry ?= ?["']?https?:\/\/(?!registry\.npm|npm\.pkg\.github|localhost|127\.|<|\$)/,
      ),
      pattern(
        /\bgo env -w (?:goproxy|gonosumdb|gonosumcheck|goflags=-insecure)|export goproxy=https?:\/\/(?!proxy\.golang|goproxy\.(?:io|cn))/,
      ),
    ),
    grade: ({ unit, span }) =>
      isShadyOrigin(unit.text.slice(span.start, span.end + 120))
        ? "high"
        : /config set|config -w|^(?:@|registry)/.test(unit.text)
          ? "medium"
          : "low",
  },
  {
    code: "download-quarantine-off",
    severity: "medium",
    scope: "line",
    why: "Removes the mark for which the system checks a downloaded program.",
    fix: "Install a signed program instead.",
    test: pattern(
      /\bxattr (?:-[a-z]{1,3} ){1,3}(?:com\.apple\.quarantine)?|\bspctl --(?:master|global)-disable|unblock-file\b|mark of the web|zone\.identifier/,
    ),
    grade: ({ unit, file }) =>
      /\b(?:curl|wget|iwr)\b|\/tmp\/|master-disable|global-disable/.test(unit.text)
        ? "high"
        : file.script || !/unblock-file|mark of the web|zone\.identifier/.test(unit.text)
          ? "medium"
          : "low",
  },
];
