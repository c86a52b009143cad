// A real terminal for tests: a program inside tmux, keys in, the screen out.

import { execFileSync, spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

export const HAS_TMUX = spawnSync("tmux", ["-V"]).status === 0;

/** A loaded machine takes its time; a test that waits this long has failed. */
const PATIENCE_MS = 60_000;

export interface Pane {
  /** Types text as it is. */
  type(text: string): void;
  /** Pastes text as a terminal does. */
  paste(text: string): void;
  /** Presses keys by tmux's names: Enter, Tab, C-c. */
  press(...keys: string[]): void;
  screen(): string;
  /** The screen once it shows the text. */
  see(text: string | RegExp): Promise<string>;
  /** Resolves once the program has ended. */
  ended(): Promise<void>;
}

export function openPane(command: readonly string[], env: Readonly<Record<string, string>>): Pane {
  const socket = `repertoire-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8", stdio: "pipe" });
  const given = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  tmux("new-session", "-d", "-x", "140", "-y", "200", ...given, ...command);
  // Stays after the program's end, so that its last words can be read.
  tmux("set-option", "-g", "remain-on-exit", "on");
  const program = Number(tmux("display-message", "-p", "#{pane_pid}"));
  onTestFinished(async () => {
    spawnSync("tmux", ["-L", socket, "kill-server"]);
    // It hears of its terminal's end and tidies up; what it works on must stay until then.
    const deadline = Date.now() + PATIENCE_MS;
    while (isAlive(program)) {
      if (Date.now() > deadline) throw new Error(`the program (${program}) outlives its terminal`);
      await sleep(20);
    }
  });
  const screen = () => tmux("capture-pane", "-p", "-J", "-S", "-").trimEnd();
  const until = async (what: string, isSo: () => boolean) => {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isSo()) {
      if (Date.now() > deadline) throw new Error(`${what} did not come. The screen:\n${screen()}`);
      await sleep(50);
    }
    return screen();
  };
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    paste(text) {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p");
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    screen,
    see: (text) =>
      until(String(text), () => (typeof text === "string" ? screen().includes(text) : text.test(screen()))),
    ended: async () => {
      await until("the end", () => tmux("display-message", "-p", "#{pane_dead}").trim() === "1");
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
