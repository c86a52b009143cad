import { execFileSync } from "node:child_process";
import { mkdirSync, openSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withCode } from "../../test/errors.ts";
import { temporaryTree } from "../../test/skill-tree.ts";
import { readBounded, readInput, withRegularFile } from "./disk.ts";

const LIMIT = { maxBytes: 1000 };

describe("a file of somebody else", () => {
  it("is read whole if it is a regular file within its limit", () => {
    const root = temporaryTree({ "a.json": "{}", "empty.json": "" });
    expect(readBounded(join(root, "a.json"), LIMIT).toString()).toBe("{}");
    expect(readBounded(join(root, "empty.json"), LIMIT).length).toBe(0);
    expect(withRegularFile(join(root, "a.json"), {}, (file) => file.start(1).toString())).toBe("{");
  });

  it("is refused at once if it is a folder, a FIFO, a device or too large", () => {
    const root = temporaryTree({ "large.json": "" });
    truncateSync(join(root, "large.json"), 10 * 1024 ** 3);
    mkdirSync(join(root, "folder"));
    execFileSync("mkfifo", [join(root, "fifo")]);
    symlinkSync("/dev/zero", join(root, "zero"));
    symlinkSync(join(root, "fifo"), join(root, "to-fifo"));
    const reading = (name: string) => () => readBounded(join(root, name), LIMIT);
    for (const name of ["folder", "fifo", "zero", "to-fifo"])
      expect(reading(name)).toThrow(withCode("file-not-regular"));
    expect(reading("large.json")).toThrow(withCode("file-too-large"));
    expect(() => readBounded(join(root, "missing"), LIMIT)).toThrow(/ENOENT/);
  });

  it("is not reached through a link that leads out of its folder", () => {
    const root = temporaryTree({ "secret.txt": "secret", "in/own.txt": "own", "in/deep/x.txt": "x" });
    symlinkSync("../secret.txt", join(root, "in/out.txt"));
    symlinkSync("..", join(root, "in/up"));
    symlinkSync("deep/x.txt", join(root, "in/inside.txt"));
    const within = { ...LIMIT, within: join(root, "in") };
    expect(readBounded(join(root, "in/inside.txt"), within).toString()).toBe("x");
    for (const path of ["in/out.txt", "in/up/secret.txt", "secret.txt"])
      expect(() => readBounded(join(root, path), within)).toThrow(withCode("file-link-outside"));
  });

  it("is not followed if its path is known to be real", () => {
    const root = temporaryTree({ "a.txt": "a" });
    symlinkSync("a.txt", join(root, "link.txt"));
    expect(() => withRegularFile(join(root, "link.txt"), { isReal: true }, () => "")).toThrow(/ELOOP/);
  });
});

it("an input without end is read up to its limit", () => {
  const zero = openSync("/dev/zero", "r");
  expect(() => readInput(zero, 100_000)).toThrow(withCode("file-too-large"));
  const root = temporaryTree();
  writeFileSync(join(root, "a"), "abc".repeat(50_000));
  expect(readInput(openSync(join(root, "a"), "r"), 150_000).length).toBe(150_000);
});
