// Owns the change of space: the principal axes of the teacher's sentence vectors, and the projection onto them.

/** Eigenvectors of the second-moment matrix with the largest eigenvalues, by cyclic Jacobi rotations. */
export function principalAxes(vectors, from, to) {
  const n = vectors.length / from;
  const moment = new Float64Array(from * from);
  const stride = Math.max(1, Math.floor(n / 15_000));
  for (let i = 0; i < n; i += stride) {
    const base = i * from;
    for (let p = 0; p < from; p++) {
      const value = vectors[base + p];
      for (let q = p; q < from; q++) moment[p * from + q] += value * vectors[base + q];
    }
  }
  for (let p = 0; p < from; p++) for (let q = 0; q < p; q++) moment[p * from + q] = moment[q * from + p];
  const basis = jacobi(moment, from);
  const ranked = Array.from({ length: from }, (_, k) => k).sort(
    (x, y) => moment[y * from + y] - moment[x * from + x],
  );
  const axes = new Float32Array(to * from);
  for (let k = 0; k < to; k++) {
    for (let p = 0; p < from; p++) axes[k * from + p] = basis[p * from + ranked[k]];
  }
  return { axes, from, to };
}

function jacobi(matrix, n) {
  const basis = new Float64Array(n * n);
  for (let i = 0; i < n; i++) basis[i * n + i] = 1;
  for (let sweep = 0; sweep < 12; sweep++) {
    let rest = 0;
    let diagonal = 0;
    for (let p = 0; p < n; p++) {
      diagonal += matrix[p * n + p] ** 2;
      for (let q = p + 1; q < n; q++) rest += matrix[p * n + q] ** 2;
    }
    if (rest < diagonal * 1e-9) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(matrix, basis, { n, p, q });
  }
  return basis;
}

function rotate(matrix, basis, { n, p, q }) {
  const off = matrix[p * n + q];
  if (off === 0) return;
  const theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * off);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const x = matrix[k * n + p];
    const y = matrix[k * n + q];
    matrix[k * n + p] = c * x - s * y;
    matrix[k * n + q] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const x = matrix[p * n + k];
    const y = matrix[q * n + k];
    matrix[p * n + k] = c * x - s * y;
    matrix[q * n + k] = s * x + c * y;
    const u = basis[k * n + p];
    const v = basis[k * n + q];
    basis[k * n + p] = c * u - s * v;
    basis[k * n + q] = s * u + c * v;
  }
}

/** Projects every vector and makes it unit length. */
export function project(vectors, { axes, from, to }) {
  const n = vectors.length / from;
  const out = new Float32Array(n * to);
  for (let i = 0; i < n; i++) {
    let squares = 0;
    for (let k = 0; k < to; k++) {
      let dot = 0;
      for (let p = 0; p < from; p++) dot += vectors[i * from + p] * axes[k * from + p];
      out[i * to + k] = dot;
      squares += dot * dot;
    }
    const inverse = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let k = 0; k < to; k++) out[i * to + k] *= inverse;
  }
  return out;
}
