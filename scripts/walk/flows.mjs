// The flows that a walk counts: how each is prepared and driven, what it may cost at most, and what is wanted of it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildCounting, Workspace } from "./workspace.mjs";

/** The columns of the table. */
export const FACTS = {
  skillFiles: "SKILL.md opened",
  sessionLogs: "session log read",
  snapshots: "snapshot opened",
  otherFiles: "other file opened",
  databases: "database opened",
  folders: "folder of the sources read",
  otherFolders: "other folder read",
  stats: "stat",
  scans: "scan of all sources",
  parses: "SKILL.md parsed",
  sections: "cut into sections",
  indexUpdates: "index update",
  packages: "whole package read",
  gathers: "evidence gathered",
};

/** Facts that vary a little, with the number of matches for example; their counts are upper bounds. */
const BOUNDED = ["otherFiles", "stats"];

const SKILLS = "home/.claude/skills";
const FIXTURES = fileURLToPath(new URL("../../test/fixtures/dream", import.meta.url));
const DAY_MS = 86_400_000;
const SESSION = "walk";
const SMALL = 200;

/**
 * `counts` is what a flow costs on n skills; `wanted` is what it may cost at most, and `reached` says whether it does.
 * The flows of one library run in this order, each on what the ones before have left.
 */
export const FLOWS = [
  {
    name: "recall, cold",
    says: "`repertoire recall` in a new process; no skill has changed since the last scan.",
    library: "large",
    counts: () => ({ snapshots: 3, otherFiles: 4, stats: 92 }),
    wanted: { skillFiles: 0, folders: 0, parses: 0 },
    reached: true,
    walk: async (place) => (await place.run(["recall", message(17)])).counts,
  },
  {
    name: "prompt, cold",
    says: "`repertoire prompt` in a new process; no skill has changed since the last scan.",
    library: "large",
    counts: () => ({ snapshots: 3, otherFiles: 4, stats: 162 }),
    wanted: { folders: 0, parses: 0 },
    reached: true,
    walk: async (place) => (await place.run(["prompt", message(17)])).counts,
  },
  {
    name: "list",
    says: "`repertoire list` in a new process; no skill has changed since the last scan.",
    library: "large",
    counts: (n) => ({ snapshots: 1, otherFiles: 2, folders: n + 2, stats: n + 125, scans: 1 }),
    wanted: { skillFiles: 0, parses: 0 },
    reached: true,
    walk: async (place) => (await place.run(["list"])).counts,
  },
  {
    name: "hook, second turn, cold",
    says: "The second message of a session through a host's hook, each in a new process.",
    library: "large",
    counts: () => ({ sessionLogs: 1, snapshots: 3, otherFiles: 4, stats: 73 }),
    wanted: { sessionLogs: 1, folders: 0, parses: 0 },
    reached: true,
    async walk(place) {
      await place.run(["hook", "claude-code"], { input: hookInput(place, 1) });
      return (await place.run(["hook", "claude-code"], { input: hookInput(place, 2) })).counts;
    },
  },
  {
    name: "prompt in a session, warm",
    says: "The second message of a session, for its prompt, at a server that has answered the first.",
    library: "large",
    counts: () => ({ stats: 79 }),
    wanted: { sessionLogs: 1, folders: 0, parses: 0 },
    reached: true,
    walk: (place) =>
      place.serve(async ({ post, counted }) => {
        await post("/api/prompt", { message: message(31), session: SESSION });
        await counted();
        await post("/api/prompt", { message: message(47), session: SESSION });
        return counted();
      }),
  },
  {
    name: "prompt in a session, cold",
    says: "The next message of that session, as the first that a new server answers.",
    library: "large",
    counts: () => ({ sessionLogs: 1, otherFiles: 2, stats: 79 }),
    wanted: { sessionLogs: 1, folders: 0, parses: 0 },
    reached: true,
    walk: (place) =>
      place.serve(async ({ post, counted }) => {
        await counted();
        await post("/api/prompt", { message: message(61), session: SESSION });
        return counted();
      }),
  },
  {
    name: "activate",
    says: "`repertoire activate` of one skill in a new process, with consent.",
    library: "large",
    counts: () => ({
      skillFiles: 2,
      snapshots: 1,
      otherFiles: 6,
      databases: 1,
      otherFolders: 5,
      stats: 199,
      parses: 1,
      packages: 1,
    }),
    wanted: { folders: 0, scans: 0 },
    reached: true,
    async walk(place) {
      const digest = await place.digestOf(nameOf(5));
      const args = ["activate", nameOf(5), "--yes", "--digest", digest];
      return (await place.run(args, { about: nameOf(5) })).counts;
    },
  },
  {
    name: "run",
    says: "`repertoire run` of a script of that skill in a new process.",
    library: "large",
    counts: () => ({
      skillFiles: 1,
      snapshots: 1,
      otherFiles: 5,
      databases: 1,
      otherFolders: 5,
      stats: 94,
      parses: 1,
      packages: 1,
    }),
    wanted: { folders: 0, scans: 0 },
    reached: true,
    async walk(place) {
      const args = ["run", nameOf(5), "scripts/hello.sh", "--no-sandbox"];
      return (await place.run(args, { about: nameOf(5) })).counts;
    },
  },
  {
    name: "recall after a new file",
    says: "A SKILL.md appears in a new folder; then `repertoire recall` in a new process.",
    library: "large",
    counts: (n) => ({
      skillFiles: 1,
      snapshots: 5,
      otherFiles: 7,
      folders: n + 3,
      otherFolders: 1,
      stats: n + 195,
      scans: 1,
      parses: 1,
      sections: 1,
      indexUpdates: 1,
    }),
    wanted: { skillFiles: 1, parses: 1, sections: 1 },
    reached: true,
    async walk(place, { skills }) {
      place.write(`${SKILLS}/${nameOf(skills)}/SKILL.md`, skillText(skills));
      return (await place.run(["recall", message(skills)])).counts;
    },
  },
  {
    name: "save",
    says: `\`repertoire save\` of a new learned skill in a library of ${SMALL}.`,
    library: "small",
    counts: () => ({
      skillFiles: 1,
      snapshots: 4,
      otherFiles: 19,
      databases: 2,
      folders: 9,
      otherFolders: 5,
      stats: 444,
      scans: 1,
      parses: 2,
      packages: 5,
    }),
    wanted: { scans: 1 },
    reached: true,
    async walk(place) {
      const from = place.write(
        "lesson.md",
        "# Rotate the keys\n\n1. Make a new key.\n2. Remove the old one.\n",
      );
      const description = "Rotates the signing keys of the release server. Use when a key expires.";
      return (await place.run(["save", "rotate-keys", "--from", from, "--description", description])).counts;
    },
  },
  {
    name: "dream with apply",
    says: "`repertoire dream --apply` by rules over 12 learned skills and a month of sessions.",
    library: "learned",
    counts: () => ({
      skillFiles: 27,
      snapshots: 4,
      otherFiles: 36,
      databases: 2,
      folders: 49,
      otherFolders: 41,
      stats: 720,
      scans: 1,
      parses: 9,
      sections: 20,
      indexUpdates: 6,
      packages: 20,
      gathers: 1,
    }),
    wanted: { scans: 1, parses: 12, gathers: 1 },
    reached: true,
    walk: async (place) => (await place.run(["dream", "--apply"])).counts,
  },
];

/** The facts whose count differs from the table: above it, or, unless the count is an upper bound, below it. */
export function differences(flow, counts, skills) {
  const expected = flow.counts(skills);
  return Object.keys(FACTS).flatMap((fact) => {
    const [now, before] = [counts[fact] ?? 0, expected[fact] ?? 0];
    const differs = BOUNDED.includes(fact) ? now > before : now !== before;
    return differs ? [{ fact, now, before }] : [];
  });
}

/** The facts of which more was counted than is wanted. */
export function missedGoals({ wanted }, counts) {
  return Object.entries(wanted).flatMap(([fact, most]) => {
    const now = counts[fact] ?? 0;
    return now > most ? [{ fact, now, most }] : [];
  });
}

const LIBRARIES = {
  large: (place, { skills }) => writeSkills(place, skills),
  small: (place) => writeSkills(place, SMALL),
  learned: learnedLibrary,
};

/** Runs every flow on a library of so many skills. Returns the counts of each by its name. */
export async function walkAll({ skills, onFlow = () => {} }) {
  const { folder, dispose } = await buildCounting();
  const places = new Map();
  const found = new Map();
  try {
    for (const { name, library, walk } of FLOWS) {
      if (!places.has(library)) {
        const place = new Workspace(folder);
        places.set(library, place);
        await LIBRARIES[library](place, { skills });
        await place.run(["index"]);
      }
      const counts = await walk(places.get(library), { skills });
      onFlow(name, counts);
      found.set(name, counts);
    }
  } finally {
    for (const place of places.values()) place.dispose();
    dispose();
  }
  return found;
}

function writeSkills(place, count) {
  for (let n = 0; n < count; n++) place.write(`${SKILLS}/${nameOf(n)}/SKILL.md`, skillText(n));
  const script = "#!/bin/sh\necho hello\n";
  place.write(`${SKILLS}/${nameOf(5)}/scripts/hello.sh`, script, { executable: true });
}

const VERBS = [
  "rotate",
  "render",
  "audit",
  "merge",
  "import",
  "export",
  "verify",
  "archive",
  "translate",
  "plan",
];
const THINGS = ["invoice", "certificate", "changelog", "dataset", "schema", "playlist", "recipe", "contract"];
const TOOLS = ["postgres", "terraform", "blender", "latex", "kafka", "figma", "gitlab", "excel", "redis"];

/** The words of skill n: verb, thing and tool are combined, and a number keeps all names apart. */
function wordsOf(n) {
  const verb = VERBS[n % VERBS.length];
  const thing = THINGS[Math.floor(n / VERBS.length) % THINGS.length];
  const tool = TOOLS[Math.floor(n / (VERBS.length * THINGS.length)) % TOOLS.length];
  return { verb, thing, tool };
}

function nameOf(n) {
  const { verb, thing, tool } = wordsOf(n);
  return `${verb}-${thing}-${tool}-${n}`;
}

function message(n) {
  const { verb, thing, tool } = wordsOf(n);
  return `please ${verb} the ${thing} with ${tool}, number ${n}: use ${nameOf(n)}`;
}

function skillText(n) {
  const { verb, thing, tool } = wordsOf(n);
  return `---
name: ${nameOf(n)}
description: Helps to ${verb} a ${thing} with ${tool}, variant ${n}. Use when a ${thing} has to be handled in ${tool}.
---

# ${verb} the ${thing}

1. Open ${tool} and find the ${thing} ${n}.
2. Run \`${tool} ${verb} --${thing} ${n}\`.

## Check

The ${thing} is listed by \`${tool} list\`.
`;
}

function hookInput(place, turn) {
  return JSON.stringify({
    session_id: "hooked",
    hook_event_name: "UserPromptSubmit",
    cwd: place.project,
    turn_id: `t${turn}`,
    prompt: message(70 + turn),
  });
}

/** Skills that an agent saved 40 days ago, and what happened with them since. */
async function learnedLibrary(place) {
  const skills = lines("skills.jsonl");
  await place.agent(40, async (call) => {
    for (const { name, description, content } of skills)
      await call("save_skill", { name, description, content });
  });
  const listed = JSON.parse((await place.run(["list", "--json"])).out).skills;
  const digests = new Map(listed.map(({ name, digest }) => [name, digest]));
  const { sqliteStore } = await place.product();
  const store = sqliteStore({ directory: join(place.home, ".repertoire") });
  try {
    for (const session of lines("history.jsonl")) await addSession(store, session, digests);
  } finally {
    await store.close();
  }
}

async function addSession(store, { session, daysAgo, turns, rating }, digests) {
  const start = Math.round(Date.now() - daysAgo * DAY_MS);
  const events = [];
  for (const [index, { message: text, recalled, used = [], outcome, correction }] of turns.entries()) {
    const base = { at: start + index * 60_000, session, turn: index + 1 };
    const happened = (kind, details, skill) =>
      events.push({ ...base, kind, details, ...(skill && { skill, digest: digests.get(skill) ?? "" }) });
    await store.conversation.append({ ...base, role: "user", text });
    if (recalled.length === 0) happened("recalled", {});
    for (const [rank, name] of recalled.entries()) happened("recalled", { rank: rank + 1 }, name);
    for (const name of used) happened("activated", {}, name);
    if (outcome) happened("outcome", { result: outcome });
    if (correction) happened("feedback", { type: "correction", text: correction });
  }
  if (rating) events.push({ at: start, session, kind: "feedback", details: { type: "summary", rating } });
  await store.journal.append(events);
}

function lines(file) {
  const text = readFileSync(join(FIXTURES, file), "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line));
}
