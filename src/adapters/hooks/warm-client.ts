// Asks a server of ours that is warm to answer a hook's event, so that the hook loads next to nothing. Everything that is not as it
// should be means that the hook answers itself.

import { lstatSync, readdirSync, rmSync } from "node:fs";
import type { connect } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isRecord, jsonIn } from "../../text/json.ts";
import { ANSWER_MS, pidOfSocket, socketFolder, TAKEN, UNTAKEN_MS, type WarmRequest } from "./warm-socket.ts";

interface WarmCall {
  /** The arguments after `hook`. */
  readonly words: readonly string[];
  /** Reads standard input. */
  readonly read: () => string;
  /** Node's module for sockets takes a millisecond to load: only if there is a socket. */
  readonly net: () => { readonly connect: typeof connect };
}

/** Servers that are asked before the hook gives up: each session may have left one behind. */
const TRIED = 4;

/** What the hook should print; undefined if nobody has answered. */
export async function askWarm({ words, read, net }: WarmCall): Promise<string | undefined> {
  const at = words.indexOf("--home");
  const home = resolve((at < 0 ? undefined : words[at + 1]) ?? process.env.REPERTOIRE_HOME ?? homedir());
  const sockets = socketsIn(socketFolder(home));
  if (sockets.length === 0) return undefined;
  const { env, ppid: parent } = process;
  const input = read();
  for (const path of sockets.slice(0, TRIED)) {
    const request = { words, input, home, cwd: process.cwd(), env, parent, sentAt: Date.now() };
    const { output, isGone } = await ask(path, request, net());
    if (!isGone) return output;
  }
  return undefined;
}

/** The sockets of this build that belong to us and to nobody else, the newest first. */
function socketsIn(folder: string): string[] {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  const isPrivate = (path: string, isRight: "isSocket" | "isDirectory") => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.[isRight]() && stats.uid === uid && (stats.mode & 0o077) === 0 ? stats : undefined;
  };
  try {
    if (!isPrivate(folder, "isDirectory")) return [];
    return readdirSync(folder)
      .filter((name) => pidOfSocket(name) !== undefined)
      .flatMap((name) => {
        const path = join(folder, name);
        const stats = isPrivate(path, "isSocket");
        return stats ? [{ path, at: stats.mtimeMs }] : [];
      })
      .sort((a, b) => b.at - a.at)
      .map(({ path }) => path);
  } catch {
    // A folder that cannot be read holds no server for us.
    return [];
  }
}

interface Asked {
  readonly output?: string | undefined;
  /** The server has died and left its socket, which is removed. */
  readonly isGone?: boolean | undefined;
}

function ask(
  path: string,
  request: WarmRequest,
  { connect: open }: { readonly connect: typeof connect },
): Promise<Asked> {
  return new Promise((settle) => {
    const socket = open(path);
    let received = "";
    const end = (result: Asked) => {
      for (const timer of timers) clearTimeout(timer);
      socket.destroy();
      settle(result);
    };
    // What came while this process had to wait is read before it gives up.
    const untaken = () =>
      setImmediate(() => {
        if (!received.startsWith(TAKEN)) end({});
      });
    const timers = [setTimeout(untaken, UNTAKEN_MS), setTimeout(() => end({}), ANSWER_MS)];
    socket.setEncoding("utf8");
    socket.on("data", (part) => {
      received += part;
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      const isGone = error.code === "ECONNREFUSED" || error.code === "ENOENT";
      if (isGone) rmSync(path, { force: true });
      end({ isGone });
    });
    socket.on("end", () => {
      const answer = jsonIn(received.replace(TAKEN, ""));
      end(isRecord(answer) && typeof answer.output === "string" ? { output: answer.output } : {});
    });
    socket.end(JSON.stringify(request));
  });
}
