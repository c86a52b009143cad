// Rules for privileges: administrator rights, disabled protection, disabled permission checks, open ports.

import { isTestFile } from "../context.ts";
import { allOf, anyOf, chain, pattern } from "../match.ts";
import type { Rule } from "../types.ts";

const NO_CERTIFICATES =
  /\bpythonhttpsverify ?= ?["']?0|\bnode_tls_reject_unauthorized ?= ?["']?0|\bcurl_ca_bundle=["']{2}|\bgit_ssl_no_verify ?= ?["']?(?:1|true)|\bapt(?:-get)? (?:purge|remove)\b[^\n]{0,80}\n?[^\n]{0,80}ca-certificates/;
const NO_POLICY =
  /\b[a-z_]{2,30}(?:enforcement|strict_mode|audit_log|sandbox) ?= ?["']?(?:disabled|off|false|log_only)\b|\b(?:skip_confirmation|allow_all_tools)["']? ?[:=] ?true/;
const LISTS_MODES = /["'](?:acceptedits|plan|default)["'] ?[,|\]]|\|["']?(?:bypasspermissions|yolo)/;

export const PRIVILEGE: readonly Rule[] = [
  {
    code: "privilege-rights",
    severity: "high",
    scope: "line",
    why: "Gives a program or user rights over the whole machine.",
    fix: "Remove the step; ask the user to run commands that need an administrator.",
    test: anyOf(
      chain(80, /nopasswd/, /sudoers|visudo/),
      chain(80, /(?:>>?|tee|echo)[^\n]{0,100}/, /\/etc\/sudoers/),
      pattern(
        /\bchmod (?:-[a-z]{1,3} )?(?:[ug]{1,2}\+s|[46][0-7]{3})\b|\bsetcap cap_(?:setuid|sys_admin|net_admin|dac_)|\bchmod -r (?:0?777|a\+rwx) (?:\/|~)(?:\s|$)/,
      ),
      pattern(
        /\buseradd\b[^\n]{0,80}(?:-o\b[^\n]{0,20}-u ?0\b|-u ?0\b[^\n]{0,20}-o\b)|\bpermitrootlogin\b[^\n]{0,30}\/permitrootlogin yes/,
      ),
      pattern(/\bld_preload=[^\s]{1,80}|\/etc\/ld\.so\.preload|dyld_insert_libraries=/),
      pattern(
        /\busermod\b[^\n]{0,40}-a?g ?(?:sudo|wheel|root)\b|\bnet localgroup administrators\b[^\n]{0,40}\/add|\bdscl\b[^\n]{0,60}groupmembership/,
      ),
    ),
    grade: ({ unit, span, file }) => {
      const said = unit.text.slice(span.start, span.end);
      if (
        /ld\.so\.preload/.test(said) &&
        !/>|\btee\b|\becho\b|["']a?w[+b]?["']|write|append|\bcp\b|\bmv\b|\bln\b/.test(unit.text)
      )
        return "low";
      if (/ld_preload|dyld_|usermod|net localgroup|dscl|setcap|chmod/.test(said))
        return file.script ? "medium" : "low";
      // In an image, the rights end with its container.
      if (/(?:^|[./])(?:docker|container)file(?:\.|$)/i.test(file.path)) return "low";
      return file.script ? "high" : "medium";
    },
  },
  {
    code: "privilege-guard-off",
    severity: "high",
    scope: "line",
    why: "Switches off a protection of the machine.",
    fix: "Remove the step.",
    test: pattern(
      /\bset-mppreference\b[^\n]{0,60}-disable[a-z]{1,30} (?!\$false|0)|\badd-mppreference\b[^\n]{0,40}-exclusion|\bcsrutil disable\b|\bsetenforce 0\b|\bufw disable\b|\bsystemctl (?:stop|disable)(?: --now)? (?:firewalld|ufw|auditd|apparmor|falco|crowdstrike\w{0,10}|osqueryd)|\bnetsh advfirewall set [a-z]{1,20} state off|\btccutil reset\b|\bdefaults write com\.apple\.(?:lsquarantine|alf)|\bset-executionpolicy (?:-[a-z]{1,16} [a-z]{1,16} ){0,2}(?:bypass|unrestricted)|-executionpolicy bypass|-ep bypass|\biptables -f\b|node_tls_reject_unauthorized ?=? ?["']?0/,
    ),
    grade: ({ unit, span }) =>
      /executionpolicy|-ep bypass|node_tls|iptables|ufw|setenforce|tccutil/.test(
        unit.text.slice(span.start, span.end),
      )
        ? "low"
        : // It works only from the recovery system, where no agent is.
          /csrutil/.test(unit.text.slice(span.start, span.end))
          ? "medium"
          : "high",
  },
  {
    code: "privilege-guards-off",
    severity: "medium",
    scope: "block",
    why: "Switches off several protections at once: certificates, policies, the separation from the administrator.",
    fix: "Leave the protections on; switch off only what the task needs, and say why.",
    test: anyOf(
      allOf(pattern(NO_CERTIFICATES), pattern(NO_POLICY)),
      allOf(pattern(NO_CERTIFICATES), pattern(/\buser root\b/)),
      pattern(
        /\b[a-z]{2,30}_(?:enforcement|sandbox|guardrails?) ?= ?["']?(?:disabled|off|false|log_only|none)\b/,
      ),
    ),
    grade: ({ file }) => (isTestFile(file.path) ? "low" : "medium"),
  },
  {
    code: "privilege-agent-unleashed",
    severity: "medium",
    scope: "line",
    why: "Starts or configures an agent with its permission checks switched off.",
    fix: "Leave the permission checks on, or run the agent in a sandbox that the user chose.",
    test: pattern(
      /--dangerously-(?:skip-permissions|bypass-approvals-and-sandbox)|--yolo\b|--allow-dangerously|["']?bypasspermissions["']?|dangerouslydisablesandbox|skipdangerousmode\w{0,24}|--full-auto\b.{0,40}danger|sandbox_mode ?= ?["']danger-full-access|--sandbox danger-full-access|approval_policy ?= ?["']never|chat\.tools\.autoapprove|(?<![\w-])["']?(?:autoapprove|alwaysallow|trusted?)["']? ?: ?(?:true|\[ ?["']\*["'])|"allow"\]? ?[:=] ?\[ ?["'](?:\*|bash\(\*\)|bash)["']|["']?\b(?:allow_all_tools|skip_confirmation)["']? ?[:=] ?["']?true\b/,
    ),
    grade: ({ unit, file }) =>
      // A list of modes or the parsing of an option starts nothing.
      LISTS_MODES.test(unit.text) ||
      /(?:\w\|["']?|: ?["']?(?:default|plan)\|)(?:bypasspermissions|yolo)|--[a-z-]{4,60}(?:\)|["'] ?[,:)]| (?:true\|false|default))/.test(
        unit.text,
      ) ||
      // A document names the option; only a script, a setting, or an order to run it, starts an agent so.
      (!file.script &&
        (!unit.ordered ||
          /autoapprove|alwaysallow|trust|--yolo|danger-full|approval_policy/.test(unit.text)) &&
        !/defaultmode["']? ?[:=] ?["']?bypass/.test(unit.text))
        ? "low"
        : "medium",
  },
  {
    code: "privilege-all-tools",
    severity: "low",
    scope: "line",
    kinds: ["frontmatter"],
    why: "Asks for permission for all tools or all shell commands.",
    fix: "List the tools and command prefixes that the skill needs, such as `Bash(git status:*)`.",
    test: pattern(
      /^(?:["']?allowed[-_]tools["']?|["']?tools["']?|["']?permissions["']?) ?: ?[["' ]{0,4}(?:\*|all\b|any\b)["'\] ]{0,4}$|\bbash\( ?\*?:?\* ?\)/,
    ),
  },
  {
    code: "privilege-open-to-all",
    severity: "medium",
    scope: "line",
    kinds: ["code", "hidden"],
    why: "Lets every user of the machine change system files or a hidden folder.",
    fix: "Give rights only to the user who needs them.",
    test: pattern(
      /\bchmod (?:-[a-z]{1,3} )?(?:0?777|a\+rwx|ugo\+rwx|0?666|[2467]777|u\+s|[ug]\+s|4755) ["']?(?:\/(?:etc|usr|var|opt|bin|sbin|lib|root|boot|srv|home|dev)\b|\/(?:["' ]|$)|\/tmp\/\.|~\/\.|~(?:["' ]|$)|\$home\b|\$\{home\})/,
    ),
    grade: ({ file, unit }) =>
      file.script || !/\/(?:srv|opt|var)\/(?:www|lib)|storage|cache|uploads/.test(unit.text)
        ? "medium"
        : "low",
  },
  {
    code: "privilege-host-access",
    severity: "low",
    scope: "line",
    why: "Gives a container the rights of the host.",
    fix: "Remove the mount or flag; use a rootless container.",
    test: pattern(
      /-v ["']?\/var\/run\/docker\.sock|\/var\/run\/docker\.sock:\/var\/run\/docker\.sock|\bdocker run\b[^\n]{0,120}(?:--privileged|--pid[ =]host|-v ["']?\/:\/)|\bnsenter\b[^\n]{0,40}-t 1\b|\bchroot \/(?:host|mnt)/,
    ),
    grade: ({ unit, span }) =>
      /-v ["']?\/:\/|nsenter|chroot/.test(unit.text.slice(span.start, span.end)) ? "medium" : "low",
  },
  {
    code: "privilege-administrator",
    severity: "low",
    scope: "line",
    kinds: ["code"],
    why: "Runs a command as administrator.",
    fix: "Run it yourself if you agree with it; the skill does not need your password.",
    test: pattern(
      /(?:^|[;&|(] ?)sudo (?!apt|-n true|dnf|yum|pacman|brew)[a-z/.-]{2,40}|\bdoas [a-z]|start-process[^\n]{0,60}-verb runas|with administrator privileges/,
    ),
    grade: ({ unit }) =>
      /with administrator privileges/.test(unit.text)
        ? "medium"
        : /\bsudo -s\b.{0,4}<<<|echo [^|]{1,40}\| ?sudo -s/.test(unit.text)
          ? "medium"
          : "low",
  },
  {
    code: "privilege-listener",
    severity: "low",
    scope: "line",
    why: "Opens a port or a tunnel through which others can reach this machine.",
    fix: "Bind to 127.0.0.1, and close the tunnel when the task is over.",
    test: anyOf(
      pattern(/\b(?:nc|ncat|netcat)\b (?:-[a-z]{1,6} ){0,3}-[a-z]{0,5}l[a-z]{0,5}\b|\bsocat tcp[46]?-listen/),
      pattern(
        /\bssh\b[^\n]{0,80} -[a-z]{0,6}r ?["']?(?:[0-9*.]{1,15}:)?[0-9]{2,5}:(?:localhost|127)|\bautossh\b|\bngrok tcp\b|\bchisel (?:client|server)\b|\bfrpc\b -c|\bcloudflared tunnel --url (?:ssh|tcp)/,
      ),
    ),
    grade: ({ unit, span }) =>
      /\b-[a-z]{0,5}l/.test(unit.text.slice(span.start, span.end)) ? "low" : "medium",
  },
];
