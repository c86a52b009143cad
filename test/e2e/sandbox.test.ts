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
import type { Bubblewrap } from "../../src/tools/bubblewrap.ts";
import type { ScriptPolicy } from "../../src/tools/isolation.ts";
import { boundProcesses } from "../../src/tools/process-bound.ts";
import { findSandbox } from "../../src/tools/sandbox.ts";
import { runScript, type ScriptRequest } from "../../src/tools/scripts.ts";
import { stoppedAfter } from "../time-limit.ts";

const lookup = await findSandbox({ searchPath: process.env.PATH ?? "", avoid: [process.cwd()] });
const title = lookup.ok ? "a script in the sandbox" : `a script in the sandbox (skipped: ${lookup.reason})`;

const probe = lookup.ok ? await boundProcesses(1) : undefined;
await probe?.release();
const bound = probe?.by ?? "watch";

/** bubblewrap, if it is here. */
const box = (lookup.ok ? lookup.sandbox : { options: new Set<string>() }) as Bubblewrap;
/** Whether this machine can load a filter of system calls. */
const FILTERED = box.options.has("--seccomp");

const CALLS: Record<string, readonly [x64: number, arm64: number]> = {
  ...{ ptrace: [101, 117], process_vm_readv: [310, 270], process_vm_writev: [311, 271], add_key: [248, 217] },
  ...{ request_key: [249, 218], keyctl: [250, 219], bpf: [321, 280], perf_event_open: [298, 241] },
  ...{
    userfaultfd: [323, 282],
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    unshare: [272, 97],
  },
  ...{ setns: [308, 268], kexec_load: [246, 104], kexec_file_load: [320, 294], init_module: [175, 105] },
  ...{
    finit_module: [313, 273],
    delete_module: [176, 106],
    io_uring_setup: [425, 425],
    io_uring_enter: [426, 426],
  },
  ...{ io_uring_register: [427, 427] },
};
const here = process.arch === "arm64" ? 1 : 0;
/** What is tried: a name, the number of the system call and its first argument. */
const PROBED: readonly (readonly [name: string, number: number, first: number])[] = [
  ...Object.entries(CALLS).map(([name, numbers]) => [name, numbers[here], 0] as const),
  ["netlink", [41, 198][here]!, 16],
  ["packet", [41, 198][here]!, 17],
  ["vsock", [41, 198][here]!, 40],
  ["netlink pair", [53, 199][here]!, 16],
  ["new user namespace", [56, 220][here]!, 0x1000_0011],
  ...(here === 0 ? [["x32", 0x4000_0000 + 39, 0] as const] : []),
];
const PROBE = `import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
answers = {}
for name, number, first in json.loads(${JSON.stringify(JSON.stringify(PROBED))}):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), ctypes.c_long(first), *([ctypes.c_long(3)] if "net" in name or name in ("packet", "vsock") else [ctypes.c_long(0)]), *[ctypes.c_long(0)] * 4)
    if name.startswith("new") and result == 0: os._exit(0)
    answers[name] = "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
print(json.dumps(answers))`;

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

  test.skipIf(!existsSync("/usr/bin/python3") || !FILTERED)(
    "reaches no part of the kernel that it does not need",
    async () => {
      const filtered = await run("probe.py", PROBE);
      expect(JSON.parse(filtered.stdout)).toEqual(
        Object.fromEntries(PROBED.map(([name]) => [name, "EPERM"])),
      );
      // Without the filter the kernel itself answers otherwise, so that the filter is what refuses.
      const bare = { ...box, options: new Set([...box.options].filter((option) => option !== "--seccomp")) };
      const unfiltered = await runScript(
        { mount, script: "scripts/probe.py", env: ENV },
        { findSandbox: async () => ({ ok: true, sandbox: bare }) },
      );
      const answers: Record<string, string> = JSON.parse(unfiltered.stdout);
      const differing = PROBED.map(([name]) => name).filter((name) => answers[name] !== "EPERM");
      expect(differing).toEqual(expect.arrayContaining(["netlink", "keyctl", "ptrace", "process_vm_readv"]));
    },
  );

  test.skipIf(!existsSync("/usr/bin/python3") || !FILTERED || process.arch !== "x64")(
    "is ended when it calls the kernel in the way of another architecture",
    async () => {
      // mov eax, 20 (getpid); int 0x80; ret
      const text = `import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("b814000000cd80c3"))
print("before", flush=True)
ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print("after")`;
      const result = await run("int80.py", text);
      expect(result).toMatchObject({ ok: false, stdout: "before\n" });
    },
  );

  test("still starts threads, processes and servers under the filter", async () => {
    const text = `const { Worker } = require("node:worker_threads");
      const { execFileSync } = require("node:child_process");
      const { readFile } = require("node:fs/promises");
      new Worker("require('node:worker_threads').parentPort.postMessage('thread')", { eval: true }).on("message", async (said) => {
        const child = String(execFileSync("/bin/sh", ["-c", "echo child | cat"])).trim();
        const text = await readFile("SKILL.md", "utf8");
        const server = require("node:http").createServer((_, answer) => answer.end("served")).listen(0, "127.0.0.1", async () => {
          const answer = await fetch("http://127.0.0.1:" + server.address().port);
          console.log(said, child, text.length > 0, await answer.text());
          server.close();
        });
      });`;
    expect(await run("usual.js", text)).toMatchObject({ ok: true, stdout: "thread child true served\n" });
    const shell = await run(
      "usual.sh",
      'echo a | tr a b; (echo sub); x=$(echo caught); echo "$x"; sort <(echo two) <(echo one)',
    );
    expect(shell).toMatchObject({ ok: true, stdout: "b\nsub\ncaught\none\ntwo\n" });
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
