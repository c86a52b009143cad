import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { EmbeddingTable, encodeTable, replaceRows } from "./table.ts";
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

test("a table with replaced rows has the same keys and idf and another content", () => {
  const folder = mkdtempSync(join(tmpdir(), "embedding-table-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const levels = Float32Array.from({ length: 16 }, (_, code) => code);
  const parts = { keys: ["docker", "pod"], dimensions: 2, idf: [1, 2], scales: [1, 2], levels };
  const first = encodeTable({ ...parts, codes: Uint8Array.of(0x21, 0x43) });
  const second = replaceRows(Uint8Array.from(first), (dimensions) => ({
    scales: [1, 1],
    levels: levels.map((level) => level * dimensions),
    codes: Uint8Array.of(0x11, 0x23),
  }));
  const opened = [first, second].map((file, i) => {
    writeFileSync(join(folder, `${i}.bin`), file);
    return new EmbeddingTable(join(folder, `${i}.bin`));
  });
  const pod = opened[1]!.find(...hashKey("pod"));
  const sum = new Float32Array(2);
  // More rows than are read singly, so that the checksums are verified.
  opened[1]!.need(new Int32Array(600).fill(pod));
  opened[1]!.addRow(pod, 1, sum);
  expect([...sum]).toEqual([6, 4]);
  expect(opened.map((table) => table.idf("pod"))).toEqual([2, 2]);
  expect(opened[1]!.content).not.toBe(opened[0]!.content);
});
