// Notes which processes a task ends with, and finds the tasks whose processes are gone: crashed hosts clean up nothing.

import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { makeTaskFolder, type TaskFolder, taskFolder } from "./mount.ts";
import { startOf } from "./process-start.ts";

/** One process that a task belongs to. */
interface Owner {
  readonly task: string;
  /** The machine or container: process ids mean nothing elsewhere. */
  readonly machine: string;
  readonly pid: number;
  /** Tells the process from a later one with the same id; empty where the system does not say. */
  readonly started: string;
}

/** Beside `.skills`: one owner per line. A task without it lasts until somebody ends it. */
const OWNERS = ".owners";

/** Of a task of another machine nobody here can tell whether it goes on. */
const ELSEWHERE_MS = 24 * 3_600_000;

/** Asked once: elsewhere than on Linux another program answers. */
let ownStart: string | undefined;

/** Notes that the task ends with this process, unless it was begun as one that lasts. */
export function ownTask(place: TaskFolder): void {
  const folder = taskFolder(place);
  const owners = ownersIn(folder);
  if (owners === undefined && lstatSync(folder, { throwIfNoEntry: false })) return;
  ownStart ??= startOf(process.pid) ?? "";
  const own: Owner = {
    task: place.task,
    machine: machine(),
    pid: process.pid,
    started: ownStart,
  };
  if (owners?.some((one) => isSame(one, own))) return;
  makeTaskFolder(place);
  // A line of its own also behind one that a crash has cut.
  writeFileSync(join(folder, OWNERS), `\n${JSON.stringify(own)}\n`, { flag: "a", mode: 0o600 });
}

/** The tasks below `root` none of whose processes is running. */
export function leftTasks(root: string, now: number): string[] {
  return foldersIn(join(root, "private")).flatMap((folder) => {
    const owners = ownersIn(folder) ?? [];
    const [first] = owners;
    return first && !owners.some((owner) => mayRun(owner, folder, now)) ? [first.task] : [];
  });
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}

/** Undefined if the task lasts. A line that a crash has cut is left out. */
function ownersIn(folder: string): Owner[] | undefined {
  const file = join(folder, OWNERS);
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\{.*\}$/.test(line))
    .map((line) => JSON.parse(line) as Owner);
}

function mayRun(owner: Owner, folder: string, now: number): boolean {
  if (owner.machine !== machine()) return now - statSync(folder).mtimeMs < ELSEWHERE_MS;
  if (!isRunning(owner.pid)) return false;
  if (owner.started === "") return true;
  const started = startOf(owner.pid);
  // If the system does not say, the id alone counts: a task that goes on must not be ended.
  return started === undefined || started === owner.started;
}

function isSame(a: Owner, b: Owner): boolean {
  return a.machine === b.machine && a.pid === b.pid && a.started === b.started;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

/** The host's name and, on Linux, the space of process ids: containers may share a name and a home folder. */
function machine(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch (thrown) {
    if (codeOf(thrown) !== "") return hostname();
    throw thrown;
  }
}
