// Owns the loan of the embedder's own sources: texts are cut for training exactly as they are at run time.
import { join } from "node:path";
import { build } from "esbuild";
import { here, work } from "./work.mjs";

const repository = process.env.REPERTOIRE ?? join(here, "../..");

export async function borrow(source) {
  const outfile = work(`${source.replaceAll("/", "-")}.mjs`);
  await build({
    entryPoints: [join(repository, "src/embedders", source)],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  return import(outfile);
}

export const tablePath = process.env.TABLE ?? join(repository, "data/embedding/table.bin");

export async function loadCutter(keys) {
  const { WordCutter, hashKey } = await borrow("words.ts");
  const rows = new Map();
  keys.forEach((key, row) => {
    const [a, b] = hashKey(key);
    rows.set(`${a} ${b}`, row);
  });
  const memo = new Map();
  const find = (a, b) => {
    const key = a * 4294967296 + (b >>> 0);
    let row = memo.get(key);
    if (row === undefined) {
      row = rows.get(`${a} ${b}`) ?? -1;
      memo.set(key, row);
    }
    return row;
  };
  return new WordCutter({ find });
}
