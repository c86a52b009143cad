// Prints what several verbs and the chat show: dates, shares, verdicts, diffs, and what dreams find, propose and change.

import {
  type DreamEvidence,
  type DreamResult,
  type InspectionReport,
  type InspectionSummary,
  inSessions,
  type ProposalRecord,
  VERDICTS,
  type Verdict,
} from "../../engine/engine.ts";
import { forLine } from "../../text/escape.ts";
import { numberOf } from "../../text/numbers.ts";
import type { Io } from "./io.ts";

/** As `2026-01-31`. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** As `2026-01-31 23:59`. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

/** What most descriptions begin with, which says nothing in a list. */
const LEAD =
  /^(?:(?:(?:use|execute|invoke|apply) )?(?:this|the) skill (?:should be used |is used |is for |helps |provides |guides )?|use (?=when))(?:proactively )?(?:(?:when(?:ever)?|if|for|to) )?(?:(?:the user|users?|you|someone) )?(?:(?:wants?|asks?|needs?|has|have) )?(?:you )?(?:to )?/i;

/** A description for a list: without such a beginning, on one line. */
export function briefly(description: string): string {
  const text = description.replace(/\s+/g, " ").trim();
  const rest = text.replace(LEAD, "");
  return rest.length < 10 ? text : rest.slice(0, 1).toUpperCase() + rest.slice(1);
}

/** As `3.2 MB`. */
export function size(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

export function tellDiff(io: Io, diff: string, indent = ""): void {
  const paint = { "+": io.colour.green, "-": io.colour.red };
  for (const line of diff.split("\n")) io.line(indent + (paint[line[0] as "+" | "-"]?.(line) ?? line));
}

/** What was found, one line each; sections without a finding are left out. */
export function tellEvidence(io: Io, evidence: DreamEvidence): void {
  const pair = ({ a, b, sessions }: DreamEvidence["coUse"][number]) =>
    `${a} and ${b}: ${inSessions(sessions)}`;
  const terms = evidence.terms.map(({ term, sessions }) => `${term} (${sessions.length})`);
  const sections: Readonly<Record<string, readonly string[]>> = {
    "Gaps: asked again and again, no skill answers": evidence.gaps.map(
      ({ topic, messages, sessions }) => `${topic.join(" ")}: ${inSessions(sessions)}, e.g. "${messages[0]}"`,
    ),
    "At risk: used where things went wrong, or where several asked for the same afterwards":
      evidence.atRisk.map(({ name, sessions, corrections, wishes }) =>
        [
          `${name}: ${inSessions(sessions)}`,
          ...[...corrections, ...wishes].slice(0, 1).map((said) => `e.g. "${said}"`),
        ].join(", "),
      ),
    "Much the same text": evidence.overlaps.map(
      ({ a, b, words }) => `${a} and ${b}: ${percent(words)} of their words`,
    ),
    "Answer the same messages": evidence.conflicts.map(pair),
    "Used together": evidence.coUse.map(pair),
    Sparse: evidence.sparse.map(({ name, chars }) => `${name}: ${chars} characters`),
    "Families of names": evidence.prefixes.map(
      ({ prefix, members, guide, kind }) =>
        `${prefix}/ (${kind}): ${members.length} members, ${guide ? `guide ${guide}` : "no guide"}`,
    ),
    "Never used": evidence.neverUsed.map(({ name }) => `${name}; repertoire delete ${name} archives it`),
    "Not learned here, and of no use": evidence.neglected.map(
      ({ name, why, flaws = [] }) => `${name}: ${[why, ...flaws].join(" ")}`,
    ),
    "Idle for long": evidence.idle.map(({ name, lastUsedAt }) => `${name}: last used ${day(lastUsedAt)}`),
    "Recurring words": terms.length === 0 ? [] : [terms.join(", ")],
  };
  io.line(
    `${numberOf(evidence.sessions, "session")} of the last 30 days, ${numberOf(evidence.skills, "skill")}.`,
  );
  for (const [title, lines] of Object.entries(sections)) {
    if (lines.length === 0) continue;
    io.line();
    io.line(io.colour.bold(title));
    for (const line of lines) io.line(`  ${line}`);
  }
}

/** The final account: proposed, refused and why, applied, tokens and cost. */
export function tellResult(io: Io, result: DreamResult): void {
  if (result.skipped !== undefined) {
    io.line(`Skipped: ${result.skipped}. repertoire dream --force dreams anyway.`);
    return;
  }
  tellProposals(io, result.proposals);
  for (const { title, refusals } of result.declined)
    io.line(
      `${io.colour.yellow("refused")} ${title}\n  ${refusals.map(({ code, message }) => `${message} ${io.colour.dim(`[${code}]`)}`).join("\n  ")}`,
    );
  if (result.known.length > 0)
    io.line(`${result.known.length} more were proposed before and are not proposed again.`);
  const { passes } = result;
  const tokens = passes.reduce((sum, pass) => sum + pass.inputTokens + pass.outputTokens, 0);
  const cost = passes.reduce((sum, pass) => sum + (pass.cost ?? 0), 0);
  const kinds = new Map<string, number>();
  for (const { kind } of result.proposals) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const made = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ") || "nothing";
  io.line(
    `Proposed: ${made}; refused: ${result.declined.length}${tokens > 0 ? `; ${tokens} tokens` : ""}${cost > 0 ? `, $${cost.toFixed(4)}` : ""}.`,
  );
  if (result.applied) tellAccepted(io, result.applied);
  else if (result.proposals.length > 0)
    io.line("Look: repertoire proposals show N. Accept: repertoire proposals accept N, or --all.");
}

/** For which skills an outcome counts. */
export function tellOutcome(io: Io, skills: readonly string[]): void {
  io.line(
    skills.length === 0
      ? "No skill was activated in this turn; the outcome was noted for the session."
      : `Noted for ${skills.join(", ")}.`,
  );
}

export function tellProposals(io: Io, proposals: readonly ProposalRecord[]): void {
  for (const { number, title, state, note } of proposals)
    io.line(
      `${io.colour.bold(String(number).padStart(3))}  ${title}${state === "open" ? "" : ` (${state}${note ? `: ${note}` : ""})`}`,
    );
}

export function tellAccepted(
  io: Io,
  { accepted, declined, batch }: NonNullable<DreamResult["applied"]>,
): void {
  for (const { number, title } of accepted) io.line(`${io.colour.green("accepted")} ${number}  ${title}`);
  for (const { number, title, refusals } of declined)
    io.line(
      `${io.colour.yellow("not accepted")} ${number}  ${title}\n  ${refusals.map(({ message }) => message).join("\n  ")}`,
    );
  if (batch !== undefined) io.line(io.colour.dim(`Back: repertoire undo ${batch}`));
}

export function paintVerdict(io: Io, verdict: Verdict): string {
  const { red, yellow, green, dim } = io.colour;
  return { dangerous: red, suspicious: yellow, unscanned: yellow, notice: dim, clean: green }[verdict](
    verdict,
  );
}

/** `120 packages inspected: 1 dangerous, 2 suspicious, 117 clean.` */
export function verdictCounts(io: Io, { counts, left }: Pick<InspectionReport, "counts" | "left">): string {
  const parts = VERDICTS.toReversed()
    .filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${paintVerdict(io, verdict)}`);
  const rest = left > 0 ? ` ${left} were not inspected yet: \`repertoire inspect\`.` : "";
  return `${numberOf(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    "package",
  )} inspected${parts.length > 0 ? `: ${parts.join(", ")}` : ""}.${rest}`;
}

/** Packages to worry about that another answer names. */
const WORRYING_SHOWN = 10;

/** The packages to worry about, one line each. */
export function tellWorrying(io: Io, { worrying }: InspectionSummary): void {
  for (const { name, verdict, rules } of worrying.slice(0, WORRYING_SHOWN))
    io.line(`${paintVerdict(io, verdict)} ${forLine(name)}: ${rules.join(", ") || "not inspected whole"}`);
  if (worrying.length > 0)
    io.line(
      io.colour.dim(
        `\`repertoire inspect NAME\` says why${worrying.length > WORRYING_SHOWN ? `; ${worrying.length - WORRYING_SHOWN} more` : ""}.`,
      ),
    );
}
