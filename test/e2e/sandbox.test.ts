// Owns the proof that a skill's script is confined: real scripts in the real sandbox. Does not own path, shebang and
// argument rules that hold without one: `src/tools/scripts.test.ts` does.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSandbox } from "../../src/tools/bubblewrap.ts";
import { boundProcesses } from "../../src/tools/process-bound.ts";
import { runScript, type ScriptPolicy, type ScriptRequest } from "../../src/tools/scripts.ts";
import { stoppedAfter } from "../time-limit.ts";

const lookup = await findSandbox({ searchPath: process.env.PATH ?? "", avoid: [process.cwd()] });
const title = lookup.ok ? "a script in the sandbox" : `a script in the sandbox (skipped: ${lookup.reason})`;

const probe = lookup.ok ? await boundProcesses(1) : undefined;
await probe?.release();
const bound = probe?.by ?? "watch";

/** A shell complains of a locale that this machine does not have. */
const ENV = { ...process.env, LC_ALL: "C" };

let root = "";
let mount = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "repertoire-sandbox-"));
  mount = join(root, "private", "task", ".skills", "demo");
  mkdirSync(join(mount, "scripts"), { recursive: true });
  writeFileSync(join(mount, "SKILL.md"), "---\nname: demo\ndescription: Demo.\n---\nBody\n");
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text: string): string {
  const path = join(mount, "scripts", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return `scripts/${name}`;
}

function run(name: string, text: string, more: Partial<ScriptRequest> & { policy?: ScriptPolicy } = {}) {
  return runScript({ mount, script: put(name, text), env: ENV, ...more });
}

/** A number of seconds that no other process of this machine sleeps, another run of these tests included. */
function seconds(number: number): string {
  return `31536${number}${process.pid}`;
}

/** Processes of this machine whose command line contains the marker. */
function alive(marker: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(marker);
      } catch {
        return false; // It ended while we looked.
      }
    });
}

async function expectGone(marker: string): Promise<void> {
  await expect.poll(() => alive(marker)).toEqual([]);
}

describe.skipIf(!lookup.ok)(title, () => {
  test("runs with the package as working directory and says how it was isolated", async () => {
    const result = await run("where.sh", "pwd; ls; echo to-stderr >&2; id -un");
    expect(result).toMatchObject({ ok: true, exitCode: 0, isolation: "bubblewrap", stderr: "to-stderr\n" });
    expect(result.stdout.split("\n")).toEqual([mount, "SKILL.md", "scripts", "skill", ""]);
  });

  test.each([
    ["plain.js", "console.log('js', process.argv.slice(2).join('+'))", "js"],
    [
      "module.mjs",
      "import os from 'node:os'; console.log('mjs', process.argv.slice(2).join('+'), os.EOL === '')",
      "mjs",
    ],
    [
      "typed.ts",
      "enum A { x = 'ts' }\nconst a: string = A.x;\nconsole.log(a, process.argv.slice(2).join('+'))",
      "ts",
    ],
    ["shell.sh", 'echo "sh $1+$2"', "sh"],
  ])("runs %s with its arguments as they are", async (name, text, word) => {
    const result = await run(name, text, { args: ["a b", "$(id);*"] });
    expect(result).toMatchObject({ ok: true, stderr: "" });
    expect(result.stdout.trim().replace(" false", "")).toBe(`${word} a b+$(id);*`);
  });

  test.skipIf(!existsSync("/usr/bin/python3"))(
    "runs Python and TypeScript with imports of the package",
    async () => {
      put("lib/greet.py", "def greet(name): return 'hello ' + name\n");
      const python = await run(
        "main.py",
        "import sys; sys.path.insert(0, 'scripts/lib')\nfrom greet import greet\nprint(greet(sys.argv[1]))",
        {
          args: ["you"],
        },
      );
      expect(python).toMatchObject({ ok: true, stdout: "hello you\n" });
      put("lib/part.ts", "export const part = (n: number): string => 'part ' + n;\n");
      const typed = await run(
        "main.ts",
        "import { part } from './lib/part.ts';\nawait null;\nconsole.log(part(2));",
      );
      expect(typed).toMatchObject({ ok: true, stdout: "part 2\n" });
    },
  );

  test("receives standard input", async () => {
    const text = "line\n".repeat(50_000);
    expect(await run("count.sh", "wc -c", { stdin: text })).toMatchObject({ ok: true, stdout: "250000\n" });
    expect(await run("deaf.sh", "exit 0", { stdin: text })).toMatchObject({ ok: true });
  });

  test("cannot read the home folder, other folders or other processes", async () => {
    writeFileSync(join(root, "secret.txt"), "top-secret");
    writeFileSync(join(root, "private", "other-task.txt"), "top-secret");
    const result = await run(
      "spy.sh",
      `for p in "$@"; do if [ -e "$p" ]; then ls -A "$p"; cat "$p"; fi; done 2>/dev/null
       ls -A "$HOME"; cat /etc/shadow /etc/hostname /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c top-secret; echo ls:; ls -d /proc/[0-9]* | wc -l`,
      {
        args: [
          homedir(),
          join(root, "secret.txt"),
          join(root, "private", "other-task.txt"),
          "/root",
          "/var/log",
        ],
        env: { ...process.env, SOME_TOKEN: "top-secret" },
      },
    );
    expect(result.stdout).not.toContain("top-secret");
    const [count, label, processes] = result.stdout.trim().split("\n").slice(-3);
    expect([count, label]).toEqual(["0", "ls:"]);
    expect(Number(processes)).toBeLessThan(8);
    expect(result.stdout.trim().split("\n")).toHaveLength(3);
  });

  test("sees the variables that the skill declares, and no others", async () => {
    const env = {
      ...process.env,
      WEATHER_KEY: "granted",
      AWS_SECRET: "top-secret",
      LD_PRELOAD: "/x.so",
      NODE_OPTIONS: "--inspect",
    };
    const result = await run("env.sh", "env", {
      env,
      requires: ["WEATHER_KEY", "LD_PRELOAD", "NODE_OPTIONS"],
    });
    const names = result.stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    expect(result.stdout).toContain("WEATHER_KEY=granted\n");
    for (const hidden of ["AWS_SECRET", "LD_PRELOAD", "NODE_OPTIONS"]) expect(names).not.toContain(hidden);
    expect(result.stdout).toMatch(/^PATH=\/(usr\/|usr\/local\/)?bin(:\/(usr\/|usr\/local\/)?bin)+$/m);
  });

  test("has no network, not even to this machine, unless the policy grants it", async () => {
    const server = createServer((socket) => socket.end("reached"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const text = `const s = require("node:net").connect(+process.argv[2], "127.0.0.1");
      s.on("data", (d) => console.log(String(d))).on("error", (e) => { console.log(e.code); process.exit(3); });`;
    try {
      const denied = await run("net.js", text, { args: [String(port)] });
      expect(denied).toMatchObject({
        ok: false,
        code: "execution-failed",
        exitCode: 3,
        stdout: "ECONNREFUSED\n",
      });
      const granted = await run("net.js", text, { args: [String(port)], policy: { network: true } });
      expect(granted).toMatchObject({ ok: true, stdout: "reached\n" });
    } finally {
      server.close();
    }
  });

  test("writes nothing outside, not into its own package, and nothing that stays", async () => {
    const before = readdirSync(root);
    const file = `/tmp/repertoire-kept-${process.pid}`;
    const result = await run(
      "write.sh",
      `for p in "${root}/x" "${mount}/x" "${mount}/SKILL.md" /usr/x /etc/x /x /dev/x /proc/sys/kernel/hostname; do (echo gotcha >> "$p") 2>/dev/null && echo "wrote $p"; done
       echo kept > ${file} && echo kept > "$HOME/file" && cat ${file} "$HOME/file"`,
    );
    const wrote = result.stdout.split("\n").filter((line) => line.startsWith("wrote"));
    // The folders on the way to the package are the sandbox's own and empty; a file there is not ours.
    expect(wrote.filter((line) => line !== `wrote ${root}/x`)).toEqual([]);
    expect(result.stdout).toContain("kept\nkept\n");
    expect(readdirSync(root)).toEqual(before);
    expect(readFileSync(join(mount, "SKILL.md"), "utf8")).not.toContain("gotcha");
    expect(existsSync(file)).toBe(false);
  });

  test("cannot write a setting of the kernel, whoever starts it", async () => {
    const result = await run(
      "proc.sh",
      `find /proc -path '/proc/[0-9]*' -prune -o -type f -print 2>/dev/null | while read -r f; do
         (: >> "$f") 2>/dev/null && echo "opened $f"; done; echo end`,
    );
    expect(result.stdout).toBe("end\n");
  });

  test("writes into a throw-away copy of its package when the policy says so", async () => {
    const result = await run("beside.sh", "echo data > beside.txt; cat beside.txt; pwd", {
      policy: { writable: true },
    });
    expect(result).toMatchObject({ ok: true, stdout: `data\n${mount}\n` });
    expect(existsSync(join(mount, "beside.txt"))).toBe(false);
  });

  test("keeps files in the folders that the policy opens, and still not in its package", async () => {
    const out = join(root, "out");
    mkdirSync(out, { recursive: true });
    const open = await run("keep.sh", 'echo report > "$REPERTOIRE_WORK_DIR/report.txt"', {
      policy: { write: [out] },
    });
    expect(open).toMatchObject({ ok: true });
    expect(readFileSync(join(out, "report.txt"), "utf8")).toBe("report\n");
    const readOnly = await run("keep.sh", `cat "${out}/report.txt"; echo no > "${out}/report.txt"`, {
      policy: { read: [out] },
    });
    expect(readOnly).toMatchObject({ ok: false, stdout: "report\n" });
    const around = await run("keep.sh", `echo no > "${mount}/SKILL.md"`, { policy: { write: [root] } });
    expect(around.ok).toBe(false);
    expect(readFileSync(join(mount, "SKILL.md"), "utf8")).toContain("Demo.");
  });

  test("is stopped at its time together with a grandchild that left its session", async () => {
    const marker = seconds(17);
    const text = `setsid sh -c 'sleep ${marker} & sleep ${marker}' >/dev/null 2>&1 &\ntrap '' TERM\necho ready; sleep ${marker}`;
    const result = await stoppedAfter(
      ({ stdout }) => stdout === "ready\n",
      (timeoutMs) => run("daemon.sh", text, { policy: { timeoutMs } }),
    );
    expect(result).toMatchObject({ ok: false, code: "timeout", exitCode: null, stdout: "ready\n" });
    await expectGone(marker);
  });

  test("takes its background processes with it when it ends", async () => {
    const marker = seconds(18);
    const result = await run("leave.sh", `setsid sleep ${marker} &\necho left`);
    expect(result).toMatchObject({ ok: true, stdout: "left\n" });
    await expectGone(marker);
  });

  test("is stopped when the caller aborts", async () => {
    const marker = seconds(19);
    const abort = new AbortController();
    const running = run("abort.sh", `sleep ${marker}`, { signal: abort.signal });
    await expect.poll(() => alive(marker)).not.toEqual([]);
    abort.abort();
    expect(await running).toMatchObject({ ok: false, code: "execution-failed", exitCode: null });
    await expectGone(marker);
  });

  test("has its output cut at the cap, on a whole character", async () => {
    const result = await run("loud.js", "process.stdout.write('é'.repeat(500))", {
      policy: { outputBytes: 101 },
    });
    expect(result).toMatchObject({ ok: false, code: "output-truncated", exitCode: 0, truncated: true });
    expect(result.stdout).toBe("é".repeat(50));
    const endless = await run("endless.sh", "yes", { policy: { outputBytes: 10_000 } });
    expect(endless).toMatchObject({ code: "output-truncated", exitCode: null, truncated: true });
    expect(endless.stdout).toHaveLength(10_000);
  });

  test("cannot start processes without bound", async () => {
    const marker = seconds(20);
    let most = 0;
    const counting = setInterval(() => {
      most = Math.max(most, alive(marker).length);
    }, 100);
    const storm = await run(
      "storm.sh",
      `i=0; while [ $i -lt 1000 ]; do sleep ${marker} & i=$((i+1)); done; echo "all $i"; sleep 60`,
      { policy: { processes: 40, timeoutMs: 3_000 } },
    );
    clearInterval(counting);
    if (bound !== "watch") expect(most).toBeLessThanOrEqual(44);
    expect(storm.ok).toBe(false);
    expect(storm.stdout).not.toContain("all 1000");
    await expectGone(marker);
  });

  // Only where the kernel holds the bound: elsewhere the bomb would take this machine's other work with it.
  test.skipIf(bound === "watch")("is held down when it multiplies itself", async () => {
    const name = `bomb-${process.pid}.sh`;
    const bomb = await run(name, `#!/bin/bash\nb() { b | b & }; b; sleep ${seconds(21)}`, {
      policy: { processes: 40, timeoutMs: 2_000 },
    });
    expect(bomb.ok).toBe(false);
    await expectGone(name);
  });

  test("cannot take more memory or write larger files than its limits", async () => {
    const memory = await run(
      "memory.js",
      "const kept = []; for (let i = 0; i < 100; i++) kept.push(Buffer.alloc(32e6, 1)); console.log('all')",
      {
        policy: { memoryBytes: 512 * 1024 * 1024 },
      },
    );
    expect(memory).toMatchObject({ ok: false, code: "execution-failed" });
    expect(memory.stdout).not.toContain("all");
    const file = await run(
      "file.sh",
      "head -c 3000000 /dev/zero > /tmp/big; echo code $?; wc -c < /tmp/big",
      {
        policy: { fileBytes: 1_000_000 },
      },
    );
    expect(file.stdout).toMatch(/code [1-9]\d*\n/);
    expect(Number(file.stdout.trim().split("\n").at(-1))).toBeLessThanOrEqual(1_000_448);
  });

  test("holds no capabilities and cannot become more", async () => {
    const result = await run(
      "caps.sh",
      "grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status; unshare -U true 2>&1; mount -t tmpfs x /tmp 2>&1; exit 0",
    );
    expect(result.stdout).toContain("CapEff:\t0000000000000000\n");
    expect(result.stdout).toContain("CapBnd:\t0000000000000000\n");
    expect(result.stdout).toContain("NoNewPrivs:\t1\n");
    expect(result.stdout).toMatch(/mount: .*(denied|superuser|must be root)/);
  });

  test.skipIf(!existsSync("/usr/bin/python3"))(
    "runs in a virtual environment that the policy names, without its surroundings",
    async () => {
      const home = join(root, "somebody");
      mkdirSync(join(home, ".ssh"), { recursive: true });
      execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", join(home, "venv")]);
      const result = await run("venv.py", "import sys, os; print(sys.prefix, os.path.exists(sys.argv[1]))", {
        args: [join(home, ".ssh")],
        policy: { interpreters: { python3: join(home, "venv", "bin", "python3") } },
      });
      expect(result).toMatchObject({ ok: true, stdout: `${join(home, "venv")} False\n` });
    },
  );
});
