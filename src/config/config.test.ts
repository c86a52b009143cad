import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { CONFIG_FILE, loadConfig } from "./config.ts";

function load(files: { user?: unknown; project?: unknown }, more: Parameters<typeof loadConfig>[0] = {}) {
  const root = temporaryTree({
    [`home/.repertoire/${CONFIG_FILE}`]: JSON.stringify(files.user ?? {}),
    [`p/${CONFIG_FILE}`]: JSON.stringify(files.project ?? {}),
  });
  return loadConfig({ home: join(root, "home"), dir: join(root, "p"), env: {}, ...more });
}

describe("the configuration", () => {
  it("has sensible defaults", () => {
    expect(load({})).toMatchObject({
      style: "adaptive",
      budget: {},
      agents: {},
      sources: { bundled: true, drop: [] },
    });
  });

  it("lets flags win over environment, project and user file, in this order", () => {
    const files = { user: { style: "cards", disable: ["a"] }, project: { style: "index" } };
    expect(load(files)).toMatchObject({ style: "index", disable: ["a"] });
    expect(load(files, { env: { REPERTOIRE_STYLE: "tiers" } }).style).toBe("tiers");
    expect(load(files, { env: { REPERTOIRE_STYLE: "tiers" }, values: { style: "catalog" } }).style).toBe(
      "catalog",
    );
  });

  it.each([
    [
      { style: "fancy" },
      '"style" in .* is "fancy"; accepted: adaptive, cards, index, tiers, on-demand, catalog.',
    ],
    [{ sources: { drop: "x" } }, '"sources.drop" in .* accepted: a list of texts'],
    [{ budget: { tokens: -1 } }, '"budget" in .* accepted: an object such as'],
    [{ sorces: {} }, '"sorces" in .* is not a configuration key. Accepted: agent,'],
    [{ agents: { a: { skils: [] } } }, '"agents" in .* accepted: an object such as'],
    [{ sources: [] }, '"sources" in .* must be an object'],
  ])("names the key and the accepted values: %j", (user, message) => {
    expect(() => load({ user })).toThrow(new RegExp(message));
  });

  it("does not let a cloned project decide whom to trust", () => {
    expect(() => load({ project: { sources: { trustLinks: ["./skills"] } } })).toThrow(
      /may only be set in your own configuration/,
    );
    expect(load({ user: { sources: { trustLinks: ["./skills"] } } }).sources.trustLinks).toEqual([
      "./skills",
    ]);
  });

  it("says where JSON is broken", () => {
    const home = temporaryTree({ [`.repertoire/${CONFIG_FILE}`]: "{ nope" });
    expect(() => loadConfig({ home, dir: home, env: {} })).toThrow(/is not valid JSON/);
  });

  it("insists on a file that was named", () => {
    expect(() => load({}, { config: "/nowhere/c.json" })).toThrow(/cannot be read/);
  });
});
