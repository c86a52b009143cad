// Keeps the journal, its counts and the conversation in memory.

import {
  type ConversationStore,
  type CoUse,
  type CoUseFilter,
  type EpisodeFilter,
  type EpisodeLink,
  type EventFilter,
  type EventQuery,
  emptyTally,
  isOpenOutcome,
  isUse,
  type JournalEvent,
  type JournalStore,
  mayOverrule,
  type NewEvent,
  outcomeForEach,
  type SaidRecord,
  type SessionFilter,
  type SessionSummary,
  type Tally,
  type TallyBook,
  tallied,
  tallyKey,
  usesOf,
  type WeekCount,
  weekChanges,
  withoutOutcome,
} from "../../journal/journal.ts";
import { compareNames, type SkillName } from "../../model/name.ts";

export class MemoryJournal implements JournalStore {
  private readonly halfLifeMs: number;
  private readonly events: JournalEvent[] = [];
  private readonly byVersion = new Map<string, Tally>();
  private readonly weekCounts = new Map<SkillName, Map<number, WeekCount>>();
  private readonly links = new Map<string, EpisodeLink>();

  constructor(halfLifeMs: number) {
    this.halfLifeMs = halfLifeMs;
  }

  append(events: readonly NewEvent[]): readonly JournalEvent[] {
    return events.flatMap((event) =>
      (isOpenOutcome(event) ? outcomeForEach(event, this.activatedIn(event)) : [event]).map((each) =>
        this.keep(each),
      ),
    );
  }

  query({ newestFirst, limit, ...filter }: EventQuery): readonly JournalEvent[] {
    const found = this.events.filter((event) => fits(event, filter));
    if (newestFirst) found.reverse();
    return limit === undefined ? found : found.slice(0, Math.max(0, Math.floor(limit)));
  }

  tallies(name?: SkillName): readonly Tally[] {
    const all = [...this.byVersion.values()];
    return name === undefined ? all : all.filter((tally) => tally.name === name);
  }

  tallyBook(): TallyBook {
    return { of: (name) => this.tallies(name) };
  }

  sessions({ since = 0, limit }: SessionFilter): readonly SessionSummary[] {
    const bySession = new Map<string, JournalEvent[]>();
    for (const event of this.events) {
      if (event.session === undefined) continue;
      const own = bySession.get(event.session);
      if (own) own.push(event);
      else bySession.set(event.session, [event]);
    }
    return [...bySession]
      .map(([session, events]) => {
        const recent = events.filter(({ at }) => at >= since);
        return {
          session,
          host: recent.find(({ host }) => host !== undefined)?.host,
          agent: recent.find(({ agent }) => agent !== undefined)?.agent,
          turns: Math.max(0, ...recent.map(({ turn = 0 }) => turn)),
          startedAt: Math.min(...recent.map(({ at }) => at)),
          lastAt: Math.max(...recent.map(({ at }) => at)),
          ...usesOf(events),
        };
      })
      .filter(({ lastAt }) => Number.isFinite(lastAt))
      .sort((a, b) => b.lastAt - a.lastAt || compareNames(a.session, b.session))
      .slice(0, limit);
  }

  weeks(name: SkillName, since = 0): readonly WeekCount[] {
    const weeks = [...(this.weekCounts.get(name)?.values() ?? [])];
    return weeks.filter(({ week }) => week >= since).sort((a, b) => a.week - b.week);
  }

  episodes(filter: EpisodeFilter): readonly EpisodeLink[] {
    const { session, skill, since = 0 } = filter;
    return [...this.links.values()]
      .filter((link) => session === undefined || link.session === session)
      .filter((link) => skill === undefined || link.skill === skill)
      .filter((link) => link.lastAt >= since)
      .sort((a, b) => compareNames(linkKey(a), linkKey(b)));
  }

  coUsed(filter: CoUseFilter): readonly CoUse[] {
    const { skill, since = 0, limit } = filter;
    const bySession = new Map<string, Set<SkillName>>();
    for (const link of this.episodes({ since })) {
      const names = bySession.get(link.session) ?? new Set();
      bySession.set(link.session, names.add(link.skill));
    }
    const pairs = new Map<string, CoUse>();
    for (const names of bySession.values()) {
      const sorted = [...names].sort(compareNames);
      for (const [i, a] of sorted.entries()) {
        for (const b of sorted.slice(i + 1)) {
          if (skill !== undefined && a !== skill && b !== skill) continue;
          const key = `${a}\n${b}`;
          pairs.set(key, { a, b, sessions: (pairs.get(key)?.sessions ?? 0) + 1 });
        }
      }
    }
    return [...pairs.values()]
      .sort((x, y) => y.sessions - x.sessions || compareNames(x.a, y.a) || compareNames(x.b, y.b))
      .slice(0, limit);
  }

  private keep(event: NewEvent): JournalEvent {
    const kept: JournalEvent = { ...event, seq: this.events.length + 1 };
    this.account(event);
    this.events.push(kept);
    return kept;
  }

  private account(event: NewEvent): void {
    if (event.skill === undefined) return;
    const digest = event.digest ?? "";
    const key = tallyKey(event.skill, digest);
    const earlier = mayOverrule(event) ? this.earlierOutcome(event) : undefined;
    const { halfLifeMs } = this;
    const isOther = earlier !== undefined && earlier.digest !== digest;
    if (isOther) {
      const otherKey = tallyKey(event.skill, earlier.digest);
      this.byVersion.set(otherKey, withoutOutcome(this.byVersion.get(otherKey)!, earlier, halfLifeMs));
    }
    const before = this.byVersion.get(key) ?? emptyTally(event.skill, digest);
    const overruled = isOther ? undefined : earlier;
    this.byVersion.set(key, tallied(before, event, { halfLifeMs, earlier: overruled }));
    for (const { week, field, by } of weekChanges(event, earlier)) {
      const counts = this.weekOf(event.skill, week);
      this.weekCounts.get(event.skill)!.set(week, { ...counts, [field]: counts[field] + by });
    }
    if (!isUse(event)) return;
    const link = { session: event.session, skill: event.skill, digest };
    const known = this.links.get(linkKey(link));
    const lastAt = Math.max(known?.lastAt ?? event.at, event.at);
    this.links.set(linkKey(link), { ...link, times: (known?.times ?? 0) + 1, lastAt });
  }

  private weekOf(name: SkillName, week: number): WeekCount {
    const weeks = this.weekCounts.get(name) ?? new Map<number, WeekCount>();
    this.weekCounts.set(name, weeks);
    return weeks.get(week) ?? { week, recalled: 0, shown: 0, activated: 0, successes: 0, failures: 0 };
  }

  private activatedIn({ session, turn }: { session: string; turn: number }) {
    const versions = new Map<string, { skill: SkillName; digest: string | undefined }>();
    for (const { skill, digest } of this.query({ session, turn, kinds: ["activated"] })) {
      if (skill !== undefined) versions.set(skill, { skill, digest });
    }
    return [...versions.values()];
  }

  private earlierOutcome({ session, turn, skill }: NewEvent & { session: string; turn: number }) {
    const earlier = this.events.findLast(
      (each) => each.kind === "outcome" && fits(each, { session, turn, skill }),
    );
    return earlier?.kind === "outcome"
      ? { result: earlier.details.result, at: earlier.at, digest: earlier.digest ?? "" }
      : undefined;
  }
}

export function memoryConversation(): ConversationStore {
  const lines: SaidRecord[] = [];
  return {
    append: (said) => void lines.push({ ...said }),
    query: ({ session, role, since, until, limit }) =>
      lines
        .filter(
          (line) =>
            (session === undefined || line.session === session) &&
            (role === undefined || line.role === role) &&
            (since === undefined || line.at >= since) &&
            (until === undefined || line.at < until),
        )
        .slice(0, limit),
  };
}

function fits(event: JournalEvent, filter: EventFilter): boolean {
  const { skill, digest, session, turn, kinds, since, until, afterSeq } = filter;
  return (
    (skill === undefined || event.skill === skill) &&
    (digest === undefined || event.digest === digest) &&
    (session === undefined || event.session === session) &&
    (turn === undefined || event.turn === turn) &&
    (kinds === undefined || kinds.includes(event.kind)) &&
    (since === undefined || event.at >= since) &&
    (until === undefined || event.at < until) &&
    (afterSeq === undefined || event.seq > afterSeq)
  );
}

function linkKey({ session, skill, digest }: { session: string; skill: string; digest: string }): string {
  return `${session}\n${skill}\n${digest}`;
}
