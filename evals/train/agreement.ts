// Checks that training and engine make the same text of each skill: agreement.cjs WORK SKILLS (bundle it with --format=cjs)

import { readFileSync } from "node:fs";
import { encoderDocument } from "../../src/embedders/encoder/skill-text.ts";
import { parseSkill } from "../../src/parse/parse.ts";

const [work, skills] = process.argv.slice(2) as [string, string];
const documents = JSON.parse(readFileSync(`${work}/documents.json`, "utf8")) as {
  id: string;
  text: string;
}[];
const words = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
let same = 0;
let sameWords = 0;
for (const { id, text } of documents) {
  const path = `${skills}/${id}/SKILL.md`;
  const { skill } = parseSkill(readFileSync(path), path);
  if (skill === undefined) continue;
  const { declaredName, description, whenToUse } = skill.manifest;
  const ours = encoderDocument({
    name: declaredName ?? id.split("__").at(-1)!,
    description: whenToUse === undefined ? description : `${description} ${whenToUse}`,
    body: skill.body,
  });
  if (ours === text) same++;
  if (words(ours) === words(text)) sameWords++;
}
console.log(`${documents.length} skills: the same text ${same}, the same words ${sameWords}`);
