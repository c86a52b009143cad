// A terminal of its own for a host that talks with a person: what is on its screen, and keys for it. Needs tmux.

import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Host, Started } from "./hosts.ts";
import { endLeft, type Place, programOf, signalled } from "./run.ts";

export const HAS_TERMINAL = spawnSync("tmux", ["-V"]).status === 0;

export interface Terminal {
  screen(): string;
  /** Waits until the screen shows it. */
  shows(pattern: RegExp): Promise<string>;
  /** One after the other, as a person would: a busy host loses keys that come together. */
  press(...keys: string[]): Promise<void>;
  /** Ends the host, and waits for its end. */
  close(): Promise<void>;
}

/** opencode needs more than a minute for its start without a network. */
const LIMIT_SECONDS = 240;
const KEY_MS = 1_000;
/** A host that has lost its terminal ends by itself, or is ended. */
const END_SECONDS = 5;

export function openTerminal(
  host: Host,
  place: Place,
  { args, started }: { readonly args: readonly string[]; readonly started: Started },
): Terminal {
  const socket = join(place.home, "..", "terminal");
  const tmux = (...words: string[]) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  // As a file, since tmux passes on neither words nor variables as they are.
  const set = Object.entries({ ...place.env, ...host.env?.(started), TERM: "tmux-256color" });
  const line = [...programOf(host), ...args].map(quoted).join(" ");
  const script = join(place.home, "..", "start.sh");
  const variables = set.map(([name, value]) =>
    value === undefined ? `unset ${name}` : `export ${name}=${quoted(value)}`,
  );
  writeFileSync(script, `${variables.join("\n")}\nexec nice -n 10 ${line}\n`);
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-x",
    "140",
    "-y",
    "60",
    "-c",
    place.project,
    `sh ${quoted(script)}`,
  );
  const leader = Number(tmux("display-message", "-p", "#{pane_pid}"));
  const screen = () => tmux("capture-pane", "-p");
  return {
    screen,
    async shows(pattern) {
      for (let second = 0; second < LIMIT_SECONDS; second++) {
        if (pattern.test(screen())) return screen();
        await delay(1_000);
      }
      throw new Error(`The screen never showed ${pattern}:\n${screen()}`);
    },
    async press(...keys) {
      for (const key of keys) {
        await delay(KEY_MS);
        tmux("send-keys", key);
      }
    },
    async close() {
      tmux("kill-server");
      for (let second = 0; second < END_SECONDS && signalled(-leader, 0); second++) await delay(1_000);
      signalled(-leader, "SIGKILL");
      await endLeft(place);
    },
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
