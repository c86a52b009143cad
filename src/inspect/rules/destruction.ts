// Rules for the destruction of files, disks, histories and traces.

import { allOf, anyOf, chain, pattern } from "../match.ts";
import type { Rule } from "../types.ts";

const STOP = "Remove the command, or limit it to one folder.";
const END = String.raw`(?=["' ;&|)\x60\n]|$)`;

export const DESTRUCTION: readonly Rule[] = [
  {
    code: "destruction-wipe-files",
    severity: "high",
    scope: "line",
    why: "Deletes the home folder or the whole system.",
    fix: STOP,
    test: anyOf(
      pattern(
        new RegExp(
          String.raw`\brm (?:-[a-z-]{1,20} |--[a-z-]{1,20} ){1,5}["']?(?:/|/\*|~|~/|~/\*|\$home|\$home/|\$\{home\}/?|\$home/\*|/home|/home/\*|/users|/users/\*|/etc|/usr|/var|/bin|/\.|~/\.\*|(?:~|\$home|\$\{home\})/(?:documents|desktop|pictures|music|movies)|/\*\*|["' +]{0,6}(?:os\.path\.expanduser\(["']~["']\)|os\.homedir\(\)|path\.home\(\)))["']?${END}`,
        ),
      ),
      pattern(
        /\b(?:remove-item|rm|ri|del|rd|rmdir)\b[^\n]{0,60}(?:-recurse|\/s)[^\n]{0,40}(?:c:\\{0,2}(?:\*|["' ]|$|users)|\$home\b|\$env:userprofile|%userprofile%|~ ?$|~ )/,
      ),
      pattern(
        /\b(?:rmtree|fs\.rm|fs\.rmsync|rimraf|rmsync|removesync|rmdirsync)\( ?(?:["'](?:\/|~)["']|os\.path\.expanduser\( ?["']~["'] ?\)|path\.home\(\)|os\.homedir\(\)|homedir\(\)|process\.env\.home\b ?[,)]|os\.path\.expanduser\( ?["']~\/(?:documents|desktop|pictures|downloads)?\/?["'])/,
      ),
      pattern(/\bfind (?:~|\$home|\/|\/home|\/users)(?:\/)? [^\n]{0,80}(?:-delete\b|-exec (?:rm|shred)\b)/),
      chain(60, /\bsrm\b|\bshred\b/, /-[a-z]{0,4}u|-rf?\b/, /(?:~|\$home|\/home|\/users)\b/),
    ),
    grade: ({ unit, span }) =>
      /\bfind\b[^\n]{0,80}(?:-name|-mtime|-type d|-path)/.test(unit.text.slice(span.start, span.end))
        ? "low"
        : "high",
  },
  {
    code: "destruction-wipe-disk",
    severity: "high",
    scope: "line",
    why: "Overwrites a disk.",
    fix: STOP,
    test: anyOf(
      pattern(/\bdd\b[^\n|]{0,80}of=\/dev\/(?:sd[a-z]|nvme[0-9]|disk[0-9]|hd[a-z]|vd[a-z]|mmcblk)\b/),
      pattern(
        /\bmkfs(?:\.[a-z0-9]{2,6})? (?:-[a-z]{1,4} ){0,3}\/dev\/(?:sd[a-z]|nvme|hd[a-z]|vd[a-z])|> ?\/dev\/(?:sd[a-z]|nvme[0-9]n[0-9]|hd[a-z]|disk[0-9])\b|\bdiskutil (?:erasedisk|zerodisk|secureerase)|\bformat [c-e]:|\bwipefs -a|\bcipher \/w|\bclear-disk\b/,
      ),
    ),
    grade: ({ file }) => (file.script ? "high" : "medium"),
  },
  {
    code: "destruction-fork-bomb",
    severity: "high",
    scope: "line",
    why: "Floods the machine with processes until it stops.",
    fix: STOP,
    test: pattern(
      /:\(\) ?\{ ?:\|: ?& ?\} ?; ?:|\b([a-z_]{1,12})\(\) ?\{ ?\1 ?\| ?\1 ?& ?\}|%0\|%0|while true; do fork/,
    ),
  },
  {
    code: "destruction-ransom",
    severity: "high",
    scope: "block",
    why: "Encrypts many files of the user or deletes their backups.",
    fix: "Do not install the skill.",
    test: anyOf(
      pattern(
        /\bvssadmin(?:\.exe)? delete shadows|\bwbadmin delete catalog|\btmutil (?:disable|deletelocalsnapshots)|\bbcdedit\b[^\n]{0,60}recoveryenabled no/,
      ),
      chain(
        160,
        /\bfind (?:~|\$home|\/home|\/users|\/)/,
        /-exec|xargs|while read/,
        /\b(?:openssl (?:enc|aes)|gpg (?:-[a-z-]{1,20} ){0,5}(?:-c|--symmetric|--encrypt|-e)|age -|7z a[^\n]{0,30}-p|ccrypt)/,
      ),
      allOf(
        pattern(
          /\bos\.walk\( ?(?:os\.path\.expanduser|path\.home|["']\/(?:home|users)?["'])|rglob\( ?["']\*["']|glob\( ?[^\n]{0,30}homedir/,
        ),
        pattern(/\bfernet\(|aes\.new\(|createcipheriv\(/),
        pattern(/\bos\.(?:remove|unlink|rename)|unlinksync|\.unlink\(|open\([^\n]{0,40}["']wb["']/),
      ),
    ),
  },
  {
    code: "destruction-ransom-note",
    severity: "high",
    scope: "line",
    why: "Demands money for the data of the user.",
    fix: "Do not install the skill.",
    test: pattern(
      /\b(?:send|pay|transfer)\b.{0,40}\b(?:btc|bitcoin|eth|xmr|monero|usdt)\b.{0,80}\b(?:get|recover|restore|decrypt|unlock|return)\b.{0,24}\b(?:data|files|documents|database)\b/,
    ),
  },
  {
    code: "destruction-service",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Deletes everything of a service at once: all namespaces, branches, buckets or tables.",
    fix: STOP,
    test: pattern(
      /\bkubectl delete (?:ns|namespaces?|pv|persistentvolumes?) [^\n]{0,40}--all\b|\bgit push\b[^\n]{0,60}--delete ["']?(?:\$\(|\x60)|\baws s3 rb [^\n]{0,60}(?:\$\(|\$\{?[a-z])[^\n]{0,60}--force|\bdrop schema public cascade\b[^\n]{0,80}readme/,
    ),
  },
  {
    code: "destruction-kill-all",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Ends all processes of the user, with everything that was not saved.",
    fix: STOP,
    test: pattern(
      /\bkill (?:-9|-kill|-s ?(?:kill|9)|-sigkill) -1\b|\b(?:pkill|killall) (?:-[a-z0-9]{1,9} ){0,2}-u ["']?(?:\$\(whoami\)|\$user\b|\$\{user\}|\$\(id -un\))|\bkillall (?:-[a-z0-9]{1,9} ){1,2}(?:bash|zsh|sh|systemd|launchd|finder|explorer)\b/,
    ),
  },
  {
    code: "destruction-traces",
    severity: "medium",
    scope: "line",
    why: "Removes the record of what was done.",
    fix: "Remove the step; a skill does not need to hide what it did.",
    test: pattern(
      /\bhistory -c\b|\bunset histfile\b|\bhistfile=\/dev\/null|\bhistsize=0\b|\bset \+o history\b|(?:\brm|\bshred|\btruncate|>) [^\n|;]{0,30}\.(?:bash|zsh)_history\b|\bln -sf? \/dev\/null ~\/\.(?:bash|zsh)_history|\bwevtutil cl\b|\bclear-eventlog\b|(?:^|[;|&{(\x60"'] ?)clear-history\b|\brm (?:-[rfv]{1,3} ){1,2}[^\n;&|]{0,80}\/var\/log\b|(?:\btruncate -s ?0|\bshred\b[^\n|;]{0,20}|(?<!>)>) ?\/var\/log\/(?:auth|syslog|wtmp|btmp|secure|messages|lastlog|audit|kern)|\bjournalctl --vacuum-time=1s|\blog erase --all\b/,
    ),
  },
  {
    code: "destruction-git-history",
    severity: "low",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Overwrites the history that others rely on.",
    fix: "Use `--force-with-lease` on your own branch, or ask first.",
    test: pattern(
      /\bgit push\b[^\n;&|]{0,80}(?: --force(?!-with)| -f\b| --mirror\b| \+(?:main|master|head))|\bgit reflog expire --expire=now --all|\bgit update-ref -d refs\/heads\/(?:main|master)/,
    ),
    grade: ({ unit, span }) =>
      /\b(?:main|master)\b/.test(unit.text.slice(span.start, span.end + 40)) &&
      / --force| -f\b|--mirror|\+/.test(unit.text.slice(span.start, span.end))
        ? "medium"
        : "low",
  },
];
