// Owns the way from fitted rows to the table file. The layout is the loader's (`src/embedders/table.ts`).
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { borrow, tablePath } from "./cutter.mjs";

/** Sixteen levels placed by k-means over all values divided by their row's root mean square. */
export function quantise(table, dimensions) {
  const rows = table.length / dimensions;
  const scales = new Float32Array(rows);
  for (let r = 0; r < rows; r++) {
    let squares = 0;
    for (let d = 0; d < dimensions; d++) squares += table[r * dimensions + d] ** 2;
    scales[r] = Math.sqrt(squares / dimensions);
  }
  const levels = fitLevels(table, scales, dimensions);
  const codes = new Uint8Array(table.length / 2);
  const decoded = new Float32Array(table.length);
  for (let i = 0; i < table.length; i++) {
    const scale = scales[Math.floor(i / dimensions)];
    const code = scale === 0 ? 0 : nearest(levels, table[i] / scale);
    codes[i >> 1] |= i % 2 === 0 ? code : code << 4;
    decoded[i] = levels[code] * scale;
  }
  return { scales, levels, codes, decoded };
}

function nearest(levels, value) {
  let best = 0;
  for (let k = 1; k < 16; k++) if (Math.abs(levels[k] - value) < Math.abs(levels[best] - value)) best = k;
  return best;
}

function fitLevels(table, scales, dimensions) {
  const levels = Float32Array.from({ length: 16 }, (_, k) => (k - 7.5) * 0.35);
  const stride = Math.max(1, Math.floor(table.length / 400_000)) | 1;
  for (let round = 0; round < 15; round++) {
    const sums = new Float64Array(16);
    const counts = new Float64Array(16);
    for (let i = 0; i < table.length; i += stride) {
      const scale = scales[Math.floor(i / dimensions)];
      if (scale === 0) continue;
      const code = nearest(levels, table[i] / scale);
      sums[code] += table[i] / scale;
      counts[code]++;
    }
    for (let k = 0; k < 16; k++) if (counts[k] > 0) levels[k] = sums[k] / counts[k];
  }
  return levels;
}

export async function writeTable({ keys, dimensions, idf, scales, levels, codes }) {
  const format = await borrow("table.ts");
  const { hashKey } = await borrow("words.ts");
  const { FIELD } = format;
  let slots = 1;
  while (slots < keys.length * 1.5) slots *= 2;
  const sizes = {
    fingerprints: slots * 4,
    rowNumbers: slots * 2,
    scales: keys.length * 4,
    idf: keys.length,
    codes: codes.length,
  };
  const at = {};
  let bytes = format.HEADER_BYTES;
  for (const [name, size] of Object.entries(sizes)) {
    at[name] = bytes;
    bytes = Math.ceil((bytes + size) / 16) * 16;
  }
  const buffer = new ArrayBuffer(bytes);
  const header = new Uint32Array(buffer, 0, 16);
  Object.entries({
    magic: format.MAGIC,
    version: format.VERSION,
    bytes,
    dimensions,
    rows: keys.length,
    slots,
    ...at,
  }).forEach(([name, value]) => {
    header[FIELD[name]] = value;
  });
  new Float32Array(buffer, format.LEVELS_AT, 16).set(levels);
  const fingerprints = new Uint32Array(buffer, at.fingerprints, slots);
  const rowNumbers = new Uint16Array(buffer, at.rowNumbers, slots).fill(format.NO_ROW);
  keys.forEach((key, row) => {
    const [a, b] = hashKey(key);
    let slot = format.slotOf(a) & (slots - 1);
    while (rowNumbers[slot] !== format.NO_ROW) slot = (slot + 1) & (slots - 1);
    fingerprints[slot] = b >>> 0;
    rowNumbers[slot] = row;
  });
  new Float32Array(buffer, at.scales, keys.length).set(scales);
  const steps = new Uint8Array(buffer, at.idf, keys.length);
  idf.forEach((value, row) => {
    steps[row] = Math.max(0, Math.min(255, Math.round(value / format.IDF_STEP)));
  });
  new Uint8Array(buffer, at.codes, codes.length).set(codes);
  const written = new Uint8Array(buffer);
  header[FIELD.content] = format.checksumOfCodes(written.subarray(at.codes));
  header[FIELD.checksum] = format.checksumOfIndex(written.subarray(0, at.codes));
  mkdirSync(dirname(tablePath), { recursive: true });
  writeFileSync(tablePath, new Uint8Array(buffer));
  return `${tablePath}: ${keys.length} rows, ${(bytes / 1e6).toFixed(2)} MB`;
}
