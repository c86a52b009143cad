import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../test/skill-tree.ts";
import { codeOf, type RepertoireError } from "../model/errors.ts";
import { PACKAGE_LIMITS } from "../package/facts.ts";
import {
  compareMarks,
  marksOf,
  type PackageSnapshot,
  type SnapshotFile,
  snapshotPackage,
} from "../package/files.ts";
import { mountPackage, removeTaskFolder, skillFolder, taskFolder, verifiedMount } from "./mount.ts";

const FILES = { "pkg/SKILL.md": "body", "pkg/scripts/a.sh": "echo a", "pkg/references/b.md": "b" };

function workspace(files: Record<string, string> = FILES) {
  const root = temporaryTree(files);
  const place = { root: join(root, "data"), task: "t1" };
  const pkg = join(root, "pkg");
  return {
    root,
    place,
    pkg,
    mount: (name = "demo") => mountPackage({ place, name, snapshot: snapshotPackage(pkg) }),
  };
}

function failure(work: () => unknown): { code: string; message: string; value: unknown } {
  try {
    work();
  } catch (thrown) {
    const { message, value } = thrown as RepertoireError;
    return { code: codeOf(thrown), message, value };
  }
  throw new Error("it did not fail");
}

describe("the digest of a package", () => {
  it("changes with every byte, path and executable bit", () => {
    const { pkg } = workspace();
    const before = snapshotPackage(pkg);
    for (const path of before.files.keys()) {
      const file = join(pkg, path);
      const bytes = readFileSync(file);
      bytes[0]! ^= 1;
      writeFileSync(file, bytes);
      const after = snapshotPackage(pkg);
      expect(after.digest).not.toBe(before.digest);
      expect(compareMarks(marksOf(before.files), marksOf(after.files)).changed).toEqual([path]);
      bytes[0]! ^= 1;
      writeFileSync(file, bytes);
    }
    expect(snapshotPackage(pkg).digest).toBe(before.digest);
    chmodSync(join(pkg, "scripts/a.sh"), 0o755);
    expect(snapshotPackage(pkg).digest).not.toBe(before.digest);
  });

  it("ignores sub-skills, .git and node_modules, and distinguishes additions from removals", () => {
    const { pkg, root } = workspace();
    const before = snapshotPackage(pkg);
    for (const left of ["child/SKILL.md", "deep/er/SKILL.md", ".git/config", "node_modules/x/index.js"]) {
      mkdirSync(join(pkg, left, ".."), { recursive: true });
      writeFileSync(join(pkg, left), "x");
    }
    expect(snapshotPackage(pkg).digest).toBe(before.digest);
    writeFileSync(join(pkg, "__proto__"), "new");
    rmSync(join(pkg, "references"), { recursive: true });
    expect(compareMarks(marksOf(before.files), marksOf(snapshotPackage(pkg).files))).toEqual({
      added: ["__proto__"],
      changed: [],
      removed: ["references/b.md"],
    });
    expect(failure(() => snapshotPackage(join(root, "nothing"))).code).toBe("package-unreadable");
  });
});

describe("a package that may not be activated", () => {
  it("with a link to the home folder, or to any file outside, is rejected", () => {
    const { pkg, root } = workspace({ ...FILES, "home/.ssh/id": "secret" });
    symlinkSync(join(root, "home"), join(pkg, "home"));
    expect(failure(() => snapshotPackage(pkg))).toMatchObject({
      code: "package-link-outside",
      value: "home",
    });
    rmSync(join(pkg, "home"));
    symlinkSync("../home/.ssh/id", join(pkg, "key"));
    expect(failure(() => snapshotPackage(pkg)).code).toBe("package-link-outside");
  });

  it("with a link to a folder or to nowhere is rejected; a link to its own file becomes that file", () => {
    const { pkg, mount } = workspace();
    symlinkSync("references/b.md", join(pkg, "alias.md"));
    const copy = join(mount(), "alias.md");
    expect(lstatSync(copy).isFile()).toBe(true);
    expect(readFileSync(copy, "utf8")).toBe("b");
    symlinkSync("references", join(pkg, "docs"));
    expect(failure(() => snapshotPackage(pkg)).code).toBe("package-link-folder");
    rmSync(join(pkg, "docs"));
    symlinkSync("loop", join(pkg, "loop"));
    expect(failure(() => snapshotPackage(pkg)).code).toBe("package-link-broken");
  });

  it("with a FIFO is rejected without waiting", () => {
    const { pkg } = workspace();
    execFileSync("mkfifo", [join(pkg, "pipe")]);
    expect(failure(() => snapshotPackage(pkg))).toMatchObject({
      code: "package-special-file",
      value: join(pkg, "pipe"),
    });
  });

  it("of 10 GB is rejected without being read, with the limit in the message", () => {
    const { pkg } = workspace();
    writeFileSync(join(pkg, "huge.bin"), "");
    truncateSync(join(pkg, "huge.bin"), 10 * 1024 ** 3);
    expect(failure(() => snapshotPackage(pkg))).toMatchObject({
      code: "package-too-large",
      value: "huge.bin",
      message: expect.stringMatching(/64 MiB.*10,737,418,240/),
    });
  });

  it("with too many files or folders is rejected with the limit in the message", () => {
    const { pkg } = workspace();
    mkdirSync(join(pkg, "many"));
    const most = PACKAGE_LIMITS.files + PACKAGE_LIMITS.folders;
    for (let index = 0; index <= most; index++) writeFileSync(join(pkg, "many", `${index}`), "");
    expect(failure(() => snapshotPackage(pkg))).toMatchObject({
      code: "package-too-many-files",
      value: pkg,
      message: expect.stringContaining("2,000"),
    });
    rmSync(join(pkg, "many"), { recursive: true });
    for (let index = 0; index <= PACKAGE_LIMITS.folders; index++)
      mkdirSync(join(pkg, "many", `${index}`), { recursive: true });
    expect(failure(() => snapshotPackage(pkg)).code).toBe("package-too-many-folders");
  });
});

describe("the private copy", () => {
  it("has the package's own files, read-only, with their executable bits", () => {
    const { pkg, place, mount } = workspace({ ...FILES, "pkg/child/SKILL.md": "child" });
    chmodSync(join(pkg, "scripts/a.sh"), 0o755);
    const path = mount();
    expect(path).toBe(join(place.root, "private", "t1", ".skills", "demo"));
    expect(readdirSync(path).sort()).toEqual(["SKILL.md", "references", "scripts"]);
    const allowed = 0o777 & ~process.umask();
    expect(statSync(join(path, "scripts/a.sh")).mode & 0o777).toBe(0o555 & allowed);
    expect(statSync(join(path, "SKILL.md")).mode & 0o777).toBe(0o444 & allowed);
    expect(statSync(taskFolder(place)).mode & 0o777).toBe(0o700);
  });

  it("is rejected and not published if a file was replaced after it was shown", () => {
    const { pkg, place } = workspace();
    const snapshot = snapshotPackage(pkg);
    writeFileSync(join(pkg, "scripts/a.sh"), "echo b");
    expect(failure(() => mountPackage({ place, name: "demo", snapshot }))).toMatchObject({
      code: "package-changed",
      value: "scripts/a.sh",
    });
    expect(existsSync(skillFolder(place, "demo"))).toBe(false);
    expect(readdirSync(join(taskFolder(place), ".staging"))).toEqual([]);
  });

  it.each([
    ["other bytes", (file: string) => writeFileSync(file, "evil")],
    [
      "a link",
      (file: string) => {
        rmSync(file);
        symlinkSync("/etc/hostname", file);
      },
    ],
    [
      "a FIFO",
      (file: string) => {
        rmSync(file);
        execFileSync("mkfifo", [file]);
      },
    ],
    [
      "a linked folder above it",
      (file: string) => {
        rmSync(join(file, ".."), { recursive: true });
        symlinkSync("/etc", join(file, ".."));
      },
    ],
  ])("is rejected if %s replace a file during the copy", (_what, swap) => {
    const { pkg, place } = workspace({ ...FILES, "pkg/scripts/hostname": "mine" });
    const read = snapshotPackage(pkg);
    // The file is replaced during the copy: after the first files, before this one.
    class Swapping extends Map<string, SnapshotFile> {
      override *[Symbol.iterator]() {
        for (const entry of read.files) {
          if (entry[0] === "scripts/hostname") swap(join(pkg, entry[0]));
          yield entry;
        }
        return undefined;
      }
    }
    const snapshot: PackageSnapshot = { ...read, files: new Swapping() };
    expect(["package-changed", "package-unreadable"]).toContain(
      failure(() => mountPackage({ place, name: "demo", snapshot })).code,
    );
    expect(existsSync(skillFolder(place, "demo"))).toBe(false);
  });

  it("is reused if it has not changed, and made again if it has", () => {
    const { place, mount } = workspace();
    const path = mount();
    const { ino } = statSync(path);
    expect(statSync(mount()).ino).toBe(ino);
    chmodSync(join(path, "SKILL.md"), 0o644);
    writeFileSync(join(path, "SKILL.md"), "evil");
    writeFileSync(join(path, "extra.sh"), "evil");
    expect(verifiedMount(place, "demo", snapshotPackage(path).digest)).toBeDefined();
    mount();
    expect(readFileSync(join(path, "SKILL.md"), "utf8")).toBe("body");
    expect(existsSync(join(path, "extra.sh"))).toBe(false);
  });

  it("of a parent and of its sub-skill keep each other when one is made again", () => {
    const { root, place, pkg } = workspace({ ...FILES, "child/SKILL.md": "child" });
    const put = (name: string, from: string) =>
      mountPackage({ place, name, snapshot: snapshotPackage(join(root, from)) });
    const child = put("demo/child", "child");
    const parent = put("demo", "pkg");
    expect(child).toBe(join(parent, "child"));
    expect(readFileSync(join(child, "SKILL.md"), "utf8")).toBe("child");
    writeFileSync(join(pkg, "SKILL.md"), "new body");
    put("demo", "pkg");
    expect(readFileSync(join(parent, "SKILL.md"), "utf8")).toBe("new body");
    expect(verifiedMount(place, "demo/child", snapshotPackage(join(root, "child")).digest)).toBeDefined();
    expect(verifiedMount(place, "demo", snapshotPackage(pkg).digest)).toBeDefined();
  });

  it("does not replace another skill's own folder", () => {
    const { root, place, pkg } = workspace({ ...FILES, "child/SKILL.md": "child" });
    mountPackage({ place, name: "demo", snapshot: snapshotPackage(pkg) });
    const snapshot = snapshotPackage(join(root, "child"));
    expect(failure(() => mountPackage({ place, name: "demo/scripts", snapshot })).code).toBe(
      "mount-conflict",
    );
    expect(existsSync(join(skillFolder(place, "demo"), "scripts/a.sh"))).toBe(true);
  });
});

describe("a task's folder", () => {
  it.each(["..", "/etc", "../../escape", "a/b", ".", "", "Ünï code", "x".repeat(300), "CON\0", "a~b"])(
    "of the id %j lies directly below private",
    (task) => {
      const folder = taskFolder({ root: "/data", task });
      expect(folder).toMatch(/^\/data\/private\/[a-z0-9._~-]+$/);
      expect(folder.length).toBeLessThan(100);
    },
  );

  it("is different for every id, also where file systems ignore case", () => {
    const ids = ["a b", "a-b", "A-b", "a/b", "a~b", "A B", "a.b"];
    const asOnDisk = (path: string) => (process.platform === "linux" ? path : path.toLowerCase());
    expect(new Set(ids.map((task) => asOnDisk(taskFolder({ root: "/data", task })))).size).toBe(ids.length);
  });

  it.each(["42", "task_1", "_draft", "2026-11-18.a", "b".repeat(128)])(
    "has the id %j as its name",
    (task) => {
      expect(taskFolder({ root: "/data", task })).toBe(`/data/private/${task}`);
    },
  );

  it.runIf(process.platform === "linux").each(["Release-7", "ABC", "aux"])(
    "has the id %j as its name where file systems heed case",
    (task) => {
      expect(taskFolder({ root: "/data", task })).toBe(`/data/private/${task}`);
    },
  );

  it.each(["..", "/etc", "a/../..", "a//b", "A", ""])("rejects a skill called %j", (name) => {
    expect(failure(() => skillFolder({ root: "/data", task: "t" }, name)).code).toBe("mount-name");
  });

  it("is not written through a link, and its removal deletes nothing outside it", () => {
    const { root, place, mount } = workspace({ ...FILES, "victim/keep.txt": "keep" });
    mkdirSync(join(place.root, "private"), { recursive: true });
    symlinkSync(join(root, "victim"), taskFolder(place));
    expect(failure(() => mount()).code).toBe("mount-conflict");
    expect(removeTaskFolder(place)).toBe(true);
    expect(readdirSync(join(root, "victim"))).toEqual(["keep.txt"]);
    const path = mount();
    symlinkSync(join(root, "victim"), join(path, "out"));
    expect(removeTaskFolder(place)).toBe(true);
    expect(existsSync(taskFolder(place))).toBe(false);
    expect(readdirSync(join(root, "victim"))).toEqual(["keep.txt"]);
    expect(removeTaskFolder(place)).toBe(false);
  });
});
