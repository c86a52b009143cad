// An esbuild plugin that imports each name from the file that declares it, where the source imports it through a front
// door. Without it, code splitting loads a whole room for one name of it.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NAMED = /^(import|export) (type )?\{([^}]*)\} from "(\.[^"]*\.ts)";$/gm;

export const frontDoors = {
  name: "front-doors",
  setup({ onLoad }) {
    const passedOn = new Map();

    /** What a file exports from other files: for each name, the file and the name there. */
    const passedOnBy = (file) => {
      if (!passedOn.has(file)) {
        const exports = [...readFileSync(file, "utf8").matchAll(NAMED)].filter(
          ([, verb]) => verb === "export",
        );
        const entries = exports.flatMap(([, , type, names, from]) =>
          type ? [] : valuesIn(names).map(([name, as]) => [as, { file: join(dirname(file), from), name }]),
        );
        passedOn.set(file, new Map(entries));
      }
      return passedOn.get(file);
    };
    const declared = (file, name) => {
      const next = passedOnBy(file).get(name);
      return next ? declared(next.file, next.name) : { file, name };
    };

    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll(NAMED, (_, verb, type, names, from) => {
        if (type) return "";
        const statements = valuesIn(names).map(([imported, as]) => {
          const { file, name } = declared(join(dirname(path), from), imported);
          return `${verb} { ${name} as ${as} } from ${JSON.stringify(file)};`;
        });
        return statements.join(" ");
      }),
      loader: "ts",
    }));
  },
};

/** The names in the braces of an import or export, without types: each with the name that it gets. */
function valuesIn(names) {
  const parts = names.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part && !part.startsWith("type "))
    .map((part) => {
      const [name, as = name] = part.split(" as ");
      return [name, as];
    });
}
