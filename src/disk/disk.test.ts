import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  appendLines,
  DISK,
  isBelow,
  isInside,
  makeFolder,
  readLines,
  sweepAbandoned,
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
  test("go once their maker is gone, and nothing else does", () => {
    const root = folder();
    const path = join(root, "state.json");
    const own = basename(stageFile(DISK, path, Buffer.from("mine")));
    const { pid } = spawnSync(process.execPath, ["-e", "0"]);
    const makerOf = (name: string) => name.split(".").at(-2)!.slice(0, 6);
    const gone = own.replace(makerOf(own), pid.toString(16).padStart(6, "0"));
    for (const name of [gone, "state.json", ".hidden"]) writeFileSync(join(root, name), "text");
    sweepAbandoned(DISK, root);
    expect(readdirSync(root).sort()).toEqual([own, ".hidden", "state.json"].sort());
  });
});

describe("a file of lines", () => {
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
