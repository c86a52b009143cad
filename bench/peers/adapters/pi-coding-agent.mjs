// Owns: how @earendil-works/pi-coding-agent loads a folder of skills and renders its prompt section. Measures nothing.

export const adapter = {
  name: "pi-coding-agent",
  package: "@earendil-works/pi-coding-agent",
  note: "0.74.2 is the last version for Node 20: every later one requires Node >= 22.19 (0.87.1 stops at import, node:fs has no globSync in Node 20)",
  async open() {
    const { loadSkills, formatSkillsForPrompt } = await import("@earendil-works/pi-coding-agent");
    return {
      async load({ skillsDir, project, home }) {
        const { skills, diagnostics } = loadSkills({
          cwd: project,
          agentDir: home,
          skillPaths: [skillsDir],
          includeDefaults: false,
        });
        return { skills, diagnostics };
      },
      async catalog({ skills }) {
        return formatSkillsForPrompt(skills);
      },
    };
  },
};
