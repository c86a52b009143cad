// Owns the benchmark's documents and messages: a folder of skills (or invented ones), grown to any size by recombining
// descriptions and sections. Deterministic: document n is the same in every process.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A generator of numbers in [0, below). */
export function randomOf(seed) {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x85ebca6b) >>> 0;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

function readSkill(dir, id) {
  const text = readFileSync(join(dir, id, "SKILL.md"), "utf8");
  const [, front = "", body = text] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  const valueUnder = (key) =>
    new RegExp(`^${key}:\\s*(?:[>|][-+]?\\s*)?([\\s\\S]*?)(?=^\\S|$(?![\\s\\S]))`, "m").exec(front)?.[1];
  return skillOf(
    valueUnder("name")?.trim() || id,
    valueUnder("description")?.trim() || body.slice(0, 200),
    body,
  );
}

function skillOf(name, description, body) {
  return { name, description, sections: body.split(/^(?=#{1,4} )/m).filter((s) => s.trim() !== "") };
}

/** Words with the frequencies of a language: a few everywhere, most of them rare. */
function inventSkills(count) {
  const syllables = [
    "ra",
    "ti",
    "mo",
    "ne",
    "ku",
    "sel",
    "dor",
    "pin",
    "gra",
    "vex",
    "lo",
    "hem",
    "tan",
    "bir",
    "cy",
    "zu",
  ];
  const word = (rank) => {
    let rest = rank + 16;
    let text = "";
    for (; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16];
    return text;
  };
  return Array.from({ length: count }, (_, n) => {
    const random = randomOf(n * 7 + 3);
    const zipf = () => word(Math.floor(60_000 ** (random(1_000_000) / 1_000_000)));
    const words = (k) => Array.from({ length: k }, zipf).join(" ");
    const section = (i) =>
      `## ${words(4)}\n\n${words(60 + random(200))}.\n${i % 3 === 0 ? `\n\`\`\`\n${words(30)}\n\`\`\`\n` : ""}`;
    const body = Array.from({ length: 3 + random(6) }, (_, i) => section(i)).join("\n");
    return skillOf(`${zipf()}-${zipf()}`, words(30), body);
  });
}

export function openCorpus(dir) {
  const skills =
    dir === undefined
      ? inventSkills(5000)
      : readdirSync(dir)
          .sort()
          .map((id) => readSkill(dir, id));
  return {
    size: skills.length,
    document: (n) => documentOf(skills, n),
    messages: (kind, count) => messagesOf(skills, kind, count),
  };
}

/** The first documents are the skills themselves; the others mix the description and the sections of three. */
function documentOf(skills, n) {
  const first = skills[n % skills.length];
  if (n < skills.length) return fieldsOf(`skill-${n}`, first.name, first.description, first.sections);
  const random = randomOf(n);
  const [second, third] = [skills[random(skills.length)], skills[random(skills.length)]];
  const others = second.description.split(/\s+/);
  const description = first.description
    .split(/\s+/)
    .map((w) => (random(3) === 0 ? others[random(others.length)] : w));
  const pool = [...first.sections, ...second.sections, ...third.sections];
  const sections = first.sections.map(() => pool[random(pool.length)]);
  const name = `${first.name.split(/[-_ ]/)[0]}-${second.name.split(/[-_ ]/).at(-1)}-${n}`;
  return fieldsOf(`skill-${n}`, name, description.join(" "), sections);
}

function fieldsOf(key, name, description, sections) {
  const body = sections.join("");
  const code = [];
  const prose = body.replace(/^```[\s\S]*?^```/gm, (block) => {
    code.push(block);
    return "";
  });
  const headings = prose.match(/^#{1,6} .*$/gm) ?? [];
  return {
    key,
    name,
    description,
    headings: headings.join("\n"),
    text: prose.replace(/^#{1,6} .*$/gm, ""),
    code: code.join("\n"),
  };
}

/** Short: eight words of a description and two of another. Long: 200 running words of a body. */
function messagesOf(skills, kind, count) {
  const random = randomOf(kind === "short" ? 11 : 13);
  const messages = [];
  while (messages.length < count) {
    const skill = skills[random(skills.length)];
    if (kind === "short") {
      const own = skill.description.split(/\s+/);
      const from = random(Math.max(1, own.length - 8));
      const other = skills[random(skills.length)].description.split(/\s+/);
      messages.push([...own.slice(from, from + 8), ...other.slice(0, 2)].join(" "));
    } else {
      const words = skill.sections.join(" ").split(/\s+/);
      if (words.length < 260) continue;
      const from = random(words.length - 200);
      messages.push(words.slice(from, from + 200).join(" "));
    }
  }
  return messages;
}
