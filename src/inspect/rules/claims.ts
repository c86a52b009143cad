// Compares what a skill says about itself with what its programs do.

import type { About } from "../about.ts";
import { excerptOf } from "../excerpt.ts";
import type { Program, Statement } from "../program.ts";
import type { FindingSeverity, RuleFinding } from "../types.ts";
import { sinksIn } from "./endpoints.ts";
import { destinationOf } from "./hosts.ts";

interface ClaimRule {
  readonly code: string;
  /** What the skill says. */
  readonly claim: RegExp;
  /** Whether a statement contradicts it. */
  readonly broken: (statement: Statement, program: Program) => boolean;
  readonly severity: FindingSeverity;
  readonly why: string;
}

const REQUESTS =
  /\b(?:requests|httpx|axios|got|aiohttp|urllib3)\.(?:get|post|put|request|session)\(|\b(?:urlopen|fetch|urlretrieve)\(|\b(?:curl|wget)\s|\bsocket\.(?:socket|create_connection)\(|\bhttps?\.(?:get|request)\(|new websocket\(/i;
const connects = ({ code }: Statement): boolean =>
  !/^(?:echo|printf|print|console\.)/.test(code) &&
  REQUESTS.test(code) &&
  !["local", "unknown"].includes(destinationOf(code));
const sends = ({ code, bare }: Statement, { language }: Program): boolean =>
  sinksIn(code, bare, language).some(({ kind }) => kind === "send" || kind === "dns") &&
  /\b(?:post|put|patch|sendall|sendto|sendmail|upload\w{0,8})\(|method["']?\s?[:=]\s?["'](?:post|put)|curl\b[^\n]{0,300}\s(?:-d|--data|-f|-t|-x ?post|--json)/i.test(
    code,
  ) &&
  !["local", "unknown"].includes(destinationOf(code));
const CHANGES =
  /\b(?:os\.(?:remove|unlink|rmdir|removedirs)|shutil\.(?:rmtree|move)|fs\.(?:unlink|rm|rmdir|rename)(?:sync)?|rmtree|unlinksync|rmsync)\(|(?:^|[;&|(]\s?)(?:rm|mv|shred|truncate)\s+(?:-|["'$~/\w])|\bgit (?:push|commit|reset --hard)\b/i;

const CLAIMS: readonly ClaimRule[] = [
  {
    code: "claim-offline",
    claim:
      /\b(?:(?:works?|runs?|operates?|fully|entirely|completely|100%)(?: \w{1,12}){0,2} offline|offline[- ]only|(?:no|without(?: any)?|never (?:uses?|needs?|makes?)|does not (?:use|need|require|make)|requires no|needs no) (?:\w{1,10} ){0,2}(?:network|internet)(?: (?:access|calls?|connections?|requests?))?|no external (?:calls?|requests?|apis?|services?|network)|(?:runs?|works?|processed|stays?|executes?) (?:\w{1,12} ){0,2}locally\b(?! or)|local[- ]only (?:processing|analysis|execution|mode|tool|skill)|air-?gapped)\b/,
    broken: (statement) => connects(statement),
    severity: "medium",
    why: "The skill says that it needs no network, but it connects to a server.",
  },
  {
    code: "claim-private",
    claim:
      /\b(?:(?:no data|nothing|data never|never) (?:\w{1,12} ){0,3}(?:leaves?|sent|shared|uploaded|transmitted|collected)|(?:does not|doesn't|never|will not) (?:send|transmit|upload|share|collect|transfer) (?:\w{1,12} ){0,3}(?:data|anything|information|files|content|telemetry)|no telemetry|privacy[- ]first|privacy[- ]preserving)\b/,
    broken: sends,
    severity: "medium",
    why: "The skill says that it sends nothing, but it sends data to a server.",
  },
  {
    code: "claim-read-only",
    claim:
      /\b(?:read[- ]only (?:\w{1,16} ){0,2}(?:operations?|access|tool|skill|mode|analysis|utility|viewer|inspect\w{0,4})|(?:does not|doesn't|never|will not) (?:modif(?:y|ies)|change|write|delete|alter)s? (?:any |your |the )?(?:\w{1,12} )?(?:files?|anything|data|system)|without (?:modifying|changing|touching) (?:any|your) files?)\b/,
    broken: ({ code }) => CHANGES.test(code) && !/te?mp|cache|cleanup|\.bak\b|\.lock\b/i.test(code),
    severity: "medium",
    why: "The skill says that it only reads, but it deletes or changes files.",
  },
];

/** The findings for promises that the scripts of a package break; examples in documents prove nothing. */
export function claimFindings(about: About, programs: readonly Program[]): RuleFinding[] {
  return CLAIMS.flatMap(({ code, claim, broken, severity, why }) => {
    const said = claim.exec(about.claims);
    if (
      !said ||
      /\bor (?:online|remote|cloud|with|via|over|through|using|in the|connected)|\boptional|\bif\b|\bunless\b|\bexcept\b/.test(
        about.claims.slice(said.index - 40, said.index + said[0].length + 40),
      )
    )
      return [];
    for (const program of programs) {
      if (
        /\.(?:md|mdx|markdown|txt)$/i.test(program.path) ||
        /(?:^|\/)(?:tests?|examples?)\//.test(program.path)
      )
        continue;
      const statement = program.statements.find((candidate) => broken(candidate, program));
      if (statement)
        return [
          {
            code,
            severity,
            path: program.path,
            line: statement.line,
            excerpt: excerptOf(statement.code),
            message: `${why} It says: "${excerptOf(said[0])}".`,
            fix: "Ask the author which of the two is true.",
          },
        ];
    }
    return [];
  });
}
