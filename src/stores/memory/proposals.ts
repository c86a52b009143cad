// Keeps proposals and small facts in memory.

import type { MetaStore, ProposalRecord, ProposalStore } from "../../dream/dream.ts";

export function memoryProposals(): ProposalStore {
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

export function memoryMeta(): MetaStore {
  const facts = new Map<string, string>();
  return {
    get: (key) => facts.get(key),
    set: (key, value) => void facts.set(key, value),
    remove: (key) => facts.delete(key),
  };
}
