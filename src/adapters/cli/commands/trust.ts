// `repertoire trust NAME`: a lasting yes to the content that a skill has now; to list such and to withdraw one.

import { RepertoireError } from "../../../model/errors.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { showSheet } from "../consent-prompt.ts";

interface Options {
  readonly list?: boolean;
  readonly revoke?: string;
}

export const registerTrust: Register = (program, action) => {
  program
    .command("trust [name]")
    .description("agree to a skill as it is now, in every task; a changed byte asks again")
    .option("--list", "list what is trusted")
    .option("--revoke <name-or-digest>", "trust it no longer")
    .action(
      action(({ io, open }, name: string | undefined, { list, revoke }: Options) =>
        withEngine(open(), async ({ consents }) => {
          if (revoke !== undefined) {
            const revoked = await consents.revoke(revoke);
            io.answer({ revoked }, () => io.line(`${revoked} withdrawn.`));
          } else if (list) {
            const trusted = await consents.trusted();
            io.answer({ trusted }, () => {
              if (trusted.length === 0) io.line("Nothing is trusted.");
              else
                io.table([
                  ["SKILL", "SINCE", "SOURCE", "DIGEST"],
                  ...trusted.map(({ skill, at, source, digest }) => [
                    skill,
                    new Date(at).toISOString().slice(0, 10),
                    source ?? "",
                    digest,
                  ]),
                ]);
            });
          } else if (name !== undefined) {
            const trusted = await consents.trust(name);
            io.answer(trusted, () => {
              showSheet(io, trusted.sheet);
              io.line(
                `${trusted.skill} is trusted as it is now. \`repertoire trust --revoke ${trusted.skill}\` withdraws it.`,
              );
            });
          } else throw new RepertoireError("usage", "Name a skill, or use --list or --revoke.");
          return EXIT.ok;
        }),
      ),
    );
};
