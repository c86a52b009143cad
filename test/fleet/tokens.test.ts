// The verb `token`: made once, shown once, used by another machine, ended at once.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../scripts/postgres.mjs";
import { temporaryTree } from "../skill-tree.ts";
import { runOn } from "./nodes.ts";

let server: PostgresServer;
let database: string;

beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
});

afterAll(() => server.stop());

describe("repertoire token", () => {
  it("makes, lists and revokes tokens, and tells a secret only when it is made", async () => {
    const home = temporaryTree({ "skill.md": "---\nname: mail\ndescription: Sends mail.\n---\nSend it.\n" });
    const run = async (token: string | undefined, ...args: string[]) => {
      const env = token === undefined ? {} : { REPERTOIRE_DATABASE_TOKEN: token };
      const { code, out, err } = await runOn({ database, home, env }, ...args, "--json");
      return { code, err, answer: JSON.parse(out || err) };
    };
    const made = await run(undefined, "token", "create", "ci", "--role", "reader", "--scope", "acme/web");
    expect(made.answer).toMatchObject({ name: "ci", role: "reader", scope: "acme/web" });
    const { id, token } = made.answer;
    const listed = await run(undefined, "token", "list");
    expect(listed.answer.tokens).toMatchObject([{ id, role: "reader" }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    const save = ["save", "mail", "--from", join(home, "skill.md")];
    const refused = await run(token, ...save);
    expect([refused.code === 0, refused.answer]).toMatchObject([
      false,
      { error: { code: "role-insufficient" } },
    ]);
    expect(JSON.stringify(refused)).not.toContain(token);
    const writer = await run(undefined, "token", "create", "dev", "--role", "writer", "--scope", "acme/web");
    expect((await run(writer.answer.token, ...save)).code).toBe(0);
    expect((await run(token, "history", "mail")).code).toBe(0);
    expect((await run(undefined, "token", "revoke", id)).code).toBe(0);
    expect((await run(token, "history", "mail")).answer).toMatchObject({ error: { code: "token-refused" } });
    expect((await run(undefined, "token", "revoke", id)).answer).toMatchObject({
      error: { code: "token-not-found" },
    });
    const none = await runOn({ database: "", home }, "token", "list", "--json");
    expect(JSON.parse(none.err || none.out)).toMatchObject({ error: { code: "database-missing" } });
  });
});
