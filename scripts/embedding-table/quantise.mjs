// Quantises rows of floats to four bits a value.

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
