import { describe, expect, it } from "vitest";
import { asksForList } from "./question.ts";

describe("a question for the list of skills", () => {
  it.each([
    "What can you do?",
    "hey, what can you do for me?",
    "list skills",
    "Please list all your skills.",
    "show me the available skills",
    "Which skills do you have?",
    "what skills are available",
    "What are your capabilities?",
    "can you list your skills",
    "what can you help me with?",
    "Was kannst du alles?",
    "Welche Fähigkeiten hast du?",
    "Zeig mir bitte alle Skills",
    "Liste deine Skills auf",
    "Que peux-tu faire ?",
    "Quelles sont tes compétences ?",
    "Montre-moi toutes tes compétences",
    "¿Qué puedes hacer?",
    "¿Cuáles son tus habilidades?",
    "Muéstrame todas tus habilidades",
    "Che cosa sai fare?",
    "O que você pode fazer?",
    "你能做什么？",
    "你有哪些技能？",
    "列出所有技能",
    "何ができますか？",
    "スキルの一覧を見せてください",
  ])("is %j", (message) => {
    expect(asksForList(message)).toBe(true);
  });

  it.each([
    "",
    "What can you do about this failing test?",
    "list skills in this resume that match the job",
    "Which skills do you need to become a pilot?",
    "list the files",
    "show me the skills section of the README",
    "Was kannst du mir über Rom erzählen?",
    "Que peux-tu faire de ce fichier ?",
    "¿Qué puedes hacer con este archivo?",
    "你能做什么菜给我看这个文件",
    "write a skill",
    `what can you do ${"please ".repeat(40)}`,
  ])("is not %j", (message) => {
    expect(asksForList(message)).toBe(false);
  });

  it("is decided quickly for a filler word repeated many times", () => {
    for (const word of ["so ", "le tue ", "list all my ", "can you ", "kannst du "]) {
      expect(asksForList(`${word.repeat(12)}x`)).toBe(false);
      expect(asksForList(`elenca ${word.repeat(11)}x`)).toBe(false);
    }
  });
});
