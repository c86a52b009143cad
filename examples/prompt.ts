// Opens the skills of a project, lists them, and prints the text that an agent's prompt gets for a message.

import { isRepertoireError, openRepertoire } from "../src/index.ts";

const [dir = ".", message = "fix the failing test"] = process.argv.slice(2);

try {
  const repertoire = openRepertoire({ dir });

  const { skills, diagnostics } = await repertoire.library.list();
  for (const { skill, state } of skills) console.log(`${skill.name} (${state}): ${skill.manifest.brief}`);
  for (const { path, message: problem, fix } of diagnostics) console.log(`${path}: ${problem} ${fix}`);

  const section = await repertoire.turn({ message }).prompt({ style: "adaptive", budget: { tokens: 1000 } });
  console.log(section.text);
  console.log(`${section.shown.length} shown, ${section.omitted} left out, about ${section.tokens} tokens`);

  await repertoire.close();
} catch (error) {
  // A wrong configuration, for example: the message says which key of which file, and what is accepted.
  if (!isRepertoireError(error)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
