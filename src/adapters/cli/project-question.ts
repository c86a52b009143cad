// Asks once whether the skills of a project that somebody else may have written are shown.

import { forLine } from "../../text/escape.ts";
import type { Context } from "./command.ts";
import { confirmed } from "./consent-prompt.ts";

type Input = NonNullable<Parameters<typeof confirmed>[2]>["input"];

/**
 * Asks the person about a project whose skills wait for an answer, and keeps it; says what to do if nobody can be asked. Returns whether
 * the project is trusted from now on.
 */
export async function askForProject(
  { io, engine: { library } }: Pick<Context, "io" | "engine">,
  input?: Input,
): Promise<boolean> {
  const { folder, isOpen, hidden } = library.project();
  if (!isOpen || hidden.length === 0) return false;
  const place = forLine(folder);
  const answer = await confirmed(io, `${place} has skills of its own. Show their descriptions to agents?`, {
    input,
  });
  if (answer === undefined) {
    io.note(
      `The skills of ${place} are not shown until you agree: run \`repertoire trust --project\` in a terminal.`,
    );
    return false;
  }
  library.trustProject(answer);
  return answer;
}
