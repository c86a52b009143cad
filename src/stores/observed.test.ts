import { describe, expect, it } from "vitest";
import { memoryStore } from "./memory/store.ts";
import { observedStore, type StoreNews } from "./observed.ts";

describe("an observed store", () => {
  it("reports journal events and proposals after they are stored, and nothing else", async () => {
    const inner = memoryStore();
    const news: StoreNews[] = [];
    const store = observedStore(inner, (one) => news.push(one));
    await store.journal.append([{ kind: "activated", at: 1, skill: "a", digest: "d", details: {} }]);
    const { number } = await store.proposals.add({
      kind: "create",
      title: "t",
      at: 1,
      changeHash: "c",
      basisHash: "b",
      payload: {},
    });
    await store.proposals.decide(number, { state: "rejected", at: 2 });
    await store.meta.set("k", "v");
    expect(news.map((one) => (one.about === "journal" ? one.events[0]?.kind : one.proposal.state))).toEqual([
      "activated",
      "open",
      "rejected",
    ]);
    expect(await inner.journal.query({})).toHaveLength(1);
    expect(await store.meta.get("k")).toBe("v");
  });
});
