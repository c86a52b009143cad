// Owns: how deepagents loads a folder of skills and renders its prompt section. Measures nothing.
// Both go through the middleware's own hooks, the same code an agent runs before a model call.

export const adapter = {
  name: "deepagents",
  package: "deepagents",
  async open() {
    const { createSkillsMiddleware, FilesystemBackend } = await import("deepagents");
    const middlewareFor = (skillsDir) =>
      createSkillsMiddleware({
        backend: new FilesystemBackend({ rootDir: skillsDir }),
        sources: [`${skillsDir}/`],
      });
    return {
      async load({ skillsDir }) {
        const state = await middlewareFor(skillsDir).beforeModel({});
        return { skills: state.skillsMetadata, skillsDir };
      },
      async catalog({ skills, skillsDir }) {
        const { SystemMessage } = await import("@langchain/core/messages");
        const request = { state: { skillsMetadata: skills }, systemMessage: new SystemMessage("") };
        return middlewareFor(skillsDir).wrapModelCall(request, ({ systemMessage }) => systemMessage.text);
      },
    };
  },
};
