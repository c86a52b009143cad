// How close a message is to what skills in general are about: a measure for how close a skill of this library should be.

/** The cosine of a message's vector with the closest topic; undefined if the topics are of another table. */
export type Topics = (message: ArrayLike<number>) => number | undefined;

/** The topics are unit vectors in signed bytes, one after the other, made by `evals/fit-topics.ts` and read on first use. */
export function createTopics(read: () => Uint8Array): Topics {
  let opened: Int8Array | undefined;
  return (message) => {
    opened ??= signed(read());
    const dimensions = message.length;
    if (opened.length === 0 || opened.length % dimensions !== 0) return undefined;
    let closest = 0;
    for (let topic = 0; topic < opened.length; topic += dimensions) {
      let product = 0;
      for (let i = 0; i < dimensions; i++) product += opened[topic + i]! * message[i]!;
      closest = Math.max(closest, product);
    }
    return closest / TOPIC_LENGTH;
  };
}

/** The length of each topic in bytes: with hundreds of dimensions, no number of a unit vector is above one half. */
export const TOPIC_LENGTH = 254;

function signed(bytes: Uint8Array): Int8Array {
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
