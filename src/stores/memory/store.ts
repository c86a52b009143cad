// The store that lives and dies with the process: for tests, and for hosts that keep nothing.

import type { ConsentRecord, TaskRecord, TrustRecord } from "../../activate/activate.ts";
import type { ProposalRecord } from "../../dream/dream.ts";
import { HALF_LIFE_MS, SessionLog, type SessionStep, turnStep } from "../../journal/journal.ts";
import {
  followRedirects,
  isSamePlace,
  type PendingChange,
  placeOf,
  type RedirectRecord,
  redirectAfter,
  type SkillPlace,
  type VersionRecord,
} from "../../learn/learn.ts";
import { compareNames, type SkillName } from "../../model/name.ts";
import { sha256Of } from "../../package/package.ts";
import { InTurn } from "../in-turn.ts";
import type { Store } from "../store.ts";
import { MemoryJournal, memoryConversation } from "./journal.ts";
import { MemoryRemembered } from "./remembered.ts";

/**
 * A store that writes nothing to disk.
 *
 * @example
 * const skills = openRepertoire({ dir, store: memoryStore() });
 */
export function memoryStore(options: { readonly halfLifeMs?: number | undefined } = {}): Store {
  const inTurn = new InTurn();
  const journal = new MemoryJournal(options.halfLifeMs ?? HALF_LIFE_MS);
  const conversation = memoryConversation();
  const moved = new Map<SkillName, RedirectRecord>();
  const redirects = memoryRedirects(moved);
  const remembered = new MemoryRemembered((name) => redirects.resolve(name));
  return {
    journal,
    conversation,
    remembered,
    sessions: memorySessions(),
    tasks: memoryTasks(),
    trust: memoryTrust(),
    versions: memoryVersions(moved),
    blobs: memoryBlobs(),
    redirects,
    proposals: memoryProposals(),
    meta: memoryMeta(),
    record(events, said = []) {
      for (const line of said) conversation.append(line);
      journal.append(events);
    },
    tallyBook: () => journal.tallyBook(),
    rememberedBook: () => remembered.book(),
    exclusive: (work) => inTurn.run(work),
    catchUp() {},
    tidy: () => [],
    check: () => [],
    close() {},
  };
}

function sortedBy<T>(items: Iterable<T>, key: (item: T) => string): T[] {
  return [...items].sort((a, b) => compareNames(key(a), key(b)));
}

function memorySessions(): Store["sessions"] {
  const logs = new Map<string, SessionLog>();
  let marks = 0;
  const add = (id: string, step: SessionStep) => {
    const log = logs.get(id) ?? new SessionLog(id);
    logs.set(id, log);
    return log.take([structuredClone(step)]);
  };
  return {
    read: (id) => (logs.get(id) ?? new SessionLog(id)).state,
    begin(id, turn) {
      const mark = String(marks++);
      const log = add(id, turnStep(turn, mark));
      return { first: log.isFirst(turn.key, mark), state: log.state };
    },
    markShown(id, names) {
      const mark = String(marks++);
      const log = add(id, { step: "shown", names, mark });
      return { fresh: log.firstShown(names, mark), state: log.state };
    },
    add: (id, step) => void add(id, step),
  };
}

function memoryTasks(): Store["tasks"] {
  const tasks = new Map<string, TaskRecord>();
  const consents = new Map<string, Map<SkillName, ConsentRecord>>();
  const of = (task: string) => consents.get(task) ?? new Map<SkillName, ConsentRecord>();
  return {
    start(task) {
      if (!tasks.has(task.id)) tasks.set(task.id, { ...task });
      return tasks.get(task.id)!;
    },
    list: () => [...tasks.values()],
    end(id) {
      consents.delete(id);
      return tasks.delete(id);
    },
    consent: (consent) =>
      void consents.set(consent.task, of(consent.task).set(consent.skill, structuredClone(consent))),
    consentFor: (task, skill) => of(task).get(skill),
    consents: (task) => sortedBy(of(task).values(), ({ skill }) => skill),
  };
}

function memoryTrust(): Store["trust"] {
  let trusted: TrustRecord[] = [];
  return {
    add(trust) {
      const others = trusted.filter((each) => each.digest !== trust.digest || each.skill !== trust.skill);
      trusted = sortedBy([...others, { ...trust }], ({ skill, digest }) => `${skill}\n${digest}`);
    },
    has: (digest) => trusted.some((each) => each.digest === digest),
    list: () => trusted,
    revoke(digestOrName) {
      const before = trusted.length;
      trusted = trusted.filter((each) => each.digest !== digestOrName && each.skill !== digestOrName);
      return before - trusted.length;
    },
  };
}

function memoryVersions(redirects: Map<SkillName, RedirectRecord>): Store["versions"] {
  const versions = new Map<string, VersionRecord>();
  const heads = new Map<string, VersionRecord>();
  const changes = new Map<string, PendingChange>();
  const placeKey = ({ name, root = "" }: SkillPlace) => `${name}\n${root}`;
  const add = (version: VersionRecord) => {
    if (versions.has(version.id)) return;
    versions.set(version.id, structuredClone(version));
    heads.set(placeKey(placeOf(version)), versions.get(version.id)!);
    const redirect = redirectAfter(version);
    if (redirect === "none") redirects.delete(version.name);
    else if (redirect) redirects.set(version.name, redirect);
  };
  return {
    add,
    begin: (change) => void changes.set(change.id, structuredClone(change)),
    commit(id) {
      for (const version of changes.get(id)?.versions ?? []) add(version);
      changes.delete(id);
    },
    abandon: (id) => void changes.delete(id),
    pending: () => [...changes.values()],
    get: (id) => versions.get(id),
    list({ name, place, batch, before, limit = Number.POSITIVE_INFINITY }) {
      const all = [...versions.values()];
      const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
      const fitting = all
        .slice(0, Math.max(end, 0))
        .filter(
          (each) =>
            (name === undefined || each.name === name) &&
            (place === undefined || isSamePlace(placeOf(each), place)) &&
            (batch === undefined || each.batch === batch),
        );
      return fitting.reverse().slice(0, limit);
    },
    heads: (name) =>
      sortedBy(heads.values(), (each) => `${each.name}\n${placeOf(each).root ?? ""}`).filter(
        (each) => name === undefined || each.name === name,
      ),
    head: (place) => heads.get(placeKey(place)),
  };
}

function memoryBlobs(): Store["blobs"] {
  const blobs = new Map<string, Uint8Array>();
  const put = (bytes: Uint8Array) => {
    const sha256 = sha256Of(bytes);
    if (!blobs.has(sha256)) blobs.set(sha256, bytes.slice());
    return sha256;
  };
  return {
    put,
    putAll: (contents) => contents.map(put),
    get: (sha256) => blobs.get(sha256)?.slice(),
  };
}

function memoryRedirects(redirects: Map<SkillName, RedirectRecord>) {
  return {
    resolve: (name) => followRedirects(name, (from) => redirects.get(from)?.to),
    list: () => sortedBy(redirects.values(), ({ from }) => from),
  } satisfies Store["redirects"];
}

function memoryProposals(): Store["proposals"] {
  const proposals: ProposalRecord[] = [];
  return {
    add(proposal) {
      const kept: ProposalRecord = {
        ...structuredClone(proposal),
        number: proposals.length + 1,
        state: "open",
      };
      proposals.push(kept);
      return kept;
    },
    get: (number) => proposals[number - 1],
    list: ({ state, changeHash } = {}) =>
      proposals.filter(
        (each) =>
          (state === undefined || each.state === state) &&
          (changeHash === undefined || each.changeHash === changeHash),
      ),
    decide(number, { at, ...decision }) {
      const before = proposals[number - 1];
      if (before?.state !== "open") return undefined;
      const after = { ...before, ...decision, decidedAt: at };
      proposals[number - 1] = after;
      return after;
    },
  };
}

function memoryMeta(): Store["meta"] {
  const facts = new Map<string, string>();
  return {
    get: (key) => facts.get(key),
    set: (key, value) => void facts.set(key, value),
    remove: (key) => facts.delete(key),
  };
}
