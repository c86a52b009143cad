// The store of one machine of a fleet: the shared database, and beside it files for what must not wait for it. Turns read and
// write files only; what happened is spooled while the database is away; tasks and trust are known here, too.

import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { unlessMissing, writeFileAtomically } from "../../disk/disk.ts";
import type { WaitingChange } from "../../fleet/fleet.ts";
import { isOpenOutcome, type JournalEvent, type NewEvent, type SaidRecord } from "../../journal/journal.ts";
import type { Awaitable } from "../../model/awaitable.ts";
import type { Clock } from "../../model/clock.ts";
import { codeOf, isRepertoireError, RepertoireError } from "../../model/errors.ts";
import { OWN_CASES } from "../../recall/recall.ts";
import { overridden } from "../observed.ts";
import type { TidyOptions } from "../retention.ts";
import { Inbox } from "../sqlite/inbox.ts";
import { sqliteStore } from "../sqlite/store.ts";
import { placesIn, TurnFiles, writeRememberedFile, writeTallyFile } from "../sqlite/turn-files.ts";
import type { Store } from "../store.ts";
import { Callers } from "./callers.ts";
import { isAway } from "./failures.ts";
import { Ingestion } from "./ingestion.ts";
import { roleIncludes, type TokenRole } from "./rights.ts";
import { SharedCases } from "./shared-cases.ts";
import { SharedSessions } from "./shared-sessions.ts";
import { Spool } from "./spool.ts";
import { openPostgresStore, type PostgresOptions } from "./store.ts";

const NUMBERS = {
  /** How often a process looks whether other nodes have counted something that recall reads. */
  refreshMs: 5_000,
} as const;

/** Facts about this machine, not about the library. */
const OWN_FACTS: ReadonlySet<string> = new Set(["tidied", "dream.pending"]);

interface NodeStoreOptions extends PostgresOptions {
  /** Usually `~/.repertoire`. */
  readonly directory: string;
  readonly clock?: Clock | undefined;
  /** Called when something is spooled for the first time since the database was there. */
  readonly onSpooled?: (() => void) | undefined;
}

export function nodeStore(options: NodeStoreOptions) {
  const { directory, clock = { now: () => new Date() }, onSpooled } = options;
  const now = () => clock.now();
  const places = placesIn(directory);
  const node = options.node ?? nodeName(directory);
  const turnFiles = new TurnFiles({ directory, clock });
  let hasTold = false;
  const shared = openPostgresStore({
    ...options,
    node,
    onBack() {
      hasTold = false;
      void inBackground(() => spool.take());
      options.onBack?.();
    },
  });
  const { db } = shared;
  /** What this machine knows by itself; apart from the store of a machine that shares nothing. */
  const local = sqliteStore({ directory: join(directory, "node"), clock });
  const inbox = new Inbox(places.inbox);
  const spool = new Spool(db, { inbox, node, now, onTaken: () => copies.due() });
  const ingestion = new Ingestion(db, {
    spool,
    onKept: (events) => {
      if (events.some(({ kind }) => kind !== "recalled" && kind !== "shown")) copies.due();
    },
    onSpooled: () => {
      if (!hasTold) onSpooled?.();
      hasTold = true;
    },
  });
  const writeCopies = async () => {
    const { tallies, upTo } = await shared.journal.recallTallies();
    writeTallyFile(places.tallies, tallies, upTo);
    writeRememberedFile(places.remembered, await shared.remembered.list());
  };
  const copies = new Copies(() => db.asNode(writeCopies));
  const sessions = new SharedSessions(db, { files: turnFiles.sessions, node });
  const cases = new SharedCases(db, join(directory, OWN_CASES));
  const timer = setInterval(() => {
    if (db.isUp)
      void inBackground(async () => {
        await spool.take();
        await sessions.exchange();
        await cases.exchange();
      }).then(() => copies.due());
  }, NUMBERS.refreshMs);
  timer.unref();

  const kept = async (events: readonly NewEvent[], said: Parameters<Store["record"]>[1] = []) => {
    if (events.length === 0 && said.length === 0) return [];
    const result = await ingestion.add({ id: randomUUID(), events, said });
    return result === "spooled" ? events.map((event): JournalEvent => ({ ...event, seq: 0 })) : result;
  };
  /** What hooks left behind counts. */
  const current =
    <A extends unknown[], T>(read: (...args: A) => Awaitable<T>) =>
    async (...args: A): Promise<T> => {
      await spool.take();
      return read(...args);
    };
  const { journal } = shared;
  const journalOfNode = overridden<Store["journal"]>(journal, {
    async append(events) {
      if (events.some(isOpenOutcome)) await unlessAway(() => spool.take());
      return kept(events);
    },
    query: current((query) => journal.query(query)),
    tallies: current((name) => journal.tallies(name)),
    sessions: current((filter) => journal.sessions(filter)),
    weeks: current((name, since) => journal.weeks(name, since)),
    episodes: current((filter) => journal.episodes(filter)),
    coUsed: current((filter) => journal.coUsed(filter)),
  });
  const factsOf = (key: string): Store["meta"] => (OWN_FACTS.has(key) ? local.meta : shared.meta);
  return {
    ...shared,
    node,
    journal: journalOfNode,
    conversation: {
      // The question may still be in the spool when its answer comes.
      async append(said) {
        await unlessAway(() => spool.take());
        await kept([], [said]);
      },
      query: current((filter) => shared.conversation.query(filter)),
    } satisfies Store["conversation"],
    remembered: {
      async add(messages) {
        await shared.remembered.add(messages);
        copies.due();
      },
      list: (name) => shared.remembered.list(name),
      async forget(name) {
        const forgotten = await shared.remembered.forget(name);
        copies.due();
        return forgotten;
      },
    } satisfies Store["remembered"],
    tasks: bothTasks(shared.tasks, local.tasks),
    trust: bothTrust(shared.trust, local.trust),
    meta: {
      get: async (key) => factsOf(key).get(key),
      set: async (key, value) => factsOf(key).set(key, value),
      remove: async (key) => factsOf(key).remove(key),
    } satisfies Store["meta"],
    sessions,
    record: (events: readonly NewEvent[], said?: readonly SaidRecord[]) => turnFiles.record(events, said),
    tallyBook: () => turnFiles.tallyBook(),
    rememberedBook: () => turnFiles.rememberedBook(),
    callers: new Callers(db, () => now().getTime()),
    /** Does the work in the name of a token's owner. */
    as: <T>(token: string, work: () => T): T => db.as(token, work),
    arrive: (change: WaitingChange) => db.asNode(() => shared.arrive(change)),
    /** Fails if the role that the database gave this node is lower; passes while it is not known. */
    requireRole(role: TokenRole) {
      const given = db.lastClaim?.role;
      if (given !== undefined && !roleIncludes(given, role))
        throw new RepertoireError(
          "role-insufficient",
          `The token's role does not allow this in ${db.server} (only a ${role} may do it). Ask an owner for a token of a higher role: repertoire token create --role ${role}.`,
          db.server,
        );
    },
    /** Whether the database answers, and how many bytes wait for it on disk. */
    state: () => ({ isUp: db.isUp, waiting: spool.waiting() }),
    async catchUp(pauses: () => Promise<unknown>) {
      await unlessAway(async () => {
        await spool.take(pauses);
        await cases.exchange();
      });
    },
    async tidy(tidying?: TidyOptions) {
      await unlessAway(() => spool.take(() => pause()));
      return (await unlessAway(() => shared.tidy(tidying))) ?? [];
    },
    async close() {
      clearInterval(timer);
      await ingestion.settled();
      await unlessAway(async () => {
        await spool.take();
        await sessions.exchange();
        await cases.exchange();
      });
      await unlessAway(() => copies.settled());
      await local.close();
      await shared.close();
    },
  } satisfies Store & Record<string, unknown>;
}

/** The copies of tallies and remembered messages that turns read: written anew after changes, one after the other. */
class Copies {
  private readonly write: () => Promise<void>;
  private isDue = false;
  private running: Promise<void> | undefined;

  constructor(write: () => Promise<void>) {
    this.write = write;
  }

  due(): void {
    this.isDue = true;
    this.running ??= inBackground(() => this.run()).finally(() => {
      this.running = undefined;
    });
  }

  async settled(): Promise<void> {
    await this.running;
  }

  private async run(): Promise<void> {
    while (this.isDue) {
      this.isDue = false;
      await this.write();
    }
  }
}

/** Tasks and consents are known in the fleet, and here also while the database is away. */
function bothTasks(shared: Store["tasks"], local: Store["tasks"]): Store["tasks"] {
  return {
    async start(task) {
      const started = (await unlessAway(async () => shared.start(task))) ?? task;
      return local.start(started);
    },
    list: async () => (await unlessAway(async () => shared.list())) ?? local.list(),
    async end(id) {
      const ended = await local.end(id);
      return (await unlessAway(async () => shared.end(id))) ?? ended;
    },
    async consent(consent) {
      await local.consent(consent);
      await unlessAway(async () => shared.consent(consent));
    },
    async consentFor(task, skill) {
      const consent = await unlessAway(async () => (await shared.consentFor(task, skill)) ?? null);
      return consent === undefined ? local.consentFor(task, skill) : (consent ?? undefined);
    },
    consents: async (task) => (await unlessAway(async () => shared.consents(task))) ?? local.consents(task),
  };
}

/** Trust is given and withdrawn in the database alone; while it is away, what was known last counts. */
function bothTrust(shared: Store["trust"], local: Store["trust"]): Store["trust"] {
  const list = async () => {
    const trusted = await unlessAway(async () => shared.list());
    if (trusted === undefined) return local.list();
    const known = await local.list();
    const key = ({ digest, skill }: { digest: string; skill: string }) => `${digest}\n${skill}`;
    const now = new Set(trusted.map(key));
    const before = new Set(known.map(key));
    for (const old of known) if (!now.has(key(old))) await local.revoke(old.digest);
    for (const trust of trusted) if (!before.has(key(trust))) await local.add(trust);
    return trusted;
  };
  return {
    add: async (trust) => {
      await shared.add(trust);
      await list();
    },
    has: async (digest) => (await list()).some((trust) => trust.digest === digest),
    list,
    async revoke(digestOrName) {
      const revoked = await shared.revoke(digestOrName);
      await list();
      return revoked;
    },
  };
}

/** What the work gives; undefined if the database is away, or went in the moment of the commit. The work may be done again. */
async function unlessAway<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isAway(error) || codeOf(error) === "commit-uncertain") return undefined;
    throw error;
  }
}

/** Work that nobody waits for. If it fails, the next question meets the same problem, and tells it. */
async function inBackground(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isRepertoireError(error) && codeOf(error) === "") throw error;
  }
}

/** A name that stays with the folder: what this node has begun and spooled is known by it. */
function nodeName(directory: string): string {
  const path = join(directory, "node-name");
  const read = () => unlessMissing(() => readFileSync(path, "utf8"))?.trim();
  const known = read();
  if (known !== undefined) return known;
  const own = `${path}.${randomUUID()}`;
  writeFileAtomically(own, `${randomUUID()}\n`);
  try {
    // Of two processes that begin at once, one makes the name for both.
    linkSync(own, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return read()!;
}
