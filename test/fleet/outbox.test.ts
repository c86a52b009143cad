// Skills that are changed while the database is away: the change counts here at once, and arrives once when it is back.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { openRepertoire } from "../../src/engine/engine.ts";
import { DatabaseTokens } from "../../src/stores/postgres/tokens.ts";
import { temporaryTree } from "../skill-tree.ts";
import { nodeEnvironment } from "./nodes.ts";
import { startProxy } from "./proxy.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** How long an outage lasts. With more than a second also a line that says nothing, and a slow one, are tried. */
const SECONDS = Number(process.env.REPERTOIRE_OUTAGE_SECONDS ?? 0.3);
const LINES = SECONDS > 1 ? (["cut", "silent", 2_000] as const) : (["cut"] as const);

/** The secret part of a skill's text tells its versions apart. */
const text = (step: string) => `Waters the tulips. Use when tulips look dry.\n\n1. ${step}\n`;

/** A node in this process, which follows the library and tells its problems. */
async function node(database: string, { home = temporaryTree(), env = {} } = {}) {
  const engine = openRepertoire({ dir: home, home, env: nodeEnvironment({ database, home, env }) });
  const told: string[] = [];
  let isOpen = true;
  const close = async () => {
    if (isOpen) await engine.close();
    isOpen = false;
  };
  onTestFinished(close);
  await engine.library.watch(
    () => undefined,
    (problem) => told.push((problem as Error).message),
  );
  const save = (name: string, step: string) => engine.learned.save({ name, content: text(step) });
  const recall = async (message: string) =>
    (await engine.turn({ message }).recall()).matches.map((match) => match.name);
  const steps = async (name: string) => {
    const { versions } = await engine.learned.history(name, { diff: true });
    return versions.map(({ diff = "" }) => /^\+1\. (.*)$/m.exec(diff)?.[1]);
  };
  return { engine, home, told, save, recall, steps, close };
}

/** Two nodes; the first one is behind a line that can be cut. */
async function twoNodes() {
  const database = await server.createDatabase();
  const proxy = await startProxy(database);
  onTestFinished(() => proxy.stop());
  const [here, there] = [await node(proxy.url), await node(database)];
  return { database, proxy, here, there };
}

const codes = ({ notices }: { notices: readonly { code: string }[] }) => notices.map(({ code }) => code);

describe("a save while the database is away", () => {
  it("says so, is recalled here at once, and arrives once and in order", async () => {
    const { proxy, here, there } = await twoNodes();
    await here.save("water-tulips", "Fill the can.");
    await expect.poll(() => there.recall("my tulips look dry")).toEqual(["water-tulips"]);
    proxy.set("cut");
    expect(codes(await here.save("water-tulips", "Fill the pot."))).toContain("save-spooled");
    expect(codes(await here.save("water-tulips", "Fill the tub."))).toContain("save-spooled");
    const made = await here.engine.learned.save({
      name: "cut-roses",
      content: "Cuts roses that are withered.\n\n1. Cut.\n",
    });
    expect(made).toMatchObject({ result: "created" });
    expect(await here.recall("the roses are withered")).toEqual(["cut-roses"]);
    expect(codes(await here.engine.learned.pin("cut-roses", true))).toContain("save-spooled");
    await expect(here.engine.learned.history("water-tulips")).rejects.toMatchObject({
      code: "database-away",
    });
    await expect(here.engine.learned.undo()).rejects.toMatchObject({ code: "database-away" });
    expect(await there.recall("the roses are withered")).toEqual([]);
    proxy.set("open");
    await expect.poll(() => there.recall("the roses are withered")).toEqual(["cut-roses"]);
    expect(await there.steps("water-tulips")).toEqual(["Fill the tub.", "Fill the pot.", "Fill the can."]);
    expect((await there.engine.learned.history("cut-roses")).versions.map(({ action }) => action)).toEqual([
      "pin",
      "save",
    ]);
    await expect.poll(async () => codes(await here.save("water-tulips", "Fill the jar."))).toEqual([]);
    expect(here.told.filter((problem) => problem.includes("elsewhere"))).toEqual([]);
  });

  it("keeps both versions of a skill that was changed elsewhere, uses theirs, and tells", async () => {
    const { proxy, here, there } = await twoNodes();
    await here.save("water-tulips", "Fill the can.");
    await expect.poll(() => there.recall("my tulips look dry")).toEqual(["water-tulips"]);
    proxy.set("cut");
    await here.save("water-tulips", "Ours.");
    await here.save("plant-bulbs", "New.");
    await there.save("water-tulips", "Theirs.");
    proxy.set("open");
    await expect.poll(() => here.told.some((problem) => problem.includes("repertoire restore"))).toBe(true);
    expect(await there.steps("water-tulips")).toEqual(["Theirs.", "Ours.", "Theirs.", "Fill the can."]);
    const find = async (at: typeof here) => (await at.engine.library.find("water-tulips"))!;
    for (const at of [here, there])
      await expect
        .poll(async () => (await at.engine.learned.text(await find(at))).content)
        .toContain("1. Theirs.");
    expect(await there.steps("plant-bulbs")).toEqual(["New."]);
    const [, ours] = (await here.engine.learned.history("water-tulips")).versions;
    await here.engine.learned.restore("water-tulips", { version: ours!.id });
    expect((await there.steps("water-tulips"))[0]).toBe("Ours.");
  });

  it("outlives the process, and is brought by the next one", async () => {
    const { proxy, here, there } = await twoNodes();
    await here.save("water-tulips", "Fill the can.");
    proxy.set("cut");
    await here.save("water-tulips", "Fill the pot.");
    await here.close();
    // It begins without the database, and saves on top of what waits.
    const next = await node(proxy.url, { home: here.home });
    expect(await next.recall("my tulips look dry")).toEqual(["water-tulips"]);
    expect(codes(await next.save("water-tulips", "Fill the tub."))).toContain("save-spooled");
    expect(codes(await next.engine.learned.delete("water-tulips"))).toContain("save-spooled");
    await next.close();
    proxy.set("open");
    const last = await node(proxy.url, { home: here.home });
    await last.engine.learned.names();
    const { versions } = await there.engine.learned.history("water-tulips");
    expect(versions.map(({ action }) => action)).toEqual(["delete", "save", "save", "save"]);
    expect(await there.steps("water-tulips")).toEqual([
      undefined,
      "Fill the tub.",
      "Fill the pot.",
      "Fill the can.",
    ]);
  });

  it("counts once if the connection ends in the moment of the commit", async () => {
    const { proxy, here, there } = await twoNodes();
    await here.save("water-tulips", "0");
    for (let step = 1; step <= 6; step++) {
      proxy.set(4);
      const cut = setTimeout(() => proxy.set("cut"), 40 + step * 35);
      await here.save("water-tulips", String(step));
      clearTimeout(cut);
      proxy.set("open");
    }
    await expect
      .poll(async () => await there.steps("water-tulips"))
      .toEqual(["6", "5", "4", "3", "2", "1", "0"]);
    expect(here.told.filter((problem) => problem.includes("elsewhere"))).toEqual([]);
  });

  it("of a reader is refused, at once if the role is known, else when the database is back", async () => {
    const { database, proxy } = await twoNodes();
    const tokens = new DatabaseTokens({ url: database });
    onTestFinished(() => tokens.close());
    const { token } = await tokens.create({ name: "r", role: "reader" });
    const env = { REPERTOIRE_DATABASE_TOKEN: token };
    const known = await node(proxy.url, { env });
    await expect(known.save("water-tulips", "x")).rejects.toMatchObject({ code: "role-insufficient" });
    proxy.set("cut");
    await expect(known.save("water-tulips", "x")).rejects.toMatchObject({ code: "role-insufficient" });
    const unknown = await node(proxy.url, { env });
    expect(codes(await unknown.save("water-tulips", "x"))).toContain("save-spooled");
    proxy.set("open");
    await expect.poll(() => unknown.told.some((problem) => problem.includes("edited"))).toBe(true);
    await expect.poll(() => unknown.recall("my tulips look dry")).toEqual([]);
    const kept = unknown.told.map((problem) => /(\/\S+\/edited\/[\w-]+)/.exec(problem)?.[1]).find(Boolean)!;
    expect(existsSync(join(kept, "SKILL.md"))).toBe(true);
  });
});

describe(`a line that is not usable for ${SECONDS} s`, () => {
  it.each(LINES)(
    "(%s) stops no recall, and what was saved meanwhile arrives once and in order",
    {
      timeout: 60_000 + 20 * SECONDS * 1000,
    },
    async (line) => {
      const { proxy, here, there } = await twoNodes();
      await here.save("water-tulips", "0");
      await expect.poll(() => there.recall("my tulips look dry")).toEqual(["water-tulips"]);
      proxy.set(line);
      const began = performance.now();
      let isOver = false;
      const recalls: number[] = [];
      const recalling = (async () => {
        while (!isOver) {
          const started = performance.now();
          expect(await here.recall("my tulips look dry")).toEqual(["water-tulips"]);
          recalls.push(performance.now() - started);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      const spooled: boolean[] = [];
      for (let step = 1; step <= 3; step++)
        spooled.push(codes(await here.save("water-tulips", String(step))).includes("save-spooled"));
      const saved = performance.now() - began;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, SECONDS * 1000 - saved)));
      isOver = true;
      await recalling;
      proxy.set("open");
      const opened = performance.now();
      await expect.poll(() => there.steps("water-tulips"), { timeout: 60_000 }).toEqual(["3", "2", "1", "0"]);
      if (SECONDS > 1) {
        const worst = Math.max(...recalls).toFixed(0);
        const back = (performance.now() - opened).toFixed(0);
        console.log(
          `${line}: ${recalls.length} recalls, slowest ${worst} ms; spooled ${spooled.join()} in ${saved.toFixed(0)} ms; all there ${back} ms after`,
        );
      }
      expect(spooled).toHaveLength(3);
      expect(here.told.filter((problem) => problem.includes("elsewhere"))).toEqual([]);
    },
  );
});
