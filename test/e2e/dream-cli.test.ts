// Owns what a new user meets at the command line: dream, look, accept, undo, without a model and with a plan handed in.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../src/adapters/cli/program.ts";
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
    return { code, ...written };
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
  expect(out).toMatch(/60 sessions of the last 30 days/);
  expect(out).toMatch(
    /Gaps: asked again and again, no skill answers\n {2}certificate renew tls.*5 sessions \(s31/,
  );
  expect(out).toMatch(/At risk.*\n {2}deploy-preview: 3 sessions/);
  expect(out).toMatch(/1 {2}Archive changelog-entry \(write-changelog says the same\)/);
  expect(out).toContain("repertoire dream prepare");
  expect(out).toContain("repertoire proposals accept N");
  expect((await call("dream")).out).toMatch(/Skipped: nothing has happened/);
});

it("shows, rejects and accepts proposals, and undo takes the batch back", async () => {
  const { call, tree } = await commandLine();
  const before = tree();
  await call("dream");
  const { out: shown } = await call("proposals", "show", "2");
  expect(shown).toMatch(/were used together in 5 sessions/);
  expect(shown).toMatch(/stored messages were tried; none loses its way/);
  expect(shown).toMatch(/\+ {2}see-also: run-migrations/);
  expect((await call("proposals", "reject", "1", "--note", "keep both")).out).toMatch(
    /not proposed again unchanged/,
  );
  const { out: accepted } = await call("proposals", "accept", "--all");
  expect(accepted).toMatch(/accepted 2 {2}Link backup-database/);
  expect(tree()).not.toEqual(before);
  const batch = /repertoire undo (\w+)/.exec(accepted)?.[1];
  expect((await call("undo", batch!)).code).toBe(0);
  expect(tree()).toEqual(before);
  expect((await call("proposals")).out).toMatch(/No proposal is open.*67% of the decided ones were accepted/);
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
  expect(refused.out).toMatch(
    /"plan-sprint" would be archived without a skill that absorbs it\. \[no-absorber\]/,
  );
  writeFileSync(file, "no json");
  expect((await call("dream", "submit", file)).err).toMatch(/There is no JSON object in the answer/);
  expect((await call("proposals", "accept")).err).toMatch(/Which proposal\?/);
  expect((await call("proposals", "show", "99")).err).toMatch(/There is no proposal 99/);
  expect((await call("dream", "--every", "soon")).err).toMatch(/such as 4h/);
});
