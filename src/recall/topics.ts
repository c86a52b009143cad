// How close a message is to what skills in general are about: a measure for how close a skill of this library should be.

import { Int8Matrix, quantizeOne } from "../search/search.ts";

/** The cosine of a message's vector with the closest topic; undefined if the topics are of another table. */
export type Topics = (message: ArrayLike<number>) => number | undefined;

/** The topics are unit vectors in signed bytes, one after the other, made by `evals/fit-topics.ts` and read on first use. */
export function createTopics(read: () => Uint8Array): Topics {
  let opened: Int8Matrix | undefined;
  return (message) => {
    const dims = message.length;
    opened ??= matrixOf(read(), dims);
    if (opened.rows === 0 || opened.dims !== dims) return undefined;
    const { values, scales } = quantizeOne(message);
    return (Math.max(0, ...opened.dots(values)) * scales[0]!) / TOPIC_LENGTH;
  };
}

/** The length of each topic in bytes: with hundreds of dimensions, no number of a unit vector is above one half. */
export const TOPIC_LENGTH = 254;

/** Without rows if the bytes are not vectors of `dims` numbers. */
function matrixOf(bytes: Uint8Array, dims: number): Int8Matrix {
  const rows = bytes.length % dims === 0 ? bytes.length / dims : 0;
  // The kernel is compiled by now; in a new process, plain code would take longer than everything around it.
  return Int8Matrix.fill(rows, dims, (values) => values.set(signed(bytes).subarray(0, rows * dims)), true);
}

function signed(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
