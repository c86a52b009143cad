import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  appendLines,
  DISK,
  isBelow,
  isInside,
  makeFolder,
  readLines,
  sweepAbandoned,
  sweepLeftovers,
  writeFileAtomically,
} from "./disk.ts";
import { stageFile } from "./durable.ts";

const folder = () => mkdtempSync(join(tmpdir(), "repertoire-disk-"));

describe("an atomic write", () => {
  test.each([true, false])("replaces the whole file and makes its folders (sync: %s)", (sync) => {
    const path = join(folder(), "a/b/state.json");
    writeFileAtomically(path, "a longer text", { sync });
    writeFileAtomically(path, "short", { sync, mode: 0o600 });
    expect(readFileSync(path, "utf8")).toBe("short");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("leaves no temporary file when it fails", () => {
    const root = folder();
    mkdirSync(join(root, "taken"));
    expect(() => writeFileAtomically(join(root, "taken"), "text")).toThrow();
    expect(readdirSync(root)).toEqual(["taken"]);
  });
});

describe("temporary files", () => {
  const HOUR_MS = 60 * 60 * 1000;
  const { pid: endedProcess } = spawnSync(process.execPath, ["-e", "0"]);
  const SIX_DIGITS = 6;

  /** A temporary file of this process, and the names that others would give theirs, by who they are. */
  function filesOfMany() {
    const root = folder();
    const own = basename(stageFile(DISK, join(root, "state.json"), Buffer.from("mine")));
    const at = own.lastIndexOf(".repertoire-tmp") - 3 * SIX_DIGITS;
    const digits = (number: number) => number.toString(16).padStart(SIX_DIGITS, "0");
    const ourSpace = own.slice(at, at + SIX_DIGITS);
    const otherSpace = digits(Number.parseInt(ourSpace, 16) ^ 1);
    const named = (space: string, pid: number) =>
      `${own.slice(0, at)}${space}${digits(pid)}${own.slice(at + 2 * SIX_DIGITS)}`;
    const names = {
      own,
      ended: named(ourSpace, endedProcess),
      running: named(ourSpace, process.ppid),
      elsewhere: named(otherSpace, endedProcess),
      elsewhereLongAgo: named(otherSpace, process.ppid),
      earlierVersion: ".state.json.0123456789ab.repertoire-tmp",
    };
    for (const name of [...Object.values(names), "state.json", ".hidden"])
      writeFileSync(join(root, name), "text");
    const longAgo = (Date.now() - 2 * HOUR_MS) / 1000;
    for (const name of [names.elsewhereLongAgo, names.earlierVersion])
      utimesSync(join(root, name), longAgo, longAgo);
    return { root, names };
  }

  test("go once their maker is gone, and nothing else does", () => {
    const { root, names } = filesOfMany();
    sweepAbandoned(DISK, root);
    const left = [names.own, names.running, names.elsewhere, ".hidden", "state.json"];
    expect(readdirSync(root).sort()).toEqual(left.sort());
  });

  test("of this process go too when its failed changes are taken back, those of another container do not", () => {
    const { root, names } = filesOfMany();
    expect(sweepLeftovers(DISK, root)).toBe(4);
    expect(readdirSync(root).sort()).toEqual(
      [names.running, names.elsewhere, ".hidden", "state.json"].sort(),
    );
  });
});

describe("a file of lines", () => {
  test("is read past a line that nobody wrote, however long it is", () => {
    const path = join(folder(), "lines.jsonl");
    const piece = Buffer.alloc(35 << 20);
    writeFileSync(path, '{"n":1}\n');
    appendFileSync(path, piece);
    appendFileSync(path, piece);
    appendFileSync(path, '\n{"n":2}\n');
    let most = 0;
    const concat = Buffer.concat;
    onTestFinished(() => {
      Buffer.concat = concat;
    });
    Buffer.concat = (parts, ...rest) => {
      const whole = concat(parts, ...rest);
      most = Math.max(most, whole.length);
      return whole;
    };
    const { values, torn, end } = readLines(path);
    expect({ values, torn, end }).toEqual({
      values: [{ n: 1 }, { n: 2 }],
      torn: 1,
      end: statSync(path).size,
    });
    expect(most).toBeLessThan(1 << 20);
  });

  test("is read on from where the last reading ended, past a torn line", () => {
    const path = join(folder(), "sessions/s.jsonl");
    const bytes = appendLines(path, [{ n: 1 }, { n: 2 }]);
    expect(bytes).toBe(statSync(path).size);
    const { values, end } = readLines(path);
    expect(values).toEqual([{ n: 1 }, { n: 2 }]);
    writeFileSync(path, '{"n":', { flag: "a" });
    expect(readLines(path, end)).toEqual({ values: [], torn: 0, end });
    appendLines(path, [{ n: 3 }]);
    expect(readLines(path, end)).toMatchObject({ values: [{ n: 3 }], torn: 1 });
  });
});

test("a folder that a file system refuses fails, and does not wait for ever", () => {
  expect(() => makeFolder("/proc/repertoire-test/below")).toThrow();
  const root = folder();
  expect(makeFolder(join(root, "a/b/c"))).toBe(join(root, "a"));
  expect(makeFolder(join(root, "a/b/c"))).toBeUndefined();
  writeFileSync(join(root, "file"), "");
  expect(() => makeFolder(join(root, "file"))).toThrow();
});

test("a path is inside a folder by its segments, not by its letters", () => {
  expect(isInside("/a/b", "/a/b")).toBe(true);
  expect(isBelow("/a/b", "/a/b")).toBe(false);
  expect(isBelow("/a/b", "/a/b/c")).toBe(true);
  expect(isBelow("/a/b", "/a/b/..c")).toBe(true);
  expect(isInside("/a/b", "/a/bc")).toBe(false);
  expect(isInside("/a/b", "/a")).toBe(false);
  expect(isBelow("/", "/a")).toBe(true);
});
