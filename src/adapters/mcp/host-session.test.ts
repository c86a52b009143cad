import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryTree } from "../../../test/skill-tree.ts";
import { markHeard } from "../hooks/heard.ts";
import { joinedSession, sessionInMeta } from "./host-session.ts";

const NOBODY = 2 ** 30;
const NOW = Date.now();

describe("the session of a call", () => {
  it.each([
    [{ "x-codex-turn-metadata": { session_id: "a", turn_id: "t" } }, "a"],
    [{ "x-codex-turn-metadata": '{"session_id": "a"}' }, "a"],
    [{ threadId: "a" }, "a"],
    [{ progressToken: 1 }, undefined],
    [{ x: "{broken" }, undefined],
    [{ session_id: 7 }, undefined],
    [undefined, undefined],
  ])("is %j's own", (meta, session) => {
    expect(sessionInMeta(meta)).toBe(session);
  });

  it("is the one whose hook the same process started, the last heard if there are several", () => {
    const home = temporaryTree({ x: "" });
    const heard = (session: string, ancestors: number[]) =>
      markHeard("claude-code", home, { session, dir: "/p", ancestors });
    heard("old", [NOBODY, process.pid]);
    heard("new", [NOBODY, process.pid]);
    heard("other", [NOBODY]);
    utimesSync(
      join(home, ".repertoire/hosts/claude-code/old.json"),
      new Date(NOW - 60_000),
      new Date(NOW - 60_000),
    );
    const where = { home, dir: "/elsewhere", client: "anything", now: NOW };
    expect(joinedSession({ ...where, parent: process.pid })).toBe("new");
    expect(joinedSession({ ...where, parent: NOBODY + 1 })).toBeUndefined();
  });

  it("is the only one of the client's host in the folder, if no process tells", () => {
    const home = temporaryTree({ x: "" });
    markHeard("gemini", home, { session: "g", dir: "/p", ancestors: [NOBODY] });
    markHeard("codex", home, { session: "c", dir: "/p", ancestors: [NOBODY] });
    const where = { home, dir: "/p", parent: NOBODY + 1, now: NOW };
    expect(joinedSession({ ...where, client: "gemini-cli-mcp-client" })).toBe("g");
    expect(joinedSession({ ...where, client: "gemini-cli-mcp-client", dir: "/q" })).toBeUndefined();
    expect(joinedSession({ ...where, client: "zed" })).toBeUndefined();
    expect(
      joinedSession({ ...where, client: "gemini-cli-mcp-client", now: NOW + 13 * 3_600_000 }),
    ).toBeUndefined();
    markHeard("gemini", home, { session: "h", dir: "/p", ancestors: [NOBODY] });
    expect(joinedSession({ ...where, client: "gemini-cli-mcp-client" })).toBeUndefined();
  });
});
