// Reproduces the table of docs/guides/scale.md: plays a busy hour of a fleet of each size from measured unit costs, and says
// what is full first. node bench/scale/simulate.mjs [--check]

import { readFileSync } from "node:fs";

/**
 * What one thing costs; docs/guides/scale.md says where each figure is from. Between two measured sizes and beyond them a cost
 * grows as a power of the size.
 */
const COSTS = {
  /** Processor milliseconds of a turn besides the search, and of the search by skills. */
  turnMs: 2.4,
  searchMs: { 10000: 0.95, 73000: 2.1 },
  /** Kilobytes of memory for a skill in a node that recalls, on top of the node's own. */
  memoryKb: 4.6,
  nodeMb: 150,
  /** Bytes of a skill with its files. */
  packageBytes: 12_600,
  /** Processor milliseconds of a node to take over a changed skill, and by skills, to keep the snapshot of the library. */
  applyMs: 25,
  applyMsPerSkill: 0.02,
  /** Processor milliseconds for a skill of a new node that takes over an index: fetch, write, check. */
  joinMs: 0.72,
  /** Processor milliseconds of the database for an event, and for a batch besides its events. */
  eventMs: 0.025,
  batchMs: 1.9,
  /** And for a save, and for each node that reads it. */
  saveMs: 22,
  readMs: 4,
  /** Bytes of an event on the wire and on disk, with its indexes. */
  eventBytes: 420,
  /** Connections of a node. */
  connections: 6,
};

/** How much a fleet does. */
const USE = {
  /** Messages of an agent in an hour of work, and the events of each. */
  messagesPerHour: 30,
  eventsPerMessage: 4,
  /** Saves and edits of an agent in an hour, dreams included. */
  savesPerHour: 0.1,
  /** Agents of one node: a machine has some, a server has many. */
  agentsPerNode: (agents) => Math.min(500, Math.max(5, agents / 20)),
  batchSize: 20,
};

/** What one machine of a usual size gives. */
const LIMITS = {
  /** Cores of the database server that may be busy before waiting times grow, and of a node for recall. */
  databaseCores: 8 * 0.6,
  nodeCores: 1 * 0.6,
  nodeMemoryMb: 8_192,
  /** Direct connections; a pool in front raises this, and takes LISTEN away. */
  connections: 500,
  /** Megabits of a second from the database. */
  wireMbits: 2_000,
  /** Saves of one scope follow each other under one lease. */
  leaseMs: 40,
  /** A new node is there within this. */
  joinSeconds: 600,
  /** A save is recalled on another node within this, on an idle machine. */
  seenMs: 1_000,
};

const AGENTS = [10, 1_000, 100_000];
const SKILLS = [10_000, 100_000, 1_000_000];
/** An hour is played. */
const PLAYED_MS = 3_600_000;

/** A cost by size: exact where it was measured, a power between and beyond. */
function bySize(points, size) {
  const [[a, x], [b, y]] = Object.entries(points).map(([at, value]) => [Number(at), value]);
  const power = Math.log(y / x) / Math.log(b / a);
  return x * (size / a) ** power;
}

/** The same numbers at each run. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Times at which something happens by chance within the time, so often in an hour, for so many. */
function arrivals(random, perHour, many) {
  const perMs = (perHour * many) / 3_600_000;
  const times = [];
  for (let at = 0; ; ) {
    at += -Math.log(1 - random()) / perMs;
    if (at > PLAYED_MS) return times;
    times.push(at);
  }
}

/** Plays works in the order of their arrival on so many servers; the waiting time that 99 of 100 do not exceed, and the load. */
function queue(works, servers) {
  const free = new Float64Array(servers);
  const waits = [];
  let busy = 0;
  for (const { at, ms } of works.sort((a, b) => a.at - b.at)) {
    let next = 0;
    for (let server = 1; server < servers; server++) if (free[server] < free[next]) next = server;
    const start = Math.max(at, free[next]);
    free[next] = start + ms;
    waits.push(start - at);
    busy += ms;
  }
  waits.sort((a, b) => a - b);
  return { p99: waits[Math.floor(waits.length * 0.99)] ?? 0, busy: busy / PLAYED_MS };
}

function simulate(agents, skills) {
  const random = generator(agents + skills);
  const perNode = USE.agentsPerNode(agents);
  const nodes = Math.ceil(agents / perNode);
  const recallMs = COSTS.turnMs + bySize(COSTS.searchMs, skills);
  const applyMs = COSTS.applyMs + skills * COSTS.applyMsPerSkill;
  // One node stands for all: its messages, and the changes of everybody.
  const messages = arrivals(random, USE.messagesPerHour, perNode).map((at) => ({ at, ms: recallMs }));
  const saves = arrivals(random, USE.savesPerHour, agents);
  const recall = queue(messages, 1);
  // The index is brought up to date behind the requests: many changes at once cost as one.
  const applied = Math.min(saves.length, Math.ceil((0.5 * PLAYED_MS) / applyMs)) * applyMs;
  const node = (recall.busy * PLAYED_MS + applied) / PLAYED_MS;
  const eventsPerMinute = (agents * USE.messagesPerHour * USE.eventsPerMessage) / 60;
  const batches = arrivals(random, (USE.messagesPerHour * USE.eventsPerMessage) / USE.batchSize, agents);
  const database = queue(
    [
      ...batches.map((at) => ({ at, ms: COSTS.batchMs + USE.batchSize * COSTS.eventMs })),
      ...saves.map((at) => ({ at, ms: COSTS.saveMs + nodes * COSTS.readMs })),
    ],
    8,
  );
  const lease = queue(
    saves.map((at) => ({ at, ms: LIMITS.leaseMs })),
    1,
  );
  const wireMbits =
    (((saves.length / 60) * nodes * COSTS.packageBytes + eventsPerMinute * COSTS.eventBytes) * 8) / 60 / 1e6;
  const memoryMb = COSTS.nodeMb + (skills * COSTS.memoryKb) / 1024;
  const joinSeconds = (skills * COSTS.joinMs) / 1000;
  /** Each use as a share of its limit; the first above one breaks. */
  const shares = {
    "processor of a node": node / LIMITS.nodeCores,
    "memory of a node": memoryMb / LIMITS.nodeMemoryMb,
    "processor of the database": database.busy / LIMITS.databaseCores,
    "connections of the database": (nodes * COSTS.connections) / LIMITS.connections,
    "wire of the database": wireMbits / LIMITS.wireMbits,
    "saves under one lease": lease.busy,
    "a new node": joinSeconds / LIMITS.joinSeconds,
    "time until a save is seen": applyMs / LIMITS.seenMs,
  };
  const [[first, share]] = Object.entries(shares).sort(([, a], [, b]) => b - a);
  return {
    agents,
    skills,
    nodes,
    recallMs,
    seenSeconds: applyMs / 1000,
    node,
    memoryMb,
    database: database.busy,
    eventsPerSecond: eventsPerMinute / 60,
    savesPerSecond: saves.length / 3_600,
    gbPerDay: (eventsPerMinute * 1_440 * COSTS.eventBytes) / 1e9,
    wireMbits,
    joinSeconds,
    fullest: `${first} ${Math.round(share * 100)}%`,
    isBroken: share > 1,
  };
}

const number = (value) => value.toLocaleString("en-US", { maximumSignificantDigits: 2 });
const head = [
  ...[
    "agents",
    "skills",
    "nodes",
    "recall, ms",
    "a save seen, s",
    "busy cores of a node",
    "memory of a node, MB",
    "events/s",
    "saves/s",
  ],
  ...["busy cores of the database", "journal, GB a day", "wire, Mbit/s", "new node, s", "fullest"],
];
const rows = AGENTS.flatMap((agents) => SKILLS.map((skills) => simulate(agents, skills))).map((row) => [
  ...[row.agents, row.skills, row.nodes].map((value) => value.toLocaleString("en-US")),
  ...[row.recallMs, row.seenSeconds, row.node, row.memoryMb, row.eventsPerSecond, row.savesPerSecond].map(
    number,
  ),
  ...[row.database, row.gbPerDay, row.wireMbits, row.joinSeconds].map(number),
  row.isBroken ? `**${row.fullest}**` : row.fullest,
]);
const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
console.log(table);
if (process.argv.includes("--check")) {
  const guide = readFileSync(new URL("../../docs/guides/scale.md", import.meta.url), "utf8");
  if (!guide.includes(table)) {
    console.error("docs/guides/scale.md has another table.");
    process.exitCode = 1;
  }
}
