// Prints what several verbs and the chat show: dates, shares, diffs, and what dreams find, propose and change.

import {
  type DreamEvidence,
  type DreamResult,
  inSessions,
  type ProposalRecord,
} from "../../engine/engine.ts";
import type { Io } from "./io.ts";

/** As `2026-01-31`. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** As `2026-01-31 23:59`. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
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
  const { sessions, skills } = evidence;
  io.line(`${sessions} sessions of the last 30 days, ${skills} skills.`);
  const section = (title: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    io.line();
    io.line(io.colour.bold(title));
    for (const line of lines) io.line(`  ${line}`);
  };
  section(
    "Gaps: asked again and again, no skill answers",
    evidence.gaps.map(
      ({ topic, messages, sessions: ids }) => `${topic.join(" ")}: ${inSessions(ids)}, e.g. "${messages[0]}"`,
    ),
  );
  section(
    "At risk: used where things went wrong",
    evidence.atRisk.map(
      ({ name, sessions: ids, corrections }) =>
        `${name}: ${inSessions(ids)}${corrections[0] ? `, e.g. "${corrections[0]}"` : ""}`,
    ),
  );
  section(
    "Much the same text",
    evidence.overlaps.map(({ a, b, words }) => `${a} and ${b}: ${percent(words)} of their words`),
  );
  section(
    "Answer the same messages",
    evidence.conflicts.map(({ a, b, sessions: ids }) => `${a} and ${b}: ${inSessions(ids)}`),
  );
  section(
    "Used together",
    evidence.coUse.map(({ a, b, sessions: ids }) => `${a} and ${b}: ${inSessions(ids)}`),
  );
  section(
    "Sparse",
    evidence.sparse.map(({ name, chars }) => `${name}: ${chars} characters`),
  );
  section(
    "Families of names",
    evidence.prefixes.map(
      ({ prefix, members, guide, kind }) =>
        `${prefix}/ (${kind}): ${members.length} members, ${guide ? `guide ${guide}` : "no guide"}`,
    ),
  );
  section(
    "Never used",
    evidence.neverUsed.map(({ name }) => `${name}; repertoire delete ${name} archives it`),
  );
  section(
    "Idle for long",
    evidence.idle.map(({ name, lastUsedAt }) => `${name}: last used ${day(lastUsedAt)}`),
  );
  section(
    "Recurring words",
    evidence.terms.length === 0
      ? []
      : [evidence.terms.map(({ term, sessions: ids }) => `${term} (${ids.length})`).join(", ")],
  );
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
