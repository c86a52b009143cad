import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stoppedAfter } from "../../test/time-limit.ts";
import { findOnSystem } from "./interpreter.ts";
import { kernelCountsProcesses } from "./process-bound.ts";
import { runScript, type ScriptRequest, type ScriptSystem } from "./scripts.ts";

const NO_SANDBOX: ScriptSystem = {
  findSandbox: async () => ({ ok: false, reason: "bubblewrap is not installed", fix: "Install it" }),
};

let mount = "";

beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), "repertoire-scripts-"));
  put("scripts/ok.sh", 'echo "ok $*"');
});

afterEach(() => rmSync(mount, { recursive: true, force: true }));

function put(path: string, text: string): string {
  mkdirSync(dirname(join(mount, path)), { recursive: true });
  writeFileSync(join(mount, path), text);
  return path;
}

/** Without isolation, so that these rules can be tested on every machine. */
function run(script: string, more: Partial<ScriptRequest> = {}) {
  const { policy, ...rest } = more;
  const accepted = { acceptUnsandboxed: true, ...policy };
  // A shell warns about a locale that this machine does not have.
  const env = { ...process.env, LC_ALL: "C" };
  return runScript({ mount, script, env, policy: accepted, ...rest }, NO_SANDBOX);
}

describe("without a sandbox", () => {
  test("a script is rejected, with how to install it and the setting that accepts the risk", async () => {
    put("scripts/mark.sh", "touch ran");
    const result = await runScript({ mount, script: "scripts/mark.sh", env: process.env }, NO_SANDBOX);
    expect(result).toMatchObject({ ok: false, code: "no-sandbox", exitCode: null, isolation: "none" });
    expect(result.message).toMatch(/bubblewrap.*scripts\.unsandboxed/);
    expect(existsSync(join(mount, "ran"))).toBe(false);
  });

  test("an accepted risk runs it in the package and reports the missing isolation", async () => {
    put("scripts/where.sh", 'pwd; echo "$HOME" | grep -c repertoire-script-');
    const result = await run("scripts/where.sh");
    expect(result).toMatchObject({ ok: true, isolation: "none", exitCode: 0, stdout: `${mount}\n1\n` });
  });

  test("secrets are not in the environment either", async () => {
    put("scripts/env.sh", "env");
    const env = { PATH: process.env.PATH, MY_TOKEN: "top-secret", ASKED: "given" };
    const result = await run("scripts/env.sh", { env, requires: ["ASKED"] });
    expect(result.stdout).not.toContain("top-secret");
    expect(result.stdout).toContain("ASKED=given\n");
  });

  test("the time limit ends the script's whole group and removes its files", async () => {
    put("scripts/slow.sh", 'echo $$; sleep 31536030 &\necho "$TMPDIR"\nwait');
    const result = await stoppedAfter(
      ({ stdout }) => stdout.split("\n").length > 2,
      (timeoutMs) => run("scripts/slow.sh", { policy: { timeoutMs } }),
    );
    expect(result).toMatchObject({ ok: false, code: "timeout" });
    const [pid = "", tmp = ""] = result.stdout.split("\n");
    await expect.poll(() => groupIsAlive(Number(pid))).toBe(false);
    expect(existsSync(dirname(tmp))).toBe(false);
  });

  test("a grandchild that keeps the output open does not delay the result", async () => {
    put("scripts/hold.sh", "setsid sleep 3600 &\necho $!");
    const result = await run("scripts/hold.sh");
    expect(result).toMatchObject({ ok: true, stdout: expect.stringMatching(/^\d+\n$/) });
    const left = Number(result.stdout);
    if (groupIsAlive(left)) process.kill(left, "SIGKILL");
  });

  test("a writable package is a copy, even of a read-only one, and is removed even if it is locked", async () => {
    put(
      "scripts/write.sh",
      "echo x > beside.txt; echo y >> data/a.txt; ls; pwd; mkdir -p l/m; chmod 500 l/m l",
    );
    put("data/a.txt", "a");
    chmodSync(join(mount, "data/a.txt"), 0o444);
    chmodSync(join(mount, "data"), 0o555);
    const result = await run("scripts/write.sh", { policy: { writable: true } });
    chmodSync(join(mount, "data"), 0o755);
    expect(result).toMatchObject({ ok: true, stderr: "" });
    const lines = result.stdout.trim().split("\n");
    expect(lines.slice(0, -1)).toEqual(["beside.txt", "data", "scripts"]);
    expect(existsSync(lines.at(-1) ?? "/")).toBe(false);
    expect(readdirSync(mount)).toEqual(["data", "scripts"]);
    expect(readFileSync(join(mount, "data/a.txt"), "utf8")).toBe("a");
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "a limit of %d does not disable the limit",
    async (bad) => {
      put("scripts/loud.js", "process.stdout.write('a'.repeat(1_200_000))");
      const result = await run("loud.js", { policy: { outputBytes: bad, timeoutMs: bad } });
      expect(result).toMatchObject({ code: "output-truncated", exitCode: 0 });
      expect(result.stdout).toHaveLength(1_048_576);
    },
  );
});

function groupIsAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("which file is run", () => {
  test("is named by its path in the package or by its name below scripts/", async () => {
    expect(await run("scripts/ok.sh", { args: ["a b"] })).toMatchObject({ ok: true, stdout: "ok a b\n" });
    expect(await run("./scripts/ok.sh")).toMatchObject({ ok: true });
    expect(await run("ok.sh")).toMatchObject({ ok: true });
  });

  test.each([
    "../outside.sh",
    "scripts/../../outside.sh",
    "/bin/ls",
    "file:///bin/ls",
    "scripts\\ok.sh",
    "",
    "scripts/ok.sh\0",
    "scripts",
    "scripts/gone.sh",
    "x".repeat(5000),
  ])("%j is not found, and the message lists the scripts", async (script) => {
    const result = await run(script);
    expect(result).toMatchObject({ ok: false, code: "not-found", exitCode: null });
    expect(result.message).toContain("Scripts: scripts/ok.sh.");
  });

  test("is never a link to a file outside", async () => {
    const outside = mkdtempSync(join(tmpdir(), "repertoire-outside-"));
    writeFileSync(join(outside, "evil.sh"), "echo evil");
    symlinkSync(join(outside, "evil.sh"), join(mount, "scripts", "evil.sh"));
    symlinkSync(outside, join(mount, "folder"));
    symlinkSync("loop.sh", join(mount, "loop.sh"));
    for (const script of ["scripts/evil.sh", "folder/evil.sh", "loop.sh"]) {
      expect(await run(script)).toMatchObject({ ok: false, code: "not-found", stdout: "" });
    }
    symlinkSync("ok.sh", join(mount, "scripts", "also.sh"));
    expect(await run("scripts/also.sh")).toMatchObject({ ok: true });
    rmSync(outside, { recursive: true });
  });
});

describe("which program runs it", () => {
  test.each([
    ["#!/bin/sh", "dash|bash|busybox|sh"],
    ["#!/usr/bin/env bash", "bash"],
    ["#!/usr/bin/env -S bash -eu", "bash"],
    ["#! /bin/bash -e", "bash"],
    ["#!/bin/bash\r", "bash"],
  ])("%j is accepted", async (shebang, program) => {
    put("tool", `${shebang}\nreadlink /proc/$$/exe\n`);
    expect((await run("tool")).stdout).toMatch(new RegExp(`/(${program})\n$`));
  });

  test.each([
    "#!/bin/sh -c id",
    "#!/tmp/bash",
    "#!bash",
    "#!../../bin/sh",
    "#!/usr/bin/env",
    "#!",
    "#!/usr/bin/env X=1 bash",
    "#!/usr/bin/env -i bash",
    "#!/usr/bin/env ./bash",
    "#!/usr/bin/node --require=/tmp/evil.js",
    "#!/usr/bin/node -e process.exit()",
    "#!/usr/bin/sudo sh",
    "#!/usr/bin/env ld.so",
    `#!${"/bin/sh ".repeat(100)}`,
  ])("%j is rejected", async (shebang) => {
    put("scripts/odd.sh", `${shebang}\necho ran\n`);
    const result = await run("scripts/odd.sh");
    expect(result).toMatchObject({ ok: false, code: "execution-failed", exitCode: null, stdout: "" });
    expect(result.message).toContain("#!/usr/bin/env NAME");
  });

  test("a file that is not a script is rejected with the accepted extensions", async () => {
    put("notes.md", "# Notes");
    const result = await run("notes.md");
    expect(result).toMatchObject({ ok: false, code: "execution-failed" });
    expect(result.message).toContain(".sh .js .mjs .cjs .ts .mts .py");
  });

  test("a program in the package or the working directory is not used", async () => {
    put("bin/repertoire-made-up", "#!/bin/sh\necho planted");
    chmodSync(join(mount, "bin/repertoire-made-up"), 0o755);
    const link = mkdtempSync(join(tmpdir(), "repertoire-link-"));
    symlinkSync(join(mount, "bin/repertoire-made-up"), join(link, "repertoire-made-up"));
    const find = (searchPath: string, avoid: string[]) =>
      findOnSystem("repertoire-made-up", { searchPath, avoid });
    expect(await find(join(mount, "bin"), [])).toBe(join(mount, "bin/repertoire-made-up"));
    expect(await find(`${join(mount, "bin")}:bin:.:`, [mount])).toBeUndefined();
    expect(await find(link, [mount])).toBeUndefined();
    rmSync(link, { recursive: true });
  });

  test("TypeScript runs, also under a shebang that names node", async () => {
    put(
      "scripts/t.ts",
      "#!/usr/bin/env node\ntype A = { n: number };\nconst a: A = { n: 2 };\nconsole.log(a.n);",
    );
    expect(await run("scripts/t.ts")).toMatchObject({ ok: true, stdout: "2\n" });
  });
});

describe("input and output", () => {
  test("100 arguments of 4,096 bytes together are accepted, more are not", async () => {
    put("scripts/count.sh", 'echo "$#"');
    const long = "é".repeat(2048);
    expect(
      await run("count.sh", { args: [...Array(99).fill("é".repeat(20)), "é".repeat(68)] }),
    ).toMatchObject({
      ok: true,
      stdout: "100\n",
    });
    expect(await run("count.sh", { args: Array(101).fill("a") })).toMatchObject({ code: "args-too-large" });
    expect(await run("count.sh", { args: [long, "x"] })).toMatchObject({
      code: "args-too-large",
      message: expect.stringMatching(/\b4097\b.*\b4096\b/),
    });
    expect(await run("count.sh", { args: ["a\0b"] })).toMatchObject({ ok: false, code: "execution-failed" });
  });

  test("arguments are never read by a shell", async () => {
    put("scripts/args.js", "console.log(JSON.stringify(process.argv.slice(2)))");
    const args = ["$(touch x)", "; touch x", "`touch x`", "--", "-e", "a\nb", ""];
    const result = await run("args.js", { args });
    expect(JSON.parse(result.stdout)).toEqual(args);
    expect(existsSync(join(mount, "x"))).toBe(false);
  });

  test("a failing script gives its exit code and its last line of stderr", async () => {
    put("scripts/fail.sh", "echo out; echo first >&2; echo 'no such city' >&2; exit 7");
    expect(await run("fail.sh")).toMatchObject({
      ok: false,
      code: "execution-failed",
      exitCode: 7,
      stdout: "out\n",
      message: expect.stringMatching(/^fail\.sh .*\b7: no such city$/),
    });
  });

  test("output is cut at the limit for both streams together", async () => {
    put("scripts/loud.js", "process.stdout.write('a'.repeat(300)); process.stderr.write('b'.repeat(300))");
    const result = await run("loud.js", { policy: { outputBytes: 400 } });
    expect(result).toMatchObject({ ok: false, code: "output-truncated", exitCode: 0, truncated: true });
    expect(result.stdout.length + result.stderr.length).toBe(400);
  });

  test("a policy's folder that is missing or relative is rejected", async () => {
    expect(await run("ok.sh", { policy: { read: ["relative"] } })).toMatchObject({
      code: "execution-failed",
    });
    expect(await run("ok.sh", { policy: { write: [join(mount, "gone")] } })).toMatchObject({
      code: "execution-failed",
      message: expect.stringContaining("ENOENT"),
    });
  });

  test("an aborted signal starts nothing", async () => {
    put("scripts/mark.sh", "touch ran");
    expect(await run("mark.sh", { signal: AbortSignal.abort() })).toMatchObject({ ok: false });
    expect(existsSync(join(mount, "ran"))).toBe(false);
  });

  test("a package that is not mounted is not found", async () => {
    const gone = await runScript({ mount: join(mount, "gone"), script: "x.sh", env: {} }, NO_SANDBOX);
    expect(gone.code).toBe("not-found");
    expect(readFileSync(join(mount, "scripts/ok.sh"), "utf8")).toContain("ok");
  });
});

test("the kernel's process limit is used only if it counts just the sandbox", () => {
  expect(kernelCountsProcesses(1000, "6.1.0-13-amd64")).toBe(true);
  expect(kernelCountsProcesses(1000, "5.14.0")).toBe(true);
  expect(kernelCountsProcesses(1000, "5.10.0-26-amd64")).toBe(false);
  expect(kernelCountsProcesses(0, "6.1.0")).toBe(false);
});
