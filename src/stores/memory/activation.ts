// Keeps tasks, consents and trusted digests in memory.

import type {
  ConsentRecord,
  TaskRecord,
  TaskStore,
  TrustRecord,
  TrustStore,
} from "../../activate/activate.ts";
import type { SkillName } from "../../model/name.ts";
import { sortedBy } from "./sorted.ts";

export function memoryTasks(): TaskStore {
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
    consents: (task) => sortedBy([...of(task).values()], ({ skill }) => skill),
  };
}

export function memoryTrust(): TrustStore {
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
