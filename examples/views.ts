// Gives two agents different views of one library: each sees, finds and is told of its own skills only.

import { isRepertoireError, openRepertoire } from "../src/index.ts";

const repertoire = openRepertoire({
  dir: process.argv[2] ?? ".",
  config: { agents: { reviewer: { skills: ["safe-*", "release/*"] } } },
});

const names = (agent?: string) =>
  repertoire
    .view(agent)
    .visible()
    .map((skill) => skill.name);
console.log("everybody:", names().length, "skills");
console.log("reviewer:", names("reviewer").join(", "));

try {
  repertoire.view("reviewer").require("test-first-fix", "model");
} catch (error) {
  if (!isRepertoireError(error)) throw error;
  console.log(error.message);
}
