// Owns the promises of the `Store` port, checked on every store. What only one store promises stands beside it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import type { NewEvent } from "../../src/journal/events.ts";
import { REMEMBERED, type RememberedMessage } from "../../src/journal/remembered.ts";
import type { VersionRecord } from "../../src/learn/version-store.ts";
import { memoryStore } from "../../src/stores/memory/store.ts";
import { postgresStore } from "../../src/stores/postgres/store.ts";
import { sqliteStore } from "../../src/stores/sqlite/store.ts";
import type { Store } from "../../src/stores/store.ts";

const DAY = 24 * 60 * 60 * 1000;

let changes = 0;
/** The version of a skill that became part of another one. */
function moved(name: string, to: string): VersionRecord {
  return { ...there(name), action: "rename", files: [], data: { to } };
}
function there(name: string): VersionRecord {
  const files = [{ path: "SKILL.md", sha256: "0".repeat(64), size: 1 }];
  return { id: `change-${changes++}`, name, action: "save", at: NOW, author: "agent", files };
}
const NOW = Date.UTC(2026, 4, 20, 12);
const clock = { now: () => new Date(NOW) };

let server: PostgresServer;
let url: string;
let scopes = 0;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});

afterAll(() => server.stop());

const STORES: Record<string, (directory: string) => Store> = {
  memory: () => memoryStore(),
  sqlite: (directory) => sqliteStore({ directory, clock }),
  // Each test in a scope of its own.
  postgres: () => postgresStore({ url, scope: `test/${scopes++}` }),
};

for (const [name, open] of Object.entries(STORES)) {
  describe(`store: ${name}`, () => {
    let directory: string;
    let store: Store;

    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), "repertoire-store-"));
      store = open(directory);
    });

    afterEach(async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    });

    const seed = () =>
      store.journal.append([
        event("recalled", { skill: "mail", digest: "m1", details: { score: 0.8, rank: 1 } }),
        event("recalled", { skill: "plan", digest: "p1", details: { score: 0.4, rank: 2 } }),
        event("shown", { skill: "mail", digest: "m1", details: { level: "card" } }),
        event("activated", { skill: "mail", digest: "m1", details: { by: "model" } }),
      ]);

    describe("journal", () => {
      test("gives back what was recorded, whole and in order", async () => {
        const recorded = [
          event("script_run", {
            agent: "reviewer",
            host: "terminal",
            skill: "mail",
            digest: "m1",
            details: { script: "scripts/send.mjs", ok: false, isolation: "bubblewrap", ms: 12 },
          }),
          event("recalled", { session: "s2", turn: 4, details: {} }),
          {
            kind: "edited",
            at: NOW,
            skill: "mail",
            details: { parent: "m0", reason: "clearer — naïve 日本" },
          },
        ] as NewEvent[];
        await store.journal.append(recorded);
        const kept = await store.journal.query({});
        expect(kept.map(({ seq, ...rest }) => rest)).toEqual(recorded);
        expect(kept.map(({ seq }) => seq)).toEqual([1, 2, 3]);
      });

      test("is asked by skill, digest, session, turn, kind, time and place", async () => {
        await seed();
        await store.journal.append([
          event("activated", {
            session: "s2",
            turn: 7,
            at: NOW + DAY,
            skill: "mail",
            digest: "m2",
            details: {},
          }),
        ]);
        const count = async (filter: Parameters<Store["journal"]["query"]>[0]) =>
          (await store.journal.query(filter)).length;
        expect(await count({})).toBe(5);
        expect(await count({ skill: "mail" })).toBe(4);
        expect(await count({ skill: "mail", digest: "m2" })).toBe(1);
        expect(await count({ session: "s1" })).toBe(4);
        expect(await count({ session: "s2", turn: 7 })).toBe(1);
        expect(await count({ session: "s2", turn: 8 })).toBe(0);
        expect(await count({ kinds: ["recalled", "shown"] })).toBe(3);
        expect(await count({ kinds: [] })).toBe(0);
        expect(await count({ since: NOW + 1 })).toBe(1);
        expect(await count({ until: NOW + DAY })).toBe(4);
        expect(await count({ afterSeq: 3 })).toBe(2);
        const newest = await store.journal.query({ skill: "mail", newestFirst: true, limit: 2 });
        expect(newest.map(({ digest }) => digest)).toEqual(["m2", "m1"]);
      });

      test("an outcome goes to the skills activated in its turn, and to no other", async () => {
        await seed();
        await store.journal.append([
          event("activated", { turn: 2, skill: "plan", digest: "p1", details: {} }),
          event("activated", { session: "s2", skill: "other", digest: "o1", details: {} }),
        ]);
        const kept = await store.journal.append([event("outcome", { details: { result: "success" } })]);
        expect(kept.map(({ skill, digest }) => [skill, digest])).toEqual([["mail", "m1"]]);
        const successes = Object.fromEntries(
          (await store.journal.tallies()).map((tally) => [tally.name, tally.successes]),
        );
        expect(successes).toEqual({ mail: 1, plan: 0, other: 0 });
      });

      test("an outcome of a turn that activated nothing is kept and counts for nobody", async () => {
        await store.journal.append([event("recalled", { skill: "mail", digest: "m1", details: {} })]);
        const kept = await store.journal.append([event("outcome", { details: { result: "failure" } })]);
        expect(kept).toHaveLength(1);
        expect(kept[0]?.skill).toBeUndefined();
        expect((await store.journal.tallies("mail"))[0]).toMatchObject({ failures: 0, recalled: 1 });
      });

      test("a skill activated twice in a turn gets one outcome", async () => {
        await seed();
        await store.journal.append([event("activated", { skill: "mail", digest: "m1", details: {} })]);
        await store.journal.append([event("outcome", { details: { result: "success" } })]);
        expect((await store.journal.tallies("mail"))[0]).toMatchObject({ activated: 2, successes: 1 });
      });

      test("a later outcome of the same turn overrules the earlier one", async () => {
        await seed();
        await store.journal.append([event("outcome", { details: { result: "success" } })]);
        await store.journal.append([event("outcome", { at: NOW + DAY, details: { result: "failure" } })]);
        const [tally] = await store.journal.tallies("mail");
        expect(tally).toMatchObject({ successes: 0, failures: 1, weightOfFailures: 1 });
        expect(tally!.weightOfSuccesses).toBeCloseTo(0, 10);
        const [week] = await store.journal.weeks("mail");
        expect(week).toMatchObject({ activated: 1, successes: 0, failures: 1 });
      });

      test("accounts belong to a version, and an edit names the parent", async () => {
        await seed();
        await store.journal.append([event("outcome", { details: { result: "failure" } })]);
        await store.journal.append([
          event("edited", { skill: "mail", digest: "m2", details: { parent: "m1" } }),
          event("activated", { turn: 2, skill: "mail", digest: "m2", details: {} }),
        ]);
        const [before, after] = await store.journal.tallies("mail");
        expect(before).toMatchObject({ digest: "m1", recalled: 1, shown: 1, activated: 1, failures: 1 });
        expect(after).toMatchObject({ digest: "m2", parent: "m1", activated: 1, failures: 0 });
      });

      test("outcomes fade with the half-life, also when they arrive out of order", async () => {
        const outcome = (at: number, turn: number) =>
          event("outcome", { at, turn, skill: "mail", digest: "m1", details: { result: "success" } });
        await store.journal.append([outcome(NOW, 1), outcome(NOW + 30 * DAY, 2), outcome(NOW, 3)]);
        const [tally] = await store.journal.tallies("mail");
        expect(tally!.successes).toBe(3);
        expect(tally!.weightOfSuccesses).toBeCloseTo(0.5 + 1 + 0.5, 10);
        expect(tally!.weighedAt).toBe(NOW + 30 * DAY);
      });

      test("a clock that jumps back by a day breaks neither order nor accounts", async () => {
        await seed();
        await store.journal.append([
          event("activated", { at: NOW - DAY, skill: "plan", digest: "p1", details: {} }),
        ]);
        await store.journal.append([event("outcome", { at: NOW - DAY, details: { result: "success" } })]);
        const kinds = (await store.journal.query({ newestFirst: true, limit: 3 })).map(({ kind }) => kind);
        expect(kinds).toEqual(["outcome", "outcome", "activated"]);
        for (const tally of await store.journal.tallies()) {
          expect(tally.weightOfSuccesses).toBeGreaterThan(0.9);
          expect(tally.weightOfSuccesses).toBeLessThanOrEqual(1);
        }
      });

      test("weeks are counted per skill over all its versions", async () => {
        await seed();
        await store.journal.append([
          event("activated", { at: NOW + 7 * DAY, turn: 2, skill: "mail", digest: "m2", details: {} }),
        ]);
        const weeks = await store.journal.weeks("mail");
        expect(weeks.map(({ activated }) => activated)).toEqual([1, 1]);
        expect(weeks[1]!.week - weeks[0]!.week).toBe(7 * DAY);
        expect(await store.journal.weeks("mail", weeks[1]!.week)).toEqual([weeks[1]]);
        expect(await store.journal.weeks("unheard-of")).toEqual([]);
      });

      test("episodes link sessions to the skills that they used, not to those only shown", async () => {
        await seed();
        await store.journal.append([
          event("file_read", { at: NOW + 5, skill: "mail", digest: "m1", details: { path: "notes.md" } }),
        ]);
        expect(await store.journal.episodes({ session: "s1" })).toEqual([
          { session: "s1", skill: "mail", digest: "m1", times: 2, lastAt: NOW + 5 },
        ]);
        expect(await store.journal.episodes({ skill: "plan" })).toEqual([]);
        expect(await store.journal.episodes({ since: NOW + 6 })).toEqual([]);
      });

      test("co-used skills are counted by session, most first", async () => {
        const use = (session: string, skill: string, at = NOW) =>
          event("activated", { session, skill, digest: `${skill}1`, at, details: {} });
        await store.journal.append([
          ...["a", "b", "c"].flatMap((session) => [use(session, "mail"), use(session, "plan")]),
          use("a", "mail"),
          use("b", "weather"),
          use("old", "plan", NOW - 90 * DAY),
          use("old", "weather", NOW - 90 * DAY),
        ]);
        expect(await store.journal.coUsed({ limit: 10 })).toEqual([
          { a: "mail", b: "plan", sessions: 3 },
          { a: "plan", b: "weather", sessions: 2 },
          { a: "mail", b: "weather", sessions: 1 },
        ]);
        expect(await store.journal.coUsed({ skill: "weather", since: NOW - DAY, limit: 1 })).toEqual([
          { a: "mail", b: "weather", sessions: 1 },
        ]);
      });

      test("nothing in means nothing kept", async () => {
        expect(await store.journal.append([])).toEqual([]);
        expect(await store.journal.tallies()).toEqual([]);
        expect(await store.journal.query({})).toEqual([]);
      });
    });

    describe("turns", () => {
      test("what a turn records is in the journal and in the conversation", async () => {
        const said = { session: "s1", turn: 1, role: "user", text: "send a mail", at: NOW } as const;
        await store.record([event("recalled", { skill: "mail", digest: "m1", details: {} })], [said]);
        await store.record([event("shown", { skill: "mail", digest: "m1", details: {} })]);
        expect((await store.journal.query({})).map(({ kind }) => kind)).toEqual(["recalled", "shown"]);
        expect(await store.conversation.query({})).toEqual([said]);
      });

      test("the tally book knows how each used version did", async () => {
        await store.journal.append([
          event("activated", { skill: "mail", digest: "m1", details: {} }),
          event("outcome", { details: { result: "failure" } }),
          event("activated", { turn: 2, skill: "mail", digest: "m2", details: {} }),
        ]);
        const book = await store.tallyBook();
        expect([...book.of("mail")].sort((a, b) => (a.digest < b.digest ? -1 : 1))).toMatchObject([
          { digest: "m1", tries: 1, failed: 1 },
          { digest: "m2", tries: 1, failed: 0 },
        ]);
        expect(book.of("plan")).toEqual([]);
      });

      test("every outcome is in the tally book at once", async () => {
        for (let turn = 1; turn <= 6; turn++)
          await store.journal.append([
            event("activated", { turn, skill: "mail", digest: "m1", details: {} }),
            event("outcome", { turn, details: { result: "failure" } }),
          ]);
        expect((await store.tallyBook()).of("mail")).toMatchObject([{ tries: 6, failed: 6 }]);
      });

      test("one outcome counts once for a skill that was changed within the turn", async () => {
        await store.journal.append([
          event("activated", { skill: "mail", digest: "m1", details: {} }),
          event("outcome", { details: { result: "failure" } }),
          event("activated", { skill: "mail", digest: "m2", details: {} }),
          event("outcome", { details: { result: "failure" } }),
        ]);
        expect(await store.journal.tallies("mail")).toMatchObject([
          { digest: "m1", failures: 0, failed: 0, weightOfFailures: 0 },
          { digest: "m2", failures: 1, failed: 1, weightOfFailures: 1 },
        ]);
        expect(await store.journal.weeks("mail")).toMatchObject([{ activated: 2, failures: 1 }]);
      });
    });

    describe("remembered messages", () => {
      const said = (more: Partial<RememberedMessage> = {}): RememberedMessage => ({
        skill: "mail",
        digest: "m1",
        session: "s1",
        turn: 1,
        at: NOW,
        weight: 1,
        text: "send — 日本",
        terms: [300, 600],
        ...more,
      });
      const terms = [300, 600];
      const found = async () =>
        (await store.rememberedBook()).similarTo(terms, 0.9).map(({ message }) => ({ ...message, terms }));

      test("are listed whole, by skill, and are in the book at once", async () => {
        const plan = said({ skill: "plan", session: undefined, turn: undefined, weight: -0.5 });
        await store.remembered.add([said(), plan]);
        expect(await store.remembered.list()).toEqual([said(), plan]);
        expect(await store.remembered.list("plan")).toEqual([plan]);
        expect(await found()).toEqual([said(), plan]);
      });

      test("of the same skill and turn replace each other", async () => {
        await store.remembered.add([said(), said({ skill: "plan" })]);
        await store.remembered.add([said({ weight: -1, at: NOW + 1 })]);
        expect(await store.remembered.list("mail")).toEqual([said({ weight: -1, at: NOW + 1 })]);
        await store.remembered.add([said({ weight: 0 })]);
        expect(await store.remembered.list()).toEqual([said({ skill: "plan" })]);
      });

      test("are forgotten for one skill or for all", async () => {
        await store.remembered.add([said(), said({ turn: 2 }), said({ skill: "plan" })]);
        expect(await store.remembered.forget("mail")).toBe(2);
        expect(await found()).toEqual([said({ skill: "plan" })]);
        expect(await store.remembered.forget("mail")).toBe(0);
        expect(await store.remembered.forget()).toBe(1);
        expect(await found()).toEqual([]);
      });

      test("have the name that redirects lead to, and the old one again without them", async () => {
        await store.remembered.add([said()]);
        await store.versions.add(moved("mail", "post"));
        expect(await store.remembered.list("mail")).toEqual([]);
        expect(await store.remembered.list("post")).toEqual([said({ skill: "post" })]);
        expect(await found()).toEqual([said({ skill: "post" })]);
        await store.versions.add(there("mail"));
        expect(await found()).toEqual([said()]);
        await store.versions.add(moved("mail", "post"));
        expect(await store.remembered.forget("post")).toBe(1);
      });

      test("are at most so many for a skill and in all, the strongest", async () => {
        const skills = REMEMBERED.inAll / REMEMBERED.perSkill + 1;
        const all = Array.from({ length: skills * REMEMBERED.perSkill }, (_, i) =>
          said({ skill: `skill-${i % skills}`, turn: i, terms: [i * 256 + 9], at: NOW + i }),
        );
        await store.remembered.add(all);
        const kept = await store.remembered.list();
        expect(kept.length).toBeLessThanOrEqual(REMEMBERED.inAll);
        expect(kept.length).toBeGreaterThan(REMEMBERED.inAll - 2 * REMEMBERED.dropped);
        expect(kept.at(-1)).toEqual(all.at(-1));
        expect(kept).not.toContainEqual(all[0]);
        const more = Array.from({ length: REMEMBERED.perSkill + 5 }, (_, i) =>
          said({ turn: 10_000 + i, at: NOW + 10_000 + i, terms: [i * 256 + 9] }),
        );
        await store.remembered.add(more);
        expect(await store.remembered.list("mail")).toEqual(more.slice(5));
      });
    });

    describe("sessions", () => {
      test("a session that never was is empty", async () => {
        expect(await store.sessions.read("new")).toEqual({
          id: "new",
          turn: 0,
          shown: [],
          recalled: [],
          activated: [],
          relevant: [],
        });
      });

      test("remembers turn, frame, message, what was recalled, shown and activated", async () => {
        const { sessions } = store;
        await sessions.begin("s/1 Ä", { key: "k1", message: "first" });
        await sessions.begin("s/1 Ä", { key: "k2", message: "second" });
        await sessions.add("s/1 Ä", {
          step: "recalled",
          names: ["mail", "plan"],
          relevance: [0.7, 0],
          frame: "debug",
        });
        await sessions.markShown("s/1 Ä", ["mail"]);
        await sessions.add("s/1 Ä", { step: "activated", names: ["mail"] });
        expect(await sessions.read("s/1 Ä")).toEqual({
          id: "s/1 Ä",
          turn: 2,
          frame: "debug",
          lastMessage: "second",
          recalled: ["mail", "plan"],
          shown: ["mail"],
          activated: ["mail"],
          relevant: [{ name: "mail", relevance: 0.7 }],
        });
      });

      test("a repeated event of one message is not another turn", async () => {
        const again = { key: "k1", message: "hello" };
        expect((await store.sessions.begin("s", again)).first).toBe(true);
        expect(await store.sessions.begin("s", again)).toMatchObject({ first: false, state: { turn: 1 } });
        expect((await store.sessions.begin("s", { key: "k2", message: "hello" })).first).toBe(true);
      });

      test("a skill is given to be shown once a session", async () => {
        expect(await store.sessions.markShown("s", ["mail", "plan", "mail"])).toMatchObject({
          fresh: ["mail", "plan"],
        });
        expect(await store.sessions.markShown("s", ["plan", "weather"])).toMatchObject({
          fresh: ["weather"],
        });
        expect(await store.sessions.markShown("other", ["plan"])).toMatchObject({ fresh: ["plan"] });
      });

      test("what was shown may be shown again once the agent has lost it; all else is remembered", async () => {
        const { sessions } = store;
        await sessions.begin("s", { key: "k1", message: "first" });
        await sessions.markShown("s", ["mail", "plan"]);
        await sessions.add("s", { step: "activated", names: ["mail"] });
        await sessions.add("s", { step: "forgotten" });
        expect(await sessions.read("s")).toMatchObject({ turn: 1, shown: [], activated: ["mail"] });
        expect(await sessions.markShown("s", ["plan"])).toMatchObject({ fresh: ["plan"] });
        expect(await sessions.markShown("s", ["plan", "mail"])).toMatchObject({ fresh: ["mail"] });
      });

      test("to begin a turn and to mark as shown give the state that reading gives", async () => {
        const { sessions } = store;
        expect((await sessions.begin("s", { key: "k1", message: "first" })).state).toEqual(
          await sessions.read("s"),
        );
        const { state } = await sessions.markShown("s", ["mail"]);
        expect(state).toEqual(await sessions.read("s"));
        expect(state).toMatchObject({ turn: 1, lastMessage: "first", shown: ["mail"] });
        expect(await sessions.markShown("s", [])).toEqual({ fresh: [], state });
      });

      test("sessions whose ids differ only in case stay apart", async () => {
        await store.sessions.markShown("Session-A", ["mail"]);
        expect((await store.sessions.read("session-a")).shown).toEqual([]);
      });
    });

    describe("tasks, consents, trust", () => {
      const consent = { task: "t1", skill: "mail", digest: "d1", at: NOW, files: { "SKILL.md": "aa" } };

      test("a task starts once and takes its consents along when it ends", async () => {
        await store.tasks.start({ id: "t1", startedAt: NOW });
        await store.tasks.start({ id: "t2", startedAt: NOW + 1, agent: "reviewer" });
        expect(await store.tasks.start({ id: "t1", startedAt: NOW + 9 })).toMatchObject({ startedAt: NOW });
        await store.tasks.consent(consent);
        await store.tasks.consent({ ...consent, task: "t2" });
        expect((await store.tasks.list()).map(({ id }) => id)).toEqual(["t1", "t2"]);
        expect(await store.tasks.end("t1")).toBe(true);
        expect(await store.tasks.end("t1")).toBe(false);
        expect((await store.tasks.list()).map(({ id }) => id)).toEqual(["t2"]);
        expect(await store.tasks.consentFor("t1", "mail")).toBeUndefined();
        expect(await store.tasks.consents("t2")).toEqual([{ ...consent, task: "t2" }]);
      });

      test("a new consent for a skill replaces the earlier one", async () => {
        await store.tasks.consent(consent);
        await store.tasks.consent({ ...consent, digest: "d2", files: { "SKILL.md": "bb" } });
        expect(await store.tasks.consentFor("t1", "mail")).toMatchObject({
          digest: "d2",
          files: { "SKILL.md": "bb" },
        });
        expect(await store.tasks.consents("t1")).toHaveLength(1);
      });

      test("trust is for one content and is withdrawn by digest or name", async () => {
        await store.trust.add({ digest: "d1", skill: "mail", at: NOW, source: "user" });
        await store.trust.add({ digest: "d2", skill: "mail", at: NOW });
        await store.trust.add({ digest: "d3", skill: "plan", at: NOW });
        expect(await store.trust.has("d1")).toBe(true);
        expect(await store.trust.has("dx")).toBe(false);
        expect((await store.trust.list()).map(({ digest }) => digest)).toEqual(["d1", "d2", "d3"]);
        expect(await store.trust.revoke("mail")).toBe(2);
        expect(await store.trust.revoke("d3")).toBe(1);
        expect(await store.trust.revoke("d3")).toBe(0);
        expect(await store.trust.has("d1")).toBe(false);
      });
    });

    describe("versions and blobs", () => {
      const version = (id: string, more: Partial<VersionRecord> = {}): VersionRecord => ({
        id,
        name: "mail",
        action: "save",
        at: NOW,
        author: "agent",
        files: [],
        ...more,
      });

      test("a change counts once it is committed, and not before", async () => {
        const ids = async () => (await store.versions.list({})).map(({ id }) => id);
        await store.versions.begin({ id: "c1", versions: [version("v1"), version("v2", { name: "plan" })] });
        expect(await ids()).toEqual([]);
        expect(await store.versions.heads()).toEqual([]);
        expect((await store.versions.pending()).map(({ id }) => id)).toEqual(["c1"]);
        await store.versions.commit("c1");
        expect(await ids()).toEqual(["v2", "v1"]);
        expect(await store.versions.pending()).toEqual([]);
      });

      test("a change that was given up never counts, and one that is unknown changes nothing", async () => {
        await store.versions.begin({ id: "c1", versions: [moved("mail", "post")] });
        await store.versions.abandon("c1");
        await store.versions.commit("c1");
        await store.versions.commit("never begun");
        await store.versions.abandon("never begun");
        expect(await store.versions.list({})).toEqual([]);
        expect(await store.versions.pending()).toEqual([]);
        expect(await store.redirects.resolve("mail")).toBe("mail");
      });

      test("versions come newest first, by the order of adding and not by the clock", async () => {
        await store.versions.add(version("v1", { at: NOW + DAY }));
        await store.versions.add(version("v2", { parent: "v1", batch: "b1" }));
        await store.versions.add(version("v3", { name: "plan", batch: "b1", data: { was: "x" } }));
        const ids = async (filter: Parameters<Store["versions"]["list"]>[0]) =>
          (await store.versions.list(filter)).map(({ id }) => id);
        expect(await ids({})).toEqual(["v3", "v2", "v1"]);
        expect(await ids({ name: "mail" })).toEqual(["v2", "v1"]);
        expect(await ids({ batch: "b1" })).toEqual(["v3", "v2"]);
        expect(await ids({ limit: 1 })).toEqual(["v3"]);
        expect(await store.versions.get("v3")).toEqual(
          version("v3", { name: "plan", batch: "b1", data: { was: "x" } }),
        );
        expect((await store.versions.heads()).map(({ id }) => id)).toEqual(["v2", "v3"]);
      });

      test("a skill is known by its place: its past, its newest version", async () => {
        const inProject = { root: "/project/.repertoire/skills" };
        await store.versions.add(version("v1"));
        await store.versions.add(version("v2", { data: inProject }));
        await store.versions.add(version("v3"));
        await store.versions.add(version("v4", { name: "plan" }));
        const ids = async (filter: Parameters<Store["versions"]["list"]>[0]) =>
          (await store.versions.list(filter)).map(({ id }) => id);
        expect(await ids({ place: { name: "mail" } })).toEqual(["v3", "v1"]);
        expect(await ids({ place: { name: "mail", ...inProject } })).toEqual(["v2"]);
        expect((await store.versions.head({ name: "mail" }))?.id).toBe("v3");
        expect((await store.versions.head({ name: "mail", ...inProject }))?.id).toBe("v2");
        expect(await store.versions.head({ name: "plan", ...inProject })).toBeUndefined();
        expect((await store.versions.heads()).map(({ id }) => id)).toEqual(["v3", "v2", "v4"]);
        expect((await store.versions.heads("mail")).map(({ id }) => id)).toEqual(["v3", "v2"]);
      });

      test("versions are read page by page", async () => {
        for (const id of ["v1", "v2", "v3", "v4", "v5"])
          await store.versions.add(version(id, { name: id === "v3" ? "plan" : "mail" }));
        const ids = async (filter: Parameters<Store["versions"]["list"]>[0]) =>
          (await store.versions.list(filter)).map(({ id }) => id);
        expect(await ids({ before: "v4", limit: 2 })).toEqual(["v3", "v2"]);
        expect(await ids({ before: "v4", name: "mail" })).toEqual(["v2", "v1"]);
        expect(await ids({ before: "v1" })).toEqual([]);
        expect(await ids({ before: "unknown" })).toEqual([]);
      });

      test("a version that is there already is left alone", async () => {
        await store.versions.add(version("v1"));
        await store.versions.add(version("v1", { author: "somebody else" }));
        expect(await store.versions.list({})).toEqual([version("v1")]);
      });

      test("bytes come back by their digest, and each is kept once", async () => {
        const bytes = new Uint8Array([0, 255, 10, 13]);
        const sha256 = await store.blobs.put(bytes);
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(await store.blobs.put(bytes)).toBe(sha256);
        expect([...(await store.blobs.get(sha256))!]).toEqual([...bytes]);
        expect(await store.blobs.get("0".repeat(64))).toBeUndefined();
        expect(await store.blobs.get("../../etc/passwd")).toBeUndefined();
      });
    });

    describe("redirects, conversation, proposals, facts", () => {
      test("redirects are followed to the end, and circles end", async () => {
        await store.versions.add(moved("a", "b"));
        await store.versions.add(moved("b", "c"));
        expect(await store.redirects.resolve("a")).toBe("c");
        expect(await store.redirects.resolve("other")).toBe("other");
        await store.versions.add(moved("c", "a"));
        expect(await store.redirects.resolve("a")).toBe("c");
        await store.versions.add(there("c"));
        expect((await store.redirects.list()).map(({ from, to }) => `${from}>${to}`)).toEqual(["a>b", "b>c"]);
      });

      test("what was said is asked by session, role and time", async () => {
        const say = (session: string, turn: number, role: "user" | "assistant", at = NOW) =>
          store.conversation.append({ session, turn, role, text: `${session}${turn}${role}`, at });
        await say("a", 1, "assistant");
        await say("a", 1, "user");
        await say("b", 1, "user", NOW + DAY);
        await say("a", 2, "user");
        const texts = async (filter: Parameters<Store["conversation"]["query"]>[0]) =>
          (await store.conversation.query(filter)).map(({ text }) => text);
        expect(await texts({})).toEqual(["a1assistant", "a1user", "b1user", "a2user"]);
        expect(await texts({ session: "a", role: "user" })).toEqual(["a1user", "a2user"]);
        expect(await texts({ since: NOW + 1 })).toEqual(["b1user"]);
        expect(await texts({ until: NOW + DAY })).toEqual(["a1assistant", "a1user", "a2user"]);
        expect(await texts({ since: NOW, until: NOW + DAY + 1, limit: 2 })).toEqual([
          "a1assistant",
          "a1user",
        ]);
      });

      test("a proposal is numbered, found again by its change, and decided once", async () => {
        const proposal = {
          kind: "merge",
          title: "Merge",
          at: NOW,
          changeHash: "c",
          basisHash: "b",
          payload: { x: 1 },
        };
        const first = await store.proposals.add(proposal);
        const second = await store.proposals.add({ ...proposal, changeHash: "c2" });
        expect([first.number, first.state, second.number]).toEqual([1, "open", 2]);
        const decision = { state: "rejected", at: NOW + 1, note: "no" } as const;
        expect(await store.proposals.decide(1, decision)).toMatchObject({
          state: "rejected",
          decidedAt: NOW + 1,
        });
        expect(await store.proposals.decide(1, { state: "accepted", at: NOW + 2 })).toBeUndefined();
        expect(await store.proposals.decide(99, decision)).toBeUndefined();
        expect(await store.proposals.get(1)).toEqual({
          ...proposal,
          number: 1,
          state: "rejected",
          decidedAt: NOW + 1,
          note: "no",
        });
        expect((await store.proposals.list({ state: "open" })).map(({ number }) => number)).toEqual([2]);
        expect((await store.proposals.list({ changeHash: "c" })).map(({ number }) => number)).toEqual([1]);
        expect(await store.proposals.list()).toHaveLength(2);
      });

      test("facts are set, replaced and removed", async () => {
        expect(await store.meta.get("dream.last")).toBeUndefined();
        await store.meta.set("dream.last", "1");
        await store.meta.set("dream.last", "2");
        await store.meta.set("starter.x", "");
        expect(await store.meta.get("starter.x")).toBe("");
        expect(await store.meta.get("dream.last")).toBe("2");
        expect(await store.meta.remove("dream.last")).toBe(true);
        expect(await store.meta.remove("dream.last")).toBe(false);
      });
    });

    describe("exclusive work", () => {
      test("happens one after the other, and a failing one lets the next go on", async () => {
        const order: string[] = [];
        const work = (label: string, fails = false) =>
          store.exclusive(async () => {
            order.push(`${label} begins`);
            await new Promise((resolve) => setTimeout(resolve, 3));
            order.push(`${label} ends`);
            if (fails) throw new Error(label);
            return label;
          });
        const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
        expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
        expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
      });

      test("within itself is refused instead of waiting for ever", async () => {
        await expect(store.exclusive(() => store.exclusive(() => 1))).rejects.toMatchObject({
          code: "exclusive-within-exclusive",
        });
      });
    });
  });
}

function event<K extends NewEvent["kind"]>(
  kind: K,
  fields: Partial<Extract<NewEvent, { kind: K }>> & Pick<Extract<NewEvent, { kind: K }>, "details">,
): NewEvent {
  return { kind, at: NOW, session: "s1", turn: 1, ...fields } as NewEvent;
}
