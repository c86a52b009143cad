// The functions whose calls a walk counts, and the build that counts them: the product's own bundle with one line more at
// the start of each of these functions.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

/** A row is a fact, the file, and the function or `Class.method` whose calls are that fact. */
const COUNTED = [
  ["scans", "src/discover/walk.ts", "discover"],
  ["parses", "src/parse/parse.ts", "parseSkill"],
  ["sections", "src/text/sections.ts", "bodySections"],
  ["indexUpdates", "src/recall/recall-index.ts", "RecallIndex.update"],
  ["databases", "src/stores/sqlite/driver.ts", "openDatabase"],
  ["packages", "src/package/files.ts", "snapshotPackage"],
  ["packages", "src/package/files.ts", "readPackage"],
  ["gathers", "src/dream/material.ts", "gatherMaterial"],
];

/** An esbuild plugin. Fails if a function of the table does not exist below `root`. */
export function countCalls(root) {
  const contents = new Map();
  for (const file of new Set(COUNTED.map(([, path]) => path)))
    contents.set(
      resolve(root, file),
      withCounters(
        root,
        file,
        COUNTED.filter(([, path]) => path === file),
      ),
    );
  return {
    name: "count-calls",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const found = contents.get(path);
        return found === undefined ? undefined : { contents: found, loader: "ts" };
      });
    },
  };
}

function withCounters(root, file, rows) {
  const path = join(root, file);
  if (!existsSync(path)) throw missing(file, rows[0][2]);
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const places = rows.map(([fact, , name]) => {
    const body = bodyOf(source, name);
    if (body === undefined) throw missing(file, name);
    return { at: body.getStart(source) + 1, fact };
  });
  return places
    .sort((a, b) => b.at - a.at)
    .reduce(
      (code, { at, fact }) => `${code.slice(0, at)} globalThis.countFact?.("${fact}");${code.slice(at)}`,
      text,
    );
}

function bodyOf(source, name) {
  const [owner, method] = name.split(".");
  const nodes = source.statements.flatMap((node) =>
    ts.isVariableStatement(node) ? variables(node) : [node],
  );
  const found = nodes.find((node) => node.name?.text === owner && (node.body ?? node.members));
  return method === undefined
    ? found?.body
    : found?.members?.find((member) => member.name?.text === method && member.body)?.body;
}

/** `const name = () => { … }` counts as a function of that name. */
function variables(node) {
  return node.declarationList.declarations.map(({ name, initializer }) => ({
    name,
    body: initializer?.body,
  }));
}

function missing(file, name) {
  return new Error(
    `The walk counts calls of ${name} in ${file}, which does not exist. Change the table in scripts/walk/counted.mjs.`,
  );
}
