// Keeps sessions in memory.

import { SessionLog, type SessionStep, type SessionStore, turnStep } from "../../journal/journal.ts";

export function memorySessions(): SessionStore {
  const logs = new Map<string, SessionLog>();
  let marks = 0;
  const add = (id: string, step: SessionStep) => {
    const log = logs.get(id) ?? new SessionLog(id);
    logs.set(id, log);
    return log.take([structuredClone(step)]);
  };
  return {
    read: (id) => (logs.get(id) ?? new SessionLog(id)).state,
    begin(id, turn) {
      const mark = String(marks++);
      const log = add(id, turnStep(turn, mark));
      return { first: log.isFirst(turn.key, mark), state: log.state };
    },
    markShown(id, names) {
      const mark = String(marks++);
      const log = add(id, { step: "shown", names, mark });
      return { fresh: log.firstShown(names, mark), state: log.state };
    },
    add: (id, step) => void add(id, step),
  };
}
