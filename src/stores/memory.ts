// Owns the store that lives and dies with the process: for tests, and for hosts that keep nothing.
// Passes the same contract suite as the sqlite store. The journal stands in `memory-journal.ts`.

import { createHash } from "node:crypto";
import type { ConsentRecord, TaskRecord, TaskStore, TrustRecord, TrustStore } from "../activate/activate.ts";
import type { MetaStore, ProposalRecord, ProposalStore } from "../dream/dream.ts";
import type { ConversationStore, SaidRecord, SessionStep, SessionStore } from "../journal/journal.ts";
import { accountOf, HALF_LIFE_MS, turnStep } from "../journal/journal.ts";
import type {
  BlobStore,
  RedirectRecord,
  RedirectStore,
  VersionRecord,
  VersionStore,
} from "../learn/learn.ts";
import type { SkillName } from "../model/name.ts";
import { InTurn } from "./in-turn.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { follow } from "./redirect-walk.ts";
import type { Store } from "./store.ts";

export function openMemoryStore(options: { readonly halfLifeMs?: number } = {}): Store {
  const inTurn = new InTurn();
  return {
    journal: new MemoryJournal(options.halfLifeMs ?? HALF_LIFE_MS),
    sessions: memorySessions(),
    tasks: memoryTasks(),
    trust: memoryTrust(),
    versions: memoryVersions(),
    blobs: memoryBlobs(),
    redirects: memoryRedirects(),
    conversation: memoryConversation(),
    proposals: memoryProposals(),
    meta: memoryMeta(),
    exclusive: (work) => inTurn.run(work),
    // Hooks leave nothing in another process's memory, and its sessions end with it.
    tidy: () => {},
    close() {},
  };
}

function memorySessions(): SessionStore {
  const logs = new Map<string, SessionStep[]>();
  let claims = 0;
  const add = (id: string, step: SessionStep) => {
    logs.set(id, [...(logs.get(id) ?? []), structuredClone(step)]);
    return accountOf(id, logs.get(id)!);
  };
  return {
    read: (id) => accountOf(id, logs.get(id) ?? []).state,
    begin(id, turn) {
      const claim = String(claims++);
      const { state, turnClaims } = add(id, turnStep(turn, claim));
      return { first: turnClaims.get(turn.key) === claim, state };
    },
    claim(id, names) {
      if (names.length === 0) return [];
      const claim = String(claims++);
      const { shownClaims } = add(id, { step: "shown", names, claim });
      return [...new Set(names)].filter((name) => shownClaims.get(name) === claim);
    },
    add: (id, step) => void add(id, step),
    list: () => [...logs.keys()].sort(),
    remove: (id) => void logs.delete(id),
  };
}

function memoryTasks(): TaskStore {
  const tasks = new Map<string, TaskRecord>();
  const consents = new Map<string, Map<SkillName, ConsentRecord>>();
  const of = (task: string) => consents.get(task) ?? new Map<SkillName, ConsentRecord>();
  return {
    start(task) {
      if (!tasks.has(task.id)) tasks.set(task.id, { ...task });
      return tasks.get(task.id)!;
    },
    get: (id) => tasks.get(id),
    list: () => [...tasks.values()],
    end(id) {
      consents.delete(id);
      return tasks.delete(id);
    },
    consent: (consent) =>
      void consents.set(consent.task, of(consent.task).set(consent.skill, structuredClone(consent))),
    consentFor: (task, skill) => of(task).get(skill),
    consents: (task) => sortedBy([...of(task).values()], ({ skill }) => skill),
  };
}

function memoryTrust(): TrustStore {
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

function memoryVersions(): VersionStore {
  const versions = new Map<string, VersionRecord>();
  return {
    add(version) {
      if (!versions.has(version.id)) versions.set(version.id, structuredClone(version));
    },
    get: (id) => versions.get(id),
    list({ name, batch, limit = Number.POSITIVE_INFINITY }) {
      const fitting = [...versions.values()].filter(
        (each) => (name === undefined || each.name === name) && (batch === undefined || each.batch === batch),
      );
      return fitting.reverse().slice(0, limit);
    },
    heads() {
      const newest = new Map([...versions.values()].map((each) => [each.name, each]));
      return sortedBy([...newest.values()], ({ name }) => name);
    },
  };
}

function memoryBlobs(): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    put(bytes) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      if (!blobs.has(sha256)) blobs.set(sha256, bytes.slice());
      return sha256;
    },
    get: (sha256) => blobs.get(sha256)?.slice(),
  };
}

function memoryRedirects(): RedirectStore {
  const redirects = new Map<SkillName, RedirectRecord>();
  return {
    put: (redirect) => void redirects.set(redirect.from, { ...redirect }),
    resolve: (name) => follow(name, (from) => redirects.get(from)?.to),
    list: () => sortedBy([...redirects.values()], ({ from }) => from),
    remove: (from) => redirects.delete(from),
  };
}

function memoryConversation(): ConversationStore {
  const lines: SaidRecord[] = [];
  return {
    append: (said) => void lines.push({ ...said }),
    query({ session, turn, role, since, firstOfSession, limit = Number.POSITIVE_INFINITY }) {
      const seen = new Set<string>();
      const fitting = lines.filter(
        (line) =>
          (session === undefined || line.session === session) &&
          (turn === undefined || line.turn === turn) &&
          (role === undefined || line.role === role) &&
          (since === undefined || line.at >= since) &&
          !(firstOfSession && seen.has(line.session)) &&
          seen.add(line.session),
      );
      return fitting.slice(0, limit);
    },
  };
}

function memoryProposals(): ProposalStore {
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

function memoryMeta(): MetaStore {
  const facts = new Map<string, string>();
  return {
    get: (key) => facts.get(key),
    set: (key, value) => void facts.set(key, value),
    remove: (key) => facts.delete(key),
    keys: (prefix = "") => [...facts.keys()].filter((key) => key.startsWith(prefix)).sort(),
  };
}

function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
