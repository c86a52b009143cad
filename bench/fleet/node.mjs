// One node of the benchmark, in a process of its own: does what it is asked over the channel to its parent.

import { setTimeout as sleep } from "node:timers/promises";
import { openRepertoire } from "../../dist/index.js";

const home = process.env.REPERTOIRE_HOME;
const engine = openRepertoire({ dir: home, home, encoder: "off" });
const recall = async (message, session) => (await engine.turn({ message, session }).recall()).matches;
let sessions = 0;

const WORKS = {
  /** The time until the first answer, with the library read and the index there. */
  async open({ message }) {
    const started = performance.now();
    await recall(message);
    return { ms: performance.now() - started, processorMs: processorMs() };
  },
  processorMs: () => processorMs(),
  shareIndex: () => engine.shareIndex(),
  /** One recall after the other, each in a session of its own, for so long. */
  async recalls({ messages, ms }) {
    for (const message of messages.slice(0, 20)) await recall(message);
    const times = [];
    const before = process.cpuUsage();
    const end = performance.now() + ms;
    for (let at = 0; performance.now() < end; at++) {
      const started = performance.now();
      await recall(messages[at % messages.length], `bench-${process.pid}-${sessions++}`);
      times.push(performance.now() - started);
    }
    const { user, system } = process.cpuUsage(before);
    return { times, processorMs: (user + system) / 1000 / times.length };
  },
  async save({ name, content }) {
    const { version } = await engine.learned.save({ name, content });
    return { version, at: Date.now() };
  },
  /** When a recall first has this skill. */
  async seen({ message, name }) {
    for (;;) {
      const matches = await recall(message);
      if (matches.some((match) => match.name === name)) return { at: Date.now() };
      await sleep(5);
    }
  },
  /** Keeps events at a rate, until it is stopped. */
  async write({ perSecond, ms }) {
    const end = Date.now() + ms;
    for (let batch = 0; Date.now() < end; batch++) {
      await engine.journal.importLines(lines(perSecond / 10, `writer-${process.pid}-${batch}`));
      await sleep(100);
    }
    return {};
  },
  async ingest({ events, atOnce }) {
    const started = performance.now();
    for (let done = 0; done < events; done += atOnce)
      await engine.journal.importLines(lines(atOnce, `ingest-${process.pid}-${done}`));
    return { ms: performance.now() - started };
  },
  close: () => engine.close(),
};

/** Of this process since it began. */
function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function lines(count, session) {
  const timestamp = new Date().toISOString();
  return Array.from({ length: count }, (_, turn) =>
    JSON.stringify({ skillName: `skill-${turn % 100}`, sessionId: session, timestamp, kind: "shown", turn }),
  ).join("\n");
}

process.on("message", async ({ id, work, input }) => {
  try {
    process.send({ id, result: await WORKS[work](input ?? {}) });
  } catch (error) {
    process.send({ id, error: String(error?.stack ?? error) });
  }
  if (work === "close") process.disconnect();
});
