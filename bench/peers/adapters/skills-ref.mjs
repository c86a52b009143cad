// Owns: how skills-ref reads skills and renders its prompt section. Measures nothing.
// skills-ref reads one folder at a time and has no directory loader, so the adapter lists the root's folders.

import { readdir } from "node:fs/promises";
import { join } from "node:path";

export const adapter = {
  name: "skills-ref",
  package: "skills-ref",
  note: "reads one folder at a time; the adapter lists the folders of the root",
  async open() {
    const { readProperties, toPrompt } = await import("skills-ref");
    return {
      async load({ skillsDir }) {
        const skills = [];
        const diagnostics = [];
        for (const entry of await readdir(skillsDir)) {
          const path = join(skillsDir, entry);
          try {
            const { name, description } = await readProperties(path);
            skills.push({ name, description, path });
          } catch (error) {
            diagnostics.push(String(error));
          }
        }
        return { skills, diagnostics };
      },
      async catalog({ skills }) {
        return toPrompt(skills.map((skill) => skill.path));
      },
    };
  },
};
