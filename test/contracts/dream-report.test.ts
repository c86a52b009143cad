// Holds the evidence of a dream to a history in which six things were planted: all are found, and no gap is invented.

import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { changeOf, dreamWorkshop, type SeedSession, type SeedSkill, seeded } from "../dream-history.ts";
import { withCode } from "../errors.ts";

const workshop = () =>
  dreamWorkshop({
    skills: seeded<SeedSkill>("skills.jsonl"),
    sessions: seeded<SeedSession>("history.jsonl"),
    gaps: false,
  });

describe("the report on 60 seeded sessions", () => {
  it("leaves out a skill that somebody removes while it is made", async () => {
    const skills = seeded<SeedSkill>("skills.jsonl");
    const gone = skills[0]!.name;
    const { dreams } = await dreamWorkshop({
      skills,
      readSkill: ({ name, path }) => readFile(name === gone ? `${path}.gone` : path),
    });
    const { skills: looked } = await dreams.report();
    expect(looked).toBe(skills.length - 1);
  });

  it("names the two gaps, the duplicates, the pair, the skill at risk and the sparse skill, and no other gap", async () => {
    const { dreams } = await workshop();
    const report = await dreams.report();
    expect(report.sessions).toBe(60);
    expect(report.gaps.map(({ topic, sessions }) => [topic[0], sessions.length])).toEqual([
      ["certificate", 5],
      ["expense", 4],
    ]);
    expect(report.overlaps.map(({ a, b }) => [a, b])).toEqual([["changelog-entry", "write-changelog"]]);
    expect(report.coUse.map(({ a, b, sessions }) => [a, b, sessions.length])).toEqual([
      ["backup-database", "run-migrations", 5],
    ]);
    expect(report.atRisk.map(({ name, sessions, ratings }) => [name, sessions.length, ratings])).toEqual([
      ["deploy-preview", 3, ["poor"]],
    ]);
    expect(report.sparse.map(({ name }) => name)).toEqual(["rotate-logs"]);
    expect(report.terms.length).toBe(15);
    expect(report.terms.every(({ sessions }) => sessions.length >= 2)).toBe(true);
  });

  it("names the sessions of every item", async () => {
    const { dreams } = await workshop();
    const { gaps, overlaps, coUse, atRisk, sparse, terms } = await dreams.report();
    for (const { sessions } of [...gaps, ...overlaps, ...coUse, ...atRisk, ...sparse, ...terms])
      expect(sessions.every((id) => /^s\d\d$/.test(id)) && sessions.length > 0).toBe(true);
  });

  it("no longer reports a gap once a skill that came later answers it", async () => {
    const { dreams, learnedSkills } = await workshop();
    await learnedSkills.save({
      name: "renew-certificate",
      description:
        "Renews a TLS certificate of a server before it expires. Use when a certificate has to be renewed.",
      content:
        "# Renew a TLS certificate\n\n1. Look when the certificate expires.\n2. Renew it and restart the server.\n",
      author: "agent",
    });
    const { gaps } = await dreams.report();
    expect(gaps.map(({ topic }) => topic[0])).toEqual(["expense"]);
  });
});

describe("a dream without a model", () => {
  it("proposes links between skills used together, and archives a skill that another one covers", async () => {
    const { dreams, tree } = await workshop();
    const before = tree();
    const { proposals, declined, thinking } = await dreams.run();
    expect(thinking).toBe("rules");
    expect(proposals.map(changeOf)).toEqual([
      ["archive", "changelog-entry"],
      ["link", "backup-database"],
      ["link", "run-migrations"],
    ]);
    expect(proposals[0]!.payload).toMatchObject({
      change: { archives: [{ name: "changelog-entry", into: "write-changelog" }] },
    });
    expect(declined).toEqual([]);
    expect(tree()).toEqual(before);
  });

  it("is skipped with a reason if nothing is new, and runs again after a new message", async () => {
    const { dreams, store } = await workshop();
    await dreams.run();
    expect((await dreams.run()).skipped).toEqual(expect.any(String));
    await store.journal.append([{ at: Date.now(), session: "new", turn: 1, kind: "recalled", details: {} }]);
    expect((await dreams.run()).skipped).toBeUndefined();
  });

  it("applies its proposals as one batch, and undo restores every byte", async () => {
    const { dreams, learnedSkills, store, tree } = await workshop();
    const before = tree();
    const { applied } = await dreams.run({ apply: true });
    expect(applied?.accepted.length).toBe(3);
    expect(Object.keys(tree())).not.toContain("changelog-entry/SKILL.md");
    expect(await store.redirects.resolve("changelog-entry")).toBe("write-changelog");
    await learnedSkills.undo(applied!.batch);
    expect(tree()).toEqual(before);
    expect(await store.redirects.resolve("changelog-entry")).toBe("changelog-entry");
  });

  it("does not propose a rejected change again, and marks a proposal stale if its skill has changed", async () => {
    const { dreams, learnedSkills } = await workshop();
    const { proposals } = await dreams.run();
    await dreams.reject(proposals[0]!.number, "we need both");
    await learnedSkills.save({
      name: "backup-database",
      content: "# Back up\n\nUse the nightly job of the platform team instead; it keeps 14 days.\n",
      author: "person",
    });
    const again = await dreams.run();
    expect(again.known.map(({ state }) => state)).toContain("rejected");
    const all = await dreams.proposals();
    expect(all.find((each) => changeOf(each).join() === "link,backup-database")?.state).toBe("stale");
    await expect(dreams.accept([proposals[0]!.number])).rejects.toThrow(
      withCode("proposal-decided", { value: 1, message: expect.stringContaining("(we need both)") }),
    );
  });
});
