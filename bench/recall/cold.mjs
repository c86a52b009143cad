// Owns one recall's worth of index work in a new process: node cold.mjs BUNDLE INDEX MESSAGE. Prints its milliseconds.

const begin = performance.now();
const [bundle, path, message] = process.argv.slice(2);
const { SearchIndex, tokenize, quantizeOne } = await import(bundle);
const imported = performance.now();
const { index, problem } = SearchIndex.open(path, { embedder: "bench", dims: 256 });
if (problem) throw new Error(problem.message);
const opened = performance.now();
const { hits } = index.search(tokenize(message), { limit: 100 });
const searched = performance.now();
const query = quantizeOne(Float32Array.from({ length: 256 }, (_, i) => Math.sin(i * i)));
const near = index.nearest(query, 40);
const neared = performance.now();
const docs = [...hits, ...near].slice(0, 80).map(({ doc }) => doc);
for (const doc of docs) {
  index.key(doc);
  index.payload(doc);
}
index.closestPassages(query, docs);
const done = performance.now();
console.log(
  JSON.stringify({
    import: imported - begin,
    open: opened - imported,
    search: searched - opened,
    nearest: neared - searched,
    payloads: done - neared,
  }),
);
