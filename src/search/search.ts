// The front door of the search room: other rooms import from here only. See README.md.

export type { IndexDocument } from "./build.ts";
export { checksum, longChecksum } from "./checksum.ts";
export type { Hit } from "./query.ts";
export { indexFiles, SearchIndex } from "./search-index.ts";
export { Int8Matrix, quantize, quantizeOne } from "./vectors.ts";
