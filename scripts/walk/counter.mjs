// Loaded into a process before the product: counts what it opens, reads and asks of the file system below WALK_ROOT, and
// the calls that the counting build reports. Sends the counts when asked, and writes them to WALK_COUNTS at its end.

import childProcess from "node:child_process";
import { EventEmitter } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const { WALK_ROOT, WALK_COUNTS, WALK_ABOUT, WALK_DAYS_AGO } = process.env;
const DAY_MS = 86_400_000;
const writeFileSync = fs.writeFileSync;
let counts = {};
let depth = 0;

globalThis.countFact = (fact) => {
  counts[fact] = (counts[fact] ?? 0) + 1;
};

const asked = () => "stats";
const CALLS = {
  open: opened,
  openSync: opened,
  readFile: read,
  readFileSync: read,
  createReadStream: read,
  copyFile: read,
  copyFileSync: read,
  readdir: listed,
  readdirSync: listed,
  opendir: listed,
  opendirSync: listed,
  stat: asked,
  statSync: asked,
  lstat: asked,
  lstatSync: asked,
  access: asked,
  accessSync: asked,
  existsSync: asked,
  realpath: asked,
  realpathSync: asked,
};

/** Files that are opened to be written are not counted. */
function opened(path, flags = "r") {
  const writes = typeof flags === "number" ? (flags & 3) !== fs.constants.O_RDONLY : !/^rs?$/.test(flags);
  return writes ? undefined : read(path);
}

function read(path) {
  const name = basename(path);
  if (name.toLowerCase() === "skill.md") return "skillFiles";
  if (path.includes(`${sep}sessions${sep}`) && name.endsWith(".jsonl")) return "sessionLogs";
  return path.includes(`${sep}cache${sep}`) ? "snapshots" : "otherFiles";
}

/** Folders of the sources are told from those of the skill that the flow is about and from all the rest. */
function listed(path) {
  const names = path.slice(WALK_ROOT.length + 1).split(sep);
  return names.includes("skills") && !names.includes(WALK_ABOUT) ? "folders" : "otherFolders";
}

/** A call that Node makes within a call is not counted again. */
function wrap(owner) {
  for (const [name, factOf] of Object.entries(CALLS)) {
    const original = owner[name];
    if (typeof original !== "function") continue;
    const counting = function (...args) {
      const path = depth === 0 ? pathOf(args[0]) : undefined;
      const fact = path === undefined ? undefined : factOf(path, args[1]);
      if (fact !== undefined) globalThis.countFact(fact);
      depth++;
      try {
        return original.apply(this, args);
      } finally {
        depth--;
      }
    };
    owner[name] = Object.assign(counting, original);
  }
}

function pathOf(given) {
  if (typeof given !== "string" && !(given instanceof URL) && !Buffer.isBuffer(given)) return undefined;
  const path = given instanceof URL ? fileURLToPath(given) : resolve(String(given));
  return path.startsWith(WALK_ROOT + sep) ? path : undefined;
}

/** The update of the index that the command line starts behind an answer would change what the next step finds. */
function withoutRefreshBehind(spawn) {
  return (program, args, options) =>
    options?.detached && Array.isArray(args) && args.at(-1) === "index"
      ? Object.assign(new EventEmitter(), { unref() {} })
      : spawn(program, args, options);
}

/** What is prepared may have to be older than what is counted. */
function moveClock(days) {
  const RealDate = Date;
  const now = () => RealDate.now() - days * DAY_MS;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [now()] : args));
    }
    static now() {
      return now();
    }
  };
}

wrap(fs);
wrap(fs.promises);
childProcess.spawn = withoutRefreshBehind(childProcess.spawn);
syncBuiltinESMExports();
if (WALK_DAYS_AGO) moveClock(Number(WALK_DAYS_AGO));
if (WALK_COUNTS) process.on("exit", () => writeFileSync(WALK_COUNTS, JSON.stringify(counts)));
if (process.channel) {
  process.on("message", () => {
    process.send(counts);
    counts = {};
  });
  process.channel.unref();
}
