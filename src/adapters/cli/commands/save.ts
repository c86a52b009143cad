// `repertoire save NAME`: saves a procedure as a learned skill.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, RepertoireError } from "../../../model/errors.ts";
import { EXIT, type Register, withEngine } from "../command.ts";
import { tellChange } from "../learned.ts";

interface SaveOptions {
  readonly from?: string;
  readonly description?: string;
  readonly summary?: string;
  readonly seeAlso?: string;
  readonly reason?: string;
  readonly project?: boolean;
  readonly allowUnsafe?: boolean;
}

export const registerSave: Register = (program, action) => {
  program
    .command("save <name>")
    .description(
      "save a procedure as a learned skill, or change one; the text comes from --from or standard input",
    )
    .option("--from <file>", "a SKILL.md, or the procedure alone (default: standard input)")
    .option("--description <text>", "what it does and when to use it (default: what the text says)")
    .option("--summary <text>", "one line, at most 15 words")
    .option("--see-also <names>", "related skills, separated by commas")
    .option("--reason <text>", "why, for the history")
    .option("--project", "into the project's .repertoire/skills instead of your home folder's")
    .option("--allow-unsafe", "save it even if it looks dangerous")
    .action(
      action(({ io, open }, name: string, options: SaveOptions) => {
        const { from, seeAlso, ...rest } = options;
        return withEngine(open(), async ({ learned }) => {
          const content = read(from === undefined ? undefined : resolve(from));
          const changed = await learned.save({
            name,
            content,
            author: "person",
            ...rest,
            ...(seeAlso !== undefined && { seeAlso: names(seeAlso) }),
          });
          const back = changed.result === "created" ? `repertoire delete ${changed.name}` : "repertoire undo";
          tellChange(io, changed, back);
          return EXIT.ok;
        });
      }),
    );
};

function read(path: string | undefined): string {
  try {
    return readFileSync(path ?? 0, "utf8");
  } catch (thrown) {
    throw new RepertoireError(
      "usage",
      `The text cannot be read: ${messageOf(thrown)}. Give a file with --from.`,
      path,
    );
  }
}

function names(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}
