// Writes quantised rows to the table file, in the format of `src/embedders/table.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { borrow, tablePath } from "./cutter.mjs";

export async function writeTable(parts) {
  const { encodeTable } = await borrow("table.ts");
  const bytes = encodeTable(parts);
  mkdirSync(dirname(tablePath), { recursive: true });
  writeFileSync(tablePath, bytes);
  return `${tablePath}: ${parts.keys.length} rows, ${(bytes.length / 1e6).toFixed(2)} MB`;
}
