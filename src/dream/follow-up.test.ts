import { describe, expect, it } from "vitest";
import { emptyTally } from "../journal/tally.ts";
import { dreamAccount, followUp } from "./follow-up.ts";
import type { ProposalRecord } from "./proposal.ts";

const tally = (digest: string, successes: number, failures: number, parent?: string) => ({
  ...emptyTally("deploy", digest),
  successes,
  failures,
  ...(parent !== undefined && { parent }),
});
const record = (state: ProposalRecord["state"], number = 1): ProposalRecord => ({
  number,
  kind: "improve",
  title: "Improve deploy",
  state,
  at: 0,
  changeHash: "c",
  basisHash: "b",
  batch: "batch1",
  payload: {
    change: { kind: "improve", pass: "optimize", save: { name: "deploy", body: "" }, archives: [] },
    basis: { deploy: "old" },
  },
});
const live = new Map([["deploy", "new"]]);

describe("followUp", () => {
  it("flags a change whose skill does clearly worse, with the batch to undo", () => {
    const tallies = [tally("older", 0, 9), tally("old", 8, 1, "older"), tally("new", 1, 5, "old")];
    const [followed] = followUp([record("accepted")], tallies, live);
    expect(followed).toMatchObject({
      number: 1,
      batch: "batch1",
      worse: true,
      before: { successes: 8, failures: 1 },
      after: { successes: 1, failures: 5 },
    });
  });

  it("waits until there are enough outcomes", () => {
    const tallies = [tally("old", 8, 1), tally("new", 0, 3, "old")];
    expect(followUp([record("accepted")], tallies, live)[0]?.worse).toBe(false);
  });

  it("does not follow a change that was undone", () => {
    expect(followUp([record("accepted")], [tally("old", 8, 1)], new Map([["deploy", "old"]]))).toEqual([]);
  });

  it("computes the acceptance rate of the decided proposals", () => {
    const all = [
      record("accepted"),
      record("rejected"),
      record("rejected"),
      record("undone"),
      record("open"),
      record("stale"),
    ];
    expect(dreamAccount(all, [])).toEqual({
      open: 1,
      accepted: 1,
      rejected: 2,
      stale: 1,
      undone: 1,
      acceptanceRate: 1 / 4,
      regressions: [],
    });
    expect(dreamAccount([], []).acceptanceRate).toBeUndefined();
  });
});
