// Owns: how bash-tool loads a folder of skills and what it puts into a prompt. Measures nothing.
// Its only public loader also reads every file of every skill, for its sandbox.

export const adapter = {
  name: "bash-tool",
  package: "bash-tool",
  note: "its loader also reads every support file; its catalog is the tool description plus the instructions",
  async open() {
    const { experimental_createSkillTool } = await import("bash-tool");
    return {
      async load({ skillsDir }) {
        const { skills, skill, instructions } = await experimental_createSkillTool({
          skillsDirectory: skillsDir,
        });
        return { skills, prompt: `${skill.description}\n${instructions}` };
      },
      async catalog({ prompt }) {
        return prompt;
      },
    };
  },
};
