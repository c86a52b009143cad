// `repertoire trust NAME`: lasting consent to the present content of a skill; lists and withdraws such consents.

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
    .description("consent to a skill as it is now, in every task; any change needs new consent")
    .option("--list", "list what is trusted")
    .option("--revoke <name-or-digest>", "stop trusting it")
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
