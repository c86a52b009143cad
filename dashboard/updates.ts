// Updates of skills from elsewhere. Looking for them asks their sources over the network, so it happens when the person asks for it, and
// what was found is remembered in this browser.

import { useState } from "preact/hooks";
import type { Offer, Updates } from "./answers.ts";
import { post } from "./api.ts";
import { attempt, count, tell } from "./pieces.tsx";

/** What the sources had when they were last asked. */
export interface Known {
  readonly at: number;
  readonly offers: readonly Pick<Offer, "name" | "sheet" | "refusal">[];
}

const KEY = "updates";

function known(): Known | undefined {
  const kept = localStorage.getItem(KEY);
  return kept === null ? undefined : (JSON.parse(kept) as Known);
}

function keep(offers: Known["offers"]): Known {
  const now = { at: Date.now(), offers };
  localStorage.setItem(KEY, JSON.stringify(now));
  return now;
}

/** What is known of updates, a way to look again, and one to take an update that the person has looked at. */
export function useUpdates() {
  const [state, setState] = useState(known);
  const [isLooking, setLooking] = useState(false);
  const look = () =>
    attempt(async () => {
      setLooking(true);
      try {
        const { offers } = await post<Updates>("/packages/update?wait=60", { check: true });
        setState(keep(offers));
        tell(
          offers.length === 0
            ? "All skills from elsewhere are up to date."
            : `${count(offers.length, "update")} found.`,
        );
      } finally {
        setLooking(false);
      }
    });
  const take = ({ name, sheet }: Known["offers"][number]) =>
    attempt(async () => {
      const { changed, refused } = await post<Updates>("/packages/update?wait=60", {
        names: [name],
        digests: sheet ? [sheet.digest] : [],
      });
      if (refused[0]) throw new Error(refused[0].message);
      setState(keep(state?.offers.filter((offer) => offer.name !== name) ?? []));
      const version = changed[0]?.batch;
      tell(
        `${name} was updated.`,
        version === undefined ? undefined : () => attempt(() => post("/undo", { target: version })),
      );
    });
  return { known: state, isLooking, look, take };
}
