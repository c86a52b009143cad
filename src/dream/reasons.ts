// Owns the sentences that say where a change comes from: the evidence about the skills that it touches.

import { type Change, touchedBy } from "./changes.ts";
import type { Evidence } from "./evidence.ts";

/** One line an item of evidence, with its sessions. */
export function reasonsFor(change: Change, evidence: Evidence, reached: readonly string[]): string[] {
  const touched = new Set(touchedBy(change));
  const both = (pair: { a: string; b: string }) => touched.has(pair.a) && touched.has(pair.b);
  const either = (pair: { a: string; b: string }) => touched.has(pair.a) || touched.has(pair.b);
  const lines = [
    ...evidence.gaps
      .filter(({ messages }) => messages.some((message) => reached.includes(message)))
      .map(
        ({ messages, sessions }) => `asked in ${inSessions(sessions)} without an answer: "${messages[0]}"`,
      ),
    ...evidence.overlaps
      .filter(both)
      .map(({ a, b, words }) => `${a} and ${b} agree in ${Math.round(words * 100)}% of their words`),
    ...evidence.coUse
      .filter((pair) => (change.kind === "link" ? either(pair) : both(pair)))
      .map(({ a, b, sessions }) => `${a} and ${b} were used together in ${inSessions(sessions)}`),
    ...evidence.conflicts
      .filter(both)
      .map(({ a, b, sessions }) => `${a} and ${b} answered the same messages in ${inSessions(sessions)}`),
    ...evidence.atRisk
      .filter(({ name }) => touched.has(name))
      .map(
        ({ name, sessions, corrections }) =>
          `${name} was used in ${inSessions(sessions)} that went badly${corrections[0] ? `: "${corrections[0]}"` : ""}`,
      ),
    ...evidence.sparse
      .filter(({ name }) => touched.has(name))
      .map(({ name, chars }) => `${name} has only ${chars} characters`),
    ...evidence.neverUsed.filter(({ name }) => touched.has(name)).map(({ name }) => `${name} was never used`),
    ...evidence.prefixes
      .filter(({ prefix }) => change.save?.name.startsWith(`${prefix}/`) && change.kind === "guide")
      .map(({ prefix, members }) => `${prefix}/ has ${members.length} members and no guide`),
  ];
  return lines;
}

/** Sessions named in a line; the rest is counted. */
const NAMED = 4;

export function inSessions(sessions: readonly string[]): string {
  const named = sessions.slice(0, NAMED).join(", ");
  const more = sessions.length - NAMED;
  return `${sessions.length} session${sessions.length === 1 ? "" : "s"} (${named}${more > 0 ? `, and ${more} more` : ""})`;
}
