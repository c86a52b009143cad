// Owns: how @google/gemini-cli-core loads a folder of skills and renders its prompt section. Measures nothing.

export const adapter = {
  name: "gemini-cli-core",
  package: "@google/gemini-cli-core",
  async open() {
    const { loadSkillsFromDir, SkillManager } = await import("@google/gemini-cli-core");
    return {
      async load({ skillsDir }) {
        const manager = new SkillManager();
        manager.addSkills(await loadSkillsFromDir(skillsDir));
        return { skills: manager.getSkills() };
      },
      async catalog({ skills }) {
        const { renderAgentSkills } = await import("@google/gemini-cli-core/dist/src/prompts/snippets.js");
        return renderAgentSkills(skills);
      },
    };
  },
};
