// Gives two agents different views of one library: each sees and finds only its own skills, also in error messages.

import { isRepertoireError, openRepertoire } from "../src/index.ts";

const repertoire = openRepertoire({
  dir: process.argv[2] ?? ".",
  config: { agents: { reviewer: { skills: ["safe-*", "release/*"] } } },
});

const names = async (agent?: string) =>
  (await repertoire.library.view(agent)).visible().map((skill) => skill.name);
console.log("everybody:", (await names()).length, "skills");
console.log("reviewer:", (await names("reviewer")).join(", "));

try {
  await repertoire.library.find("test-first-fix", "model", "reviewer");
} catch (error) {
  if (!isRepertoireError(error)) throw error;
  console.log(error.message);
}
