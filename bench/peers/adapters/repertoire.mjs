// Owns: how Repertoire itself is measured: the built command line for a cold process, the built library in process.
// Twice, with the cache of parsed metadata absent (a new home each time) and present. Measures nothing.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../../dist/bin.cjs", import.meta.url));
const LIBRARY = new URL("../../../dist/index.js", import.meta.url);

// The shipped skills are left out: every peer is given the one folder too.
const WITHOUT_SHIPPED = { "sources.bundled": false };

const shared = {
  missing() {
    const absent = [BIN, fileURLToPath(LIBRARY)].some((file) => !existsSync(file));
    return absent ? "not built: run `npm run build` in the repository's root first" : undefined;
  },
  coldCommand({ project, home }) {
    return [BIN, "list", "--json", "--dir", project, "--home", home];
  },
  async open() {
    const { openRepertoire } = await import(LIBRARY.href);
    return {
      async load({ project, home }) {
        const repertoire = openRepertoire({ dir: project, home, values: WITHOUT_SHIPPED });
        const { skills, diagnostics } = await repertoire.library.list();
        // A shadowed skill lost its name to another one; peers drop such a skill from their lists.
        const kept = skills
          .filter(({ state }) => state !== "shadowed")
          .map(({ skill }) => ({ name: skill.name, description: skill.manifest.description }));
        return { skills: kept, diagnostics, repertoire };
      },
      async catalog({ repertoire }) {
        return (await repertoire.turn({ message: "" }).prompt({ style: "catalog" })).text;
      },
    };
  },
};

export const repertoireUncached = { ...shared, name: "repertoire, no cache", freshHome: true };
export const repertoireCached = { ...shared, name: "repertoire, cached" };
