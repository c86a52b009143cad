// The penalty for a skill that keeps failing.

import type { EffectivenessProvider } from "../../journal/journal.ts";
import { type Signal, WORTH } from "./signal.ts";

export function effectivenessSignal(provider: EffectivenessProvider): Signal {
  return {
    name: "effectiveness",
    judge(skill) {
      const known = provider.of(skill.name, skill.digest);
      if (!known.deprioritised) return undefined;
      const failed = Math.round((1 - known.rate) * 100);
      return {
        kind: "boost",
        value: WORTH.ineffective,
        note: `failed about ${failed}% of ${known.activations} times`,
      };
    },
  };
}

/** The provider of a library without a journal. */
export const NOTHING_KNOWN: EffectivenessProvider = {
  of: () => ({ activations: 0, successes: 0, failures: 0, rate: 0.5, deprioritised: false, lastUsedAt: 0 }),
};
