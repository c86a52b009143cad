// Owns: how @mastra/core loads a folder of skills and renders its prompt section. Measures nothing.

export const adapter = {
  name: "mastra-core",
  package: "@mastra/core",
  note: "declares Node >= 22.13; its workspace entry point runs on Node 20",
  async open() {
    const { Workspace, LocalSkillSource } = await import("@mastra/core/workspace");
    return {
      async load({ skillsDir }) {
        const workspace = new Workspace({
          skills: [skillsDir],
          skillSource: new LocalSkillSource({ basePath: skillsDir }),
        });
        return { skills: await workspace.skills.list() };
      },
      async catalog({ skills }) {
        const { formatSkillsCatalog } = await import("@mastra/core/processors");
        return formatSkillsCatalog(
          skills.map(({ name, description, path, source }) => ({
            name,
            description,
            location: `${path}/SKILL.md`,
            source: source?.type ?? "local",
          })),
        );
      },
    };
  },
};
