// Prints the figures of our own set, `evals/own`: its 60 skills alone, or with those that ship with Repertoire.
//
//     npm run evals -- run [--bundled] [--no-encoder]

import { join } from "node:path";
import { parseArgs } from "node:util";
import { linesOf } from "./figures.ts";
import { measureOwn } from "./measure.ts";

const { bundled, encoder } = parseArgs({
  allowNegative: true,
  options: { bundled: { type: "boolean", default: false }, encoder: { type: "boolean", default: true } },
}).values;
const measured = await measureOwn(join(process.cwd(), "evals/own"), {
  bundled,
  encoder: encoder ? "auto" : "off",
});
for (const [name, figures] of Object.entries(measured))
  console.log([`\n# own: ${name}, ${figures.messages} messages`, ...linesOf(figures, false)].join("\n"));
