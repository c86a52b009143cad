import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import type { ExtraSource } from "../model/source.ts";
import type { Budget, Style } from "../model/turn.ts";
import { CONFIG_FILE, type Config, type ConfigValues, loadConfig } from "./config.ts";

function load(files: { user?: unknown; project?: unknown }, more: Parameters<typeof loadConfig>[0] = {}) {
  const text = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content ?? {}));
  const root = temporaryTree({
    [`home/.repertoire/${CONFIG_FILE}`]: text(files.user),
    [`p/${CONFIG_FILE}`]: text(files.project),
  });
  return loadConfig({ home: join(root, "home"), dir: join(root, "p"), env: {}, ...more });
}

/** The code and the value of the error that loading throws. */
function failure(...args: Parameters<typeof load>): { code: string; value: unknown; message: string } {
  try {
    load(...args);
  } catch (thrown) {
    return thrown as { code: string; value: unknown; message: string };
  }
  throw new Error("nothing was thrown");
}

describe("the configuration", () => {
  it("has sensible defaults", () => {
    const { dir, home, cacheDir, files, learnedDir, usageDir, ...rest } = load({});
    expect([learnedDir, usageDir]).toEqual([undefined, undefined]);
    expect(cacheDir).toBe(join(home, ".repertoire", "cache"));
    expect(files).toEqual([join(home, ".repertoire", CONFIG_FILE), join(dir, CONFIG_FILE)]);
    expect(rest).toStrictEqual({
      agents: {},
      sources: {
        bundled: true,
        add: [],
        only: [],
        drop: [],
        order: [],
        trustLinks: [],
        requireDescription: [],
        requireName: [],
        identity: "path",
      },
      catalogs: [],
      enable: [],
      disable: [],
      style: "adaptive",
      budget: {},
      consent: { allow: ["*@bundled"], ask: [], deny: [], learned: "allow", approval: "ask" },
      trust: { projects: "host" },
      scripts: { network: [], unsandboxed: [] },
      tools: { serve: [], aliases: [] },
      paths: {},
      retention: { events: 400, said: 90, sessions: 30, damaged: 30, caches: 90 },
      recall: { encoder: "auto", learn: true, links: {} },
      embedder: { kind: "local" },
      dream: { directives: {}, prefixes: {}, gaps: true },
      model: { kind: "none" },
      database: {},
      telemetry: { content: false },
    });
  });

  it("quotes no secret, and takes none from a project", () => {
    const url = "postgres://me:very-secret@db.example/skills";
    expect(load({}, { env: { REPERTOIRE_DATABASE_URL: url } }).database).toEqual({ url });
    const refusal = (files: Parameters<typeof load>[0]) => {
      try {
        load(files);
      } catch (error) {
        return { code: (error as { code: string }).code, text: JSON.stringify([String(error), error]) };
      }
    };
    expect(refusal({ project: { database: { url } } })?.code).toBe("config-not-for-projects");
    const wrong = refusal({ user: { database: { url: [url], token: "x" } } as never });
    expect(wrong?.code).toBe("config-invalid");
    for (const each of [wrong, refusal({ project: { database: { url } } })])
      expect(each?.text).not.toContain("very-secret");
  });

  it("prefers flags to options, environment, project file and user file, in this order", () => {
    const files = {
      user: { style: "cards", recall: { encoder: "auto" } },
      project: { recall: { encoder: "off" } },
    };
    const env = { REPERTOIRE_STYLE: "tiers" };
    const config: ConfigValues = { style: "on-demand" };
    expect(load(files)).toMatchObject({ style: "cards", recall: { encoder: "off" } });
    expect(load(files, { env }).style).toBe("tiers");
    expect(load(files, { env, config }).style).toBe("on-demand");
    expect(load(files, { env, config, values: { style: "catalog" } }).style).toBe("catalog");
  });

  it("accepts options in the shape of the file, and dotted keys in flags and files", () => {
    const config: ConfigValues = { budget: { tokens: 1500 }, recall: { limit: 3, threshold: undefined } };
    const { budget, recall, agents } = load({}, { config: { ...config, agents: undefined } });
    expect({ budget, recall, agents }).toStrictEqual({
      budget: { tokens: 1500 },
      recall: { encoder: "auto", limit: 3, learn: true, links: {} },
      agents: {},
    });
    expect(load({ user: { "sources.drop": ["x"] } }).sources.drop).toEqual(["x"]);
    expect(load({}, { values: { "sources.drop": ["y"] } }).sources.drop).toEqual(["y"]);
  });

  it("has the types that other rooms expect", () => {
    const { style, budget, sources, recall }: Config = load({});
    const [known, room, added]: [Style, Budget, readonly ExtraSource[]] = [style, budget, sources.add];
    const limit: number = recall.limit ?? 3;
    // @ts-expect-error: not a style
    const wrongStyle: ConfigValues = { style: "fancy" };
    // @ts-expect-error: not a key
    const wrongKey: ConfigValues = { recall: { limits: 3 } };
    expect([known, room, added, limit]).toEqual(["adaptive", {}, [], 3]);
    expect(failure({}, { config: wrongStyle }).value).toBe("fancy");
    expect(failure({}, { config: wrongKey }).value).toBe("recall.limits");
  });

  it.each([
    [{ style: "fancy" }, "config-invalid", '"style"', "fancy"],
    [{ sources: { drop: "x" } }, "config-invalid", '"sources.drop"', "x"],
    [{ budget: { tokens: -1 } }, "config-invalid", '"budget"', { tokens: -1 }],
    [{ agents: { a: { skils: [] } } }, "config-invalid", '"agents"', { a: { skils: [] } }],
    [{ sources: [] }, "config-invalid", '"sources"', []],
    [{ sources: { add: [{ id: "x" }] } }, "config-invalid", '"sources.add"', [{ id: "x" }]],
    [{ recall: { limit: 51 } }, "config-invalid", '"recall.limit"', 51],
    [{ sorces: {} }, "config-unknown-key", '"sorces"', "sorces"],
    [{ constructor: 1 }, "config-unknown-key", '"constructor"', "constructor"],
    [{ sources: { $schema: "x" } }, "config-unknown-key", '"sources.$schema"', "sources.$schema"],
    ["{ nope", "config-not-json", CONFIG_FILE, expect.stringContaining(CONFIG_FILE)],
    ["[]", "config-not-object", CONFIG_FILE, expect.stringContaining(CONFIG_FILE)],
  ])("rejects %j with a code, the key and the value", (user, code, key, value) => {
    const error = failure({ user });
    expect(error).toMatchObject({ code, value });
    expect(error.message).toContain(key);
  });

  it("does not let a cloned project decide whom to trust", () => {
    const untrusted = { sources: { trustLinks: ["./skills"] } };
    expect(failure({ project: untrusted })).toMatchObject({
      code: "config-not-for-projects",
      value: "sources.trustLinks",
    });
    expect(load({ user: untrusted }).sources.trustLinks).toEqual(["./skills"]);
  });

  it("adds what a project restricts to the person's own lists, and lets it restrict only itself", () => {
    const user = { disable: ["a"], sources: { drop: ["~/.codex/skills"] }, agents: { x: { skills: [] } } };
    const project = {
      disable: ["b", "c@user"],
      sources: { drop: ["./skills", "../.agents/skills"] },
      agents: { x: { skills: ["*"] }, y: { skills: ["b"] } },
    };
    expect(load({ user, project })).toMatchObject({
      disable: ["a", "b@project", "c@project"],
      sources: { drop: ["~/.codex/skills", "./skills", "../.agents/skills"] },
      agents: { x: { skills: [] }, y: { skills: ["b"] } },
    });
    expect(failure({ project: { sources: { drop: ["bundled"] } } })).toMatchObject({
      code: "config-not-for-projects",
      value: "bundled",
    });
  });

  it("fails if a given file does not exist", () => {
    expect(failure({}, { configFile: "/nowhere/c.json" }).code).toBe("config-unreadable");
  });

  it("reads files with comments, and ignores $schema", () => {
    const user =
      '\ufeff{\n  "$schema": "./x.json", // an address: "/* no */"\n  /* "style": 1 */ "agent": "a//b /*\\"" }';
    expect(load({ user }).agent).toBe('a//b /*"');
  });

  it.each([
    ["REPERTOIRE_BUNDLED", "0", { sources: { bundled: false } }],
    ["REPERTOIRE_BUNDLED", "yes", { sources: { bundled: true } }],
    ["REPERTOIRE_TELEMETRY_CONTENT", "1", { telemetry: { content: true } }],
    ["REPERTOIRE_TELEMETRY_CONTENT", "yes", { telemetry: { content: false } }],
    ["REPERTOIRE_SOURCES", "a, b,", { sources: { add: [{ path: "a" }, { path: "b" }] } }],
    ["REPERTOIRE_TOOL_ALIASES", "load_skill,get_skill", { tools: { aliases: ["load_skill", "get_skill"] } }],
    ["REPERTOIRE_BUDGET", "900", { budget: { tokens: 900 } }],
    ["REPERTOIRE_THRESHOLD", "0.5", { recall: { threshold: 0.5 } }],
    ["REPERTOIRE_CACHE", "c", { cacheDir: expect.stringMatching(/p[\\/]c$/) }],
    ["REPERTOIRE_CACHE", "true", { cacheDir: expect.stringMatching(/\.repertoire[\\/]cache$/) }],
  ])("reads %s=%s", (name, text, expected) => {
    expect(load({}, { env: { [name]: text } })).toMatchObject(expected);
  });

  it("has no cache folder if the cache is off, and rejects a number that cannot be read", () => {
    expect(load({}, { env: { REPERTOIRE_CACHE: "false" } }).cacheDir).toBeUndefined();
    expect(failure({}, { env: { REPERTOIRE_LIMIT: "many" } })).toMatchObject({
      code: "config-invalid",
      value: "many",
    });
  });
});
