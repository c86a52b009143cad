// Checks the plan of the house in ARCHITECTURE.md: the order of the rooms, their front doors, and what files may not do.

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = "src";
/** Entry points of the package that belong to no room. */
const TOP = ["src/index.ts"];
/** Files that users import: `repertoire` and `repertoire/ai-sdk`. */
const PUBLIC = [...TOP, "src/adapters/ai-sdk/ai-sdk.ts"];
/** Shared words and pure functions: imported by file, from everywhere. */
const SHARED = ["model", "text"];
const ADAPTERS_MAY_IMPORT = ["engine", "agent", ...SHARED];
const LINES = 600;

interface Import {
  readonly from: string;
  readonly to: string;
  /** Absent when the whole module is imported. */
  readonly names: readonly string[] | undefined;
  /** Whether the names are only passed on. */
  readonly passesOn: boolean;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
  /** Names that are declared and exported here. */
  readonly exports: readonly string[];
}

function filesBelow(folder: string, fits: (path: string) => boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(path, fits);
    return fits(path) ? [path] : [];
  });
}

const IMPORT = /(import|export)\s+(?:type\s+)?(?:(\*[^"]*)|\{([^}]*)\}|\w+)\s+from\s+"(\.[^"]+)"/g;
const LAZY_IMPORT = /(?:\{([^}]*)\}\s*=\s*await\s+)?import\(\s*"(\.[^"]+)"\s*\)/g;
const DECLARED =
  /^export\s+(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|interface|type)\s+(\w+)/gm;

function read(path: string): SourceFile {
  const text = readFileSync(path, "utf8");
  const resolve = (target: string) => normalize(join(dirname(path), target));
  const named = (list: string) =>
    list.split(",").flatMap((name) => /(?:type\s+)?(\w+)/.exec(name.trim())?.[1] ?? []);
  const imports = [
    ...[...text.matchAll(IMPORT)].map(([, keyword, all, list, target]) => ({
      from: path,
      to: resolve(target!),
      names: all === undefined && list !== undefined ? named(list) : undefined,
      passesOn: keyword === "export",
    })),
    ...[...text.matchAll(LAZY_IMPORT)].map(([, , target]) => ({
      from: path,
      to: resolve(target!),
      names: undefined,
      passesOn: false,
    })),
  ];
  return { path, text, imports, exports: [...text.matchAll(DECLARED)].map(([, name]) => name!) };
}

const isSource = (path: string) => path.endsWith(".ts") && !path.endsWith(".test.ts");
const sources = filesBelow(SRC, isSource).map(read);
const others = ["src", "test", "evals", "examples", "bench", "scripts", "dashboard"].flatMap((folder) =>
  filesBelow(folder, (path) => /\.(?:tsx?|mjs)$/.test(path) && !(folder === "src" && isSource(path))),
);
const byPath = new Map(sources.map((file) => [file.path, file]));
const imports = sources.flatMap((file) => file.imports);

/** The rooms in their order, as the table of ARCHITECTURE.md lists them. */
const ROOMS = [...readFileSync("ARCHITECTURE.md", "utf8").matchAll(/^\| `src\/([\w-]+)` \|/gm)].map(
  ([, room]) => room!,
);

function roomOf(path: string): string | undefined {
  return TOP.includes(path) ? undefined : path.split("/")[1];
}

function frontDoor(room: string): string {
  return `${SRC}/${room}/${room}.ts`;
}

const between = imports.filter(({ from, to }) => roomOf(from) !== roomOf(to) && roomOf(from) !== undefined);
const arrow = ({ from, to }: Import) => `${from} -> ${to}`;

describe("rooms", () => {
  it("are the folders below src, each listed once in ARCHITECTURE.md", () => {
    const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...ROOMS].sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it("import only rooms before them in the list", () => {
    const upward = between.filter(({ from, to }) => {
      const [own, other] = [roomOf(from)!, roomOf(to)];
      return other === undefined || ROOMS.indexOf(other) > ROOMS.indexOf(own);
    });
    expect(upward.map(arrow)).toEqual([]);
  });

  it("are entered through their front door, types included", () => {
    const past = between.filter(({ to }) => {
      const room = roomOf(to);
      return room !== undefined && !SHARED.includes(room) && to !== frontDoor(room);
    });
    expect(past.map(arrow)).toEqual([]);
  });

  it("export a name from one room only", () => {
    const rooms = new Map<string, Set<string>>();
    for (const { path, exports } of sources)
      for (const name of exports) rooms.set(name, (rooms.get(name) ?? new Set()).add(roomOf(path) ?? path));
    const twice = [...rooms].filter(([, owners]) => owners.size > 1);
    expect(twice.map(([name, owners]) => `${name}: ${[...owners].join(", ")}`)).toEqual([]);
  });
});

describe("adapters", () => {
  it("see the engine, the agent's tools, model and text only", () => {
    const foreign = between.filter(
      ({ from, to }) => roomOf(from) === "adapters" && !ADAPTERS_MAY_IMPORT.includes(roomOf(to) ?? ""),
    );
    expect(foreign.map(arrow)).toEqual([]);
  });
});

describe("model and text", () => {
  it("use nothing of Node", () => {
    const impure = sources.filter(
      ({ path, text }) => SHARED.includes(roomOf(path) ?? "") && /from "node:/.test(text),
    );
    expect(impure.map(({ path }) => path)).toEqual([]);
  });
});

describe("files", () => {
  it("import each other in no circle, types included", () => {
    const circles: string[] = [];
    const state = new Map<string, "open" | "done">();
    const walk = (path: string, way: readonly string[]) => {
      if (state.get(path) === "done") return;
      if (state.get(path) === "open") {
        circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
        return;
      }
      state.set(path, "open");
      for (const { to } of byPath.get(path)?.imports ?? []) walk(to, [...way, path]);
      state.set(path, "done");
    };
    for (const { path } of sources) walk(path, []);
    expect(circles).toEqual([]);
  });

  it("export only what another file uses", () => {
    const used = new Set<string>();
    const take = ({ to, names }: Pick<Import, "to" | "names">) => {
      for (const name of names ?? byPath.get(to)?.exports ?? []) used.add(`${to} ${name}`);
      // A front door passes names on: who imports them there uses them where they are declared.
      for (const passed of byPath.get(to)?.imports.filter(({ passesOn }) => passesOn) ?? []) {
        const wanted = passed.names?.filter((name) => names?.includes(name) ?? true);
        if (wanted?.length !== 0) take({ to: passed.to, names: wanted });
      }
    };
    for (const each of [...imports, ...others.flatMap((path) => read(path).imports)])
      if (!each.passesOn || PUBLIC.includes(each.from)) take(each);
    const unused = sources.flatMap(({ path, exports }) =>
      exports
        .filter((name) => !used.has(`${path} ${name}`) && !PUBLIC.includes(path))
        .map((name) => `${path}: ${name}`),
    );
    expect(unused).toEqual([]);
  });

  it("hold one concept in 600 lines at most", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > LINES);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("begin with a comment that says what they are for", () => {
    const bare = sources.filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it("name in their comments only files that exist", () => {
    const known = [...sources.map(({ path }) => path), ...others];
    const missing = sources.flatMap(({ path, text }) => {
      const comments = [...text.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)].map(([comment]) => comment);
      const named = comments.flatMap((comment) => [...comment.matchAll(/`?([\w./-]+\.(?:ts|mjs))\b`?/g)]);
      return named
        .map(([, name]) => name!)
        .filter(
          (name) => !known.some((file) => file === name || file.endsWith(`/${name.replace(/^\.\//, "")}`)),
        )
        .map((name) => `${path}: ${basename(name)}`);
    });
    expect(missing).toEqual([]);
  });
});
