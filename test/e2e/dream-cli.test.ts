// Owns what a new user meets at the command line: dream, look, accept, undo, without a model and with a plan handed in.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../src/adapters/cli/main.ts";
import { dreamWorkshop, type SeedSession, type SeedSkill, seeded } from "../dream-history.ts";

async function commandLine() {
  const files = { "home/.repertoire/repertoire.config.json": '{"sources": {"bundled": false}}' };
  const shop = await dreamWorkshop({ files, skills: seeded<SeedSkill>("skills.jsonl"), sessions: recent() });
  shop.store.close();
  const call = async (...args: string[]) => {
    const written = { out: "", err: "" };
    const streams = {
      out: (text: string) => {
        written.out += text;
      },
      err: (text: string) => {
        written.err += text;
      },
      terminal: false,
      width: 120,
    };
    const code = await run(
      ["--dir", join(shop.root, "p"), "--home", join(shop.root, "home"), ...args],
      streams,
    );
    return { code, ...written, json: () => JSON.parse(written.out) };
  };
  return { call, ...shop };
}

/** The command line has the real clock, so the history must lie before it. */
function recent(): SeedSession[] {
  const shift = (Date.UTC(2026, 5, 30, 12) - Date.now()) / 86_400_000;
  return seeded<SeedSession>("history.jsonl").map((session) => ({
    ...session,
    daysAgo: session.daysAgo + shift,
  }));
}

it("tells a user without a model what it found, what it proposes and how to let an agent think", async () => {
  const { call } = await commandLine();
  const { code, out } = await call("dream");
  expect(code).toBe(0);
  expect(out).toMatch(/\b60 .*\b30 /);
  expect(out).toMatch(/\n {2}certificate renew tls.*\b5\b.*\(s31/);
  expect(out).toMatch(/\n {2}deploy-preview: 3 /);
  expect(out).toMatch(/\b1 {2}.*\bchangelog-entry\b.*\bwrite-changelog\b/);
  expect(out).toContain("repertoire dream prepare");
  expect(out).toContain("repertoire proposals accept N");
  expect((await call("dream", "--json")).json()).toMatchObject({
    skipped: expect.any(String),
    proposals: [],
  });
});

it("shows, rejects and accepts proposals, and undo takes the batch back", async () => {
  const { call, tree } = await commandLine();
  const before = tree();
  await call("dream");
  const { out: shown } = await call("proposals", "show", "2");
  expect(shown).toMatch(/run-migrations .*\b5\b/);
  const { payload } = (await call("proposals", "show", "2", "--json")).json();
  expect(payload.tried).toBeGreaterThan(0);
  const lost = payload.routes.filter(
    ({ skill, before: led, after }: { skill: string; before: string[]; after: string[] }) =>
      led.includes(skill) && !after.includes(skill),
  );
  expect(lost).toEqual([]);
  expect(shown).toMatch(/\+ {2}see-also: run-migrations/);
  const rejected = await call("proposals", "reject", "1", "--note", "keep both", "--json");
  expect(rejected.json()).toMatchObject({ number: 1, state: "rejected", note: "keep both" });
  const { out: accepted } = await call("proposals", "accept", "--all");
  expect(accepted).toMatch(/\b2 {2}.*\bbackup-database\b/);
  expect(tree()).not.toEqual(before);
  const batch = /repertoire undo (\w+)/.exec(accepted)?.[1];
  expect((await call("proposals")).out).toContain("75%");
  expect((await call("undo", batch!)).code).toBe(0);
  expect(tree()).toEqual(before);
  // What was taken back does not count as accepted.
  expect((await call("proposals")).out).toContain(" 0% ");
  expect((await call("proposals", "--json")).json()).toMatchObject({ proposals: [], account: { open: 0 } });
});

it("prepares prompts for an agent and takes its plan from a file", async () => {
  const { call, root } = await commandLine();
  const { out } = await call("dream", "prepare", "--json");
  expect(JSON.parse(out).files.map(({ pass }: { pass: string }) => pass)).toEqual([
    "gap",
    "consolidate",
    "optimize",
  ]);
  const file = join(root, "plan.json");
  writeFileSync(file, '{"toSave": [], "toDelete": ["plan-sprint"]}');
  const refused = await call("dream", "submit", file);
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/"plan-sprint".*\[no-absorber\]/);
  writeFileSync(file, "no json");
  const codeOf = async (...args: string[]) => (await call(...args, "--json")).json().error.code;
  expect(await codeOf("dream", "submit", file)).toBe("plan-no-json");
  expect(await codeOf("proposals", "accept")).toBe("usage");
  expect(await codeOf("proposals", "show", "99")).toBe("proposal-not-found");
  expect(await call("dream", "--every", "soon")).toMatchObject({
    code: 2,
    err: expect.stringMatching(/'soon'[\s\S]*\b4h\b/),
  });
});
