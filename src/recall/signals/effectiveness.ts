// The penalty for a skill that keeps failing.

import type { EffectivenessProvider } from "../../journal/journal.ts";
import { type Signal, WORTH } from "./signal.ts";

export function effectivenessSignal(provider: EffectivenessProvider): Signal {
  return {
    name: "effectiveness",
    judge(skill) {
      const { deprioritised, failed, worked } = provider.of(skill);
      if (!deprioritised) return undefined;
      return { kind: "boost", value: WORTH.ineffective, note: `failed ${failed} of ${failed + worked}` };
    },
  };
}

/** The provider of a library without a journal. */
export const NOTHING_KNOWN: EffectivenessProvider = {
  of: () => ({ tries: 0, worked: 0, failed: 0, rate: 0.5, deprioritised: false, lastUsedAt: 0 }),
};
