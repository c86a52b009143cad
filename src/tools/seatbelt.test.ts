// Tests the text of the macOS profile. It was not loaded by macOS: this reads it as the documented grammar says.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSandbox } from "./sandbox.ts";
import { seatbeltProfile } from "./seatbelt.ts";

type Expression = string | { readonly text: string } | readonly Expression[];

/** Reads a profile as lists of words and quoted texts; fails if it is not well-formed. */
function parse(profile: string): Expression[] {
  const open: Expression[][] = [[]];
  const tokens = /\s+|\(|\)|"((?:[^"\\]|\\["\\])*)"|([^\s()"\\]+)/gy;
  while (tokens.lastIndex < profile.length) {
    const at = tokens.lastIndex;
    const found = tokens.exec(profile);
    if (!found) throw new Error(`not a profile at ${at}: ${profile.slice(at, at + 40)}`);
    const [token, quoted, word] = found;
    if (token === "(") open.push([]);
    else if (token === ")") {
      const list = open.pop()!;
      open.at(-1)!.push(list);
    } else if (quoted !== undefined) open.at(-1)!.push({ text: quoted.replace(/\\(.)/g, "$1") });
    else if (word !== undefined) open.at(-1)!.push(word);
  }
  if (open.length !== 1) throw new Error("the parentheses are not balanced");
  return open[0]!;
}

/** The paths of all rules of an action for an operation, and the filters they stand in. */
function pathsOf(profile: string, action: string, operation: string): string[] {
  return parse(profile).flatMap((rule) => {
    if (!Array.isArray(rule) || rule[0] !== action || !rule.includes(operation)) return [];
    return rule.flatMap((part) =>
      Array.isArray(part) ? [`${part[0]} ${(part[1] as { text: string }).text}`] : [],
    );
  });
}

const PLAN = {
  read: ["/Users/a/.repertoire/private/t/.skills/demo"],
  write: ["/private/tmp/x/home"],
  protect: [],
  network: false,
};
const textOf = (plan: Parameters<typeof seatbeltProfile>[0]) => {
  const profile = seatbeltProfile(plan);
  if (!("text" in profile)) throw new Error(`refused ${profile.refused}`);
  return profile.text;
};

describe("the profile", () => {
  test("denies what it does not name, first of all", () => {
    expect(parse(textOf(PLAN)).slice(0, 2)).toEqual([
      ["version", "1"],
      ["deny", "default"],
    ]);
  });

  test("opens the package for reading, the private folders for writing, and nothing else of a person", () => {
    const text = textOf(PLAN);
    const written = pathsOf(text, "allow", "file-write*");
    expect(written).toEqual(["subpath /private/tmp/x/home"]);
    const read = pathsOf(text, "allow", "file-read*");
    expect(read).toContain(`subpath ${PLAN.read[0]}`);
    const personal = read.filter((path) => /^\w+ (\/Users|\/home|\/private\/tmp|\/$)/.test(path));
    expect(personal).toEqual(["literal /", `subpath ${PLAN.read[0]}`, ...written]);
    // Only to look through the folders on the way, not to list or read them.
    expect(pathsOf(text, "allow", "file-read-metadata")).toContain("literal /Users/a/.repertoire");
    expect(read).not.toContain("literal /Users/a");
  });

  test("allows the network only if it is granted", () => {
    expect(textOf(PLAN)).not.toContain("network");
    expect(parse(textOf({ ...PLAN, network: true }))).toContainEqual(["allow", "network*"]);
  });

  test("keeps the package read-only inside a folder that may be written", () => {
    const text = textOf({ ...PLAN, write: ["/Users/a"], protect: PLAN.read });
    const rules = parse(text) as Expression[][];
    const write = rules.findIndex((rule) => rule[0] === "allow" && rule.includes("file-write*"));
    const protect = rules.findIndex((rule) => rule[0] === "deny" && rule.includes("file-write*"));
    expect(protect).toBeGreaterThan(write);
    expect(pathsOf(text, "deny", "file-write*")).toEqual([`subpath ${PLAN.read[0]}`]);
  });

  test("holds each path as it is, or is refused, whatever the path contains", () => {
    const odd = fc.constantFrom(
      '"',
      "\\",
      "(",
      ")",
      " ",
      ";",
      "#",
      "\n",
      "\0",
      "\x1b",
      "/",
      "..",
      "é",
      "a",
      '")(allow default)(',
    );
    const segment = fc.oneof(
      fc.string({ unit: "binary", minLength: 1 }),
      fc.array(odd, { minLength: 1 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean(), (segments, isWritten) => {
        const path = `/${segments.join("/")}`;
        const plan = {
          read: isWritten ? [] : [path],
          write: isWritten ? [path] : [],
          protect: [],
          network: false,
        };
        const profile = seatbeltProfile(plan);
        if ("refused" in profile) {
          expect(path).toMatch(/[\x00-\x1f\x7f]|\/\.{0,2}(\/|$)/);
          return;
        }
        expect(path).not.toMatch(/[\x00-\x1f\x7f]/);
        const plain = parse(
          textOf({ ...plan, read: plan.read.map(() => "/x"), write: plan.write.map(() => "/x") }),
        );
        const rules = parse(profile.text);
        expect(pathsOf(profile.text, "allow", "file-read*")).toContain(`subpath ${path}`);
        // The same rules with another path: nothing in a path becomes a rule.
        expect(rules.map((rule) => (rule as Expression[])[0])).toEqual(
          plain.map((rule) => (rule as Expression[])[0]),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["relative/path", "/", "/a/../b", "/a//b", "/a/", "/a\nb", "/a\0b"])("refuses %j", (path) => {
    expect(seatbeltProfile({ ...PLAN, read: [path] })).toEqual({ refused: path });
  });
});

test("a platform without a sandbox is refused with the reason", async () => {
  expect(await findSandbox({ searchPath: "", avoid: [] }, "win32")).toMatchObject({
    ok: false,
    reason: expect.stringContaining("win32"),
  });
});
