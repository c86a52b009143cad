import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EmbeddingTable, encodeTable } from "./table.ts";
import { hashKey } from "./words.ts";

test("an encoded table has the rows and idf of its keys", () => {
  const folder = mkdtempSync(join(tmpdir(), "embedding-table-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "table.bin");
  const parts = {
    keys: ["docker", "##ness", "end to end"],
    dimensions: 2,
    idf: [1, 99, -1],
    scales: [1, 2, 0.5],
    levels: Float32Array.from({ length: 16 }, (_, code) => code),
    codes: Uint8Array.of(0x21, 0x43, 0x65),
  };
  writeFileSync(path, encodeTable(parts));
  const table = new EmbeddingTable(path);
  const vectorOf = (key: string) => {
    const row = table.find(...hashKey(key));
    const sum = new Float32Array(2);
    table.need(Int32Array.of(row));
    table.addRow(row, 1, sum);
    return [...sum];
  };
  expect(parts.keys.map(vectorOf)).toEqual([
    [1, 2],
    [6, 8],
    [2.5, 3],
  ]);
  expect(parts.keys.map((key) => table.idf(key))).toEqual([1, 12.75, 0]);
  expect(table.find(...hashKey("unknown"))).toBe(-1);
});
