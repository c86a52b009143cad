// Owns: what happens inside one child process: one adapter, loading the timing corpus or edge cases, answering in
// JSON lines on file descriptor 3. Starts no process, judges nothing but a case's own expectation.

import { mkdtempSync, writeSync } from "node:fs";
import { join } from "node:path";
import { adapterNamed } from "./adapters/all.mjs";
import { skillsDirOf } from "./corpus.mjs";
import { edgeCases } from "./edge-cases.mjs";

const ANSWERS = 3;
const answer = (value) => writeSync(ANSWERS, `${JSON.stringify(value)}\n`);

const request = JSON.parse(process.argv[2]);
const adapter = adapterNamed(request.adapter);
const place = (project) => ({
  project,
  skillsDir: skillsDirOf(project),
  home: adapter.freshHome ? mkdtempSync(join(request.home, "fresh-")) : request.home,
});

async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

async function cold() {
  const peer = await adapter.open();
  await peer.load(place(request.project));
}

async function warm() {
  const opened = await timed(() => adapter.open());
  const peer = opened.value;
  const first = await timed(() => peer.load(place(request.project)));
  const again = [];
  for (let i = 0; i < request.runs; i++) {
    const here = place(request.project);
    again.push((await timed(() => peer.load(here))).ms);
  }
  const catalog = await peer.catalog(first.value);
  answer({
    importMs: opened.ms,
    firstMs: first.ms,
    warmMs: again,
    loaded: first.value.skills.length,
    catalogChars: catalog.length,
  });
}

async function edge() {
  const complaints = [];
  for (const level of ["warn", "error"]) console[level] = (...words) => complaints.push(words.join(" "));
  const peer = await adapter.open();
  answer({ ready: true });
  for (const id of request.ids) {
    const edgeCase = edgeCases.find((candidate) => candidate.id === id);
    complaints.length = 0;
    answer({ started: id });
    answer({ finished: id, ...(await judge({ peer, edgeCase, complaints })) });
  }
}

async function judge({ peer, edgeCase, complaints }) {
  try {
    const loaded = await peer.load(place(join(request.project, edgeCase.id)));
    const catalog = loaded.skills.length > 0 ? await peer.catalog(loaded) : "";
    const texts = loaded.skills.map((skill) => String(skill.description));
    const right = edgeCase.expect.every((words) => texts.some((text) => text.includes(words)));
    return {
      outcome: right ? "loaded" : loaded.skills.length > 0 ? "partly" : "skipped",
      said: (loaded.diagnostics?.length ?? 0) + complaints.length > 0,
      leak: edgeCase.leaks?.({ catalog }),
    };
  } catch (error) {
    return { outcome: "threw", said: true, message: String(error).slice(0, 200) };
  }
}

await { cold, warm, edge }[request.mode]();
process.exit(0);
