// Hostile sources: what they try, and that nothing of them is left behind.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { create, Header } from "tar";
import { describe, expect, it, onTestFinished } from "vitest";
import { mayTakeUnasked, openRepertoire, type PackageOffer } from "../../src/engine/engine.ts";
import { readAddress } from "../../src/supply/address.ts";
import { openRepository } from "../../src/supply/git.ts";
import { withCode } from "../errors.ts";
import { TestRepository } from "../git-repository.ts";
import { skillText, temporaryTree } from "../skill-tree.ts";

const GOOD = skillText("Does good.");

/** Adds everything from a source, and returns why each package was refused. */
async function refusals(source: string) {
  const home = temporaryTree();
  const outside = readdirSync(join(home, ".."));
  const engine = openRepertoire({ home, dir: temporaryTree(), values: { "sources.bundled": false } });
  onTestFinished(() => engine.close());
  const open = await engine.supply.open(source);
  try {
    const offers = await open.offers();
    const agree = (all: readonly PackageOffer[]) => all.filter(mayTakeUnasked);
    const { refused, changed } = await engine.supply.take(open, offers, { agree });
    const root = join(home, ".repertoire/skills");
    const written = existsSync(root) ? readdirSync(root).filter((name) => !name.endsWith(".json")) : [];
    return {
      codes: refused.map(({ code }) => code),
      names: changed.map(({ name }) => name),
      written,
      home,
      outside,
    };
  } finally {
    open.close();
  }
}

function nothingFetched(home: string): boolean {
  const folder = join(home, ".repertoire/fetch");
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

describe("a hostile repository", () => {
  it.each<[what: string, code: string, lines: (repository: TestRepository) => string[]]>([
    ["a link out of it", "package-link-outside", (r) => [`120000 blob ${r.blob("/etc/passwd")}\tnotes.md`]],
    ["a link to a folder above", "package-link-outside", (r) => [`120000 blob ${r.blob("../../..")}\tup`]],
    ["a submodule", "package-special-file", () => [`160000 commit ${"1".repeat(40)}\tmodule`]],
    [
      "a file called ..",
      "package-path-unsafe",
      (r) => [`040000 tree ${r.tree([`100644 blob ${r.blob("x")}\tx`])}\t..`],
    ],
    [
      "a .GIT folder",
      "package-path-unsafe",
      (r) => [`040000 tree ${r.tree([`100755 blob ${r.blob("x")}\tpost-checkout`])}\t.GIT`],
    ],
    ["a backslash", "package-path-unsafe", (r) => [`100644 blob ${r.blob("x")}\ta\\b`]],
    ["a device's name", "package-path-unsafe", (r) => [`100644 blob ${r.blob("x")}\taux.txt`]],
    [
      "two names that are one elsewhere",
      "package-path-clash",
      (r) => [`100644 blob ${r.blob("x")}\tREADME.md`, `100644 blob ${r.blob("y")}\treadme.md`],
    ],
    [
      "two folders that are one elsewhere",
      "package-path-clash",
      (r) => [
        `040000 tree ${r.tree([`100644 blob ${r.blob("x")}\tx`])}\tLib`,
        `040000 tree ${r.tree([`100644 blob ${r.blob("y")}\tx`])}\tlib`,
      ],
    ],
  ])("with %s is refused, and its good neighbour taken", async (_, code, lines) => {
    const repository = new TestRepository({ "good/SKILL.md": GOOD });
    const skill = `100644 blob ${repository.blob(GOOD)}\tSKILL.md`;
    const bad = repository.tree([skill, ...lines(repository)]);
    const good = repository.tree([skill]);
    repository.commitTree([`040000 tree ${bad}\tbad`, `040000 tree ${good}\tgood`]);
    const { codes, names, written, home } = await refusals(repository.url);
    expect([codes, names, written]).toEqual([[code], ["good"], ["good"]]);
    expect(nothingFetched(home)).toBe(true);
  });

  it("runs no hook, no filter and no program, whatever it and its attributes say", async () => {
    const folder = temporaryTree();
    const trace = join(folder, "ran");
    const repository = new TestRepository({
      "good/SKILL.md": GOOD,
      ".gitattributes": "* filter=evil diff=evil merge=evil\n",
      ".lfsconfig": "[lfs]\n\turl = ext::touch%20ran\n",
      ".gitmodules": `[submodule "m"]\n\tpath = m\n\turl = ext::sh -c touch% ${trace}\n`,
    });
    for (const hook of ["post-checkout", "pre-receive", "reference-transaction", "post-merge"])
      writeFileSync(join(repository.path, ".git/hooks", hook), `#!/bin/sh\ntouch ${trace}\n`, {
        mode: 0o755,
      });
    repository.git("config", "filter.evil.smudge", `touch ${trace}`);
    repository.git("config", "uploadpack.packObjectsHook", `touch ${trace}`);
    expect((await refusals(repository.url)).names).toEqual(["good"]);
    expect(existsSync(trace)).toBe(false);
  });

  it("runs no hook and no filter that the person's own configuration of git names", async () => {
    const folder = temporaryTree();
    const trace = join(folder, "ran");
    const hooks = join(folder, "hooks");
    mkdirSync(hooks);
    writeFileSync(join(hooks, "reference-transaction"), `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    writeFileSync(
      join(folder, "config"),
      `[core]\n\thooksPath = ${hooks}\n[filter "lfs"]\n\tsmudge = touch ${trace}\n\tprocess = touch ${trace}\n`,
    );
    const repository = new TestRepository({ "good/SKILL.md": GOOD, ".gitattributes": "* filter=lfs\n" });
    const address = readAddress(repository.url, { dir: "/", home: "/" });
    if (address.kind !== "git") throw new Error("not a repository");
    const env = { ...process.env, GIT_CONFIG_GLOBAL: join(folder, "config") };
    (await openRepository(address, { folder: join(folder, "objects"), env })).close();
    expect(existsSync(trace)).toBe(false);
  });

  it("with 100,000 files beside its skill is read, and with them inside is refused", async () => {
    const repository = new TestRepository({ "good/SKILL.md": GOOD });
    const blob = repository.blob("x");
    const many = repository.tree(Array.from({ length: 100_000 }, (_, at) => `100644 blob ${blob}\tf${at}`));
    const skill = `100644 blob ${repository.blob(GOOD)}\tSKILL.md`;
    repository.commitTree([
      `040000 tree ${repository.tree([skill, `040000 tree ${many}\tdata`])}\tbad`,
      `040000 tree ${repository.tree([skill])}\tgood`,
    ]);
    expect(await refusals(repository.url)).toMatchObject({
      codes: ["package-too-many-files"],
      written: ["good"],
    });
  });

  it("with a huge file is refused, and one that is too large is given up", async () => {
    const repository = new TestRepository({
      "bad/SKILL.md": GOOD,
      "bad/huge.bin": Buffer.alloc(65 * 1024 * 1024, 7),
    });
    expect(await refusals(repository.url)).toMatchObject({ codes: ["package-too-large"], written: [] });
    const folder = join(temporaryTree(), "objects");
    const address = readAddress(repository.url, { dir: "/", home: "/" });
    if (address.kind !== "git") throw new Error("not a repository");
    const slow = { folder, env: process.env, timeoutMs: 1 };
    await expect(openRepository(address, slow)).rejects.toThrow(withCode("source-unreachable"));
    expect(existsSync(folder)).toBe(false);
  });
});

describe("an address", () => {
  it.each([
    "ext::sh -c touch% /tmp/x",
    "--upload-pack=touch /tmp/x",
    "git://example.com/x",
    "ftp://example.com/x.zip",
    "http://example.com/x",
    "fd::17",
    "a/../../b",
    "",
  ])("that could run or reveal something is refused: %s", (text) => {
    expect(() => readAddress(text, { dir: "/nowhere", home: "/nowhere" })).toThrow(
      withCode("source-unknown"),
    );
  });

  it("with a password is refused, and its ref cannot be an option", () => {
    const options = { dir: "/nowhere", home: "/nowhere" };
    expect(() => readAddress("https://me:secret@example.com/x", options)).toThrow(withCode("source-secret"));
    expect(() => readAddress("a/b", { ...options, ref: "--upload-pack=x" })).toThrow(
      withCode("source-unknown"),
    );
  });
});

describe("a hostile archive", () => {
  it("cannot write outside: names, links and devices are refused", async () => {
    const folder = temporaryTree({ "s/SKILL.md": GOOD });
    symlinkSync("/etc/passwd", join(folder, "s/passwd"));
    await create({ cwd: folder, gzip: true, file: join(folder, "a.tar.gz") }, ["s"]);
    expect(await refusals(join(folder, "a.tar.gz"))).toMatchObject({
      codes: ["package-link-outside"],
      written: [],
    });
    const text = new TextEncoder().encode(GOOD);
    writeFileSync(join(folder, "up.zip"), zipSync({ "s/SKILL.md": text, "s/../../../up.txt": text }));
    await expect(refusals(join(folder, "up.zip"))).rejects.toThrow(withCode("archive-unreadable"));
    writeFileSync(join(folder, "fine.skill"), zipSync({ "s/SKILL.md": text }));
    expect((await refusals(join(folder, "fine.skill"))).written).toEqual(["s"]);
    for (const bytes of ["", "PK\u0003\u0004broken", "no archive"]) {
      writeFileSync(join(folder, "broken.zip"), bytes);
      await expect(refusals(join(folder, "broken.zip"))).rejects.toThrow(withCode("archive-unreadable"));
    }
  });

  it("that claims to hold terabytes is refused before it is unpacked", async () => {
    const folder = temporaryTree();
    const header = new Header({
      path: "s/SKILL.md",
      size: 2 ** 40,
      mode: 0o644,
      type: "File",
      mtime: new Date(0),
    });
    const block = Buffer.alloc(512);
    header.encode(block);
    writeFileSync(join(folder, "bomb.tar.gz"), gzipSync(Buffer.concat([block, Buffer.alloc(4096)])));
    await expect(refusals(join(folder, "bomb.tar.gz"))).rejects.toThrow(withCode("source-too-large"));
  });
});

describe("a folder", () => {
  it("with links, a pipe or a loop gives nothing that is not its own", async () => {
    const folder = temporaryTree({ "good/SKILL.md": GOOD, "bad/SKILL.md": GOOD });
    symlinkSync("/etc/passwd", join(folder, "bad/notes.md"));
    symlinkSync("..", join(folder, "good-loop"));
    expect(await refusals(folder)).toMatchObject({ codes: ["package-link-outside"], written: ["good"] });
  });
});

describe("a fetch that is killed", () => {
  it("leaves nothing that the next one does not remove", async () => {
    const home = temporaryTree();
    const child = spawn(process.execPath, ["-e", ""]);
    await new Promise((ended) => child.on("close", ended));
    const left = join(home, ".repertoire/fetch", `${child.pid}-abc`);
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, "pack"), "x");
    const engine = openRepertoire({ home, dir: temporaryTree() });
    onTestFinished(() => engine.close());
    (await engine.supply.open(temporaryTree({ "s/SKILL.md": GOOD }))).close();
    expect(existsSync(left)).toBe(false);
  });
});

it.each([
  "a".repeat(5_000),
  `./${"a".repeat(300)}`,
  "https://github.com/a/%E0%A4%A/tree/main",
  "https://github.com/a/%zz",
  "file://host/skills",
  "file:///a%2Fb",
])("an address that nothing can have is refused: %s", (text) => {
  expect(() => readAddress(text, { dir: "/", home: "/" })).toThrow(withCode("source-unknown"));
});
