// The verb about tokens of a shared database: create, list, revoke.

import { TOKEN_ROLES, type TokenRecord } from "../../../engine/engine.ts";
import { RepertoireError } from "../../../model/errors.ts";
import { forLine } from "../../../text/escape.ts";
import { positiveInteger, type Verb } from "../command.ts";
import { day, minute } from "../tell.ts";

interface CreateFlags {
  readonly role: string;
  readonly scope?: string;
  readonly days: number;
}

/** Long enough to be no chore, short enough that a forgotten one ends. */
const DAYS = 90;

export const TOKEN_VERBS: readonly Verb[] = [
  {
    use: "token",
    examples: ["token create ci --role writer --scope acme/website", "token revoke 4f1c9a02d7e3"],
    about: "create, list and revoke tokens of a shared database",
    verbs: [
      {
        use: "create <name>",
        about: "make a token and print it, once; give it to one agent or machine",
        options: [
          ["--role <role>", `what it may do: ${TOKEN_ROLES.join(", ")}`, undefined, "reader"],
          ["--scope <scope>", "organisation or organisation/project (default: yours)"],
          ["--days <n>", "days until it expires", positiveInteger, DAYS],
        ],
        async run({ io, engine }, name: string, { role, scope, days }: CreateFlags) {
          const known = TOKEN_ROLES.find((each) => each === role);
          if (known === undefined)
            throw new RepertoireError("usage", `"${role}" is not a role: ${TOKEN_ROLES.join(", ")}.`, role);
          const made = await engine.tokens.create({ name, role: known, scope, days });
          io.answer(made, () => {
            io.line(made.token);
            io.note(
              `${made.role} of ${forLine(made.scope)} until ${day(made.expiresAt ?? 0)}. It is shown only now: set REPERTOIRE_DATABASE_TOKEN to it. Back: repertoire token revoke ${made.id}`,
            );
          });
        },
      },
      {
        use: "list",
        about: "list the tokens that you may revoke (the default)",
        isDefault: true,
        async run({ io, engine }) {
          const tokens = await engine.tokens.list();
          const now = engine.clock.now().getTime();
          io.answer({ tokens }, () => {
            if (tokens.length === 0) io.line("There is no token.");
            else
              io.table([
                ["ID", "NAME", "ROLE", "SCOPE", "MADE", "STATE"],
                ...tokens.map((each) => [
                  each.id,
                  forLine(each.name),
                  each.role,
                  forLine(each.scope),
                  day(each.createdAt),
                  stateOf(each, now),
                ]),
              ]);
          });
        },
      },
      {
        use: "revoke <id>",
        about: "end a token at once",
        async run({ io, engine }, id: string) {
          await engine.tokens.revoke(id);
          io.answer({ revoked: id }, () => io.line(`${forLine(id)} is revoked.`));
        },
      },
    ],
  },
];

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: number): string {
  if (revokedAt !== undefined) return `revoked ${minute(revokedAt)}`;
  if (expiresAt === undefined) return "does not expire";
  return `${expiresAt <= now ? "expired" : "until"} ${minute(expiresAt)}`;
}
